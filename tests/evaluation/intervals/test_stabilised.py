"""Doubly robust with stabilised variance: as a loop says, and right for logs that learnt."""

import numpy as np
import pytest

from bandstrap.evaluation.feedback import Feedback
from bandstrap.evaluation.intervals import StabilisedDifferences, StabilisedDR
from bandstrap.evaluation.intervals.stabilised import FADING, FIRST, GROWTH, LEAST
from bandstrap.evaluation.moments import piece
from bandstrap.evaluation.regression import forward_fit, sampled
from bandstrap.evaluation.sample import Sample
from evaluation.samples import drawn

PAYS = np.array([0.5, 0.4])


def one_by_one(sample):
    """The estimate, its error and the weights, a decision after the other."""
    squares, h, end = sample.ratios**2, 1.0, FIRST
    corrections = sample.ratios * (sample.rewards - sample.fitted)
    recent, stage, weights = np.zeros(2), [], []
    for t in range(len(sample)):
        weights.append(h)
        stage.append(squares[t])
        if t + 1 == end:
            recent = FADING * recent + [np.sum(stage), len(stage)]
            past, stage, end = slice(0, t + 1), [], t + 1 + max(FIRST, int(GROWTH * (t + 1)))
            noise = np.sum(corrections[past] ** 2) / np.sum(squares[past])
            expected = max(recent[0] / recent[1], LEAST * squares[past].mean())
            h = 1 / np.sqrt(expected + sample.baseline[past].var() / noise)
    weights, terms = np.array(weights), corrections + sample.baseline
    value = weights @ terms / weights.sum()
    error = np.sqrt((weights**2 * (terms - value) ** 2).sum()) / weights.sum()
    return value, error, weights


@pytest.mark.parametrize("rows", [1, 7, 500])
def test_as_a_loop_would(rows):
    sample, tally = drawn(500), StabilisedDR().start()
    for start in range(0, 500, rows):
        tally.add(piece(sample, start, start + rows))
    assert (tally.value, tally.error) == pytest.approx(one_by_one(sample)[:2], rel=1e-9)


def together(samples, logger, rows=1000):
    """Differences of all targets and the logger, the rows of a piece at once."""
    pairs, ones = StabilisedDifferences(len(samples) + 1), np.ones(len(logger))
    tallies = [StabilisedDR().start() for _ in samples]
    for start in range(0, len(logger), rows):
        terms = [
            tally.weighed(piece(sample, start, start + rows))
            for tally, sample in zip(tallies, samples, strict=True)
        ]
        pairs.add([*terms, piece(Sample(logger, ones, ones), start, start + rows)])
    return pairs, tallies


@pytest.mark.parametrize("rows", [7, 500])
def test_differences_as_a_loop_would(rows):
    one, other = drawn(500), drawn(500, seed=1)
    pairs, tallies = together([one, other], one.rewards, rows)
    moved, values = [], []
    for sample in (one, other):
        value, _, weights = one_by_one(sample)
        terms = sample.ratios * (sample.rewards - sample.fitted) + sample.baseline
        moved.append([w * (term - value) for w, term in zip(weights, terms, strict=True)])
        moved[-1] = np.array(moved[-1]) / weights.sum()
        values.append(value)
    moved.append((one.rewards - one.rewards.mean()) / 500)
    values.append(one.rewards.mean())
    every = pairs.simultaneous()
    assert [*every] == [(0, 1), (0, 2), (1, 2)]
    for (a, b), found in every.items():
        error = np.sqrt(
            sum((x - y) ** 2 for x, y in zip(moved[a], moved[b], strict=True)) * 500 / 499
        )
        assert (found.value, found.error) == pytest.approx((values[a] - values[b], error), rel=1e-9)
    assert every[0, 1].value == pytest.approx(tallies[0].value - tallies[1].value, rel=1e-9)
    assert [*pairs.simultaneous(against=2)] == [(0, 2), (1, 2)]


def test_differences_hold_together_for_logs_that_learnt():
    """What arms pay, less what the logger is expected to earn as it learns."""
    n, held = 400, []
    for seed in range(60):
        feedback = learnt(n, seed)
        model = forward_fit(feedback)(0, n)
        samples = [
            sampled(feedback, 0, n, np.tile(arm, (n, 1)), model) for arm in ([1.0, 0], [0, 1.0])
        ]
        pairs, _ = together(samples, feedback.rewards)
        truth = [*PAYS, (feedback.probabilities @ PAYS).mean()]
        every = pairs.simultaneous().items()
        held.append(all(truth[a] - truth[b] in found.interval for (a, b), found in every))
    assert np.mean(held) >= 0.86  # 0.95 less 3 standard errors


def learnt(n, seed):
    """A log of a logger that turns to the arm that seems better, down to a floor of 0.05."""
    rng, sums, counts = np.random.default_rng(seed), np.zeros(2), np.zeros(2)
    chosen, rewards, logged = np.empty(n, int), np.empty(n), np.empty((n, 2))
    for t in range(n):
        means = (sums + 1) / (counts + 2)
        gap = (means[1] - means[0]) * np.sqrt(t + 1) * 2
        logged[t, 1] = 0.05 + 0.9 / (1 + np.exp(-np.clip(gap, -50, 50)))
        logged[t, 0] = 1 - logged[t, 1]
        chosen[t] = arm = int(rng.random() < logged[t, 1])
        rewards[t] = rng.random() < PAYS[arm]
        sums[arm] += rewards[t]
        counts[arm] += 1
    own = logged[np.arange(n), chosen]
    return Feedback((0, 1), chosen, rewards, None, own, probabilities=logged)


def test_holds_for_logs_that_learnt():
    """Also where the log tells chosen arms' probabilities alone; narrower where it tells all."""
    n, held, widths = 500, {"all": [], "own": []}, {"all": [], "own": []}
    target = np.tile([0.0, 1.0], (n, 1))
    for seed in range(150):
        feedback = learnt(n, seed)
        model = forward_fit(feedback)(0, n)
        all_told = sampled(feedback, 0, n, target, model)
        own = Feedback(
            feedback.arms, feedback.chosen, feedback.rewards, None, feedback.propensities
        )
        for name, sample in (("all", all_told), ("own", sampled(own, 0, n, target, model))):
            tally = StabilisedDR().start()
            tally.add(sample)
            found = tally.interval()
            held[name].append(PAYS[1] in found)
            widths[name].append(found.high - found.low)
    for name in held:
        assert 0.9 <= np.mean(held[name]) <= 0.99  # 0.95 ± 3 standard errors
    assert np.mean(widths["all"]) < np.mean(widths["own"])


def test_few_large_terms_widen():
    """Nearly normal terms have the normal's quantile; one that outweighs all others does not."""
    rng, ones = np.random.default_rng(0), np.ones(400)
    even, odd = StabilisedDR().start(), StabilisedDR().start()
    terms = rng.standard_normal(400)
    even.add_terms(terms, 0 * ones, ones, ones)
    assert 300 < even.freedom < 500
    terms[200] = 1000.0
    odd.add_terms(terms, 0 * ones, ones, ones)
    assert odd.freedom < 3


def test_before_there_is_anything():
    tally = StabilisedDR().start()
    assert np.isnan(tally.value)
    tally.add(drawn(1))
    assert np.isnan(tally.error)


def test_the_target_was_never_chosen():
    sample = drawn(50)
    none = type(sample)(
        sample.rewards, sample.weights, 0 * sample.target, sample.fitted, sample.baseline
    )
    tally = StabilisedDR().start()
    tally.add(none)
    assert tally.value == pytest.approx(sample.baseline.mean())


@pytest.mark.parametrize("offset", [1e5, -1e7])
def test_a_large_mean_does_not_cancel(offset):
    sample, ones = drawn(2000), np.ones(2000)
    corrections = sample.ratios * (sample.rewards - sample.fitted)
    tallies = StabilisedDR().start(), StabilisedDR().start()
    for tally, by in zip(tallies, (0.0, offset), strict=True):
        for some in (slice(0, 3), slice(3, 2000)):
            rows = corrections[some], sample.baseline[some] + by, sample.ratios[some] ** 2
            tally.add_terms(*rows, ones[some])
    near, far = tallies
    assert far.value - offset == pytest.approx(near.value, abs=1e-8)
    assert (far.error, far.freedom) == pytest.approx((near.error, near.freedom), rel=1e-5)
