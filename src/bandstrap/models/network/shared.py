"""One network for all arms, with one head or several, taught a fixed number of examples a round."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.errors import InvalidInput
from bandstrap.models.base import Learner, Model
from bandstrap.models.checks import check_unit_support
from bandstrap.models.network.heads import Draws, Headed, Heads, ManyHeads, OneHead
from bandstrap.models.network.layers import (
    MOST_EXAMPLES,
    MOST_HEADS,
    MOST_LAYERS,
    MOST_UNITS,
    SETTLED,
    Adam,
    LangevinSteps,
    Layers,
    Optimiser,
    check_outputs,
    check_parameters,
    check_rate,
    check_spread,
    check_trained,
    sigmoid,
)
from bandstrap.models.network.replay import Replay
from bandstrap.one_thread import ONE_BLAS_THREAD
from bandstrap.priors import ExamplePrior
from bandstrap.problem import Problem
from bandstrap.remapping import ArmMap, newcomers
from bandstrap.resampling import Resampling
from bandstrap.storage.schema import Fixed, ListOf, Maybe, Of, Schema, Whole, require
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

    def headed(self, problem: Problem, prior: ExamplePrior, heads: Heads) -> Learner:
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
    """A network in one run; outputs are in groups of one for each arm, one group for a head."""

    schema = Schema(
        model=Fixed(Of(SharedNetwork)),
        heads=Of(Heads),
        draws=Of(Draws),
        replay=Of(Replay),
        network=Maybe(Of(Layers)),
        optimiser=Maybe(Of(Optimiser)),
        owed=Whole(),
        unstarted=ListOf(Whole()),
    )

    def verify_saved(self) -> None:
        check_trained(self.network, self.optimiser, self._sizes())
        kinds = type(self.optimiser), type(self.model.optimiser(np.zeros(0, dtype=np.float32)))
        require(self.optimiser is None or kinds[0] is kinds[1], "its steps are of another model")
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
                self.network = self.optimiser = None
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
            self.unstarted = newcomers(self.unstarted, before)

    def keep(self, kept: Array) -> None:
        self.replay.keep(kept)
        self.draws.keep(kept)

    def margins(self, contexts: Array, rng: Rng) -> Array:
        replay = self.replay
        if replay.count == 0:
            return np.full(replay.n_arms, np.inf)
        network, optimiser = self._network(rng)
        if self.owed > 0 or self._redrawn:
            with ONE_BLAS_THREAD:
                self._step(network, optimiser, rng)
            self.owed = max(self.owed - 1, 0)
        return self.heads.chosen(self._outputs(network, optimiser, contexts), rng)

    def settle(self, rng: Rng) -> None:
        if self.replay.count > 0:
            network, optimiser = self._network(rng)
            with ONE_BLAS_THREAD:
                for _ in range(min(self.owed, SETTLED)):
                    self._step(network, optimiser, rng)
            self.owed = 0

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
        return self.heads.redrawn or self.model.random_steps

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

    def _network(self, rng: Rng) -> tuple[Layers, Optimiser]:
        """The network, started at random if need be."""
        if self.network is None or self.optimiser is None:
            self.network = Layers.glorot(self._sizes(), rng, self.heads.count, self.heads.spread)
            self.optimiser = self.model.optimiser(self.network.flat)
        if self.unstarted:
            heads, spread = self.heads.count, self.heads.spread
            places = self.network.start_outputs(self.unstarted, heads, spread, rng)
            self.optimiser.start(self.network.flat, places)
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
        optimiser.step(network.flat, gradient, self.replay.count, rng)


@dataclass(frozen=True)
class NetworkHeads(Model):
    """A `SharedNetwork`, or `Budgeted` ones, with several outputs for each arm, each a replica.

    Each head weighs each reward once, by a draw of its own, and keeps that weight for good; a
    decision asks one head, picked at random, for each arm. Fresh weights on a small batch hardly
    move a network; heads stay apart by as much as their weights make them. The heads' weights
    for a reward are drawn together: `Multinomial` deals as many copies as there are heads. An
    approximation of the bootstrap by a fixed number of replicas. Their last layers start `spread`
    times as wide as Glorot's, so that heads disagree where there are no data yet: with narrow
    starts and no pseudo-examples they agree too soon, and arms are given up untried.

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
