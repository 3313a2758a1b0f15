"""The numbers of two independent packages, on the Open Bandit sample."""

import pytest

from bandstrap.evaluation.estimators import (
    IPS,
    DirectMethod,
    DoublyRobust,
    OptimisticShrinkageDR,
    SelfNormalisedDR,
    SelfNormalisedIPS,
    SubGaussianDR,
    SubGaussianIPS,
    SwitchDR,
)
from bandstrap.evaluation.intervals import ClopperPearson, CressieRead
from bandstrap.evaluation.moments import gather, pieces_of
from evaluation.samples import open_bandit

VALUES = {
    IPS(): 0.003449626192,
    SelfNormalisedIPS(): 0.003464371971,
    DirectMethod(): 0.004640946883,
    DoublyRobust(): 0.003475575161,
    SelfNormalisedDR(): 0.003470593660,
    SwitchDR(1.5): 0.005189528874,
    OptimisticShrinkageDR(5.0): 0.004141507011,
    SubGaussianIPS(0.1): 0.003421115811,
    SubGaussianDR(0.1): 0.003632357228,
}


@pytest.mark.parametrize("rows", [10_000, 999])
def test_estimators(rows):
    moments = gather(pieces_of(open_bandit(), rows), [*VALUES])
    found = [each.value for each in moments.estimates()]
    assert found == pytest.approx([*VALUES.values()], abs=1e-9)


@pytest.mark.parametrize("rows", [10_000, 999])
def test_intervals(rows):
    cressie_read, clopper_pearson = CressieRead().start(), ClopperPearson().start()
    for (piece,) in pieces_of(open_bandit(), rows):
        cressie_read.add(piece)
        clopper_pearson.add(piece)
    one, other = cressie_read.interval(), clopper_pearson.interval()
    assert cressie_read.value == pytest.approx(0.003465800541, abs=1e-9)
    assert (one.low, one.high) == pytest.approx((0.002186362, 0.018857455), abs=1e-9)
    assert (other.low, other.high) == pytest.approx((0.001930818, 0.005685757), abs=1e-9)
