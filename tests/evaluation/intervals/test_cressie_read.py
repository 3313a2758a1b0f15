"""Cressie–Read and Clopper–Pearson: another package's numbers, and how they behave."""

from math import inf

import numpy as np
import pytest

from bandstrap.errors import InvalidInput
from bandstrap.evaluation.intervals import ClopperPearson, CressieRead
from bandstrap.evaluation.sample import Sample
from evaluation.samples import TRUTH, drawn

PLACES = np.arange(60)
RATIOS, REWARDS = PLACES * 7 % 11 / 5, PLACES * 3 % 7 / 6
DROPPED = np.where(PLACES % 3 == 0, 2.0, 1.0)  # decisions that a row stands for

# The scale of ratios, the largest possible one, the range of rewards, and by vw-estimators 0.2.2:
# the estimate, its interval, and Clopper–Pearson's.
CASES = [
    (1.0, inf, (0, 1), 0.49331574318381705, 0.38347345599105565, 0.6049109439247558,
     0.30849063214238703, 0.6825335907967932),
    (0.9, inf, (0, 1), 0.49373055555555556, 0.3297692852461808, 0.6600132006942424,
     0.27398891271326903, 0.6270651575441362),
    (0.9, 20.0, (0, 1), 0.4938294303218183, 0.3208388594089636, 0.6692621504713016,
     0.27398891271326903, 0.6270651575441362),
    (1.3, 20.0, (0, 1), 0.4942128408091468, 0.3626553930001426, 0.625770288618151,
     0.41925971934806555, 0.8294446551256247),
    (0.9, 20.0, (-1, 2), 0.4814882909654548, -0.03748342177310876, 1.0077864514139043,
     -0.17803326186019297, 0.8811954726324085),
]  # fmt: skip


@pytest.mark.parametrize(("scale", "most", "ends", *"vlhpq"), CASES)
def test_another_package(scale, most, ends, v, l, h, p, q):  # noqa: E741
    sample = Sample(ends[0] + REWARDS * (ends[1] - ends[0]), np.ones(60), scale * RATIOS)
    one, other = CressieRead(*ends, most=most).start(), ClopperPearson(*ends).start()
    one.add(sample)
    other.add(sample)
    found = one.interval(), other.interval()
    assert one.value == pytest.approx(v, abs=1e-12)
    assert [found[0].low, found[0].high] == pytest.approx([l, h], abs=1e-12)
    assert [found[1].low, found[1].high] == pytest.approx([p, q], abs=1e-12)


def test_dropped_rows_as_in_another_package():
    one, other = CressieRead().start(), ClopperPearson().start()
    for tally in (one, other):
        tally.add(Sample(REWARDS, np.ones(60), 0.9 * RATIOS, counts=DROPPED))
    found = one.interval(), other.interval()
    ends = [found[0].low, found[0].high, found[1].low, found[1].high]
    expected = [0.3143477438219661, 0.6800868658780332, 0.24761680526546798, 0.6797554104007795]
    assert ends == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("method", [CressieRead(most=6.0), ClopperPearson()])
def test_holds(method):
    held = []
    for seed in range(200):
        tally = method.start()
        tally.add(drawn(300, seed))
        held.append(TRUTH in tally.interval())
    assert np.mean(held) > 0.92


@pytest.mark.parametrize("method", [CressieRead(), ClopperPearson()])
def test_nothing_is_known_of_nothing(method):
    tally = method.start()
    tally.add(Sample(np.zeros(0), np.zeros(0), np.zeros(0)))
    assert (tally.interval().low, tally.interval().high) == (0, 1)
    tally.add(Sample(np.ones(3), np.ones(3), np.zeros(3)))  # the target does none of it
    assert (tally.interval().low, tally.interval().high) == (0, 1)


def test_equal_ratios():
    """The target is the logger: there is nothing to condition on."""
    tally = CressieRead(most=2.0).start()
    tally.add(Sample(REWARDS, np.ones(60), np.ones(60)))
    assert tally.value == pytest.approx(REWARDS.mean(), abs=0.01)
    assert tally.interval().low < REWARDS.mean() < tally.interval().high


def test_refusals():
    for kind in (CressieRead, ClopperPearson):
        with pytest.raises(InvalidInput, match=r"reward = 2\.0: it lies outside 0 to 1"):
            kind().start().add(Sample(np.array([2.0]), np.ones(1), np.ones(1)))
        with pytest.raises(InvalidInput, match="the least reward"):
            kind(low=1.0, high=0.0)
        with pytest.raises(InvalidInput, match="level"):
            kind(level=95)
    with pytest.raises(InvalidInput, match="smallest possible ratio"):
        CressieRead(most=0.5)
