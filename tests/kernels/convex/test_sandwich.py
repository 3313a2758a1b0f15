"""The sandwich covariance kept up by rank-two updates, against dense matrices made anew."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import expit

from bandstrap.kernels.codes import LINEAR, LOGISTIC
from bandstrap.kernels.convex.sandwich import (
    HEAVY,
    UNCHANGED,
    absorb_step,
    sandwich_best,
    sandwich_scores,
)
from bandstrap.kernels.random.streams import normal

D, ARMS = 23, 3
VARIANCE, NOISE = 0.7, 0.3


class Twin:
    """M and G of one arm themselves; inverses and products when asked for."""

    def __init__(self, rng: np.random.Generator) -> None:
        a, b = rng.standard_normal((2, D, 3 * D))
        self.hessian, self.meat = a @ a.T, b @ b.T
        self.theta = 0.1 * rng.standard_normal(D)

    @property
    def inverse(self) -> np.ndarray:
        return np.linalg.inv(self.hessian)

    @property
    def covariance(self) -> np.ndarray:
        return self.inverse @ self.meat @ self.inverse

    def absorb(self, loss: int, x: np.ndarray, reward: float) -> None:
        u = self.inverse @ x
        m, width = x @ self.theta, x @ u
        mean = expit if loss == LOGISTIC else float
        at = brentq(
            lambda z: z - m + width * (mean(z) - reward), m - 9 * width, m + 9 * width, xtol=1e-14
        )
        self.theta += (at - m) / width * u
        bend = mean(at) * (1 - mean(at)) if loss == LOGISTIC else 1.0
        self.hessian += bend * np.outer(x, x)
        self.meat += (VARIANCE * (mean(at) - reward) ** 2 + NOISE**2) * np.outer(x, x)


def _arms(rng: np.random.Generator) -> tuple[list[Twin], list[np.ndarray]]:
    twins = [Twin(rng) for _ in range(ARMS)]
    names = ("theta", "inverse", "covariance")
    return twins, [np.array([getattr(twin, name) for twin in twins]) for name in names]


def _context(rng: np.random.Generator, share: float) -> np.ndarray:
    x = rng.standard_normal(D) * (rng.random(D) < share)
    x[-1] = 1.0
    return x


def _scratch() -> tuple[np.ndarray, np.ndarray]:
    return np.full((3, D), np.nan), np.full(D, -1)


@pytest.mark.parametrize("share", [0.2, 0.6, 1.0])
@pytest.mark.parametrize("loss", [LOGISTIC, LINEAR], ids=["logistic", "linear"])
def test_updates_are_those_of_matrices_made_anew(loss, share) -> None:
    rng = np.random.default_rng(1)
    twins, (theta, inverse, covariance) = _arms(rng)
    for _ in range(300):
        x, arm, reward = _context(rng, share), int(rng.integers(ARMS)), float(rng.random() < 0.3)
        before = np.linalg.slogdet(inverse[arm])[1]
        gain = absorb_step(
            loss, theta, inverse, covariance, arm, x, reward, VARIANCE, NOISE, *_scratch()
        )
        assert gain == pytest.approx(before - np.linalg.slogdet(inverse[arm])[1], abs=1e-9)
        twins[arm].absorb(loss, x, reward)
    for arm, twin in enumerate(twins):
        np.testing.assert_allclose(theta[arm], twin.theta, rtol=1e-9, atol=1e-9)
        for kept, right in ((inverse, twin.inverse), (covariance, twin.covariance)):
            np.testing.assert_allclose(kept[arm], right, rtol=0, atol=1e-9 * np.abs(right).max())


@pytest.mark.parametrize("share", [0.0, 0.2, 0.6, 1.0])
def test_a_score_is_the_margin_and_its_deviation_times_a_normal_number(share) -> None:
    rng = np.random.default_rng(2)
    twins, (theta, _, covariance) = _arms(rng)
    ready, scores = np.array([True, False, True]), np.zeros(ARMS)
    for seed in range(20):
        x = _context(rng, share)
        stream = np.random.default_rng(seed).integers(2**63, size=4).astype(np.uint64)
        same = stream.copy()
        sandwich_scores(stream, theta, covariance, ready, x, scores, *_scratch())
        for arm in (0, 2):
            twin = twins[arm]
            sd = np.sqrt(x @ twin.covariance @ x)
            assert scores[arm] == pytest.approx(x @ twin.theta + sd * normal(same), rel=1e-9)
        assert scores[1] == np.inf  # not known yet: to be tried first
        assert (stream == same).all()


def test_the_best_is_among_the_allowed_and_the_untried_go_first() -> None:
    rng = np.random.default_rng(3)
    _, (theta, _, covariance) = _arms(rng)
    theta[0, -1] = 1e6
    found = []
    for ready, allowed in (([1, 1, 1], [1, 1, 1]), ([1, 1, 0], [1, 1, 1]), ([1, 1, 0], [0, 1, 0])):
        found.append(
            sandwich_best(
                np.arange(1, 5, dtype=np.uint64), theta, covariance, np.array(ready, dtype=bool),
                _context(rng, 0.3), np.zeros(ARMS), *_scratch(), np.array(allowed, dtype=bool),
            )
        )  # fmt: skip
    assert found == [0, 2, 1]


def test_what_outweighs_all_else_is_left_to_others() -> None:
    """Its variance would be a small difference of large numbers."""
    _, kept = _arms(np.random.default_rng(4))
    before = [array.copy() for array in kept]
    x = np.zeros(D)
    x[0] = np.sqrt(1.01 * HEAVY / kept[1][0, 0, 0])
    gain = absorb_step(LINEAR, *kept, 0, x, 1.0, VARIANCE, NOISE, *_scratch())
    assert gain == UNCHANGED
    assert all((was == now).all() for was, now in zip(before, kept, strict=True))
    x[0] = np.sqrt(0.99 * HEAVY / kept[1][0, 0, 0])
    assert absorb_step(LINEAR, *kept, 0, x, 1.0, VARIANCE, NOISE, *_scratch()) > 0.0
