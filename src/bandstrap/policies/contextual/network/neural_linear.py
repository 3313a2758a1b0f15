"""NeuralLinear (Riquelme et al., 2018): a Bayesian regression on a network's last layer."""

from copy import deepcopy
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.models import Learner, SharedNetwork
from bandstrap.models.features import RunningScale
from bandstrap.models.network.heads import OneHead
from bandstrap.models.network.layers import Layers
from bandstrap.models.network.shared import SharedLearner
from bandstrap.models.online.ellipsoids import Ellipsoids
from bandstrap.one_thread import ONE_BLAS_THREAD
from bandstrap.policies.contextual.learners import LearnerPolicy
from bandstrap.priors import NoExamples
from bandstrap.problem import Problem
from bandstrap.remapping import ArmMap, remapped
from bandstrap.resampling import NoResampling
from bandstrap.storage.registry import saved
from bandstrap.storage.schema import ArrayOf, Fixed, Maybe, Of, Real, Schema, Whole, require
from bandstrap.validation import require_positive, require_up_to

BLOCK = 4096  # rows that are represented at once
MOST_GROWTH = 1e6


class Law(NamedTuple):
    """Of each arm's score: N(mean, σ² width²), where σ² is rate / Gamma(shape)."""

    means: Array
    widths: Array
    shapes: Array
    rates: Array

    def draw(self, rng: Rng) -> Array:
        variances = self.rates / rng.standard_gamma(self.shapes)
        noise = np.sqrt(variances) * rng.standard_normal(self.means.size)
        drawn: Array = self.means + noise * self.widths
        return drawn


@saved
@dataclass(frozen=True)
class NoisePrior:
    """Of every arm: σ² is inverse gamma (`shape`, `rate`), and weights N(0, σ² / precision).

    Precision and shape are the authors'. So is a rate of 6, but for noise of the order of one:
    rewards in [0, 1] vary by a quarter at most, and 1.5 is a quarter of it.

    >>> prior = NoisePrior(rate=0.5)  # rewards that vary less
    >>> NeuralLinear(noise=prior).noise.rate
    0.5
    """

    precision: float = 0.25
    shape: float = 6.0
    rate: float = 1.5

    def __post_init__(self) -> None:
        require_positive(precision=self.precision, shape=self.shape, rate=self.rate)


@saved
class Representation:
    """What a network makes of contexts in its last hidden layer, as it was at one time.

    Divided by the root of the number of units, so that its length, and with it what a prior of
    weights means, does not depend on how many there are.
    """

    schema = Schema(layers=Of(Layers), scale=Of(RunningScale))

    def verify_saved(self) -> None:
        own = self.layers.sizes[0] == self.scale.mean.size
        require(own, "the representation is of another scale")

    def __init__(self, layers: Layers, scale: RunningScale) -> None:
        self.layers = layers
        self.scale = scale

    def __call__(self, contexts: Array) -> Array:
        """(n, units) of contexts (n, features)."""
        with ONE_BLAS_THREAD:
            units = self.layers.values(self.scale(contexts))[-2].astype(np.float64)
        scaled: Array = units / np.sqrt(units.shape[1])
        return scaled


@saved
class NeuralLinearLearner(Learner):
    """A network, what it made of contexts when last asked, and the posterior of every arm on that.

    `arms` are regressions on the representation. `sums` has Σ w y z for each of them and `squares`
    Σ w y². `known` counts the rows when the representation was last renewed.
    """

    schema = Schema(
        problem=Fixed(Of(Problem)),
        noise=Fixed(Of(NoisePrior)),
        growth=Fixed(Real(0.0, MOST_GROWTH)),
        network=Of(SharedLearner),
        representation=Maybe(Of(Representation)),
        known=Whole(),
        arms=Of(Ellipsoids),
        sums=ArrayOf(np.float64, "arms", "parameters"),
        squares=ArrayOf(np.float64, "arms", low=0.0),
    )

    def verify_saved(self) -> None:
        units = self.network.model.hidden
        require(self.arms.size == units + 1, "regressions are of another representation")
        require(self.sums.shape == self.arms.centres.shape, "sums are of other regressions")
        require(self.squares.size == len(self.sums), "squares are of other arms")
        known = self.known if self.representation is None else 0
        require(known == 0, "rows are known by no representation")
        if self.representation is not None:
            sizes = self.network.model.sizes(self.problem.n_features, 1)[:-1]
            require(self.representation.layers.sizes[:-1] == sizes, "it is of another network")

    def verify_problem(self, problem: Problem) -> None:
        require(self.problem == problem, "the learner is of another problem")
        require(len(self.sums) == problem.n_arms, "regressions are of other arms")
        self.network.verify_problem(problem)

    def __init__(
        self, problem: Problem, network: SharedLearner, noise: NoisePrior, growth: float
    ) -> None:
        self.problem = problem
        self.noise = noise
        self.growth = growth
        self.network = network
        self._reset()

    def _reset(self) -> None:
        n_arms, units = self.problem.n_arms, self.network.model.hidden
        self.representation: Representation | None = None
        self.known = 0
        self.arms = Ellipsoids(n_arms, units, self.noise.precision)
        self.sums = np.zeros((n_arms, units + 1))
        self.squares = np.zeros(n_arms)

    def learn(
        self, context: Array, arm: int, reward: float, rng: Rng | None, weight: float = 1.0
    ) -> None:
        self.network.learn(context, arm, reward, rng, weight)
        if self.representation is not None:
            z = self.representation(context[None])[0]
            self.arms.learn_linear(z, arm, reward, weight)
            self.sums[arm] += weight * reward * np.append(z, 1.0)
            self.squares[arm] += weight * reward**2

    def margins(self, contexts: Array, rng: Rng) -> Array:
        return self.law(contexts, rng).draw(rng)

    def law(self, context: Array, rng: Rng) -> Law:
        """That of scores, after a step of the network; an arm without rewards is tried first."""
        if self.network.replay.count == 0:
            none = np.zeros(self.problem.n_arms)
            return Law(none + np.inf, none, none + self.noise.shape, none + self.noise.rate)
        layers, optimiser = self.network.trained(rng)
        if self.network.replay.rows.count >= (1.0 + self.growth) * self.known:
            frozen = Layers(layers.sizes, optimiser.settled(layers.flat).copy())
            self._renew(Representation(frozen, deepcopy(self.network.replay.scale)))
        assert self.representation is not None
        means, squares = self.arms.look(self.representation(context[None])[0])
        means = np.where(self.arms.counts > 0, means, np.inf)
        left = self.squares - (self.sums * self.arms.centres).sum(axis=1)
        shapes = self.noise.shape + self.arms.counts / 2
        return Law(means, np.sqrt(squares), shapes, self.noise.rate + np.maximum(left, 0.0) / 2)

    def _renew(self, representation: Representation) -> None:
        """Represent all rows anew, and regress on that."""
        self._reset()
        replay = self.network.replay
        self.representation, self.known = representation, replay.rows.count
        grams = np.zeros((self.problem.n_arms, self.arms.size, self.arms.size))
        for first in range(0, self.known, BLOCK):
            rows = slice(first, min(first + BLOCK, self.known))
            z = representation(replay.rows.contexts[rows])
            z = np.concatenate([z, np.ones((len(z), 1))], axis=1)
            self._count(grams, z, replay.arms[rows], rows)
        for arm in np.flatnonzero(self.arms.counts > 0).tolist():
            self.arms.set_matrix(arm, grams[arm] + self.noise.precision * np.eye(self.arms.size))
            self.arms.centres[arm] = self.arms.solve(arm, self.sums[arm])

    def _count(self, grams: Array, z: Array, arms: Array, rows: slice) -> None:
        """Add some rows to the sums of their arms."""
        rewards = self.network.replay.rows.rewards[rows]
        weights = self.network.replay.rows.weights[rows]
        for arm in np.unique(arms).tolist():
            own = arms == arm
            weighted = weights[own, None] * z[own]
            with ONE_BLAS_THREAD:
                grams[arm] += weighted.T @ z[own]
            self.sums[arm] += rewards[own] @ weighted
            self.squares[arm] += weights[own] @ rewards[own] ** 2
            self.arms.counts[arm] += weights[own].sum()

    def check_context(self, contexts: Array) -> None:
        self.network.check_context(contexts)

    def check_reward(self, reward: float, weight: float) -> None:
        self.network.check_reward(reward, weight)

    def discount(self, factor: float) -> None:
        self.network.discount(factor)
        if self.network.network is None:
            self._reset()
            return
        self.arms.discount(factor)
        self.sums *= factor
        self.squares *= factor
        self.known = min(self.known, self.network.replay.rows.count)

    def remap_arms(self, fresh: "NeuralLinearLearner", before: ArmMap) -> None:
        self.problem = fresh.problem
        self.network.remap_arms(fresh.network, before)
        self.arms.remap_arms(fresh.arms, before)
        self.sums = remapped(self.sums, fresh.sums, before)
        self.squares = remapped(self.squares, fresh.squares, before)
        self.known = min(self.known, self.network.replay.rows.count)


def _network() -> SharedNetwork:
    return SharedNetwork(hidden=100)


@saved
@dataclass(frozen=True)
class NeuralLinear(LearnerPolicy):
    """Thompson sampling of a linear model of each arm, on what a network makes of contexts.

    A draw takes the noise of each arm from its inverse gamma posterior and then the arm's model
    from its normal one. The network learns as `SharedNetwork` does, a few examples a round, with an
    output for each arm; the linear models are regressions on its last hidden layer. As the
    network learns, the layer changes. So whenever history has grown by the share `growth` all rows
    are represented anew and the regressions made from that; in between the representation stays,
    and the posterior is that of all rewards so far. That costs as much as history is long, but so
    rarely that its part in a round does not grow.

    >>> policy = NeuralLinear(SharedNetwork(hidden=8))
    >>> state = policy.start(Problem(n_arms=2, n_features=3))
    >>> policy.select(state, np.ones((1, 3)), np.random.default_rng(0)).shape
    (1,)
    """

    network: SharedNetwork = field(default_factory=_network)
    noise: NoisePrior = field(default_factory=NoisePrior)
    growth: float = 0.1

    def __post_init__(self) -> None:
        require_up_to(MOST_GROWTH, growth=self.growth)

    def _learner(self, problem: Problem) -> Learner:
        heads = OneHead(NoResampling())
        network = self.network.headed(problem, NoExamples(), heads)
        return NeuralLinearLearner(problem, network, self.noise, self.growth)
