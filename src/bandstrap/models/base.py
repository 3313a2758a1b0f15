"""What a model is to a bandit: something that learns rewards and draws a best arm."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from bandstrap.arrays import Array, Rng
from bandstrap.choice import highest
from bandstrap.errors import InvalidInput
from bandstrap.kernels.checks import LARGEST
from bandstrap.models.checks import too_large
from bandstrap.models.link import IDENTITY, Link
from bandstrap.priors import ExamplePrior
from bandstrap.problem import Problem, Support
from bandstrap.remapping import ArmMap
from bandstrap.resampling import Resampling


class Learner(ABC):
    """What a model has learnt about all arms in one run, and how it draws.

    A learner writes `learn` and `margins`, and `remap_arms` and `discount` where it can. `contexts`
    is one row for all arms, (features,), or, where `one_for_all`, a row for each of n arms,
    (n, features), which the model of the first arm serves. Attributes are plain (arrays, numbers,
    text, lists and dicts of them, or objects of such), so that a run can be saved and go on.

    >>> import numpy as np
    >>> class Means(Learner):
    ...     def __init__(self, n_arms):
    ...         self.sums, self.counts = np.zeros(n_arms), np.zeros(n_arms)
    ...     def learn(self, context, arm, reward, rng, weight=1.0):
    ...         self.sums[arm] += weight * reward
    ...         self.counts[arm] += weight
    ...     def margins(self, contexts, rng):
    ...         return self.sums / np.maximum(self.counts, 1)
    >>> means, rng = Means(2), np.random.default_rng(0)
    >>> means.learn(np.ones(1), 1, 0.5, rng)
    >>> means.best(np.ones(1), rng, np.array([True, True]))
    1
    """

    link: Link = IDENTITY
    repeats: ClassVar[bool] = True  # a reward of whole weight w is learnt as w rewards
    one_for_all: ClassVar[bool] = False  # whether one model can serve all arms
    owed: int = 0  # draws that `learn` has put off work to

    @abstractmethod
    def learn(
        self, context: Array, arm: int, reward: float, rng: Rng | None, weight: float = 1.0
    ) -> None:
        """Take in a reward that counts `weight` times, and its context (features,)."""

    @abstractmethod
    def margins(self, contexts: Array, rng: Rng) -> Array:
        """A fresh draw of the margin of each arm, (arms,); infinite for one to be tried first."""

    def best(self, contexts: Array, rng: Rng, allowed: Array) -> int:
        """The allowed arm with the largest draw, ties at random; there may be a shortcut to it."""
        return highest(self.margins(contexts, rng), allowed, rng)

    def decide(self, contexts: Array, rng: Rng, allowed: Array) -> tuple[int, Array, Array | None]:
        """The allowed arm with the largest draw, the scores of that draw, and `probabilities`."""
        margins = self.margins(contexts, rng)  # these decide: expected rewards near 1 would tie
        arm = highest(margins, allowed, rng)
        return arm, self.link.expected(margins), self.probabilities(contexts, allowed)

    def probabilities(self, contexts: Array, allowed: Array) -> Array | None:
        """The probability of each arm to be the best of a draw; None if only draws can tell."""
        return None

    def check_context(self, contexts: Array) -> None:  # noqa: B027 - most take any
        """Refuse contexts that `learn` or a draw would refuse."""

    def check_reward(self, reward: float, weight: float) -> None:
        """Refuse a reward or a weight that `learn` would refuse."""
        if not abs(reward) <= LARGEST:
            raise too_large("rewards", reward)

    def verify_problem(self, problem: Problem) -> None:  # noqa: B027 - for those that are saved
        """Refuse a file whose learner has other arms or features than the problem.

        Called before a learner is started for the problem, which may take any memory.
        """

    def remap_arms(self, fresh: Any, before: ArmMap) -> None:
        """Go on with the arms of `fresh`, a learner that has learnt nothing."""
        raise InvalidInput("arms", list(before), f"{type(self).__name__} cannot change its arms")

    def discount(self, factor: float) -> None:
        """Let every example learnt, but no pseudo-example, count only `factor` as much."""
        remedy = f"{type(self).__name__} cannot discount; forget by Window()"
        raise InvalidInput("factor", factor, remedy)


def draw_scores(learner: Learner, contexts: Array, rng: Rng) -> Array:
    """A fresh draw of what each arm is expected to pay, (arms,)."""
    return learner.link.expected(learner.margins(contexts, rng))


def learn_reward(
    learner: Learner, context: Array, arm: int, reward: float, rng: Rng | None, weight: float
) -> None:
    """Learn a reward of any weight: a whole w as w rewards, if the learner `repeats`."""
    if weight == 1.0 or not learner.repeats or weight != round(weight):
        learner.learn(context, arm, reward, rng, weight)
        return
    for _ in range(round(weight)):
        learner.learn(context, arm, reward, rng)


class Model(ABC):
    """Frozen parameters of a model of each arm, and a way to bootstrap it.

    A model that `reads_tables` takes contexts with words, by their columns; others take numbers.
    See `WeightedModel` for models with a `fit`, which need no learner of their own.

    >>> from bandstrap import LogisticRegression, NoExamples, NoResampling
    >>> learner = LogisticRegression().learner(Problem(2, 3), NoResampling(), NoExamples())
    >>> isinstance(learner, Learner)
    True
    """

    reads_tables: ClassVar[bool] = False

    def check(  # noqa: B027 - most models have nothing to refuse
        self, support: Support, resampling: Resampling, rewards: Sequence[float]
    ) -> None:
        """Refuse a support, a scheme or rewards to come, whatever the contexts will be."""

    @abstractmethod
    def learner(self, problem: Problem, resampling: Resampling, prior: ExamplePrior) -> Learner:
        """What learns and draws in one run."""
