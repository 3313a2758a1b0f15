"""Pseudo-examples for contexts: what they are, and how they follow the contexts."""

import pickle

import numpy as np
import pytest

from bandstrap import InvalidInput, Problem, Support
from bandstrap.priors import EigenExamples, GaussianExamples

RNG = np.random.default_rng(7)
MIXING = RNG.standard_normal((3, 5))


def contexts(n, rng=None):
    """Contexts far from zero in five dimensions that vary in three only."""
    rng = np.random.default_rng(3) if rng is None else rng
    return rng.standard_normal((n, 3)) @ MIXING + 1000.0


def test_eigen_examples_are_the_papers():
    covariance = MIXING.T @ MIXING
    pseudo = EigenExamples(covariance).start(Problem(4, 5, Support.interval(-1, 3)))
    assert pseudo.axes.shape == (5, 5)
    assert (pseudo.axes[3:] == 0).all()  # two directions have no width
    assert pseudo.count == 20
    # Together the axes are the covariance, each is an eigenvector as long as its deviation.
    np.testing.assert_allclose(pseudo.axes.T @ pseudo.axes, covariance, atol=1e-9)
    lengths = (pseudo.axes**2).sum(axis=1)
    np.testing.assert_allclose(covariance @ pseudo.axes.T, (lengths[:, None] * pseudo.axes).T)
    for axis, four, rewards in zip(
        pseudo.axes, pseudo.contexts.reshape(5, 4, 5), pseudo.rewards.reshape(5, 4), strict=True
    ):
        assert (four == [axis, axis, -axis, -axis]).all()
        assert rewards.tolist() == [-1, 3, -1, 3]


def test_examples_at_zero_pull_the_intercept():
    pseudo = EigenExamples(np.zeros((2, 2))).start(Problem(2, 2))
    assert pseudo.contexts.tolist() == [[0.0, 0.0]] * 8
    assert pseudo.rewards.mean() == 0.5


def test_estimated_axes_approach_the_true_ones():
    pseudo = EigenExamples().start(Problem(2, 5))
    versions = []
    for context in contexts(4096):
        pseudo.see(context, 0.0)
        versions.append(pseudo.version)
    assert versions[-1] == 12  # at 2, 4, ... 4096 contexts
    assert np.flatnonzero(np.diff(versions)).tolist() == [2**i - 2 for i in range(1, 13)]
    estimate = pseudo.axes.T @ pseudo.axes
    np.testing.assert_allclose(estimate, np.cov(contexts(4096).T), rtol=1e-8, atol=1e-8)
    assert (np.linalg.norm(pseudo.axes, axis=1) > 0).tolist() == [True] * 3 + [False] * 2
    assert pseudo.count == 20


def test_before_there_are_enough_contexts_columns_are_the_directions():
    pseudo = EigenExamples().start(Problem(2, 5))
    assert (pseudo.axes == np.eye(5)).all()
    rows = contexts(8)
    for context in rows:
        pseudo.see(context, 0.0)
    np.testing.assert_allclose(pseudo.axes, np.diag(rows.std(axis=0, ddof=1)), rtol=1e-9)
    assert pseudo.contexts.shape == (20, 5)


def test_equal_contexts_leave_the_first_guess_then_no_direction():
    pseudo = EigenExamples().start(Problem(2, 3))
    for _ in range(4):
        pseudo.see(np.full(3, 5.0), 0.0)
    assert (pseudo.axes == np.eye(3)).all()
    for _ in range(4):
        pseudo.see(np.full(3, 5.0), 0.0)
    assert (pseudo.axes == np.zeros((3, 3))).all()


def test_bytes_are_seen_as_shares():
    pseudo = EigenExamples().start(Problem(2, 2))
    rows = np.random.default_rng(1).integers(0, 256, (64, 2)).astype(np.uint8)
    for row in rows:
        pseudo.see(row, 0.0)
    np.testing.assert_allclose(pseudo.axes.T @ pseudo.axes, np.cov((rows / 255).T), rtol=1e-5)


def test_representation_names_the_matrix():
    one, two = EigenExamples(np.eye(300)), EigenExamples(np.eye(300))
    other = EigenExamples(np.eye(300) * (1 + 1e-6))
    assert repr(one) == repr(two) != repr(other)
    assert len(repr(one)) < 60
    assert one == two
    assert one != other
    assert one != EigenExamples() == EigenExamples()
    assert hash(one) == hash(two)
    assert repr(pickle.loads(pickle.dumps(one))) == repr(one)
    assert repr(EigenExamples()) == "EigenExamples()"


def test_the_last_bits_of_a_matrix_are_not_in_its_name():
    rng = np.random.default_rng(0)
    covariance = np.cov(rng.standard_normal((5, 50)) * [[1e6], [1.0], [1e-6], [1e3], [0.0]])
    noise = rng.uniform(-4e-16, 4e-16, (5, 5))
    elsewhere = covariance * (1 + noise + noise.T)  # as another processor would sum it
    assert repr(EigenExamples(elsewhere)) == repr(EigenExamples(covariance))
    assert EigenExamples(elsewhere) != EigenExamples(covariance)
    for place in ((2, 2), (1, 2), (3, 0)):
        other = covariance.copy()
        other[place] = other[place[::-1]] = covariance[place] * 1.001
        assert repr(EigenExamples(other)) != repr(EigenExamples(covariance))


def test_gaussian_examples():
    pseudo = GaussianExamples(count=4000, scale=2.0).start(Problem(2, 3, Support.interval(0, 5)))
    assert pseudo.count == 8000
    assert pseudo.axes.shape == (0, 3)
    pairs = pseudo.contexts.reshape(4000, 2, 3)
    assert (pairs[:, 0] == pairs[:, 1]).all()
    assert (pseudo.rewards.reshape(4000, 2) == [0, 5]).all()
    # An entry of the covariance has standard error at most 4 sqrt(2 / 4000) = 0.09.
    np.testing.assert_allclose(np.cov(pairs[:, 0].T), 4 * np.eye(3), atol=0.4)
    assert GaussianExamples().start(Problem(2, 7)).count == 28
    again = GaussianExamples(count=4000, scale=2.0).start(Problem(2, 3))
    assert (again.contexts == pseudo.contexts).all()
    other = GaussianExamples(4000, 2.0, seed=1).start(Problem(2, 3))
    assert (other.contexts != pseudo.contexts).all()


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: EigenExamples(np.ones(3)), "covariance"),
        (lambda: EigenExamples(np.array([[1.0, 2.0], [0.0, 1.0]])), "symmetric"),
        (lambda: EigenExamples(np.full((2, 2), np.nan)), "finite"),
        (lambda: EigenExamples(np.diag([1.0, -1.0])).start(Problem(2, 2)), "negative"),
        (lambda: EigenExamples(np.eye(2)).start(Problem(2, 3)), "3 features"),
        (lambda: EigenExamples().start(Problem(2, 3, Support.real())), "support"),
        (lambda: GaussianExamples(count=0), "count"),
        (lambda: GaussianExamples(scale=0.0), "scale"),
        (lambda: GaussianExamples(seed=-1), "seed"),
        (lambda: GaussianExamples().start(Problem(2, 3, Support.real())), "support"),
    ],
)
def test_bad_input_is_named(make, named):
    with pytest.raises(InvalidInput, match=named):
        make()


def test_a_column_that_has_not_varied_yet_is_as_wide_as_most():
    pseudo = EigenExamples().start(Problem(2, 3))
    rows = np.array([[0.0, 5.0, 1000.0], [2.0, 5.0, 3000.0]])
    for context in rows:
        pseudo.see(context, 0.0)
    deviations = rows.std(axis=0, ddof=1)
    usual = np.sqrt(np.median(deviations[[0, 2]] ** 2))
    np.testing.assert_allclose(np.diagonal(pseudo.axes), [deviations[0], usual, deviations[2]])


@pytest.mark.parametrize("size", [2e5, 1e8, 1e10])
def test_small_columns_beside_large_ones_keep_their_axes(size):
    rng = np.random.default_rng(0)
    x = np.column_stack([rng.normal(0.0, size, 4000), rng.random(4000) < 0.5, np.full(4000, 7.0)])
    given = EigenExamples(np.cov(x.T)).start(Problem(2, 3))
    estimated = EigenExamples().start(Problem(2, 3))
    for row in x[:1024]:
        estimated.see(row, 0.0)
    for pseudo in (given, estimated):
        lengths = np.linalg.norm(pseudo.axes, axis=1)
        assert lengths == pytest.approx([size, 0.5, 0.0], rel=0.1)  # the third does not vary
        assert abs(pseudo.axes[1, 1]) == pytest.approx(0.5, rel=0.1)


def test_a_sum_of_columns_is_no_direction_of_its_own():
    x = np.random.default_rng(1).standard_normal((500, 2)) * [1e6, 1.0]
    x = np.column_stack([x, x[:, 0] / 1e6 + x[:, 1]])
    axes = EigenExamples(np.cov(x.T)).start(Problem(2, 3)).axes
    assert (np.linalg.norm(axes, axis=1) > 0).tolist() == [True, True, False]
