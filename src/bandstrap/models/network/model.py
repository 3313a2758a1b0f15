"""A network for each arm: the paper's, one pass over history a round, and one on a budget."""

from dataclasses import dataclass, field
from math import sqrt
from typing import Any, ClassVar

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.errors import InvalidInput
from bandstrap.kernels import network_pass as kernels
from bandstrap.kernels.network import outputs
from bandstrap.models.base import Learner, Model
from bandstrap.models.checks import check_unit_support, checked_contexts, checked_examples
from bandstrap.models.eigen import EigenLearner, RotatedExamples
from bandstrap.models.features import Examples, RunningScale, as_numbers, verify_rows
from bandstrap.models.link import SIGMOID, Link
from bandstrap.models.network.heads import Draws, Heads, OneHead
from bandstrap.models.network.layers import (
    MOST_BATCH,
    MOST_EXAMPLES,
    MOST_UNITS,
    Adam,
    Layers,
    check_outputs,
    check_parameters,
    check_rate,
    check_size,
    check_trained,
    sigmoid,
)
from bandstrap.models.refit import WeightedModel
from bandstrap.one_thread import ONE_BLAS_THREAD
from bandstrap.priors import ExamplePrior, PseudoExamples
from bandstrap.problem import Problem
from bandstrap.remapping import ArmMap, remapped_list
from bandstrap.resampling import Resampling
from bandstrap.storage.schema import Fixed, ListOf, Maybe, Of, Schema, Whole, require
from bandstrap.validation import require_within

MEMORY = 0.9  # of averaged parameters, by step; an arm takes fewer steps than there are rounds


@dataclass(frozen=True)
class NeuralNetwork(WeightedModel[Layers]):
    """One hidden layer of ReLU units and a sigmoid output, trained by weighted SGD on log loss.

    The defaults are those of the paper's experiments: 100 units, Glorot uniform weights, learning
    rate 0.01, shuffled batches of 32. A fit is one pass over the examples from where the last
    ended; a batch's step is the mean of its weighted gradients. It costs as much as history is
    long: see `Budgeted` and `SharedNetwork`. Contexts are taken as they are and should be of the
    order of one.

    >>> from bandstrap.policies import ContextualEpsilonGreedy
    >>> policy = ContextualEpsilonGreedy(NeuralNetwork(hidden=8))
    >>> state = policy.start(Problem(2, n_features=3))
    >>> rng = np.random.default_rng(1)
    >>> for _ in range(4):
    ...     arms = policy.select(state, np.ones((1, 3)), rng)
    ...     policy.update(state, np.ones((1, 3)), arms, 1.0 - arms)
    """

    hidden: int = 100
    learning_rate: float = 0.01
    batch: int = 32
    link: ClassVar[Link] = SIGMOID
    precision: ClassVar[type[np.floating[Any]]] = np.float32

    def __post_init__(self) -> None:
        require_within(1, MOST_UNITS, hidden=self.hidden)
        require_within(1, MOST_BATCH, batch=self.batch)
        check_rate(self.learning_rate)

    def check_context(self, contexts: Array) -> None:
        check_size(contexts)

    def verify_fit(self, fit: Any, n_features: int) -> None:
        known = type(fit) is Layers and fit.sizes == (n_features, self.hidden, 1)
        require(known, "a fit is of another network")

    def learner(self, problem: Problem, resampling: Resampling, prior: ExamplePrior) -> Learner:
        check_unit_support(problem.support, self)
        check_parameters((problem.n_features, self.hidden, 1), problem.n_arms)
        return EigenLearner(self, problem, resampling, prior)

    def fit(
        self, contexts: Array, rewards: Array, weights: Array, start: Layers | None, rng: Rng
    ) -> Layers:
        contexts, rewards, weights = checked_examples(contexts, rewards, weights)
        contexts = as_numbers(contexts)
        self.check_context(contexts)
        if start is None:
            start = self.start(contexts.shape[1], rng)
        if start.sizes != (contexts.shape[1], self.hidden, 1):
            raise InvalidInput("start", start.sizes, "give an earlier fit to such contexts")
        fit = Layers(start.sizes, start.flat.copy())
        order = rng.permutation(len(rewards))
        inputs = contexts.astype(fit.flat.dtype)
        with ONE_BLAS_THREAD, np.errstate(over="ignore", invalid="ignore"):  # checked below
            for first in range(0, len(order), self.batch):
                rows = order[first : first + self.batch]
                self._step(fit, inputs[rows], rewards[rows], weights[rows])
        return self._finite(fit)

    def _finite(self, fit: Layers) -> Layers:
        if not np.isfinite(fit.flat).all():
            raise InvalidInput("learning_rate", self.learning_rate, "steps overflow: lower it")
        return fit

    def predict(self, fit: Layers, contexts: Array) -> Array:
        return sigmoid(self.margins(fit, checked_contexts(contexts)))

    def margins(self, fit: Layers, contexts: Array) -> Array:
        inputs = np.atleast_2d(as_numbers(contexts)).astype(fit.flat.dtype)
        with ONE_BLAS_THREAD, np.errstate(over="ignore"):
            return fit.values(inputs)[-1][:, 0].astype(np.float64)

    def check_rewards(self, rewards: Array) -> None:
        """Rewards are within the support, which is checked when a learner starts."""

    def start(self, n_features: int, rng: Rng) -> Layers:
        return Layers.glorot((n_features, self.hidden, 1), rng)

    def rotated(self, fit: Layers, rotation: Array) -> Layers:
        turned = Layers(fit.sizes, fit.flat.copy())
        weights, _ = turned.matrices(turned.flat)[0]
        with ONE_BLAS_THREAD:
            weights[:] = rotation.T @ weights.astype(np.float64)
        return turned

    def descend(self, examples: RotatedExamples, start: Layers, rng: Rng) -> Layers:
        """One pass, as `fit` makes it; see `Rotatable`."""
        lengths, pseudo, contexts, rewards, weights = examples
        fit, n, dtype = Layers(start.sizes, start.flat.copy()), len(rewards), start.flat.dtype
        (hidden_weights, bias), (last, last_bias) = fit.matrices(fit.flat)
        network = hidden_weights, bias, last[:, 0], last_bias
        rate, size = dtype.type(self.learning_rate), min(self.batch, max(n, 1))
        first, shares = 4 * lengths.size, weights.astype(np.float64)
        rows, ends = np.empty(n, np.int64), np.empty((-(-n // size), 2), np.int64)
        kernels.sort_batches(rng.permutation(n), size, shares, first, rows, ends)
        hidden, slopes = np.empty((size, bias.size), dtype), np.empty(size, dtype)
        gradient, scratch = np.empty_like(hidden_weights), np.empty((3, bias.size), dtype)
        given = lengths.astype(dtype), network, rewards, shares, hidden, slopes, scratch
        with ONE_BLAS_THREAD, np.errstate(over="ignore", invalid="ignore"):
            at, begin = kernels.along_axes(0, rate, rows, ends, *given), 0
            while at < len(ends):
                begin = int(ends[at - 1, 1]) if at > 0 else 0
                middle, end = ends[at].tolist()
                dense = _dense(pseudo, contexts, rows[begin:middle] - first, dtype)
                units = hidden[: middle - begin]
                np.dot(dense, hidden_weights, out=units)
                kernels.step(rate, rows[begin:end], middle - begin, *given)
                if len(dense) == 1:
                    kernels.subtract_one(hidden_weights, rate, dense[0], units[0])
                else:
                    np.dot(dense.T, units, out=gradient)
                    kernels.subtract(hidden_weights, rate, gradient)
                at = kernels.along_axes(at + 1, rate, rows, ends, *given)
        return self._finite(fit)

    def _step(self, fit: Layers, inputs: Array, rewards: Array, weights: Array) -> None:
        values = fit.values(inputs)
        slopes = weights[:, None] * (sigmoid(values[-1]) - rewards[:, None]) / len(rewards)
        gradient = fit.gradient(values, slopes.astype(fit.flat.dtype))
        fit.flat -= fit.flat.dtype.type(self.learning_rate) * gradient


def _dense(pseudo: Array, contexts: Array, rows: Array, dtype: Any) -> Array:
    """Rows of pseudo-examples and then of contexts, as networks take them."""
    if len(pseudo) == 0:
        return as_numbers(contexts[rows]).astype(dtype, copy=False)
    dense = np.empty((rows.size, pseudo.shape[1]), dtype)
    own = rows >= len(pseudo)
    dense[~own] = pseudo[rows[~own]]
    dense[own] = as_numbers(contexts[rows[own] - len(pseudo)])
    return dense


@dataclass(frozen=True)
class Budgeted(Model):
    """A network per arm as in `NeuralNetwork`, taught `examples` examples a round.

    A round takes a fixed number of steps of Adam, each on one batch of one arm: two for every arm
    pulled since the last round, its newest examples among them, and the rest for arms at random.
    A batch has fresh bootstrap weights, and at least as many rewards as pseudo-examples. It costs
    the same however long history is, and approximates refitting every arm to all of it. Fresh
    weights on a small batch hardly move a network: for a bootstrap that explores, give
    it heads, `NetworkHeads(Budgeted())`. Features are standardised by their mean and spread so far.

    >>> from bandstrap import ContextualBootstrap, Exponential, NoExamples
    >>> policy = ContextualBootstrap(Exponential(), Budgeted(NeuralNetwork(hidden=8)), NoExamples())
    >>> state = policy.start(Problem(n_arms=2, n_features=3))
    >>> policy.select(state, np.ones((1, 3)), np.random.default_rng(0)).shape
    (1,)
    """

    network: NeuralNetwork = field(default_factory=lambda: NeuralNetwork(batch=12))
    examples: int = 48
    learning_rate: float = 0.003

    def __post_init__(self) -> None:
        require_within(1, MOST_EXAMPLES, examples=self.examples)
        require_within(1, MOST_EXAMPLES, batch=self.network.batch)
        check_rate(self.learning_rate)

    def learner(self, problem: Problem, resampling: Resampling, prior: ExamplePrior) -> Learner:
        return self.headed(problem, prior, OneHead(resampling))

    def headed(self, problem: Problem, prior: ExamplePrior, heads: Heads) -> Learner:
        check_unit_support(problem.support, self)
        sizes = (problem.n_features, self.network.hidden, heads.count)
        check_parameters(sizes, problem.n_arms, max(self.examples, self.network.batch))
        return BudgetedLearner(self, problem, prior, heads)


class BudgetedLearner(Learner):
    """Networks of all arms in one run; `touched` counts the examples they were taught."""

    schema = Schema(
        model=Fixed(Of(Budgeted)),
        heads=Of(Heads),
        pseudo=Of(PseudoExamples),
        n_features=Fixed(Whole()),
        scale=Of(RunningScale),
        rows=ListOf(Of(Examples), "arms"),
        draws=ListOf(Of(Draws), "arms"),
        new=ListOf(Whole(), "arms"),
        networks=ListOf(Maybe(Of(Layers)), "arms"),
        optimisers=ListOf(Maybe(Of(Adam)), "arms"),
        touched=Whole(),
        owed=Whole(),
    )

    def verify_saved(self) -> None:
        for trained in zip(self.networks, self.optimisers, strict=True):
            check_trained(*trained, self._sizes())
        for rows, draws, new in zip(self.rows, self.draws, self.new, strict=True):
            require(new <= rows.count, "there are fewer rows than new ones")
            require(draws.known <= rows.count, "draws are of other rows")
        widths = {self.scale.mean.size, self.pseudo.contexts.shape[1]}
        widths |= {rows.n_features for rows in self.rows}
        require(widths == {self.n_features}, "contexts are of several widths")

    def verify_problem(self, problem: Problem) -> None:
        verify_rows(self.rows, problem)

    def __init__(
        self, model: Budgeted, problem: Problem, prior: ExamplePrior, heads: Heads
    ) -> None:
        self.model = model
        self.heads = heads
        self.pseudo = prior.start(problem)
        self.n_features = problem.n_features
        self.scale = RunningScale(problem.n_features)
        self.rows = [Examples(problem.n_features) for _ in range(problem.n_arms)]
        self.draws = [heads.draws() for _ in range(problem.n_arms)]
        self.new = [0] * problem.n_arms
        self.networks: list[Layers | None] = [None] * problem.n_arms
        self.optimisers: list[Adam | None] = [None] * problem.n_arms
        self.touched = 0
        self.owed = 1  # rounds of steps due: one for each reward, and one before the first

    def learn(
        self, context: Array, arm: int, reward: float, rng: Rng | None, weight: float = 1.0
    ) -> None:
        self.pseudo.see(context, reward)
        self.scale.see(context)
        self.rows[arm].add(context, reward, weight)
        self.new[arm] += 1
        self.owed += 1

    def discount(self, factor: float) -> None:
        for arm, rows in enumerate(self.rows):
            if rows.count > 0:
                kept = rows.fade(factor)
                self.new[arm] = int(kept[rows.count - self.new[arm] :].sum())
                rows.keep(kept)
                self.draws[arm].keep(kept)
                if rows.count == 0:
                    self.networks[arm] = self.optimisers[arm] = None

    def remap_arms(self, fresh: "BudgetedLearner", before: ArmMap) -> None:
        for name in ("rows", "draws", "new", "networks", "optimisers"):
            setattr(self, name, remapped_list(getattr(self, name), getattr(fresh, name), before))

    def margins(self, contexts: Array, rng: Rng) -> Array:
        known = self._known()
        if self.owed > 0 or self.heads.resampled:
            self._teach(known, rng)
            self.owed = max(self.owed - 1, 0)
        for arm in known:
            self._network(arm, rng)
        return self.heads.chosen(self._outputs(known, contexts), rng)

    def probabilities(self, contexts: Array, allowed: Array) -> Array | None:
        known = self._known()
        started = all(self.networks[arm] is not None for arm in known)
        if self.owed > 0 or self.heads.resampled or not started:
            return None
        return self.heads.probabilities(self._outputs(known, contexts), allowed)

    def _known(self) -> list[int]:
        return [arm for arm, rows in enumerate(self.rows) if self.pseudo.count + rows.count > 0]

    def _outputs(self, known: list[int], context: Array) -> Array:
        """The reward that each head expects of each arm, (heads, arms)."""
        inputs = self.scale(context[None])[0]
        hidden = np.empty(self.model.network.hidden, dtype=np.float32)
        logits = np.zeros((len(self.rows), self.heads.count))
        for arm in known:
            network, optimiser = self.networks[arm], self.optimisers[arm]
            assert network is not None
            assert optimiser is not None
            (weights, bias), (last, last_bias) = network.matrices(optimiser.settled(network.flat))
            outputs(inputs, weights, bias, last, last_bias, hidden, logits[arm])
        expected = np.full_like(logits, np.inf)  # the untried go first
        expected[known] = sigmoid(logits[known])
        check_outputs(expected, self.model)
        return expected.T

    def _teach(self, known: list[int], rng: Rng) -> None:
        """A fixed number of steps, first for arms with new rewards, then for any."""
        if not known:
            return
        steps = -(-self.model.examples // self.model.network.batch)
        fresh = [arm for arm in known if self.new[arm] > 0]
        others = [known[at] for at in rng.integers(0, len(known), steps).tolist()]
        with ONE_BLAS_THREAD:
            for arm in (2 * fresh + others)[:steps]:
                self._step(arm, *self._network(arm, rng), rng)

    def _sizes(self) -> tuple[int, ...]:
        return self.n_features, self.model.network.hidden, self.heads.count

    def _network(self, arm: int, rng: Rng) -> tuple[Layers, Adam]:
        """An arm's network, started at random if need be."""
        network, optimiser = self.networks[arm], self.optimisers[arm]
        if network is None or optimiser is None:
            network = Layers.glorot(self._sizes(), rng, self.heads.count, self.heads.spread)
            optimiser = Adam(network.flat, self.model.learning_rate, MEMORY)
            self.networks[arm], self.optimisers[arm] = network, optimiser
        return network, optimiser

    def _step(self, arm: int, network: Layers, optimiser: Adam, rng: Rng) -> None:
        rows, size = self.rows[arm], self.model.network.batch
        old, others, makeup = self._picks(arm, rng)
        n = len(old)
        contexts = np.empty((size, self.n_features), dtype=np.float32)
        self.scale(rows.contexts[old], contexts[:n])
        self.scale(self.pseudo.contexts[others], contexts[n:])
        rewards = np.concatenate([rows.rewards[old], self.pseudo.rewards[others]])
        picks = np.concatenate([old, others + rows.count])
        targets, weights = self.draws[arm].of(picks, rows.rewards, rewards, rng)
        values = network.values(contexts)
        slopes = weights * (sigmoid(values[-1]) - targets) / size
        slopes[n:] *= makeup
        if not rows.plain:
            slopes[:n] *= rows.weights[old, None]
        gradient = network.gradient(values, slopes.astype(np.float32, copy=False))
        optimiser.step(network.flat, gradient, size, rng)
        self.new[arm] = 0
        self.touched += size

    def _picks(self, arm: int, rng: Rng) -> tuple[Array, Array, float]:
        """Rows of an arm, the newest first, pseudo-examples, and the weight of each of these.

        Many pseudo-examples would fill nearly every batch. Where they outnumber rows, half of a
        batch are rows, and pseudo-examples count the square root of what would compensate in full.
        """
        count, pseudo, size = self.rows[arm].count, self.pseudo.count, self.model.network.batch
        newest, some = min(self.new[arm], size), min(count, pseudo)
        chances = rng.random(size + 1)
        n = max(size - int(size * some / (count + some) + chances[size]), newest) if count else 0
        old = (chances[:n] * count).astype(np.int64)  # cheaper than rng.integers
        if newest > 0:
            old[:newest] = np.arange(count - newest, count)
        others = (chances[n:size] * pseudo).astype(np.int64)
        return old, others, sqrt(pseudo / some) if some else 1.0
