"""Confidence sequences: as slow twins say, and hardly ever wrong, at whatever look."""

import numpy as np
import pytest
from scipy.integrate import quad

from bandstrap.errors import InvalidInput
from bandstrap.evaluation.intervals import (
    Betting,
    EmpiricalBernstein,
    Terms,
    asymptotic_sequence,
    difference_terms,
    dr_terms,
    ips_terms,
    normal,
)
from bandstrap.evaluation.intervals.bernstein import OneSide, log_mixture
from bandstrap.evaluation.intervals.betting import MOST, Gambler
from bandstrap.evaluation.moments import piece
from bandstrap.evaluation.sample import Sample
from evaluation.samples import TRUTH, drawn

BOTH = [EmpiricalBernstein(), Betting()]


@pytest.mark.parametrize(
    ("s", "variance", "mixing"), [(3, 5, 1), (30, 100, 1), (1, 0.5, 2), (-1, 4, 1), (5, 2, 0.7)]
)
def test_the_mixture_is_an_integral_over_bets(s, variance, mixing):
    def density(bet):
        return (1 - bet) ** (mixing - 1) * np.exp(-mixing * (1 - bet))

    def wealth(bet):
        return np.exp(bet * s + (np.log1p(-bet) + bet) * variance)

    top = quad(lambda bet: density(bet) * wealth(bet), 0, 1, limit=200)[0]
    expected = np.log(top / quad(density, 0, 1)[0])
    assert float(log_mixture(s, variance, mixing)) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("counts", [False, True])
def test_sums_as_a_loop_would(counts):
    terms, many = ips_terms(drawn(200, counts=counts)), None
    side, t, total, variance = OneSide(), 0.0, 0.0, 0.0
    many = terms.counts if counts else np.ones(200)
    for x, c in zip(terms.gains, many, strict=True):
        guess = min((total + 0.5) / (t + 1), 1)
        variance += (x - guess) ** 2 + (c - 1) * guess**2
        t, total = t + c, total + x
    for start in range(0, 200, 33):
        some = slice(start, start + 33)
        side.add(terms.gains[some], many[some] if counts else None)
    assert (side.decisions, side.total) == pytest.approx((t, total))
    assert side.variance == pytest.approx(variance)


@pytest.mark.parametrize("counts", [False, True])
def test_wealth_as_a_loop_would(counts):
    terms = ips_terms(drawn(200, counts=counts))
    many = terms.counts if counts else np.ones(200)
    gambler, tail = Gambler(0.025), 0.025
    for start in range(0, 200, 33):
        some = slice(start, start + 33)
        gambler.add(terms.gains[some], many[some] if counts else None)
    for mean in (0.0, 0.1, 0.437, 1.0):
        t, total, squares, wealth = 0.0, 0.0, 0.25, 0.0
        for x, c in zip(terms.gains, many, strict=True):
            time = t + 1
            stake = min(np.sqrt(-2 * np.log(tail) / (squares * np.log1p(time))), MOST)
            wealth += np.log1p(stake * (x - mean)) + (c - 1) * np.log1p(-stake * mean)
            t, total = t + c, total + x
            centre = min((total + 0.5) / (t + 1), 1)
            squares += (x - centre) ** 2 + (c - 1) * centre**2
        assert gambler.at(mean) == pytest.approx(wealth, abs=1e-9)


@pytest.mark.parametrize("method", BOTH, ids=repr)
def test_intervals_end_where_evidence_is_too_much(method):
    terms = ips_terms(drawn(2000))
    tally = method.start()
    tally.add_terms(terms)
    found = tally.interval()
    for end in (found.low, found.high):
        assert method.start().evidence(terms, end)[-1] == pytest.approx(tally.threshold, abs=1e-6)
    assert found.low < TRUTH < found.high
    assert found.high - found.low < 0.25


@pytest.mark.parametrize("method", BOTH, ids=repr)
def test_pieces_do_not_matter(method):
    sample, whole, parts = drawn(500), method.start(), method.start()
    whole.add(sample)
    for start in range(0, 500, 37):
        parts.add(piece(sample, start, start + 37))
    one, other = whole.interval(), parts.interval()
    assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=1e-9)


@pytest.mark.parametrize("method", BOTH, ids=repr)
def test_hardly_ever_wrong(method):
    missed = []
    for seed in range(200):
        tally = method.start()
        evidence = tally.evidence(ips_terms(drawn(400, seed)), TRUTH)
        missed.append((evidence >= tally.threshold).any())
    assert np.mean(missed) <= 0.05


@pytest.mark.parametrize("method", BOTH, ids=repr)
def test_other_ranges(method):
    """Rewards from -1 to 3 are rewards from 0 to 1, stretched."""
    sample = drawn(400)
    wide = Sample(4 * sample.rewards - 1, sample.weights, sample.target)
    one, other = method.start(), type(method)(low=-1.0, high=3.0).start()
    one.add(sample)
    other.add(wide)
    ends = one.interval(), other.interval()
    assert ends[1].low == pytest.approx(4 * ends[0].low - 1)
    assert ends[1].high == pytest.approx(4 * ends[0].high - 1)


@pytest.mark.parametrize("method", BOTH, ids=repr)
def test_nothing_is_known_of_nothing(method):
    tally = method.start()
    tally.add(Sample(np.zeros(0), np.zeros(0), np.zeros(0)))
    assert (tally.interval().low, tally.interval().high) == (0, 1)


def modelled(n, seed):
    """A log of three arms with all that doubly robust terms need."""
    rng = np.random.default_rng(seed)
    logged, target = np.array([0.7, 0.29, 0.01]), np.array([0.2, 0.5, 0.3])
    pays, chosen = np.array([0.3, 0.5, 0.7]), rng.choice(3, n, p=logged)
    rewards = (rng.random(n) < pays[chosen]) + 0.0
    sample = Sample(rewards, 1 / logged[chosen], target[chosen])
    every = (np.tile(each, (n, 1)) for each in (pays, target, target / logged))
    return (sample, chosen, *every), float(target @ pays)


def test_dr_terms_are_bounded_and_without_bias():
    given, truth = modelled(200_000, 0)
    terms = dr_terms(*given, slack=2.0)
    assert terms.gains.min() >= -2
    assert terms.losses.min() >= -2
    for found, mean in ((terms.gains, truth), (terms.losses, 1 - truth)):
        assert abs(found.mean() - mean) < 4 * found.std() / np.sqrt(found.size)
    plain = ips_terms(given[0])
    assert terms.gains.var() < plain.gains.var()


def test_a_model_narrows_sequences():
    """Of rewards that hardly vary, on average over logs."""
    widths = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        chosen = rng.choice(2, 2000)
        rewards = 0.5 + 0.1 * chosen + 0.02 * rng.standard_normal(2000)
        sample = Sample(rewards, np.full(2000, 2.0), (chosen == 1) + 0.0)
        model, target = np.tile([0.5, 0.6], (2000, 1)), np.tile([0.0, 1.0], (2000, 1))
        cut = dr_terms(sample, chosen, model, target, 2 * target, slack=2.0)
        tallies = Betting().start(), Betting().start()
        for tally, terms in zip(tallies, (ips_terms(sample), cut), strict=True):
            tally.add_terms(terms)
        found = [tally.interval() for tally in tallies]
        assert 0.6 in found[1]
        widths.append([each.high - each.low for each in found])
    plain, modelled_too = np.mean(widths, axis=0)
    assert modelled_too < 0.6 * plain


def test_differences():
    one, other = drawn(20_000), drawn(20_000, shift=1)
    truth = TRUTH - float(np.roll([0.1, 0.1, 0.2, 0.3, 0.3], 1) @ [0.2, 0.3, 0.4, 0.5, 0.6])
    terms = difference_terms(ips_terms(one), ips_terms(other))
    for method in (EmpiricalBernstein(-1.0, 1.0), Betting(-1.0, 1.0)):
        tally = method.start()
        tally.add_terms(terms)
        assert tally.interval().low < truth < tally.interval().high
        assert tally.interval().high - tally.interval().low < 0.2


def test_terms_are_of_one_kind():
    for method in BOTH:
        tally = method.start()
        tally.add(drawn(3))
        with pytest.raises(InvalidInput, match="one kind of terms"):
            tally.add_terms(Terms(np.ones(1), np.ones(1), slack=1.0))
    (sample, *rest), _ = modelled(5, 0)
    counted = Sample(sample.rewards, sample.weights, sample.target, counts=np.full(5, 2.0))
    with pytest.raises(InvalidInput, match="use ips_terms"):
        dr_terms(counted, *rest)


def test_rows_that_stand_for_several_widen():
    """Half of the decisions were dropped: as wide as if they had been kept, or wider."""
    sample = drawn(1000)
    for method in BOTH:
        kept, doubled = method.start(), method.start()
        kept.add(sample)
        doubled.add(
            Sample(sample.rewards, sample.weights, sample.target, counts=np.full(1000, 2.0))
        )
        one, other = kept.interval(), doubled.interval()
        assert other.high - other.low > 0.95 * (one.high - one.low)
        assert TRUTH in other


def test_normal_intervals():
    found = normal(1.0, 2.0, 0.9)
    assert (found.low, found.high) == pytest.approx((1 - 2 * 1.6448536, 1 + 2 * 1.6448536))
    assert found.level == 0.9


def test_the_asymptotic_sequence_is_the_boundary_of_a_mixture():
    """Normal mixtures: s² ρ² / (2 (t ρ² + 1)) - log(t ρ² + 1) / 2 reaches log(1 / α)."""
    level, best_at = 0.9, 500.0
    spare = -2 * np.log(1 - level)
    rho = (spare + np.log(spare) + 1) / best_at
    for t in (10, 500, 100_000):
        s = asymptotic_sequence(0.0, 1 / np.sqrt(t), t, level, best_at).high * t
        reached = s**2 * rho / (2 * (t * rho + 1)) - np.log(t * rho + 1) / 2
        assert reached == pytest.approx(-np.log(1 - level))


def test_the_asymptotic_sequence_outlasts_looks():
    rng = np.random.default_rng(0)
    n = np.arange(1, 1001)
    wide = np.array([asymptotic_sequence(0.0, 1.0, each).high for each in n])
    means = rng.standard_normal((400, 1000)).cumsum(axis=1) / n
    assert (np.abs(means) * np.sqrt(n) > wide).any(axis=1).mean() <= 0.05
    assert (np.abs(means) * np.sqrt(n) > 1.96).any(axis=1).mean() > 0.3
