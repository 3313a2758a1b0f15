"""Sums over groups of neighbours: exact means, right errors, bounded memory."""

import numpy as np
import pytest

from bandstrap.errors import InvalidInput
from bandstrap.evaluation.estimators import (
    ESTIMATORS,
    IPS,
    DoublyRobust,
    SelfNormalisedDR,
    SelfNormalisedIPS,
)
from bandstrap.evaluation.moments import Moments, gather, piece, pieces_of
from evaluation.samples import drawn

SOME = [IPS(), SelfNormalisedIPS(), DoublyRobust(), SelfNormalisedDR()]


def plainly(estimator, sample):
    """The estimate and its error from all rows at once."""
    columns, counts = estimator.columns(sample), np.ones(len(sample))
    counts = counts if sample.counts is None else sample.counts
    means = np.average(columns, axis=0, weights=counts)
    terms = counts * ((columns - means) @ estimator.gradient(means)) / counts.sum()
    n = len(sample)
    return float(estimator.combine(means)), float(np.sqrt((terms**2).sum() * n / (n - 1)))


@pytest.mark.parametrize("counts", [False, True])
@pytest.mark.parametrize("rows", [1, 7, 400, 5000])
def test_pieces_do_not_matter(rows, counts):
    sample = drawn(400, counts=counts)
    found = gather(pieces_of(sample, rows), SOME).estimates()
    expected = [plainly(estimator, sample) for estimator in SOME]
    assert [(each.value, each.error) for each in found] == [
        pytest.approx(each, rel=1e-10) for each in expected
    ]


@pytest.mark.parametrize("rows", [13, 64, 5000])
def test_long_logs_share_groups(rows):
    """Means stay exact, whatever the pieces; errors are nearly those of rows."""
    sample = drawn(5000, counts=True)
    moments = Moments(SOME, groups=300)
    for samples in pieces_of(sample, rows):
        moments.add(samples)
    assert 300 <= len(moments.counts) <= 600
    assert moments.counts.sum() == pytest.approx(sample.counts.sum())
    for estimator, found in zip(SOME, moments.estimates(), strict=True):
        value, error = plainly(estimator, sample)
        assert found.value == pytest.approx(value, rel=1e-10)
        assert found.error == pytest.approx(error, rel=0.15)


def test_groups_are_of_neighbours():
    """As if rows were summed in fours by hand."""
    sample = drawn(1024)
    moments = Moments([IPS()], groups=128)
    for samples in pieces_of(sample, 100):
        moments.add(samples)
    assert len(moments.counts) == 256
    sums = IPS().columns(sample).reshape(256, 4).sum(axis=1)
    assert moments.chosen()[0].sums[:, 0] == pytest.approx(sums)


def test_errors_are_those_of_repetition():
    found = [gather(pieces_of(drawn(1000, seed)), SOME).estimates() for seed in range(200)]
    values = np.array([[each.value for each in one] for one in found])
    errors = np.array([[each.error for each in one] for one in found])
    assert np.mean(errors, axis=0) == pytest.approx(values.std(axis=0), rel=0.2)


def test_several_targets():
    one, other = drawn(500), drawn(500, shift=1)
    both = Moments(SOME, targets=2)
    both.add([one, other])
    for place, sample in enumerate((one, other)):
        alone = gather(pieces_of(sample), SOME).estimates()
        assert [each.value for each in both.estimates(place)] == [each.value for each in alone]


def test_all_estimators_in_one_pass():
    moments = gather(pieces_of(drawn(2000), 300), [*ESTIMATORS.values()])
    assert [each.name for each in moments.estimates()] == [*ESTIMATORS]
    assert all(np.isfinite([each.value, each.error]).all() for each in moments.estimates())


def test_one_decision_has_no_error():
    [found] = gather(pieces_of(drawn(1)), [IPS()]).estimates()
    assert np.isnan(found.error)


def test_refusals():
    with pytest.raises(InvalidInput, match="decisions = 0"):
        Moments([IPS()]).estimates()
    with pytest.raises(InvalidInput, match="of the same decisions"):
        Moments([IPS()], targets=2).add([drawn(3), drawn(4)])


def test_a_piece_has_all_columns():
    some = piece(drawn(10, counts=True), 2, 5)
    assert len(some) == 3
    assert some.counts.tolist() == drawn(10, counts=True).counts[2:5].tolist()
