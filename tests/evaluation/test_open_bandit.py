"""The Open Bandit sample: what a log says of the other policy, whose own log knows."""

import os
from pathlib import Path

import numpy as np
import pytest

from bandstrap import evaluate
from pages import load

FILE = Path(os.environ.get("BANDSTRAP_DATA", "")) / "open_bandit_small.npz"
PAIRS = [("random", "bts", "men"), ("bts", "random", "women")]  # the benchmark has all six

pytestmark = pytest.mark.skipif(not FILE.is_file(), reason="the sample is not at hand")


@pytest.fixture(scope="module")
def benchmark():
    return load("open_bandit", "benchmarks")


@pytest.mark.parametrize(("policy", "other", "campaign"), PAIRS)
def test_intervals_hold_what_the_other_log_earned(policy, other, campaign, benchmark):
    data = benchmark.sample()
    log, truth = benchmark.log_of(data, policy, campaign), benchmark.log_of(data, other, campaign)
    found = evaluate(log, benchmark.target_of(data, other, campaign)).targets[0]
    assert truth.rewards.mean() in found.interval
    assert found.verdict.word in ("with care", "cannot say")  # some 40 clicks
    if (policy, campaign) == ("bts", "women"):
        assert found.verdict.word == "cannot say"
        assert "21,739" in " ".join(found.verdict.why)
        assert np.isfinite(found.value)
