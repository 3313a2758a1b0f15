"""A fixed number of replicas of each arm's model, learning online at a cost that does not grow."""

from abc import ABC
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.choice import highest, replica_probabilities
from bandstrap.errors import InvalidInput
from bandstrap.kernels.codes import LINEAR, LOGISTIC
from bandstrap.kernels.convex import replicas as kernels
from bandstrap.kernels.intrinsics import LANES
from bandstrap.models.base import Learner, Model, draw_scores
from bandstrap.models.checks import check_unit_support
from bandstrap.models.features import Examples, as_numbers, unit_of, verify_rows
from bandstrap.models.link import IDENTITY, SIGMOID, Link
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
JUMP = 2.0  # a feature's root mean square has grown this much by one row: it had no scale yet


@dataclass(frozen=True)
class OnlineModel(ABC):
    """A model that learns by small steps: AdaGrad, without regard to the scale of features.

    `rate` is the first step's size in standard units. After each reward `replay` examples, at most
    10,000, drawn from the arm's history and pseudo-examples are learnt again.
    """

    rate: float = 0.1
    replay: int = 32
    loss: ClassVar[int]
    link: ClassVar[Link] = IDENTITY

    def __post_init__(self) -> None:
        require_positive(rate=self.rate)
        require_within(0, MOST_REPLAYED, replay=self.replay)


@dataclass(frozen=True)
class OnlineLinear(OnlineModel):
    """Least squares; steps are in units of the arm's root mean square reward.

    >>> Replicas(OnlineLinear(rate=0.05)).model.replay
    32
    """

    loss: ClassVar[int] = LINEAR


@dataclass(frozen=True)
class OnlineLogistic(OnlineModel):
    """Logistic regression on rewards in [0, 1].

    >>> Replicas(OnlineLogistic(replay=0)).model.rate
    0.1
    """

    loss: ClassVar[int] = LOGISTIC
    link: ClassVar[Link] = SIGMOID


@dataclass(frozen=True)
class Replicas(Model):
    """`count` replicas (10,000 at most) of each arm's model; a decision picks one at random.

    An approximation of the bootstrap: each replica weighs each example once, when it comes, and
    keeps that weight for good, so a decision is random only by the replica that is picked. The
    scheme must weigh examples independently.

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
            remedy = "give one that weighs rewards as they come: Exponential()"
            raise InvalidInput("resampling", resampling, remedy)
        if self.model.loss == LOGISTIC:
            check_unit_support(problem.support, self.model)
        kind = SharedReplicas if problem.per_arm else ReplicaLearner
        return kind(self, problem, resampling, prior)


class ReplicaLearner(Learner):
    """Parameters (arms, features + 1, replicas), and what the steps need of the past."""

    schema = Schema(
        model=Fixed(Of(OnlineModel)),
        count=Fixed(Whole(1, MOST_REPLICAS)),
        resampling=Fixed(Of(Resampling)),
        pseudo=Of(PseudoExamples),
        pseudo_weights=ArrayOf(np.float64, "arms", Grows("pseudo"), "lanes", low=0.0, high=MOST),
        untaught=ListOf(Whole()),
        rows=ListOf(Of(Examples), "arms"),
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
        """Kernels step through these arrays without checking."""
        require(self.theta.shape[2] == _lanes(self.count), "theta has other replicas than counted")
        require(self.untaught == sorted({*self.untaught}), "an arm is to be taught twice")
        require(max(self.untaught, default=0) < len(self.rows), "an untaught arm does not exist")
        n_features = self.theta.shape[1] - 1
        require(self.pseudo.contexts.shape[1] == n_features, "examples are of another width")
        for rows, weights in zip(self.rows, self.weights, strict=True):
            require(rows.n_features == n_features, "rows are of another width")
            require(rows.count <= len(weights), "rows have no weights")
        counted = (self.scales[1] > 0) | (self.scales[0] == 0)
        require(counted.all(), "a scale is of no context")

    def verify_problem(self, problem: Problem) -> None:
        verify_rows(self.rows, problem)

    def __init__(
        self, replicas: Replicas, problem: Problem, resampling: Resampling, prior: ExamplePrior
    ) -> None:
        arms, size, lanes = problem.n_arms, problem.n_features + 1, _lanes(replicas.count)
        self.model = replicas.model
        self.count = replicas.count
        self.resampling = resampling
        self.pseudo = prior.start(problem)
        self.pseudo_weights = np.zeros((arms, 0, lanes))
        self.untaught: list[int] = []  # arms that are yet to learn the pseudo-examples
        self.rows = [Examples(problem.n_features) for _ in range(arms)]
        self.weights = [np.zeros((0, lanes)) for _ in range(arms)]
        self.theta = np.zeros((arms, size, lanes))
        self.squares = np.zeros((arms, size))  # AdaGrad's sums of squared gradients
        self.scales = np.zeros((2, size))  # of features: Σ x² and how many x ≠ 0
        self.scales[:, -1] = 1.0
        self.rewards = np.zeros(2)  # Σ reward², how many
        self._residuals = np.zeros((kernels.SUMS, lanes))
        self._sizes, self._values, self._moves, self._roots = np.zeros((4, size))
        self._places = np.zeros(size, dtype=np.int64)

    @property
    def link(self) -> Link:  # type: ignore[override]
        return self.model.link

    def learn(
        self, context: Array, arm: int, reward: float, rng: Rng | None, weight: float = 1.0
    ) -> None:
        if rng is None:
            raise InvalidInput("rng", rng, "replicas weigh rewards at random; pass a generator")
        self.pseudo.see(context, reward)
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

    def margins(self, contexts: Array, rng: Rng) -> Array:
        return self._look(self._drawn_replica(rng), contexts)

    def expected(self, contexts: Array, rng: Rng) -> Array:
        return draw_scores(self, contexts, rng)

    def _drawn_replica(self, rng: Rng) -> int:
        self._learn_pseudo_examples(rng)
        return int(rng.random() * self.count)

    def probabilities(self, contexts: Array, allowed: Array) -> Array | None:
        if self.untaught or self.pseudo_weights.shape[1] != self.pseudo.count:
            return None  # a draw learns the pseudo-examples first, at random
        return replica_probabilities(self._looks(contexts), allowed)

    def _looks(self, contexts: Array) -> Array:
        """The margins of all replicas, (replicas, arms)."""
        return self._margins(0, self.count, contexts)

    def _look(self, replica: int, contexts: Array) -> Array:
        """The margins of one replica, (arms,)."""
        margins: Array = self._margins(replica, 1, contexts)[0]
        return margins

    def _margins(self, first: int, count: int, context: Array) -> Array:
        margins = np.empty((count, len(self.rows)))
        kernels.look(self.theta, first, context, unit_of(context), margins, self._scratch())
        if self.pseudo.count == 0:
            untried = [arm for arm, rows in enumerate(self.rows) if rows.count == 0]
            if untried:  # an empty selection costs two microseconds
                margins[:, untried] = np.inf
        return margins

    def _keep(self, context: Array, arm: int, reward: float, weight: float, drawn: Array) -> None:
        """Keep an example and the weight that each replica has drawn for it."""
        rows, kept = self.rows[arm], self.weights[arm]
        if rows.count == len(kept):
            grown = np.zeros((max(64, 2 * len(kept)), self._residuals.shape[1]))
            grown[: rows.count] = kept
            self.weights[arm] = grown
        self.weights[arm][rows.count, : self.count] = weight * drawn
        rows.add(context, reward, weight)
        self.rewards += reward * reward, 1.0

    def _run(self, kernel: Callable[..., None], steps: int, arm: int, rng: Rng) -> None:
        rows, pseudo, rate = self.rows[arm], self.pseudo, self.model.rate
        if self.model.loss == LINEAR:
            rate *= float(np.sqrt(self.rewards[0] / self.rewards[1]))
        kernel(
            kernel_stream(rng), self.model.loss, rate, steps, self.count, arm, rows.count,
            (rows.contexts, rows.rewards, self.weights[arm]), unit_of(rows.contexts),
            (pseudo.contexts, pseudo.rewards, self.pseudo_weights),
            (self.theta, self.squares, self.scales), self._scratch(),
        )  # fmt: skip

    def _scratch(self) -> tuple[Array, ...]:
        vectors = self._values, self._moves, self._roots
        return self._sizes, self._residuals, self._places, *vectors

    def _learn_pseudo_examples(self, rng: Rng) -> None:
        """Weigh new pseudo-examples, and learn as many of them, drawn at random."""
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


class SharedReplicas(ReplicaLearner):
    """Replicas of one model for all arms, whose features may differ in size by orders of magnitude.

    How far a parameter may move depends on the size of its feature so far. Of a share, say, one arm
    has a millionth and the next one half: a parameter that has moved as far as a millionth allows
    is out of reach of the steps that one half allows. So where a row shows that a feature is much
    larger than it seemed, its parameter shrinks in proportion and adds as much to a margin as
    before: the idea of normalised online learning (Ross, Mineiro and Langford, 2013).
    """

    one_for_all: ClassVar[bool] = True

    def decide(self, contexts: Array, rng: Rng, allowed: Array) -> tuple[int, Array, Array | None]:
        replica = self._drawn_replica(rng)
        # One replica decides and all vote by the same product: one for it alone might round
        # differently, and arms that tie here would not tie there.
        looks = self._looks(contexts)
        margins = looks[replica]
        chosen = highest(margins, allowed, rng)
        return chosen, self.link.expected(margins), replica_probabilities(looks, allowed)

    def _looks(self, contexts: Array) -> Array:
        if contexts.ndim == 1:
            return super()._looks(contexts)
        return self._products(contexts, slice(self.count)).T

    def _look(self, replica: int, contexts: Array) -> Array:
        if contexts.ndim == 1:
            return super()._look(replica, contexts)
        return self._products(contexts, slice(replica, replica + 1))[:, 0]

    def _products(self, contexts: Array, replicas: slice) -> Array:
        """The margins of some replicas in each context, (contexts, replicas)."""
        theta = self.theta[0][:, replicas]
        if self.pseudo.count + self.rows[0].count == 0:
            return np.full((len(contexts), theta.shape[1]), np.inf)  # to be tried first
        margins: Array = as_numbers(contexts) @ theta[:-1] + theta[-1]
        return margins

    def _keep(self, context: Array, arm: int, reward: float, weight: float, drawn: Array) -> None:
        x, (squares, counts) = as_numbers(context), self.scales[:, :-1]
        met = np.flatnonzero((squares > 0) & (x != 0))
        before = squares[met] / counts[met]
        after = (squares[met] + x[met] ** 2) / (counts[met] + 1)
        jumped = after > JUMP**2 * before
        self.theta[:, met[jumped]] *= np.sqrt(before / after)[jumped, None]
        super()._keep(context, arm, reward, weight, drawn)


def _lanes(count: int) -> int:
    """`count` replicas, padded as kernels need it."""
    return count + -count % LANES
