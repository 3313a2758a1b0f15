"""The tree of rewards holds what was put in, whatever it was and in whatever order it came."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bandstrap.history.rewards import RewardHistory
from bandstrap.kernels.lazy.history import (
    BUCKET,
    COUNT,
    HIGH,
    LOW,
    MEAN,
    SQUARES,
    flush,
)
from bandstrap.kernels.lazy.observe import ATOMS, REWARDS, SHARES

ANY = st.floats(-1e150, 1e150)
SUBNORMAL = st.floats(-1e-300, 1e-300)
CLOSE = st.integers(0, 60).map(lambda i: float(np.float64(0.5) + i * 2.0**-53))
FEW = st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.5, 1e-310, -1e-310, 1e150])
SOME_REWARDS = st.one_of(
    *(st.lists(some, max_size=200) for some in (ANY, SUBNORMAL, CLOSE, FEW)),
    st.lists(ANY, max_size=200).map(sorted),
    st.lists(ANY, max_size=200).map(lambda rewards: sorted(rewards, reverse=True)),
    st.tuples(FEW, st.integers(0, 150), st.lists(CLOSE | FEW, max_size=100)).map(
        lambda parts: [parts[0]] * parts[1] + parts[2]
    ),
)


def filled(arms, runs=1):
    """A history in which run r, arm a has seen arms[a] (one after the other)."""
    history = RewardHistory.start(runs, len(arms), (), (), keeps=REWARDS)
    for arm, rewards in enumerate(arms):
        for reward in rewards:
            history.observe(np.full(runs, arm), np.full(runs, reward))
    return history


def plus_zero(rewards):
    return Counter(float(reward) + 0.0 for reward in rewards)  # 0.0 and -0.0 are one number


def check_tree(history, run, arm, rewards):
    """Every node tells the truth about what is under it; return the tree's depth."""
    arrays = history.arrays
    flush(arrays, run)

    def walk(at):
        node = arrays.nodes[run, at]
        count, link = int(node["count"]), int(node["link"])
        if link < 0:
            if node["low"] == node["high"] and count > 0:
                held = [float(node["low"])] * count
            else:
                assert count <= BUCKET
                held = arrays.buckets[run, ~link, :count].tolist()
            depth = 0
        else:
            (left, left_depth), (right, right_depth) = walk(link), walk(link + 1)
            assert left
            assert right
            assert max(left) < min(right)
            held, depth = left + right, 1 + max(left_depth, right_depth)
        assert count == len(held)
        if held:
            assert (node["low"], node["high"]) == (min(held), max(held))
            scale = np.abs(held).sum()
            np.testing.assert_allclose(node["sum"], np.sum(held), rtol=0, atol=1e-13 * scale)
        return held, depth

    held, depth = walk(arm)
    assert plus_zero(held) == plus_zero(rewards)
    assert depth <= 64
    return depth


def check_moments(history, run, arm, rewards):
    moments = history.arrays.moments[run, arm]
    assert moments[COUNT] == len(rewards) == history.count[run, arm]
    if len(rewards):
        scale = np.abs(rewards).max()
        np.testing.assert_allclose(moments[MEAN], np.mean(rewards), rtol=0, atol=1e-13 * scale)
        assert (moments[LOW], moments[HIGH]) == (min(rewards), max(rewards))
        n = len(rewards)
        np.testing.assert_allclose(
            moments[SQUARES] / n, np.var(rewards), rtol=1e-9, atol=1e-13 * scale**2
        )


@settings(deadline=None, max_examples=150)
@given(SOME_REWARDS)
def test_any_rewards_in_any_order(rewards):
    history = filled([rewards])
    assert plus_zero(history.rewards(0, 0)) == plus_zero(rewards)  # part of it still queued
    check_moments(history, 0, 0, np.array(rewards))
    check_tree(history, 0, 0, rewards)
    assert plus_zero(history.rewards(0, 0)) == plus_zero(rewards)


@settings(deadline=None, max_examples=50)
@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3), ANY | CLOSE | FEW), max_size=300),
    st.lists(st.integers(0, 2), max_size=5),
)
def test_runs_and_arms_are_kept_apart(events, flushes):
    """Every run gets a reward in every round, but of another arm and shifted."""
    history = RewardHistory.start(3, 4, (0.0, 1.0), (1.0, 2.0), keeps=REWARDS)
    seen = {(run, arm): [] for run in range(3) for arm in range(4)}
    for at, (shift, arm, reward) in enumerate(events):
        arms = (arm + shift * np.arange(3)) % 4
        rewards = reward + np.arange(3.0)
        history.observe(arms, rewards)
        for run in range(3):
            seen[run, int(arms[run])].append(rewards[run])
        if at < len(flushes):
            flush(history.arrays, flushes[at])
    for (run, arm), rewards in seen.items():
        assert plus_zero(history.rewards(run, arm)) == plus_zero(rewards)
        check_moments(history, run, arm, np.array([0.0, 1.0, 1.0, *rewards]))
        check_tree(history, run, arm, rewards)


@pytest.mark.parametrize("extreme", [1.69e308, -1.69e308])
def test_the_largest_floats_are_kept(extreme):
    rewards = [extreme, -extreme, 5e-324, -5e-324, 0.0] * 20
    with np.errstate(over="ignore", invalid="ignore"):
        history = filled([rewards])
        assert plus_zero(history.rewards(0, 0)) == plus_zero(rewards)


def test_a_tree_is_as_deep_as_floats_have_bits_and_no_deeper():
    """Rewards that differ in one ever lower bit make the deepest tree there is."""
    bits = np.float64(1.0).view(np.uint64) ^ (np.uint64(1) << np.arange(62, dtype=np.uint64))
    chain = bits.view(np.float64)
    rewards = np.repeat(chain[np.isfinite(chain)], 40)
    depth = check_tree(filled([rewards]), 0, 0, rewards.tolist())
    assert 40 < depth <= 64


@pytest.mark.parametrize("order", ["ascending", "descending", "shuffled", "constant", "two"])
def test_thousands_of_rounds(order):
    rng = np.random.default_rng(0)
    rewards = {
        "ascending": np.linspace(-1, 1, 5000),
        "descending": np.linspace(1, -1, 5000),
        "shuffled": rng.beta(0.5, 0.5, 5000),
        "constant": np.full(5000, 0.3),
        "two": rng.choice([0.3, np.nextafter(0.3, 1)], 5000),
    }[order]
    history = RewardHistory.start(7, 3, (0.0, 1.0), (0.0, 0.0), keeps=REWARDS)
    arms = rng.integers(0, 3, (5000, 7))
    for chosen, reward in zip(arms, rewards, strict=True):
        history.observe(chosen, reward + np.arange(7.0))
    for run in (0, 3, 6):
        for arm in range(3):
            seen = (rewards + run)[arms[:, run] == arm]
            assert plus_zero(history.rewards(run, arm)) == plus_zero(seen)
            check_moments(history, run, arm, seen)
            check_tree(history, run, arm, seen.tolist())


def test_room_grows_with_what_is_used_only():
    """Equal rewards need one leaf; a history of them must not grow with every round."""
    equal, different = filled([[0.25] * 3000]), filled([np.linspace(0, 1, 3000)])
    assert equal.arrays.nodes.shape[1] < 2000
    assert different.arrays.used[0, 0] < 3000


def test_pseudo_rewards_count_but_are_no_rewards():
    history = RewardHistory.start(2, 3, (-1.0, 0.5, 2.0), (1.0, 0.0, 2.5), keeps=REWARDS)
    assert history.rewards(1, 2).size == 0
    assert (history.count == 3.5).all()
    np.testing.assert_allclose(history.mean, 4.0 / 3.5)
    assert (history.arrays.moments[:, :, LOW] == -1.0).all()
    assert (history.arrays.moments[:, :, HIGH] == 2.0).all()


def test_atoms_and_shares_have_numpy_s_moments():
    rng = np.random.default_rng(1)
    atoms = rng.integers(0, 3, 500)
    values = (-1.0, 0.25, 4.0)
    history = RewardHistory.start(1, 1, values, (0.0,) * 3, keeps=ATOMS)
    shares = RewardHistory.start(1, 1, (-1.0, 4.0), (0.0, 0.0), keeps=SHARES)
    for atom in atoms:
        history.observe(np.array([0]), np.array([values[atom]]))
        shares.observe(np.array([0]), np.array([values[atom]]))
    rewards = np.array(values)[atoms]
    check_moments(history, 0, 0, rewards)
    assert (history.arrays.counts[0, 0] == np.bincount(atoms)).all()
    mean = rewards.mean()
    np.testing.assert_allclose(shares.mean[0, 0], mean, rtol=1e-12)
    np.testing.assert_allclose(shares.arrays.counts[0, 0], 100 * np.array([4 - mean, mean + 1]))
    variance = shares.arrays.moments[0, 0, SQUARES] / 500
    np.testing.assert_allclose(variance, (mean + 1) * (4 - mean), rtol=1e-12)
