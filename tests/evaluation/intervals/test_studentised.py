"""The studentised bootstrap: as a loop says; pairs, and all at once."""

import numpy as np
import pytest
from scipy.stats import skew

from bandstrap import Poisson
from bandstrap.errors import InvalidInput, UnknownName
from bandstrap.evaluation.estimators import (
    ESTIMATORS,
    IPS,
    DoublyRobust,
    SelfNormalisedDR,
    SelfNormalisedIPS,
)
from bandstrap.evaluation.intervals import StudentisedBootstrap
from bandstrap.evaluation.intervals.bootstrap import BATCH
from bandstrap.evaluation.intervals.weights import SecondOrder
from bandstrap.evaluation.moments import Moments
from bandstrap.evaluation.sample import Sample
from bandstrap.resampling import Exponential
from bandstrap.seeding import generator
from evaluation.samples import TRUTH, drawn

SOME = [IPS(), SelfNormalisedIPS(), DoublyRobust(), SelfNormalisedDR()]


def summed(samples, estimators=SOME):
    moments = Moments(estimators, len(samples))
    moments.add(samples)
    return moments


def reweighted(estimator, sample, weights):
    """The estimate of a reweighted log and the influence of its rows."""
    columns, counts = estimator.columns(sample), np.ones(len(sample))
    counts = counts if sample.counts is None else sample.counts
    means = weights * counts @ columns / (weights @ counts)
    influence = counts * ((columns - means) @ estimator.gradient(means)) / (weights @ counts)
    return float(estimator.combine(means)), influence


@pytest.mark.parametrize("counts", [False, True])
@pytest.mark.parametrize("estimator", SOME, ids=lambda each: each.name)
def test_as_a_loop_would(estimator, counts):
    """Intervals of two targets and of their difference, from the same weights."""
    one, other = drawn(80, counts=counts), drawn(80, counts=counts, shift=1)
    rng, offs = generator(3, "bootstrap"), []
    values = [reweighted(estimator, each, np.ones(80))[0] for each in (one, other)]
    for size in (BATCH, 100 - BATCH):
        for weights in SecondOrder().weights((size, 80), rng):
            (a, u), (b, v) = (reweighted(estimator, each, weights) for each in (one, other))
            near = [a - values[0], b - values[1], a - b - values[0] + values[1]]
            offs.append([off / np.sqrt(weights @ w**2) for off, w in zip(near, (u, v, u - v))])  # noqa: B905
    moments = summed([one, other])
    found = StudentisedBootstrap(draws=100, seed=3).of(moments)
    difference = found.difference(estimator.name, 0, 1)
    all_three = found.interval(estimator.name, 0), found.interval(estimator.name, 1)
    errors = [
        next(each.error for each in moments.estimates(place) if each.name == estimator.name)
        for place in range(2)
    ]
    for k, (value, error, interval) in enumerate(
        [
            (values[0], errors[0], all_three[0]),
            (values[1], errors[1], all_three[1]),
            (values[0] - values[1], difference.error, difference.interval),
        ]
    ):
        below, above = np.quantile(np.array(offs)[:, k], [0.025, 0.975])
        ends = value - above * error, value - below * error
        assert (interval.low, interval.high) == pytest.approx(ends, rel=1e-8)
    _, u = reweighted(estimator, one, np.ones(80))
    _, v = reweighted(estimator, other, np.ones(80))
    spread = np.sqrt(((u - v) ** 2).sum() * 80 / 79)
    assert difference.error == pytest.approx(spread, rel=1e-8)


def test_holds():
    held = {each.name: [] for each in SOME}
    for seed in range(200):
        found = StudentisedBootstrap(draws=200, seed=seed).of(summed([drawn(150, seed)]))
        for name, one in held.items():
            one.append(TRUTH in found.interval(name))
    for one in held.values():
        assert 0.9 <= np.mean(one) <= 0.99  # 0.95 ± 3 standard errors


def test_draws_are_as_skewed_as_studentised_means():
    """That is -2 γ / √n; exponential weights would make it -γ / √n."""
    paid, ones = np.random.default_rng(0).exponential(size=400), np.ones(400)
    moments = summed([Sample(paid, ones, ones)], [IPS()])
    [drawn_] = StudentisedBootstrap(draws=20_000).of(moments)._contrasts("ips", [np.ones(1)])
    wanted = -2 * skew(paid) / np.sqrt(400)
    assert skew(drawn_.off) == pytest.approx(wanted, abs=0.07)  # 4 standard errors


def rare_clicks(seed, logs=20, rows=400):
    """Logs of 5 % clicks, for a uniform target, by a logger that is not."""
    rng, shares = np.random.default_rng(seed), np.array([0.7, 0.2, 0.1])
    arms, clicks = rng.choice(3, (logs, rows), p=shares), rng.random((logs, rows)) < 0.05
    thirds = np.full(rows, 1 / 3)
    return [Sample(r + 0.0, 1 / shares[a], thirds) for a, r in zip(arms, clicks, strict=True)]


def test_rare_clicks_are_missed_alike_on_both_sides():
    below, above = 0, 0
    for seed in range(100):
        found = StudentisedBootstrap(draws=300, seed=seed).of(summed(rare_clicks(seed), [IPS()]))
        every = [found.interval("ips", target) for target in range(20)]
        below += sum(each.high < 0.05 for each in every)
        above += sum(each.low > 0.05 for each in every)
    assert max(below, above) <= 0.0375 * 2000  # exponential weights miss 4.7 % on one side
    assert min(below, above) >= 0.015 * 2000


def test_a_target_does_not_differ_from_itself():
    sample = drawn(300)
    found = StudentisedBootstrap(draws=50).of(summed([sample, sample]))
    difference = found.difference("dr", 0, 1)
    assert (difference.value, difference.error) == pytest.approx((0, 0), abs=1e-9)
    assert difference.interval.high == pytest.approx(0, abs=1e-9)


def test_pairs_are_narrower_than_both():
    found = StudentisedBootstrap(draws=200).of(summed([drawn(2000), drawn(2000, shift=1)]))
    paired = found.difference("ips", 0, 1)
    widths = [each.high - each.low for each in (found.interval("ips", 0), found.interval("ips", 1))]
    assert paired.interval.high - paired.interval.low < np.hypot(*widths)


def test_several_at_once():
    """Wider than alone, narrower than by Bonferroni, and they hold together."""
    samples = [drawn(400), drawn(400, shift=1), drawn(400)]
    found = StudentisedBootstrap(draws=500).of(summed(samples))
    together, alone = found.simultaneous("dr"), [found.interval("dr", k) for k in range(3)]
    strict = StudentisedBootstrap(level=1 - 0.05 / 3, draws=500).of(summed(samples))
    for place, wide in enumerate(together):
        narrow, widest = alone[place], strict.interval("dr", place)
        assert wide.high - wide.low > 0.97 * (narrow.high - narrow.low)
        assert wide.high - wide.low < 1.1 * (widest.high - widest.low)
    every = found.simultaneous_differences("dr")
    assert [*every] == [(0, 1), (0, 2), (1, 2)]
    assert [*found.simultaneous_differences("dr", against=2)] == [(0, 2), (1, 2)]
    assert every[0, 2].value == pytest.approx(0)


def test_the_seed_decides():
    moments = summed([drawn(100)])
    one, same, other = (StudentisedBootstrap(draws=50, seed=s).of(moments) for s in (1, 1, 2))
    assert one.interval("ips") == same.interval("ips") != other.interval("ips")


def test_other_schemes():
    moments = summed([drawn(1000)])
    widths = []
    for scheme in (SecondOrder(), Exponential(), Poisson()):
        found = StudentisedBootstrap(draws=500, resampling=scheme).of(moments).interval("dr")
        widths.append(found.high - found.low)
    assert widths[1:] == pytest.approx(widths[:1] * 2, rel=0.15)


def test_all_estimators_of_a_long_log_have_intervals():
    moments = Moments([*ESTIMATORS.values()], groups=100)
    moments.add([drawn(1000)])
    found = StudentisedBootstrap(draws=50).of(moments)
    for each in moments.estimates():
        assert each.value in found.interval(each.name)


def test_nothing_paid():
    sample = drawn(50)
    none = type(sample)(0 * sample.rewards, sample.weights, sample.target)
    found = StudentisedBootstrap(draws=50).of(summed([none], [IPS()])).interval("ips")
    assert (found.low, found.high) == (0, 0)


def test_refusals():
    with pytest.raises(UnknownName, match="did you mean 'snips'"):
        StudentisedBootstrap(draws=5).of(summed([drawn(9)])).interval("snip")
    with pytest.raises(InvalidInput, match="draws"):
        StudentisedBootstrap(draws=0)
