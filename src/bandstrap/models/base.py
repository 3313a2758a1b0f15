"""What a model is to a bandit: something that can be refit to weighted examples."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Generic, TypeVar

from bandstrap.arrays import Array, Rng
from bandstrap.choice import highest
from bandstrap.errors import InvalidInput
from bandstrap.kernels.checks import LARGEST
from bandstrap.models.checks import too_large
from bandstrap.priors import ExamplePrior
from bandstrap.problem import Problem, Support
from bandstrap.remapping import ArmMap
from bandstrap.resampling import Resampling

F = TypeVar("F")


class Learner(ABC):
    """What a model has learnt of all arms in one run, and how it draws.

    Attributes are plain: arrays, numbers, text, lists and dicts of them, or objects of such. That
    is what lets a run be saved in the middle and go on elsewhere.
    """

    @abstractmethod
    def learn(self, context: Array, arm: int, reward: float, rng: Rng | None) -> None:
        """Take in one reward; `context` has shape (features,)."""

    @abstractmethod
    def scores(self, context: Array, rng: Rng) -> Array:
        """A fresh bootstrap draw of what each arm is worth in this context, (arms,)."""

    def best(self, context: Array, rng: Rng, allowed: Array) -> int:
        """The allowed arm with the largest draw, ties at random; may know a faster way to it."""
        return highest(self.scores(context, rng), allowed, rng)

    def choose(self, context: Array, rng: Rng, allowed: Array) -> tuple[int, Array]:
        """As `best`, with the scores of the draw that decided."""
        scores = self.scores(context, rng)
        return highest(scores, allowed, rng), scores

    def decide(self, context: Array, rng: Rng, allowed: Array) -> tuple[int, Array, Array | None]:
        """As `choose`, with `probabilities`."""
        arm, scores = self.choose(context, rng, allowed)
        return arm, scores, self.probabilities(context, allowed)

    def learn_weighted(
        self, context: Array, arm: int, reward: float, rng: Rng | None, weight: float
    ) -> None:
        """Take in a reward that counts as `weight` of them."""
        if weight != round(weight):
            self._weigh_in(context, arm, reward, rng, weight)
            return
        for _ in range(round(weight)):
            self.learn(context, arm, reward, rng)

    def verify_problem(self, problem: Problem) -> None:  # noqa: B027 - for those that are saved
        """Refuse, in a file, a problem of other arms or features than these.

        It is asked before a learner is started for the problem, which may take any memory.
        """

    def check_context(self, contexts: Array) -> None:  # noqa: B027 - most take any
        """Refuse what `learn` or a draw would refuse: a context, or rows of several."""

    def check_reward(self, reward: float, weight: float) -> None:
        """Refuse a reward or a weight that `learn_weighted` would refuse."""
        if not abs(reward) <= LARGEST:
            raise too_large("rewards", reward)
        if weight != round(weight):
            kind = type(self)
            ways = kind.learn_weighted, kind._weigh_in
            if ways == (Learner.learn_weighted, Learner._weigh_in):
                raise self._whole_only(weight)

    def _weigh_in(
        self, context: Array, arm: int, reward: float, rng: Rng | None, weight: float
    ) -> None:
        """A weight that is not whole; it multiplies the example's bootstrap weights."""
        raise self._whole_only(weight)

    def _whole_only(self, weight: float) -> InvalidInput:
        return InvalidInput("weights", weight, f"{type(self).__name__} takes whole weights only")

    def probabilities(self, context: Array, allowed: Array) -> Array | None:
        """How probable each arm is to be the best of a draw; None if only draws can say."""
        return None

    def scores_of(self, contexts: Array, rng: Rng) -> Array:
        """One draw of the first arm's model: what it expects in each of several contexts, (n,)."""
        raise InvalidInput(
            "model", type(self).__name__, "it cannot serve all arms at once; use Replicas(), "
            "from_sklearn() or a solved model"
        )  # fmt: skip

    def choose_of(self, contexts: Array, rng: Rng, allowed: Array) -> tuple[int, Array]:
        """The best of several contexts by one draw of the first arm's model, ties at random."""
        scores = self.scores_of(contexts, rng)
        return highest(scores, allowed, rng), scores

    def decide_of(
        self, contexts: Array, rng: Rng, allowed: Array
    ) -> tuple[int, Array, Array | None]:
        """As `choose_of`, with `shares_of`."""
        place, scores = self.choose_of(contexts, rng, allowed)
        return place, scores, self.shares_of(contexts, allowed)

    def shares_of(self, contexts: Array, allowed: Array) -> Array | None:
        """How probable each of several contexts is to be chosen; None if only draws can say."""
        return None

    def remap_arms(self, fresh: Any, before: ArmMap) -> None:
        """Go on with the arms of `fresh`, a learner that has learnt nothing."""
        raise InvalidInput("arms", list(before), f"{type(self).__name__} cannot change its arms")

    def discount(self, factor: float) -> None:
        """Let every example learnt, but no pseudo-example, count only `factor` as much."""
        raise InvalidInput(
            "factor", factor, f"{type(self).__name__} cannot discount; forget by Window()"
        )


class Model(ABC):
    """Frozen parameters of a model, one per arm, and a way to bootstrap it.

    A model that `reads_tables` turns rows back into tables with words; any other takes numbers.
    """

    reads_tables: ClassVar[bool] = False

    def check(  # noqa: B027 - most models have nothing to say
        self, support: Support, resampling: Resampling, rewards: Sequence[float]
    ) -> None:
        """Refuse a support, a scheme or rewards that will come, whatever the contexts will be."""

    @abstractmethod
    def learner(self, problem: Problem, resampling: Resampling, prior: ExamplePrior) -> Learner:
        """What learns and draws in one run."""


class WeightedModel(Model, Generic[F]):
    """A model that can be fit to weighted examples: all that a bootstrap needs.

    A fit is whatever `fit` returns. Every draw weighs the whole history afresh and refits every
    arm, starting from the arm's last draw.
    """

    def check_context(self, contexts: Array) -> None:
        """Refuse numbers that `fit` or `predict` would refuse."""

    def verify_fit(self, fit: Any, n_features: int) -> None:
        """Refuse, in a file, what is no fit of this model to so many features."""

    @abstractmethod
    def fit(self, contexts: Array, rewards: Array, weights: Array, start: F | None, rng: Rng) -> F:
        """Fit to examples (n, features) with weights (n,), from `start` if there is one."""

    @abstractmethod
    def predict(self, fit: F, contexts: Array) -> Array:
        """The expected reward in each context, (n,)."""

    def learner(self, problem: Problem, resampling: Resampling, prior: ExamplePrior) -> Learner:
        from bandstrap.models.refit import RefitLearner  # it needs this module

        return RefitLearner(self, problem, resampling, prior)
