"""What a resampling scheme promises."""

from typing import NamedTuple

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.resampling import Resampling
from bandstrap.seeding import generator
from bandstrap.testing.rules import has_mean, require, require_shape, same_law

ROWS, WIDTH = 4000, 50
GROUPS = np.array([3.0, 0.0, 12.0, 5.0])  # equal rewards, by count
VALUES = np.array([0.0, 0.3, 0.5, 1.0])
MIXES = np.array([[1.0, 0.0, 0.0, 0.0], [0, 0, 1, 0], [1, 1, 1, 1], [-1, 0, 1, -2]])


class Trial(NamedTuple):
    scheme: Resampling
    seed: int

    def rng(self, name: str) -> Rng:
        return generator(self.seed, "testing", name)

    def require(self, held: bool, rule: str, found: object = None) -> None:
        require(held, self.scheme, rule, found)


def check_resampling(scheme: Resampling, *, seed: int = 0) -> None:
    """Try a scheme: its weights, what it declares of them, and its shortcuts.

    >>> from bandstrap import Exponential
    >>> check_resampling(Exponential())
    """
    trial = Trial(scheme, seed)
    _shapes(trial)
    if scheme.noise > 0:  # weights are noise that is added
        _noise(trial)
    else:
        _rows_apart(trial)  # before the tests that count on it
        _moments(trial)
        _totals(trial)
        if scheme.independent:
            _independent(trial)
    _means(trial)


def _shapes(trial: Trial) -> None:
    scheme = trial.scheme
    for shape in ((7,), (4, 7), (2, 3, 5), (1,), (0,), (3, 0)):
        weights = scheme.weights(shape, trial.rng("shapes"))
        require_shape(weights, shape, scheme, f"weights for {shape}")
        again = scheme.weights(shape, trial.rng("shapes"))
        rule = "the same generator must give the same weights: draw all random numbers from it"
        trial.require(bool((weights == again).all()), rule)
        trial.require(bool(np.isfinite(weights).all()), "weights must be finite", weights)
        positive = scheme.noise > 0 or bool((weights >= 0).all())
        trial.require(positive, "weights must not be negative", weights)
    rewards, weights = scheme.perturb(np.linspace(0, 1, 6), trial.rng("perturb"))
    require_shape(rewards, (6,), scheme, "the rewards that perturb returns")
    require_shape(weights, (6,), scheme, "the weights that perturb returns")


def _moments(trial: Trial) -> None:
    weights = trial.scheme.weights((ROWS, WIDTH), trial.rng("moments"))
    means = weights.mean(axis=1)
    rule = f"weights must be 1 on average, here within 5 of {_error(means):.2g}"
    trial.require(has_mean(means, 1.0), rule, f"{means.mean():.4f}")
    declared = trial.scheme.variance
    squares = ((weights - 1.0) ** 2).mean(axis=1)
    # The declared one may be a limit for many rewards, as that of the multinomial scheme.
    near = has_mean(squares, declared, slack=2 * declared / WIDTH)
    trial.require(near, f"variance declares {declared:g} for a weight", f"{squares.mean():.4f}")


def _rows_apart(trial: Trial) -> None:
    weights = trial.scheme.weights((ROWS, 2, 5), trial.rng("rows"))
    around = weights - weights.mean()  # whether they are 1 on average is another rule
    products = around[:, 0] * around[:, 1]
    rule = "weights must be independent along all axes but the last"
    trial.require(has_mean(products[:, 0], 0.0), rule, f"covariance {products[:, 0].mean():.3f}")
    products = around[1:, 0, 0] * around[:-1, 0, 0]
    trial.require(has_mean(products, 0.0), rule, f"covariance {products.mean():.3f}")


def _totals(trial: Trial) -> None:
    scheme, rng = trial.scheme, trial.rng("totals")
    counts = np.tile(GROUPS, (ROWS, 1))
    totals = scheme.totals(counts, rng)
    require_shape(totals, counts.shape, scheme, f"totals of counts {counts.shape}")
    weights = scheme.weights((ROWS, int(GROUPS.sum())), rng)
    groups = np.repeat(np.arange(GROUPS.size), GROUPS.astype(np.int64))
    sums = weights @ (groups[:, None] == np.arange(GROUPS.size))
    for mix in MIXES:
        one, other = totals @ mix, sums @ mix
        rule = f"totals must be distributed as sums of weights; {mix} of those: {_told(other)}"
        # Sums in another order differ in the last digits.
        trial.require(same_law(one.round(9), other.round(9)), rule, _told(one))
    if not scheme.whole_counts and scheme.needs_rewards:
        parts = scheme.totals(counts / 4, rng).mean(axis=0)
        near = np.abs(parts - GROUPS / 4) <= 5 * np.sqrt(np.maximum(GROUPS, 1) / ROWS)
        rule = f"whole_counts is False, so totals of {GROUPS / 4} must be that on average"
        trial.require(bool(near.all()), rule, parts.round(3))


def _independent(trial: Trial) -> None:
    scheme, rng = trial.scheme, trial.rng("independent")
    alone, among = scheme.weights((ROWS, 1), rng)[:, 0], scheme.weights((ROWS, WIDTH), rng)
    rule = "independent is True, so a weight must not depend on how many rewards there are"
    trial.require(same_law(alone, among[:, 0]), rule, f"{_told(alone)}, {_told(among[:, 0])}")
    sums = (among - 1.0).sum(axis=1)
    squares, expected = sums**2 / WIDTH, scheme.variance
    rule = f"independent is True, so the variance of a sum must be {expected:g} times its length"
    trial.require(has_mean(squares, expected), rule, f"{squares.mean():.3f} times")


def _noise(trial: Trial) -> None:
    scheme, rng = trial.scheme, trial.rng("noise")
    zeros = np.zeros(ROWS * WIDTH)
    noise, weights = scheme.perturb(zeros, rng)
    trial.require(bool((weights == 1).all()), "with noise all weights must be 1", weights[:5])
    trial.require(has_mean(noise, 0.0), "noise must be 0 on average", noise.mean())
    declared = scheme.noise
    right = has_mean(noise**2, declared**2)
    trial.require(right, f"noise declares a standard deviation of {declared:g}", noise.std())


def _means(trial: Trial) -> None:
    """The shortcut to bootstrapped means against rewards weighed one by one."""
    scheme, rng = trial.scheme, trial.rng("means")
    rewards = np.repeat(VALUES, GROUPS.astype(np.int64))
    slow = np.array([_mean(scheme, rewards, rng) for _ in range(ROWS)])
    if scheme.needs_rewards:
        name, fast = "means", scheme.means(VALUES, np.tile(GROUPS, (ROWS, 1)), rng)
    else:
        count, mean = np.full(ROWS, float(rewards.size)), np.full(ROWS, rewards.mean())
        name, fast = "means_by_moments", scheme.means_by_moments(count, mean, rng)
    require_shape(fast, (ROWS,), scheme, name)
    rule = f"{name} must be distributed as means of what perturb returns: {_told(slow)}"
    trial.require(same_law(fast.round(9), slow.round(9)), rule, _told(fast))


def _mean(scheme: Resampling, rewards: Array, rng: Rng) -> float:
    while True:  # weights may all be zero: such a draw has no mean and is drawn again
        perturbed, weights = scheme.perturb(rewards, rng)
        if weights.sum() > 0:
            return float(perturbed @ weights / weights.sum())


def _error(values: Array) -> float:
    return float(values.std() / np.sqrt(values.size))


def _told(values: Array) -> str:
    return f"mean {values.mean():.3f}, deviation {values.std():.3f}"
