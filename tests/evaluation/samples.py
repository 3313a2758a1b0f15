"""Samples of logs for tests, and the Open Bandit sample."""

from pathlib import Path

import numpy as np

from bandstrap.evaluation.sample import Sample

KEPT = Path(__file__).parent / "kept"
ITEMS = 80


def open_bandit():
    """The log random/all of the Open Bandit Dataset's small version (Saito et al., 2021).

    The target and the model are those of the issue: a softmax, and clicks that rise with the item.
    """
    with np.load(KEPT / "open_bandit_random_all.npz") as kept:
        item, clicks = kept["item"], kept["clicks"]
    rewards = np.zeros(item.size)
    rewards[clicks] = 1.0
    target = np.exp(np.linspace(-1, 1, ITEMS))
    target /= target.sum()
    model = 0.002 + 0.004 * np.linspace(0, 1, ITEMS)
    baseline = np.full(item.size, target @ model)
    return Sample(rewards, np.full(item.size, 80.0), target[item], model[item], baseline)


def drawn(n, seed=0, counts=False, shift=0.0):
    """A log of five arms, some of them rare, a target that likes others, and a model."""
    rng = np.random.default_rng(seed)
    logged, target = np.array([0.5, 0.2, 0.15, 0.1, 0.05]), np.array([0.1, 0.1, 0.2, 0.3, 0.3])
    target = np.roll(target, 1) if shift else target
    pays = np.array([0.2, 0.3, 0.4, 0.5, 0.6])
    arm = rng.choice(5, n, p=logged)
    model = pays + 0.1 * rng.standard_normal(5)
    baseline = target @ model + 0.05 * rng.standard_normal(n)
    rewards = (rng.random(n) < pays[arm]) + 0.0
    many = rng.integers(1, 4, n) + 0.0 if counts else None
    return Sample(rewards, 1 / logged[arm], target[arm], model[arm], baseline, many)


TRUTH = float(np.array([0.1, 0.1, 0.2, 0.3, 0.3]) @ np.array([0.2, 0.3, 0.4, 0.5, 0.6]))
