"""The paper's network on a budget: a fixed number of examples a round, not all of history."""

from dataclasses import dataclass, field

import numpy as np

from bandstrap.models.base import Learner, Model
from bandstrap.models.features import Rows, as_numbers
from bandstrap.models.network import NeuralNetwork
from bandstrap.models.network_checks import check_count, check_positive, check_size, check_support
from bandstrap.models.network_layers import Layers, sigmoid
from bandstrap.models.network_optimiser import Adam
from bandstrap.models.redraw import drawn
from bandstrap.models.votes import vote_shares
from bandstrap.one_thread import ONE_BLAS_THREAD
from bandstrap.priors import ExamplePrior
from bandstrap.problem import Problem
from bandstrap.rearming import Before, relisted
from bandstrap.resampling import Resampling


@dataclass(frozen=True)
class Budgeted(Model):
    """A network per arm as in `NeuralNetwork`, taught `examples` examples a round.

    A round takes a fixed number of steps of Adam, each on one batch of one arm: two for every arm
    pulled since the last round, its newest examples among them, and the rest for arms at random.
    A batch has fresh bootstrap weights of its own, and as many rewards as pseudo-examples at least.
    It costs the same however long history is, and is an approximation of refitting every arm to all
    of it. Contexts are taken as they are.
    """

    network: NeuralNetwork = field(default_factory=NeuralNetwork)
    examples: int = 128
    learning_rate: float = 0.003

    def __post_init__(self) -> None:
        check_count("examples", self.examples)
        check_positive("learning_rate", self.learning_rate)

    def learner(self, problem: Problem, resampling: Resampling, prior: ExamplePrior) -> Learner:
        check_support(problem.support)
        return BudgetedLearner(self, problem, resampling, prior)


class BudgetedLearner(Learner):
    """Networks of all arms in one run; `touched` counts the examples they were taught."""

    def __init__(
        self, model: Budgeted, problem: Problem, resampling: Resampling, prior: ExamplePrior
    ) -> None:
        self.model = model
        self.resampling = resampling
        self.pseudo = prior.start(problem)
        self.n_features = problem.n_features
        self.rows = [Rows(problem.n_features) for _ in range(problem.n_arms)]
        self.new = [0] * problem.n_arms
        self.networks: list[Layers | None] = [None] * problem.n_arms
        self.optimisers: list[Adam | None] = [None] * problem.n_arms
        self.touched = 0
        self.owed = 1  # lessons that are due: one for each reward, and one before the first

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
        self.check_context(context)
        self.pseudo.see(context)
        self.rows[arm].add(context, reward, weight)
        self.new[arm] += 1
        self.owed += 1

    def check_context(self, contexts: np.ndarray) -> None:
        check_size(as_numbers(contexts))

    def discount(self, factor: float) -> None:
        for arm, rows in enumerate(self.rows):
            if rows.count > 0:
                kept = rows.fade(factor)
                self.new[arm] = int(kept[rows.count - self.new[arm] :].sum())
                rows.keep(kept)
                if rows.count == 0:
                    self.networks[arm] = self.optimisers[arm] = None

    def rearm(self, fresh: "BudgetedLearner", before: Before) -> None:
        for name in ("rows", "new", "networks", "optimisers"):
            setattr(self, name, relisted(getattr(self, name), getattr(fresh, name), before))

    def scores(self, context: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        known = self._known()
        if self.owed > 0 or self._random:
            self._teach(known, rng)
            self.owed = max(self.owed - 1, 0)
        for arm in known:
            self._network(arm, rng)
        return self._expected(known, context)

    def probabilities(self, context: np.ndarray, allowed: np.ndarray) -> np.ndarray | None:
        known = self._known()
        if self._random or self.owed > 0 or any(self.networks[arm] is None for arm in known):
            return None
        return vote_shares(self._expected(known, context)[None], allowed)

    @property
    def _random(self) -> bool:
        """Whether each draw has a lesson of its own, and is random by its weights."""
        return self.resampling.variance > 0 or self.resampling.noise > 0

    def _known(self) -> list[int]:
        return [arm for arm, rows in enumerate(self.rows) if self.pseudo.count + rows.count > 0]

    def _expected(self, known: list[int], context: np.ndarray) -> np.ndarray:
        inputs = as_numbers(context[None]).astype(np.float32)
        scores = np.full(len(self.rows), np.inf)  # an arm without any example is tried first
        for arm in known:
            network, optimiser = self.networks[arm], self.optimisers[arm]
            assert network is not None
            assert optimiser is not None
            logits = network.values(inputs, optimiser.settled(network.flat))[-1]
            scores[arm] = sigmoid(logits.astype(np.float64))[0, 0]
        return scores

    def _teach(self, known: list[int], rng: np.random.Generator) -> None:
        """A fixed number of steps, for arms with something new first, and then for any."""
        if not known:
            return
        steps = -(-self.model.examples // self.model.network.batch)
        fresh = [arm for arm in known if self.new[arm] > 0]
        others = rng.choice(known, size=steps).tolist()
        with ONE_BLAS_THREAD:
            for arm in (2 * fresh + others)[:steps]:
                self._step(arm, *self._network(arm, rng), rng)

    def _network(self, arm: int, rng: np.random.Generator) -> tuple[Layers, Adam]:
        """An arm's network; it starts at random, so it needs a generator to start."""
        network, optimiser = self.networks[arm], self.optimisers[arm]
        if network is None or optimiser is None:
            sizes = (self.n_features, self.model.network.hidden, 1)
            network = Layers.glorot(sizes, rng)
            optimiser = Adam(network.flat, self.model.learning_rate)
            self.networks[arm], self.optimisers[arm] = network, optimiser
        return network, optimiser

    def _step(self, arm: int, network: Layers, optimiser: Adam, rng: np.random.Generator) -> None:
        contexts, rewards, counts = self._examples(arm, rng)
        rewards, weights = drawn(self.resampling, rewards, rng)
        weights = weights * counts
        values = network.values(contexts.astype(np.float32))
        slopes = weights[:, None] * (sigmoid(values[-1]) - rewards[:, None]) / len(rewards)
        gradient = network.gradient(values, slopes.astype(np.float32))
        optimiser.step(network.flat, gradient, len(rewards), rng)

    def _examples(
        self, arm: int, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The newest examples of an arm, random ones of all it has, and what they count."""
        rows, size = self.rows[arm], self.model.network.batch
        # More pseudo-examples than rows would fill nearly every batch with their noise.
        pseudo = self.pseudo.count if rows.count == 0 else min(self.pseudo.count, rows.count)
        picks = rng.integers(0, rows.count + pseudo, size)
        newest = min(self.new[arm], size)
        picks[:newest] = np.arange(rows.count - newest, rows.count)
        self.new[arm] = 0
        self.touched += size
        old = picks[picks < rows.count]
        counts = np.ones(size)
        if not rows.plain:
            counts[: len(old)] = rows.weights[old]
        if len(old) == size:
            return as_numbers(rows.contexts[picks]), rows.rewards[picks], counts
        others = picks[picks >= rows.count] - rows.count
        if pseudo < self.pseudo.count:
            others = rng.integers(0, self.pseudo.count, len(others))
        contexts = [as_numbers(rows.contexts[old]), self.pseudo.contexts[others]]
        rewards = [rows.rewards[old], self.pseudo.rewards[others]]
        return np.concatenate(contexts), np.concatenate(rewards), counts
