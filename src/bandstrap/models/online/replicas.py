"""A fixed number of replicas of each arm's model, learning online at a cost that does not grow."""

from abc import ABC
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.choice import replica_probabilities
from bandstrap.errors import InvalidInput
from bandstrap.kernels.convex import replicas as kernels
from bandstrap.models.base import Learner, Model
from bandstrap.models.features import Rows, unit_of, verify_rows
from bandstrap.models.link import sigmoid
from bandstrap.models.online.checks import check_untaught, check_widths, lanes_of
from bandstrap.priors import ExamplePrior, PseudoExamples
from bandstrap.problem import Problem
from bandstrap.remapping import ArmMap, newcomers, remapped, remapped_list
from bandstrap.resampling import Resampling
from bandstrap.seeding import kernel_stream
from bandstrap.storage.schema import ArrayOf, Fixed, Grows, ListOf, Of, Schema, Whole, require
from bandstrap.validation import require_positive, require_within

MOST_REPLICAS = 10_000  # each of them learns every reward
MOST_REPLAYED = 10_000  # after each reward
MOST = 1e150  # parameters, sums of squares and weights are less


@dataclass(frozen=True)
class OnlineModel(ABC):
    """A model that learns by small steps: AdaGrad, without regard to the scale of features.

    `rate` is the first step's size in standard units. After each reward `replay` examples drawn
    from the arm's history and pseudo-examples, 10,000 at most, are learnt again: the budget that
    makes up for seeing each only once.
    """

    rate: float = 0.1
    replay: int = 32
    link: ClassVar[int]

    def __post_init__(self) -> None:
        require_positive(rate=self.rate)
        require_within(0, MOST_REPLAYED, replay=self.replay)


@dataclass(frozen=True)
class OnlineLinear(OnlineModel):
    """Least squares; steps are measured in units of the arm's root mean square reward."""

    link: ClassVar[int] = kernels.LINEAR


@dataclass(frozen=True)
class OnlineLogistic(OnlineModel):
    """Logistic regression on rewards in [0, 1]."""

    link: ClassVar[int] = kernels.LOGISTIC


@dataclass(frozen=True)
class Replicas(Model):
    """`count` replicas (10,000 at most) of each arm's model; a decision picks one at random.

    An approximation of the bootstrap: each replica weighs each example once, when it comes, and
    keeps that weight for good, so the randomness of a decision is which replica is asked. Any
    resampling scheme that weighs examples independently will do.

    >>> from bandstrap.policies import ContextualBootstrap
    >>> from bandstrap.priors import GaussianExamples
    >>> from bandstrap.resampling import Exponential
    >>> policy = ContextualBootstrap(Exponential(), Replicas(OnlineLogistic()), GaussianExamples())
    >>> state = policy.start(Problem(n_arms=2, n_features=3))
    >>> policy.select(state, np.ones((1, 3)), np.random.default_rng(0)).shape
    (1,)
    """

    model: OnlineModel = field(default_factory=OnlineLogistic)
    count: int = 10

    def __post_init__(self) -> None:
        require_within(1, MOST_REPLICAS, count=self.count)

    def learner(self, problem: Problem, resampling: Resampling, prior: ExamplePrior) -> Learner:
        if not resampling.independent:
            raise InvalidInput(
                "resampling", resampling, "give one that weighs rewards as they come: Exponential()"
            )
        ends = (problem.support.low, problem.support.high)
        if self.model.link == kernels.LOGISTIC and not 0 <= ends[0] <= ends[1] <= 1:
            raise InvalidInput("support", ends, "a logistic model takes rewards in [0, 1]: rescale")
        if problem.per_arm:
            from bandstrap.models.online.shared_replicas import (
                SharedReplicas,  # it needs this module
            )

            return SharedReplicas(self.model, self.count, problem, resampling, prior)
        return ReplicaLearner(self.model, self.count, problem, resampling, prior)


Kernel = Callable[..., None]


class ReplicaLearner(Learner):
    """Parameters (arms, features + 1, replicas), and what the steps need to know of the past."""

    schema = Schema(
        model=Fixed(Of(OnlineModel)),
        count=Fixed(Whole(1, MOST_REPLICAS)),
        resampling=Fixed(Of(Resampling)),
        pseudo=Of(PseudoExamples),
        pseudo_weights=ArrayOf(np.float64, "arms", Grows("pseudo"), "lanes", low=0.0, high=MOST),
        untaught=ListOf(Whole()),
        rows=ListOf(Of(Rows), "arms"),
        weights=ListOf(ArrayOf(np.float64, Grows(), "lanes", low=0.0, high=MOST), "arms"),
        theta=ArrayOf(np.float64, "arms", "parameters", "lanes", low=-MOST, high=MOST),
        squares=ArrayOf(np.float64, "arms", "parameters", low=0.0, high=MOST),
        scales=ArrayOf(np.float64, 2, "parameters", low=0.0, high=MOST),
        rewards=ArrayOf(np.float64, 2, low=0.0, high=MOST),
        _residuals=ArrayOf(np.float64, kernels.SUMS, "lanes", finite=False),
        _sizes=ArrayOf(np.float64, "parameters", finite=False),
        _values=ArrayOf(np.float64, "parameters", finite=False),
        _moves=ArrayOf(np.float64, "parameters", finite=False),
        _roots=ArrayOf(np.float64, "parameters", finite=False),
        _places=ArrayOf(np.int64, "parameters"),
    )

    def verify_saved(self) -> None:
        require(self.theta.shape[2] == lanes_of(self.count), "replicas are others than counted")
        check_untaught(self.untaught, len(self.rows))
        check_widths(self.theta.shape[1] - 1, self.pseudo, self.rows, self.weights)
        counted = (self.scales[1] > 0) | (self.scales[0] == 0)
        require(counted.all(), "a scale is of no context")

    def verify_problem(self, problem: Problem) -> None:
        verify_rows(self.rows, problem)

    def __init__(
        self,
        model: OnlineModel,
        count: int,
        problem: Problem,
        resampling: Resampling,
        prior: ExamplePrior,
    ) -> None:
        arms, size = problem.n_arms, problem.n_features + 1
        self.model = model
        self.count = count
        self.resampling = resampling
        self.pseudo = prior.start(problem)
        lanes = lanes_of(count)
        self.pseudo_weights = np.zeros((arms, 0, lanes))
        self.untaught: list[int] = []  # arms that are yet to learn the pseudo-examples
        self.rows = [Rows(problem.n_features) for _ in range(arms)]
        self.weights = [np.zeros((0, lanes)) for _ in range(arms)]
        self.theta = np.zeros((arms, size, lanes))
        self.squares = np.zeros((arms, size))  # AdaGrad's sums of squared gradients
        self.scales = np.zeros((2, size))  # of features: Σ x² and how many x ≠ 0
        self.scales[:, -1] = 1.0
        self.rewards = np.zeros(2)  # Σ reward², how many
        self._residuals = np.zeros((kernels.SUMS, lanes))
        self._sizes, self._values, self._moves, self._roots = np.zeros((4, size))
        self._places = np.zeros(size, dtype=np.int64)

    def learn(self, context: Array, arm: int, reward: float, rng: Rng | None) -> None:
        self._weigh_in(context, arm, reward, rng, 1.0)

    def _weigh_in(
        self, context: Array, arm: int, reward: float, rng: Rng | None, weight: float
    ) -> None:
        if rng is None:
            raise InvalidInput("rng", rng, "replicas weigh rewards at random; pass a generator")
        self.pseudo.see(context)
        self._learn_pseudo_examples(rng)
        drawn = self.resampling.weights((self.count, 1), rng)[:, 0]
        self._keep(context, arm, reward, weight, drawn)
        self._run(kernels.learn, self.model.replay, arm, rng)

    def discount(self, factor: float) -> None:
        """Steps grow again, as AdaGrad's sums shrink too; an arm that lost all rows starts anew."""
        for arm, rows in enumerate(self.rows):
            if rows.count > 0:
                kept = rows.fade(factor)
                left = factor * self.weights[arm][: rows.count][kept]
                self.weights[arm][: len(left)] = left
                rows.keep(kept)
                self.squares[arm] *= factor
                if rows.count == 0:
                    self.theta[arm] = self.squares[arm] = 0.0
                    self.untaught = sorted({*self.untaught, arm})

    def remap_arms(self, fresh: "ReplicaLearner", before: ArmMap) -> None:
        for name in ("pseudo_weights", "theta", "squares"):
            setattr(self, name, remapped(getattr(self, name), getattr(fresh, name), before))
        self.rows = remapped_list(self.rows, fresh.rows, before)
        self.weights = remapped_list(self.weights, fresh.weights, before)
        self.untaught = newcomers(self.untaught, before)

    def scores(self, context: Array, rng: Rng) -> Array:
        return self._expected(self._margins(context, rng))

    def choose(self, context: Array, rng: Rng, allowed: Array) -> tuple[int, Array]:
        margins = self._margins(context, rng)
        return self._highest(margins, allowed, rng), self._expected(margins)

    def best(self, context: Array, rng: Rng, allowed: Array) -> int:
        return self._highest(self._margins(context, rng), allowed, rng)

    def _expected(self, margins: Array) -> Array:
        return sigmoid(margins) if self.model.link == kernels.LOGISTIC else margins

    def _highest(self, margins: Array, allowed: Array, rng: Rng) -> int:
        # By margins: probabilities near 1 would tie.
        arm, ties = kernels.highest(margins, allowed)
        if ties == 1:
            return int(arm)
        return int(rng.choice(np.flatnonzero(allowed & (margins == margins[arm]))))

    def _margins(self, context: Array, rng: Rng) -> Array:
        return self._look(self._drawn_replica(rng), context)

    def _drawn_replica(self, rng: Rng) -> int:
        self._learn_pseudo_examples(rng)
        return int(rng.random() * self.count)

    def probabilities(self, context: Array, allowed: Array) -> Array | None:
        if self.untaught or self.pseudo_weights.shape[1] != self.pseudo.count:
            return None  # a draw learns them first, at random
        looks = [self._look(replica, context) for replica in range(self.count)]
        return replica_probabilities(np.array(looks), allowed)

    def _look(self, replica: int, context: Array) -> Array:
        margins = np.empty(len(self.rows))
        kernels.look(self.theta, replica, context, unit_of(context), margins, self._scratch())
        if self.pseudo.count == 0:
            margins[[rows.count == 0 for rows in self.rows]] = np.inf  # to be tried first
        return margins

    def _keep(self, context: Array, arm: int, reward: float, weight: float, drawn: Array) -> None:
        rows, kept = self.rows[arm], self.weights[arm]
        if rows.count == len(kept):
            grown = np.zeros((max(64, 2 * len(kept)), self._residuals.shape[1]))
            grown[: rows.count] = kept
            self.weights[arm] = grown
        self.weights[arm][rows.count, : self.count] = weight * drawn
        rows.add(context, reward, weight)
        self.rewards[0] += reward * reward
        self.rewards[1] += 1.0

    def _run(self, kernel: Kernel, steps: int, arm: int, rng: Rng) -> None:
        rows = self.rows[arm]
        kernel(
            kernel_stream(rng),
            self.model.link,
            self._rate(),
            steps,
            self.count,
            arm,
            rows.count,
            (rows.contexts, rows.rewards, self.weights[arm]),
            unit_of(rows.contexts),
            (self.pseudo.contexts, self.pseudo.rewards, self.pseudo_weights),
            (self.theta, self.squares, self.scales),
            self._scratch(),
        )

    def _scratch(self) -> tuple[Array, ...]:
        vectors = self._values, self._moves, self._roots
        return self._sizes, self._residuals, self._places, *vectors

    def _rate(self) -> float:
        if self.model.link == kernels.LOGISTIC:
            return self.model.rate
        return self.model.rate * float(np.sqrt(self.rewards[0] / self.rewards[1]))

    def _learn_pseudo_examples(self, rng: Rng) -> None:
        """Weigh pseudo-examples that are new, and go once through as many at random."""
        count = self.pseudo.count
        if self.pseudo_weights.shape[1] != count:
            self.untaught = list(range(len(self.rows)))
            self.pseudo_weights = np.zeros((len(self.rows), count, self._residuals.shape[1]))
            self.rewards += (float(self.pseudo.rewards @ self.pseudo.rewards), count)
        if not self.untaught:
            return
        drawn = self.resampling.weights((len(self.untaught), self.count, count), rng)
        self.pseudo_weights[self.untaught, :, : self.count] = drawn.transpose(0, 2, 1)
        for arm in self.untaught:
            self._run(kernels.replay, count, arm, rng)
        self.untaught = []
