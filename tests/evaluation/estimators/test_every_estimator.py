"""Estimators on one another, on slow twins, and at the ends of their tuning."""

from math import inf

import numpy as np
import pytest

from bandstrap.errors import InvalidInput
from bandstrap.evaluation.estimators import (
    ESTIMATORS,
    IPS,
    ClippedIPS,
    DirectMethod,
    DoublyRobust,
    OptimisticShrinkageDR,
    Replay,
    SelfNormalisedDR,
    SelfNormalisedIPS,
    SubGaussianDR,
    SubGaussianIPS,
    SwitchDR,
)
from bandstrap.evaluation.sample import Sample
from evaluation.samples import TRUTH, drawn

PLAIN = [candidate for each in ESTIMATORS.values() for candidate in each.candidates()[:2]]


def one_by_one(estimator, sample):
    """The estimate, a decision after the other."""
    top = bottom = model = n = 0.0
    counts = np.ones(len(sample)) if sample.counts is None else sample.counts
    rows = zip(
        sample.rewards, sample.weights, sample.target, sample.fitted, sample.baseline, counts,
        strict=True,
    )  # fmt: skip
    for r, v, pi, q, b, c in rows:
        w = pi * v
        match estimator:
            case Replay():
                top, bottom = top + c * pi * r, bottom + c * pi
            case DirectMethod():
                model += c * b
            case ClippedIPS(most):
                top += c * min(w, most) * r
            case SubGaussianIPS(rate):
                top += c * w / (1 - rate + rate * w) * r
            case IPS():
                top += c * w * r
            case SelfNormalisedIPS():
                top, bottom = top + c * w * r, bottom + c * w
            case SelfNormalisedDR():
                model, top, bottom = model + c * b, top + c * w * (r - q), bottom + c * w
            case SwitchDR(tau):
                model, top = model + c * b, top + c * (w if w <= tau else 0) * (r - q)
            case OptimisticShrinkageDR(penalty):
                model, top = model + c * b, top + c * penalty * w / (w * w + penalty) * (r - q)
            case SubGaussianDR(rate):
                model, top = model + c * b, top + c * w / (1 - rate + rate * w) * (r - q)
            case DoublyRobust():
                model, top = model + c * b, top + c * w * (r - q)
        n += c
    return model / n + top / (bottom or n)


@pytest.mark.parametrize("counts", [False, True])
@pytest.mark.parametrize("estimator", PLAIN, ids=repr)
def test_as_a_loop_would(estimator, counts):
    sample = drawn(200, counts=counts)
    assert float(estimator.of(sample)) == pytest.approx(one_by_one(estimator, sample), rel=1e-12)


@pytest.mark.parametrize("estimator", PLAIN, ids=repr)
def test_gradients_are_derivatives(estimator):
    means = np.average(estimator.columns(drawn(100)), axis=0)
    steps = 1e-6 * np.eye(means.size)
    found = [(estimator.combine(means + h) - estimator.combine(means - h)) / 2e-6 for h in steps]
    assert estimator.gradient(means) == pytest.approx(found, abs=1e-6)


@pytest.mark.parametrize("name", ["ips", "snips", "dr", "sndr"])
def test_right_on_average(name):
    found = [float(ESTIMATORS[name].of(drawn(2000, seed))) for seed in range(100)]
    assert abs(np.mean(found) - TRUTH) < 4 * np.std(found) / 10


def test_ends_of_tuning():
    sample = drawn(300)
    dr, dm, ips = (float(each.of(sample)) for each in (DoublyRobust(), DirectMethod(), IPS()))
    assert [float(SwitchDR(tau).of(sample)) for tau in (0.0, inf)] == pytest.approx([dm, dr])
    shrunk = [float(OptimisticShrinkageDR(each).of(sample)) for each in (0.0, 1e12)]
    assert shrunk == pytest.approx([dm, dr])
    assert float(SubGaussianDR(0.0).of(sample)) == pytest.approx(dr)
    assert float(SubGaussianIPS(0.0).of(sample)) == pytest.approx(ips)
    assert float(ClippedIPS(1e9).of(sample)) == pytest.approx(ips)
    assert float(SubGaussianIPS(1.0).of(sample)) == pytest.approx(sample.rewards.mean())


def test_a_good_model_narrows():
    errors = {
        each.name: np.std([float(each.of(drawn(500, seed))) for seed in range(60)])
        for each in (IPS(), DoublyRobust())
    }
    assert errors["dr"] < 0.8 * errors["ips"]


def test_nothing_in_common_is_not_a_number():
    zeros, ones = np.zeros(3), np.ones(3)
    sample = Sample(ones, 2 * ones, zeros, ones, ones)
    for estimator in (Replay(), SelfNormalisedIPS(), SelfNormalisedDR()):
        assert np.isnan(estimator.of(sample))
    assert float(IPS().of(sample)) == 0


@pytest.mark.parametrize("name", [name for name, each in ESTIMATORS.items() if each.needs_model])
def test_a_model_is_needed(name):
    ones = np.ones(3)
    with pytest.raises(InvalidInput, match="needs a model of rewards"):
        ESTIMATORS[name].columns(Sample(ones, ones, ones))


def test_every_estimator_says_what_it_assumes():
    for name, estimator in ESTIMATORS.items():
        assert estimator.name == name
        assert estimator.assumes.endswith(".")
        assert len(estimator.assumes) < 100


@pytest.mark.parametrize(
    ("kind", "value"),
    [(SwitchDR, -1.0), (SwitchDR, np.nan), (ClippedIPS, 0.0), (SubGaussianIPS, 1.5),
     (SubGaussianDR, -0.1), (OptimisticShrinkageDR, -1.0)],
)  # fmt: skip
def test_refused_tuning(kind, value):
    with pytest.raises(InvalidInput):
        kind(value)
