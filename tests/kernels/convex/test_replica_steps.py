"""Steps of many replicas at once, against one replica and one feature at a time."""

import numpy as np
import pytest

from bandstrap.kernels.codes import LINEAR, LOGISTIC
from bandstrap.kernels.convex import replicas as kernels
from bandstrap.kernels.convex.replicas import SUMS, learn, look

D = 9
FIRST, COUNT, STEPS = 2, 5, 40  # pseudo-examples, rows, steps


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
    margins = np.zeros((3, 2))
    for row in range(rows):
        look(theta, 2, contexts[row], unit, margins, _scratch(lanes))
        assert margins[:, 0].tolist() == [0, 0, 0]
        assert margins[:, 1] == pytest.approx(numbers[row] @ own[:, 2:5], rel=1e-9)


def test_a_replayed_row_is_asked_for_while_the_step_before_it_is_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    contexts = np.arange(COUNT)[:, None] * 1.0
    pseudo = np.arange(-FIRST, 0)[:, None] * 1.0
    drawn = list(np.random.default_rng(0).integers(0, FIRST + COUNT, STEPS))
    draws = iter(drawn)
    events: list[tuple[str, float]] = []
    monkeypatch.setattr(kernels, "below", lambda *_: next(draws))
    monkeypatch.setattr(kernels, "_set_sizes", lambda *_: None)
    monkeypatch.setattr(kernels, "prefetch", lambda array, row: events.append(("ask", row)))
    monkeypatch.setattr(
        kernels,
        "_take_step",
        lambda link, n, theta, squares, row, *_: events.append(("step", row[0])),
    )
    memory = contexts, np.zeros(COUNT), np.zeros((COUNT, 4))
    prior = pseudo, np.zeros(FIRST), np.zeros((1, FIRST, 4))
    learnt = np.zeros((1, 2, 4)), np.zeros((1, 2)), np.zeros((2, 2))
    kernels.replay.py_func(
        None, LOGISTIC, 0.1, STEPS, 4, 0, COUNT, memory, 1.0, prior, learnt, (None,)
    )
    rows = [int(i) - FIRST for i in drawn]
    expected: list[tuple[str, float]] = []
    for row, following in zip(rows, [*rows[1:], -1], strict=True):
        expected += [("ask", following)] * (3 if following >= 0 else 0)  # context, weights, reward
        expected.append(("step", row))
    assert events == expected
