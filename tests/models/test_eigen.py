"""Refits in the eigenbasis, beside their naive twins, which refit to contexts as they come.

Networks are compared in double precision. In single precision a unit whose input is nearly 0 may be
on in one and off in the other, whatever the order of sums: the naive network itself departs by
some 10⁻⁴ from its double on MNIST within 200 rounds.

Descent on the logistic loss is chaotic at the paper's rates: its first steps are far too long to
settle, so that a difference in the last bit doubles with nearly every one of them. Permuting the
columns of the naive twin changes its draws as much. So each draw starts from the same fit here, or
the penalty is large, which makes steps short.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np
import pytest

from bandstrap.arrays import Array, Rng
from bandstrap.datasets import available
from bandstrap.environments.labelled import Labelled
from bandstrap.models import (
    NeuralNetwork,
    StochasticLinearRegression,
    StochasticLogisticRegression,
)
from bandstrap.models.cost import no_cost_warnings
from bandstrap.models.eigen import Eigenbasis, EigenLearner, RotatedExamples
from bandstrap.models.network.layers import Layers
from bandstrap.models.refit import RefitLearner
from bandstrap.priors import (
    EigenExamples,
    ExamplePrior,
    GaussianExamples,
    NoExamples,
    PseudoExamples,
    SeenExamples,
)
from bandstrap.priors.eigen_examples import AxisExamples
from bandstrap.problem import Problem
from bandstrap.resampling import (
    Exponential,
    GaussianNoise,
    Multinomial,
    NoResampling,
    Resampling,
)
from bandstrap.storage.schema import Refused, check_like

ROUNDS = 200


@dataclass(frozen=True)
class Double(NeuralNetwork):
    """The network in double precision: its parameters start as the single ones do."""

    precision: ClassVar[type] = np.float64

    def start(self, n_features: int, rng: Rng) -> Layers:
        start = super().start(n_features, rng)
        return Layers(start.sizes, start.flat.astype(np.float64))

    def fit(
        self, contexts: Array, rewards: Array, weights: Array, start: Layers | None, rng: Rng
    ) -> Layers:
        start = self.start(contexts.shape[1], rng) if start is None else start
        return super().fit(contexts, rewards, weights, start, rng)


@dataclass(frozen=True)
class Axes(ExamplePrior):
    """Pseudo-examples along any axes."""

    rows: tuple[tuple[float, ...], ...]

    def start(self, problem: Problem) -> PseudoExamples:
        return AxisExamples(problem, np.array(self.rows))


class Twins:
    """A learner in the eigenbasis and a naive one, taught the same."""

    def __init__(
        self, model: Any, problem: Problem, resampling: Resampling, prior: ExamplePrior
    ) -> None:
        with no_cost_warnings():
            self.fast = model.learner(problem, resampling, prior)
            self.naive = RefitLearner(model, problem, resampling, prior)
        self.rngs = np.random.default_rng(1), np.random.default_rng(1)
        assert type(self.fast) is EigenLearner

    def learn(self, context: Array, arm: int, reward: float, weight: float = 1.0) -> None:
        for learner in (self.fast, self.naive):
            learner.learn(context, arm, reward, None, weight)

    def outputs(self, contexts: Array) -> Array:
        """Of both; an arm without examples is tried first in both."""
        fast = self.fast.margins(contexts, self.rngs[0])
        naive = self.naive.margins(contexts, self.rngs[1])
        np.testing.assert_array_equal(np.isinf(fast), np.isinf(naive))
        known = np.isfinite(fast)
        return np.array([self.fast.link.expected(fast[known]), naive[known]])

    def gap(self, contexts: Array) -> float:
        fast, naive = self.outputs(contexts)
        return float(np.abs(fast - naive).max(initial=0.0))

    def start_alike(self) -> None:
        """Let the naive twin of a linear model go on from the other's fits."""
        matrix = self.fast.basis.matrix
        self.naive.fits = [np.append(matrix @ fit[:-1], fit[-1]) for fit in self.fast.fits]


@cache
def rows_of(name: str) -> tuple[Array, Array, Array]:
    """Contexts and labels of some rows of a data set, and the covariance of all."""
    world = Labelled(name)
    some = np.random.default_rng(2).permutation(len(world.data.labels))[:ROUNDS]
    contexts, labels = world.data.contexts[some], world.data.labels[some]
    return np.asarray(contexts), np.asarray(labels), world.covariance


def played(
    name: str,
    model: Any,
    resampling: Resampling,
    arms: int,
    alike: bool = False,
    rounds: int = ROUNDS,
) -> list[float]:
    """The gap in every round; arms are pulled in turn, and are right for labels modulo `arms`."""
    contexts, labels, covariance = rows_of(name)
    contexts, labels = contexts[:rounds], labels[:rounds]
    problem = Problem(arms, contexts.shape[1])
    twins, gaps = Twins(model, problem, resampling, EigenExamples(covariance)), []
    for t, (context, label) in enumerate(zip(contexts, labels, strict=True)):
        if alike and t > 0:
            twins.start_alike()
        gaps.append(twins.gap(context))
        twins.learn(context, t % arms, float(label % arms == t % arms))
    assert twins.rngs[0].random() == twins.rngs[1].random()
    return gaps


needs_mnist = pytest.mark.skipif("mnist" not in available(), reason="needs MNIST")
SCHEMES = [Exponential(), Multinomial(), NoResampling()]


@pytest.mark.parametrize("resampling", SCHEMES, ids=repr)
def test_a_network_equals_its_twin_after_200_rounds_of_digits(resampling: Resampling) -> None:
    assert max(played("digits", Double(), resampling, arms=3)) < 1e-9


def test_in_single_precision_too_but_for_units_that_are_nearly_off() -> None:
    assert max(played("digits", NeuralNetwork(), Exponential(), arms=3)) < 1e-3


@needs_mnist
def test_a_network_equals_its_twin_after_60_rounds_of_mnist() -> None:
    assert max(played("mnist", Double(hidden=10), Exponential(), arms=2, rounds=60)) < 1e-9


@pytest.mark.parametrize("resampling", SCHEMES, ids=repr)
def test_descent_equals_its_twin_after_200_rounds_of_digits(resampling: Resampling) -> None:
    assert max(played("digits", StochasticLinearRegression(), resampling, arms=3)) < 1e-9
    short = StochasticLogisticRegression(penalty=1.0)
    assert max(played("digits", short, resampling, arms=3)) < 1e-9


def test_each_draw_at_the_papers_rates_equals_its_twins() -> None:
    model = StochasticLogisticRegression()
    assert max(played("digits", model, Exponential(), arms=10, alike=True)) < 1e-4


@needs_mnist
def test_descent_equals_its_twin_after_60_rounds_of_mnist() -> None:
    linear, logistic = StochasticLinearRegression(passes=2), StochasticLogisticRegression(passes=2)
    assert max(played("mnist", linear, Exponential(), arms=2, rounds=60)) < 1e-9
    assert max(played("mnist", logistic, Exponential(), arms=2, alike=True, rounds=60)) < 1e-4


PRIORS = [
    EigenExamples(),
    EigenExamples(np.diag([1.0, 2.0, 3.0, 4.0])),
    GaussianExamples(),
    SeenExamples(3),
    NoExamples(),
    Axes(((3.0, 3.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0), (1.0, -1.0, 0.0, 0.0))),
    Axes(((3.0, 3.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))),  # not orthogonal
    Axes(((0.0, 0.0, 0.0, 0.0),)),
]


def some_rows(n: int, dtype: type = np.float64) -> tuple[Array, Array]:
    rng = np.random.default_rng(3)
    contexts = rng.normal(size=(n, 4)) @ np.array(
        [[1.0, 0.9, 0, 0], [0, 0.5, 0.2, 0], [0, 0, 1.5, 0], [0, 0, 0.3, 0.1]]
    )
    if dtype == np.uint8:
        contexts = np.clip(128 + 40 * contexts, 0, 255)
    return contexts.astype(dtype), rng.integers(0, 2, n).astype(float)


MODELS = [Double(hidden=7, batch=5), StochasticLogisticRegression(penalty=1.0)]


@pytest.mark.parametrize("prior", PRIORS, ids=repr)
@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8])
def test_whatever_the_prior_and_the_contexts(prior: ExamplePrior, model: Any, dtype: type) -> None:
    contexts, rewards = some_rows(70, dtype)
    twins = Twins(model, Problem(3, 4), Exponential(), prior)
    # A naive twin adds bytes up in single precision, and rotations of others are of doubles.
    limit = 1e-9 if dtype == np.float64 else 1e-4
    for t, context in enumerate(contexts):
        assert twins.gap(context) < limit
        twins.learn(context, t % 2, rewards[t], 0.5 if t % 5 == 0 else 1.0)
    assert twins.gap(contexts[:1]) < limit


def test_arms_change_and_history_fades_as_in_the_twin() -> None:
    contexts, rewards = some_rows(60)
    problem, prior = Problem(3, 4), EigenExamples(np.cov(contexts.T))
    twins = Twins(Double(hidden=7), problem, GaussianNoise(0.1), prior)
    for t, context in enumerate(contexts):
        if t == 30:
            other = Twins(Double(hidden=7), Problem(2, 4), GaussianNoise(0.1), prior)
            twins.fast.remap_arms(other.fast, [None, 1])
            twins.naive.remap_arms(other.naive, [None, 1])
        for learner in (twins.fast, twins.naive):
            learner.discount(0.9)
        assert twins.gap(context) < 1e-9
        twins.learn(context, t % 2, rewards[t])


def test_one_draw_serves_many_contexts() -> None:
    contexts, rewards = some_rows(30)
    twins = Twins(Double(hidden=7), Problem(1, 4), Exponential(), EigenExamples(np.cov(contexts.T)))
    for context, reward in zip(contexts, rewards, strict=True):
        twins.learn(context, 0, reward)
    assert twins.outputs(contexts).shape == (2, 30)
    assert twins.gap(contexts) < 1e-9


def test_rows_of_weight_zero_cost_nothing_and_change_nothing() -> None:
    contexts, rewards = some_rows(40)
    model, rng = Double(hidden=7, batch=8), np.random.default_rng(4)
    weights = rng.poisson(0.7, 56).astype(float)
    lengths, none = np.array([2.0, 1.0, 0.5, 0.0]), np.zeros((0, 4))
    ends = np.tile([0.0, 1.0], 8)
    start = model.start(4, rng)
    given = np.concatenate([ends, rewards])
    fits = [
        model.descend(
            RotatedExamples(lengths, none, rows, given, weights), start, np.random.default_rng(5)
        )
        for rows in (contexts, np.where((weights[16:] > 0)[:, None], contexts, np.nan))
    ]
    np.testing.assert_array_equal(fits[0].flat, fits[1].flat)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_files_of_learners_without_a_basis_go_on_in_the_eigenbasis(model: Any) -> None:
    contexts, rewards = some_rows(40)
    prior, problem = EigenExamples(np.cov(contexts.T)), Problem(2, 4)
    twins = Twins(model, problem, Exponential(), prior)
    old, rng = RefitLearner(model, problem, Exponential(), prior), np.random.default_rng(1)
    for t, context in enumerate(contexts):
        twins.outputs(context)
        old.margins(context, rng)
        for learner in (old, twins.fast, twins.naive):
            learner.learn(context, t % 2, rewards[t], None)
    check_like(old, twins.fast)
    assert type(old) is EigenLearner
    for context in contexts[:3]:
        went_on = old.link.expected(old.margins(context, rng))
        np.testing.assert_allclose(went_on, twins.outputs(context)[1], atol=1e-9)


def change_axes(pseudo: Any, axes: np.ndarray) -> None:
    pseudo.axes = axes
    pseudo.contexts, pseudo.rewards = pseudo._examples(axes)
    pseudo.version += 1


def test_a_basis_is_orthogonal_and_holds_the_axes() -> None:
    contexts, _ = some_rows(50)
    contexts = np.column_stack([contexts, contexts @ np.ones(4), np.zeros(50)])
    pseudo = EigenExamples(np.cov(contexts.T)).start(Problem(2, 6))
    basis = Eigenbasis()
    rotation = basis.follow(pseudo)
    assert rotation is basis.matrix
    np.testing.assert_allclose(rotation.T @ rotation, np.eye(6), atol=1e-12)
    along = np.zeros((6, 6))
    np.fill_diagonal(along, basis.lengths)
    np.testing.assert_allclose(basis.rotated(pseudo.axes, np.float64), along, atol=1e-12)
    before = basis.matrix
    change_axes(pseudo, np.eye(6)[::-1] * 2.0)
    rotation = basis.follow(pseudo)
    np.testing.assert_allclose(before @ rotation, basis.matrix, atol=1e-12)
    change_axes(pseudo, np.eye(6))
    np.testing.assert_array_equal(basis.follow(pseudo), np.eye(6)[::-1].T)
    assert basis.matrix is None


def test_a_file_with_a_basis_of_others_is_refused() -> None:
    prior, problem = EigenExamples(np.diag([1.0, 2.0, 3.0, 4.0]) + 0.5), Problem(2, 4)
    for broken in ({"matrix": np.eye(3)}, {"lengths": np.ones(5)}, {"lengths": np.ones(3)}):
        learner = NeuralNetwork(hidden=7).learner(problem, Exponential(), prior)
        learner.margins(np.ones(4), np.random.default_rng(0))
        learner.verify_saved()
        vars(learner.basis).update(broken)
        with pytest.raises(Refused, match="basis"):
            learner.verify_saved()
