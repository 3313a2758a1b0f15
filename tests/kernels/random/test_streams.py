"""The kernels' random variates against SciPy: 300,000 draws each, p > 10⁻⁴."""

import numpy as np
import pytest
from scipy import stats

from bandstrap.kernels.compile import kernel
from bandstrap.kernels.random import streams as kernels
from bandstrap.seeding import generator, kernel_stream

DRAWS = 300_000
P = 1e-4


@kernel
def fill(stream, name, a, b, out):
    for i in range(out.size):
        if name == 0:
            out[i] = kernels.uniform(stream)
        elif name == 1:
            out[i] = kernels.exponential(stream)
        elif name == 2:
            out[i] = kernels.normal(stream)
        elif name == 3:
            out[i] = kernels.gamma(stream, a)
        elif name == 4:
            out[i] = kernels.gamma_count(stream, int(a))
        elif name == 5:
            out[i] = kernels.binomial(stream, int(a), b)
        elif name == 6:
            out[i] = kernels.poisson(stream, a)
        elif name == 7:
            out[i] = kernels.below(stream, int(a))


UNIFORM, EXPONENTIAL, NORMAL, GAMMA, GAMMA_COUNT, BINOMIAL, POISSON, BELOW = range(8)


def draws(name, a=0.0, b=0.0, seed=0):
    out = np.empty(DRAWS)
    fill(kernel_stream(generator(seed, "random", name, a, b)), name, float(a), float(b), out)
    return out


def same_law(found, law):
    """The chi-square test of whole numbers against a discrete law, rare values together."""
    values = np.arange(law.ppf(1e-9), law.ppf(1 - 1e-9) + 1)
    expected = DRAWS * law.pmf(values)
    common = values[expected >= 10]
    low, high = common[0], common[-1]
    inner = np.bincount((found.clip(low, high) - low).astype(int), minlength=common.size)
    probabilities = law.pmf(common)
    probabilities[0], probabilities[-1] = law.cdf(low), law.sf(high - 1)
    return stats.chisquare(inner, DRAWS * probabilities, sum_check=False).pvalue


@pytest.mark.parametrize(
    ("name", "law"), [(UNIFORM, "uniform"), (EXPONENTIAL, "expon"), (NORMAL, "norm")]
)
def test_continuous(name, law):
    assert stats.kstest(draws(name), law).pvalue > P


@pytest.mark.parametrize("name", [EXPONENTIAL, NORMAL])
def test_tails_past_the_ziggurat_s_last_layer(name):
    """Beyond its right edge a ziggurat draws by another rule, which a plain KS test hardly sees."""
    law, edge = (stats.expon, 5.0) if name == EXPONENTIAL else (stats.norm, 3.2)
    found = np.concatenate([abs(draws(name, seed=seed)) for seed in range(20)])
    tail = found[found > edge]
    chance = law.sf(edge) * (1 if name == EXPONENTIAL else 2)
    assert stats.binomtest(tail.size, found.size, chance).pvalue > P
    assert stats.kstest(tail, lambda x: 1 - law.sf(x) / law.sf(edge)).pvalue > P


def test_uniform_stays_inside_the_open_interval():
    found = draws(UNIFORM)
    assert 0 < found.min() < 1e-4
    assert 1 - 1e-4 < found.max() < 1


@pytest.mark.parametrize("shape", [0.01, 0.3, 1.0, 1.5, 2.0, 7.0, 1000.0, 1e6])
def test_gamma(shape):
    found = draws(GAMMA, shape)
    assert stats.kstest(found, stats.gamma(shape).cdf).pvalue > P
    np.testing.assert_allclose(found.mean(), shape, atol=5 * np.sqrt(shape / DRAWS))


@pytest.mark.parametrize("count", [1, 2, 7, 31, 1023, 1024, 5000])
def test_gamma_of_a_count(count):
    found = draws(GAMMA_COUNT, count)
    assert stats.kstest(found, stats.gamma(count).cdf).pvalue > P
    np.testing.assert_allclose(found.mean(), count, atol=5 * np.sqrt(count / DRAWS))


@pytest.mark.parametrize("shape", [0.0, -1.0])
def test_no_shape_no_weight(shape):
    assert (draws(GAMMA, shape) == 0).all()


@pytest.mark.parametrize(
    ("n", "p"),
    [
        (1, 0.3),
        (10, 0.5),
        (30, 0.3),  # inversion
        (9, 0.97),
        (1000, 0.003),
        (1_000_000, 5e-6),
        (20, 0.5),  # just past the border: rejection
        (21, 0.48),
        (40, 0.3),
        (100, 0.9),
        (1000, 0.5),
        (100_000, 0.01),
        (1_000_000, 0.7),
    ],
)
def test_binomial(n, p):
    found = draws(BINOMIAL, n, p)
    assert found.min() >= 0
    assert found.max() <= n
    assert same_law(found, stats.binom(n, p)) > P


@pytest.mark.parametrize(("n", "p", "sure"), [(0, 0.5, 0), (7, 0.0, 0), (7, 1.0, 7), (7, 1.1, 7)])
def test_binomial_without_chance(n, p, sure):
    assert (draws(BINOMIAL, n, p) == sure).all()


@pytest.mark.parametrize("mean", [0.01, 0.5, 1.0, 9.9, 10.0, 33.3, 1000.0, 1e6])
def test_poisson(mean):
    assert same_law(draws(POISSON, mean), stats.poisson(mean)) > P


def test_poisson_without_mean():
    assert (draws(POISSON, 0.0) == 0).all()


@pytest.mark.parametrize("n", [1, 2, 3, 10, 1000])
def test_below(n):
    assert same_law(draws(BELOW, n), stats.randint(0, n)) > P if n > 1 else True
    found = draws(BELOW, n)
    assert found.min() == 0
    assert found.max() == n - 1


def test_successive_draws_are_independent():
    for name in (UNIFORM, EXPONENTIAL, NORMAL):
        ranks = stats.rankdata(draws(name)) / DRAWS
        cells = np.minimum((8 * ranks).astype(int), 7)
        for lag in (1, 2, 3):
            pairs = np.bincount(8 * cells[:-lag] + cells[lag:], minlength=64).reshape(8, 8)
            assert stats.chi2_contingency(pairs, correction=False).pvalue > P


def test_streams_of_different_generators_differ_and_equal_ones_agree():
    one, same, other = (kernel_stream(generator(seed, "stream")) for seed in (1, 1, 2))
    assert (one == same).all()
    assert (one != other).all()
