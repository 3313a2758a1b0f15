"""Steps of many replicas at once, against one replica and one feature at a time."""

import numpy as np
import pytest

from bandstrap.kernels.compile import kernel
from bandstrap.kernels.convex.replicas import LINEAR, LOGISTIC, SUMS, learn, look
from bandstrap.kernels.random.lanes import LANES, add_lanes

D = 9


@kernel
def _add(out, row, scale, other, other_row):
    for q in range(0, out.shape[1], LANES):
        add_lanes(out, row, q, scale, other, other_row)


def test_lanes_are_added_as_one_by_one_to_the_last_bit() -> None:
    rng = np.random.default_rng(0)
    out, other = rng.standard_normal((5, 12)), rng.standard_normal((3, 12))
    right = out.copy()
    for row in range(5):
        scale = float(rng.standard_normal())
        _add(out, row, scale, other, row % 3)
        right[row] += scale * other[row % 3]
    assert (out == right).all()


def _scratch(lanes: int) -> tuple[np.ndarray, ...]:
    vectors = np.full((4, D + 1), np.nan)
    return vectors[0], np.zeros((SUMS, lanes)), np.zeros(D + 1, dtype=np.int64), *vectors[1:]


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8], ids=["64", "32", "bytes"])
@pytest.mark.parametrize("link", [LINEAR, LOGISTIC], ids=["linear", "logistic"])
def test_steps_are_adagrads(link, dtype) -> None:
    rng = np.random.default_rng(1)
    replicas, lanes, rows, rate = 6, 8, 40, 0.1
    unit = 1 / 255 if dtype == np.uint8 else 1.0
    contexts = (rng.integers(0, 200, (rows, D)) * (rng.random((rows, D)) < 0.5)).astype(dtype)
    contexts[:, 3] = 0  # a feature that never shows
    rewards, weights = rng.random(rows), np.zeros((rows, lanes))
    weights[:, :replicas] = rng.exponential(size=(rows, replicas))
    theta, squares, scales = np.zeros((2, D + 1, lanes)), np.zeros((2, D + 1)), np.zeros((2, D + 1))
    scales[:, -1] = 1.0
    none = (np.zeros((0, D)), np.zeros(0), np.zeros((2, 0, lanes)))
    own, sums = np.zeros((D + 1, replicas)), np.zeros(D + 1)
    numbers = np.column_stack([contexts * np.float64(unit), np.ones(rows)])
    for n in range(1, rows + 1):
        learn(
            np.arange(1, 5, dtype=np.uint64), link, rate, 0, replicas, 1, n,
            (contexts, rewards, weights), unit, none, (theta, squares, scales), _scratch(lanes),
        )  # fmt: skip
        x, seen = numbers[n - 1], numbers[:n] != 0
        seen[:, -1], scale = True, np.zeros(D + 1)
        counts, total = seen.sum(axis=0), (numbers[:n] ** 2).sum(axis=0)
        scale[total > 0] = np.sqrt(counts[total > 0] / total[total > 0])
        margins = x @ own
        mean = 1 / (1 + np.exp(-margins)) if link == LOGISTIC else margins
        residuals = weights[n - 1, :replicas] * (rewards[n - 1] - mean)
        sums += (residuals**2).mean() * x * x
        on = x != 0
        own[on] += (rate * scale[on] * x[on] / np.sqrt(sums[on]))[:, None] * residuals
    np.testing.assert_allclose(theta[1, :, :replicas], own, rtol=1e-9, atol=1e-12)
    assert (theta[0] == 0).all()
    assert (theta[1, :, replicas:] == 0).all()
    assert (theta[1, 3] == 0).all()
    margins = np.zeros(2)
    for row in range(rows):
        look(theta, 4, contexts[row], unit, margins, _scratch(lanes))
        assert margins == pytest.approx([0, numbers[row] @ own[:, 4]], rel=1e-9)
