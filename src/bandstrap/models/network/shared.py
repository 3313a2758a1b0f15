"""One network for all arms, with one head or several, taught a fixed number of examples a round."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.errors import InvalidInput
from bandstrap.kernels.network import pull_back
from bandstrap.models.base import Learner, Model
from bandstrap.models.checks import check_unit_support
from bandstrap.models.network.heads import Draws, Headed, Heads, ManyHeads, OneHead
from bandstrap.models.network.layers import (
    MOST_EXAMPLES,
    MOST_HEADS,
    MOST_LAYERS,
    MOST_UNITS,
    Adam,
    LangevinSteps,
    Layers,
    Optimiser,
    check_outputs,
    check_parameters,
    check_rate,
    check_spread,
    check_trained,
    output_limit,
    sigmoid,
)
from bandstrap.models.network.replay import Replay
from bandstrap.one_thread import ONE_BLAS_THREAD
from bandstrap.priors import ExamplePrior
from bandstrap.problem import Problem
from bandstrap.remapping import ArmMap, newcomers
from bandstrap.resampling import Resampling
from bandstrap.storage.schema import (
    ArrayOf,
    Fixed,
    Grows,
    ListOf,
    Maybe,
    Of,
    Schema,
    Whole,
    require,
)
from bandstrap.validation import require_within

MEMORY = 0.98  # of the averaged parameters, by step


@dataclass(frozen=True)
class SharedNetwork(Model):
    """Hidden layers that all arms share, and a sigmoid output for each arm.

    Contexts are learnt once, from the rewards of every arm. A round takes one step
    of Adam on `examples` examples, the newest among them, with fresh bootstrap weights for these
    alone. It costs the same however long history is, and approximates refitting to all of it.
    Features are standardised by their mean and spread so far.

    >>> from bandstrap import ContextualBootstrap, Exponential, NoExamples
    >>> policy = ContextualBootstrap(Exponential(), SharedNetwork(hidden=8), NoExamples())
    >>> state = policy.start(Problem(n_arms=2, n_features=3))
    >>> policy.select(state, np.ones((1, 3)), np.random.default_rng(0)).shape
    (1,)
    """

    hidden: int = 200
    layers: int = 2
    examples: int = 64
    learning_rate: float = 0.001
    random_steps: ClassVar[bool] = False  # whether steps add noise of their own

    def __post_init__(self) -> None:
        require_within(1, MOST_UNITS, hidden=self.hidden)
        require_within(1, MOST_LAYERS, layers=self.layers)
        require_within(1, MOST_EXAMPLES, examples=self.examples)
        check_rate(self.learning_rate)

    def learner(self, problem: Problem, resampling: Resampling, prior: ExamplePrior) -> Learner:
        return self.headed(problem, prior, OneHead(resampling))

    def headed(self, problem: Problem, prior: ExamplePrior, heads: Heads) -> "SharedLearner":
        check_unit_support(problem.support, self)
        sizes = self.sizes(problem.n_features, heads.count * problem.n_arms)
        check_parameters(sizes, examples=self.examples)
        return SharedLearner(self, problem, prior, heads)

    def sizes(self, n_features: int, outputs: int) -> tuple[int, ...]:
        return (n_features, *(self.hidden,) * self.layers, outputs)

    def optimiser(self, parameters: Array) -> Optimiser:
        """What takes the steps of a network with these parameters."""
        return Adam(parameters, self.learning_rate, MEMORY)


class SharedLearner(Learner):
    """A network in one run; outputs are in groups of one for each arm, one group for a head.

    `starts` has the parameters of the last layer as they started, if `heads` are anchored. Files
    of earlier versions have none: their heads go on as they were.
    """

    starts: Array | None = None
    schema = Schema(
        model=Fixed(Of(SharedNetwork)),
        heads=Of(Heads),
        draws=Of(Draws),
        replay=Of(Replay),
        network=Maybe(Of(Layers)),
        optimiser=Maybe(Of(Optimiser)),
        starts=Maybe(ArrayOf(np.float32, Grows())),
        owed=Whole(),
        unstarted=ListOf(Whole()),
    )

    def verify_saved(self) -> None:
        check_trained(self.network, self.optimiser, self._sizes())
        kinds = type(self.optimiser), type(self.model.optimiser(np.zeros(0, dtype=np.float32)))
        require(self.optimiser is None or kinds[0] is kinds[1], "its steps are of another model")
        started = self.network is not None and self.heads.anchored
        fits = started and self.starts is not None and self.starts.size == self._n_outputs
        require(self.starts is None or fits, "outputs started elsewhere")
        require(self.draws.known <= self.replay.rows.count, "draws are of other rows")
        known = all(arm < self.replay.n_arms for arm in self.unstarted)
        require(known and len(self.unstarted) <= self.replay.n_arms, "an arm does not exist")

    def verify_problem(self, problem: Problem) -> None:
        own = self.replay.n_arms, self.replay.rows.n_features
        require(own == (problem.n_arms, problem.n_features), "a network is of another problem")

    def __init__(
        self, model: SharedNetwork, problem: Problem, prior: ExamplePrior, heads: Heads
    ) -> None:
        self.model = model
        self.heads = heads
        self.draws = heads.draws()
        self.replay = Replay(problem, prior)
        self.network: Layers | None = None
        self.optimiser: Optimiser | None = None
        self.owed = 1  # steps that are due: one for each reward, and one before the first
        self.unstarted: list[int] = []  # arms whose outputs have not started yet

    def learn(
        self, context: Array, arm: int, reward: float, rng: Rng | None, weight: float = 1.0
    ) -> None:
        self.replay.add(context, arm, reward, weight)
        self.owed += 1

    def discount(self, factor: float) -> None:
        rows = self.replay.rows
        if rows.count > 0:
            kept = rows.fade(factor)
            if not kept.all():
                self.keep(kept)
            if rows.count == 0:  # everything learnt is forgotten
                self.network = self.optimiser = self.starts = None
                self.unstarted, self.owed = [], 1

    def remap_arms(self, fresh: "SharedLearner", before: ArmMap) -> None:
        self.keep(self.replay.of_arms(before))
        self.replay.remap_arms(before)
        if self.network is not None and self.optimiser is not None:
            old, outputs = self.network, self.heads.count * len(before)
            self.network = Layers(
                (*old.sizes[:-1], outputs), old.remapped(old.flat, self.heads.count, before)
            )
            self.optimiser.relay(lambda flat: old.remapped(flat, self.heads.count, before))
            if self.starts is not None:
                self.starts = old.remapped(self.starts, self.heads.count, before)
            self.unstarted = newcomers(self.unstarted, before)

    def keep(self, kept: Array) -> None:
        self.replay.keep(kept)
        self.draws.keep(kept)

    def margins(self, contexts: Array, rng: Rng) -> Array:
        if self.replay.count == 0:
            return np.full(self.replay.n_arms, np.inf)
        return self.heads.chosen(self._outputs(*self.trained(rng), contexts), rng)

    def expected(self, contexts: Array, rng: Rng) -> Array:
        """The mean of all heads."""
        if self.replay.count == 0:
            return np.full(self.replay.n_arms, np.inf)
        means: Array = self._outputs(*self.trained(rng), contexts).mean(axis=0)
        return means

    def trained(self, rng: Rng) -> tuple[Layers, Optimiser]:
        """The network and its optimiser, after a step if one is due; there must be examples."""
        network, optimiser = self._network(rng)
        if self.owed > 0 or self._redrawn:
            with ONE_BLAS_THREAD:
                self._step(network, optimiser, rng)
            self.owed = max(self.owed - 1, 0)
        return network, optimiser

    def probabilities(self, contexts: Array, allowed: Array) -> Array | None:
        network, optimiser = self.network, self.optimiser
        if network is None or optimiser is None or self.unstarted:
            return None
        if self.owed > 0 or self._redrawn:
            return None
        return self.heads.probabilities(self._outputs(network, optimiser, contexts), allowed)

    @property
    def _redrawn(self) -> bool:
        """Whether each draw takes a step of its own, which makes it random."""
        return self.heads.resampled or self.model.random_steps

    def _outputs(self, network: Layers, optimiser: Optimiser, context: Array) -> Array:
        """The reward that each head expects of each arm, (heads, arms)."""
        replay = self.replay
        logits = network.values(replay.scale(context[None]), optimiser.settled(network.flat))[-1]
        expected = sigmoid(logits.astype(np.float64)).reshape(self.heads.count, replay.n_arms)
        check_outputs(expected, self.model)
        tried = (replay.pulls > 0) | (replay.pseudo.count > 0)  # others go first
        return np.where(tried, expected, np.inf)

    def _sizes(self) -> tuple[int, ...]:
        outputs = self.heads.count * self.replay.n_arms
        return self.model.sizes(self.replay.rows.n_features, outputs)

    @property
    def _n_outputs(self) -> int:
        """Parameters of the last layer."""
        return (self.model.hidden + 1) * self.heads.count * self.replay.n_arms

    def _network(self, rng: Rng) -> tuple[Layers, Optimiser]:
        """The network, started at random if need be."""
        if self.network is None or self.optimiser is None:
            self.network = Layers.glorot(self._sizes(), rng, self.heads.count, self.heads.spread)
            self.optimiser = self.model.optimiser(self.network.flat)
            if self.heads.anchored:
                self.starts = self.network.flat[-self._n_outputs :].copy()
        if self.unstarted:
            heads, spread = self.heads.count, self.heads.spread
            places = self.network.start_outputs(self.unstarted, heads, spread, rng)
            self.optimiser.start(self.network.flat, places)
            if self.starts is not None:
                before_last = self.network.flat.size - self.starts.size
                self.starts[places - before_last] = self.network.flat[places]
            self.unstarted = []
        return self.network, self.optimiser

    def _step(self, network: Layers, optimiser: Optimiser, rng: Rng) -> None:
        picks, shares = self.replay.pick(self.model.examples, rng)
        shares *= self.replay.counts(picks)
        inputs, arms, rewards = self.replay.examples(picks)
        targets, weights = self.draws.of(picks, self.replay.rows.rewards, rewards, rng)
        values = network.values(inputs)
        shape = (len(picks), self.heads.count, self.replay.n_arms)
        at = (np.arange(len(picks))[:, None], np.arange(self.heads.count), arms[:, None])
        predicted = sigmoid(values[-1].reshape(shape)[at])
        self.replay.note(picks, np.abs(predicted - rewards[:, None]).mean(axis=1))
        slopes = np.zeros(shape, dtype=np.float32)
        slopes[at] = weights * (predicted - targets) * (shares[:, None] / len(picks))
        gradient = network.gradient(values, slopes.reshape(len(picks), -1))
        if self.starts is not None:
            self._pull_back(network, gradient, self.starts)
        optimiser.step(network.flat, gradient, self.replay.count, rng)

    def _pull_back(self, network: Layers, gradient: Array, starts: Array) -> None:
        """A Gaussian prior of the outputs, around their start: of its variance, biases of 1."""
        fan_in, size = network.sizes[-2:]
        variance = output_limit(fan_in, size, self.heads.count, self.heads.spread) ** 2 / 3
        weights, biases = slice(-starts.size, -size), slice(-size, None)
        for part, precision in ((weights, 1.0 / variance), (biases, 1.0)):
            share = np.float32(precision / self.replay.count)
            pull_back(gradient[part], network.flat[part], starts[part], share)


@dataclass(frozen=True)
class NetworkHeads(Model):
    """A `SharedNetwork`, or `Budgeted` ones, with several outputs for each arm, each a replica.

    Each head weighs each reward once, by a draw of its own, and keeps that weight for good; a
    decision asks one head, picked at random, for each arm. Fresh weights on a small batch hardly
    move a network; heads stay apart by as much as their weights make them. The heads' weights
    for a reward are drawn together: `Multinomial` deals as many copies as there are heads. An
    approximation of the bootstrap by a fixed number of replicas. Their last layers start `spread`
    times as wide as Glorot's, so that heads disagree where there are no data yet.

    On a `SharedNetwork` each head is drawn back to its start as by a Gaussian prior as wide as the
    start: a draw from that prior, moved no further than the rewards of its arm say (Pearce et al.,
    2020). Without it every round teaches all heads the first rewards of an arm once more, until
    they agree: of many arms, each of which seldom pays, some are then given up after a few pulls.

    >>> from bandstrap import ContextualBootstrap, Exponential, NoExamples
    >>> model = NetworkHeads(SharedNetwork(hidden=8), heads=4)
    >>> policy = ContextualBootstrap(Exponential(), model, NoExamples())
    >>> state = policy.start(Problem(n_arms=2, n_features=3))
    >>> policy.select(state, np.ones((1, 3)), np.random.default_rng(0)).shape
    (1,)
    """

    network: Headed = field(default_factory=SharedNetwork)
    heads: int = 10
    spread: float = 3.0

    schema = Schema(network=Of(Model))

    def __post_init__(self) -> None:
        if not hasattr(self.network, "headed"):
            remedy = "give a network that can have several heads: SharedNetwork() or Budgeted()"
            raise InvalidInput("network", self.network, remedy)
        require_within(1, MOST_HEADS, heads=self.heads)
        check_spread(self.spread)

    def learner(self, problem: Problem, resampling: Resampling, prior: ExamplePrior) -> Learner:
        return self.network.headed(problem, prior, ManyHeads(resampling, self.heads, self.spread))


@dataclass(frozen=True)
class LangevinNetwork(SharedNetwork):
    """A shared network that takes Langevin's steps: its parameters are another draw each round."""

    spread: float = 1.0
    random_steps: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_spread(self.spread)

    def optimiser(self, parameters: Array) -> Optimiser:
        return LangevinSteps(parameters, self.learning_rate, self.spread)
