"""One network for all arms, taught a fixed number of examples a round: an approximation."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bandstrap.models.base import Learner, Model
from bandstrap.models.network_checks import check_count, check_positive, check_support
from bandstrap.models.network_layers import Layers, sigmoid
from bandstrap.models.network_optimiser import Adam, Optimiser
from bandstrap.models.network_replay import Replay
from bandstrap.models.redraw import drawn
from bandstrap.models.votes import vote_shares
from bandstrap.one_thread import ONE_BLAS_THREAD
from bandstrap.priors import ExamplePrior
from bandstrap.problem import Problem
from bandstrap.rearming import Before, newcomers
from bandstrap.resampling import Resampling


@dataclass(frozen=True)
class SharedNetwork(Model):
    """Hidden layers that all arms share, and a sigmoid output for each arm.

    What is learnt of contexts is learnt once, from the rewards of every arm. A round takes one step
    of Adam on `examples` examples, the newest among them, with fresh bootstrap weights for these
    alone; it costs the same however long history is, and is an approximation of refitting all.
    Features are standardised by their mean and spread so far.
    """

    hidden: int = 200
    layers: int = 2
    examples: int = 64
    learning_rate: float = 0.001
    wanders: ClassVar[bool] = False  # whether steps are random by themselves

    def __post_init__(self) -> None:
        for parameter in ("hidden", "layers", "examples"):
            check_count(parameter, getattr(self, parameter))
        check_positive("learning_rate", self.learning_rate)

    def learner(self, problem: Problem, resampling: Resampling, prior: ExamplePrior) -> Learner:
        return SharedLearner(self, problem, resampling, prior)

    def optimiser(self, parameters: np.ndarray) -> Optimiser:
        """What takes the steps of a network with these parameters."""
        return Adam(parameters, self.learning_rate)


class SharedLearner(Learner):
    """A network in one run; outputs are in groups of one for each arm, one group for a head."""

    heads = 1
    spread = 1.0

    def __init__(
        self, model: SharedNetwork, problem: Problem, resampling: Resampling, prior: ExamplePrior
    ) -> None:
        check_support(problem.support)
        self.model = model
        self.resampling = resampling
        self.replay = Replay(problem, prior)
        self.network: Layers | None = None
        self.optimiser: Optimiser | None = None
        self.owed = 1  # steps that are due: one for each reward, and one before the first
        self.unstarted: list[int] = []  # arms whose outputs are yet to start at random

    def learn(
        self, context: np.ndarray, arm: int, reward: float, rng: np.random.Generator | None
    ) -> None:
        self._weigh_in(context, arm, reward, rng, 1.0)

    def _weigh_in(
        self,
        context: np.ndarray,
        arm: int,
        reward: float,
        rng: np.random.Generator | None,
        weight: float,
    ) -> None:
        self.replay.add(context, arm, reward, weight)
        self.owed += 1

    def discount(self, factor: float) -> None:
        rows = self.replay.rows
        if rows.count > 0:
            kept = rows.fade(factor)
            if not kept.all():
                self.keep(kept)
            if rows.count == 0:  # nothing of what was learnt shall count
                self.network = self.optimiser = None
                self.unstarted, self.owed = [], 1

    def rearm(self, fresh: "SharedLearner", before: Before) -> None:
        self.keep(self.replay.of_arms(before))
        self.replay.rearm(before)
        if self.network is not None and self.optimiser is not None:
            old, outputs = self.network, self.heads * len(before)
            self.network = Layers(
                (*old.sizes[:-1], outputs), old.rearmed(old.flat, self.heads, before)
            )
            self.optimiser.relay(lambda flat: old.rearmed(flat, self.heads, before))
            self.unstarted = newcomers(self.unstarted, before)

    def keep(self, kept: np.ndarray) -> None:
        """Remember only the rows that `kept` says."""
        self.replay.keep(kept)

    def scores(self, context: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        replay = self.replay
        if replay.count == 0:
            return np.full(replay.n_arms, np.inf)
        network, optimiser = self._network(rng)
        if self.owed > 0 or self._drawn_by_steps:
            with ONE_BLAS_THREAD:
                self._step(network, optimiser, rng)
            self.owed = max(self.owed - 1, 0)
        return self._chosen(self._outputs(network, optimiser, context), rng)

    def probabilities(self, context: np.ndarray, allowed: np.ndarray) -> np.ndarray | None:
        network, optimiser = self.network, self.optimiser
        if network is None or optimiser is None or self.unstarted:
            return None
        if self.owed > 0 or self._drawn_by_steps:
            return None
        return self._shares(self._outputs(network, optimiser, context), allowed)

    @property
    def _drawn_by_steps(self) -> bool:
        """Whether each draw takes a step of its own, and is random by that."""
        random = self.resampling.variance > 0 or self.resampling.noise > 0
        return random or self.model.wanders

    def _outputs(self, network: Layers, optimiser: Optimiser, context: np.ndarray) -> np.ndarray:
        """What each head expects of each arm, (heads, arms)."""
        replay = self.replay
        logits = network.values(replay.scale(context[None]), optimiser.settled(network.flat))[-1]
        expected = sigmoid(logits.astype(np.float64)).reshape(self.heads, replay.n_arms)
        tried = (replay.pulls > 0) | (replay.pseudo.count > 0)  # others go first
        return np.where(tried, expected, np.inf)

    def _network(self, rng: np.random.Generator) -> tuple[Layers, Optimiser]:
        """The network; it starts at random, so it needs a generator to start."""
        if self.network is None or self.optimiser is None:
            arms, model = self.replay.n_arms, self.model
            hidden = (model.hidden,) * model.layers
            sizes = (self.replay.rows.n_features, *hidden, self.heads * arms)
            self.network = Layers.glorot(sizes, rng, self.heads, self.spread)
            self.optimiser = model.optimiser(self.network.flat)
        if self.unstarted:
            places = self.network.start_outputs(self.unstarted, self.heads, self.spread, rng)
            self.optimiser.start(self.network.flat, places)
            self.unstarted = []
        return self.network, self.optimiser

    def _step(self, network: Layers, optimiser: Optimiser, rng: np.random.Generator) -> None:
        picks, shares = self.replay.pick(self.model.examples, rng)
        shares *= self.replay.counts(picks)
        inputs, arms, rewards = self.replay.examples(picks)
        targets, weights = self._drawn(picks, rewards, rng)
        values = network.values(inputs)
        shape = (len(picks), self.heads, self.replay.n_arms)
        at = (np.arange(len(picks))[:, None], np.arange(self.heads), arms[:, None])
        predicted = sigmoid(values[-1].reshape(shape)[at])
        self.replay.note(picks, np.abs(predicted - rewards[:, None]).mean(axis=1))
        slopes = np.zeros(shape, dtype=np.float32)
        slopes[at] = weights * (predicted - targets) * (shares[:, None] / len(picks))
        gradient = network.gradient(values, slopes.reshape(len(picks), -1))
        optimiser.step(network.flat, gradient, self.replay.count, rng)

    def _drawn(
        self, picks: np.ndarray, rewards: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """Rewards and weights for these examples, (examples, heads)."""
        rewards, weights = drawn(self.resampling, rewards, rng)
        return rewards[:, None], weights[:, None]

    def _chosen(self, outputs: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """The output that speaks for each arm, of (heads, arms)."""
        chosen: np.ndarray = outputs[0]
        return chosen

    def _shares(self, outputs: np.ndarray, allowed: np.ndarray) -> np.ndarray:
        """How probable each arm is to have the highest of what is chosen."""
        return vote_shares(outputs, allowed)
