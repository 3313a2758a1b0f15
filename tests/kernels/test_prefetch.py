"""Memory is asked for before it is needed, and nothing else changes."""

from typing import Any

import numpy as np
import pytest
from numba import njit

from bandstrap.kernels.convex import replicas
from bandstrap.kernels.prefetch import prefetch

FIRST, COUNT, STEPS = 2, 5, 40  # pseudo-examples, rows, steps


@njit
def asked_for(array: Any, row: int) -> float:
    prefetch(array, row)
    return array[row].sum()


@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.float64])
@pytest.mark.parametrize("shape", [(3, 1), (3, 784), (3, 0)])
def test_rows_are_asked_for_and_stay_what_they_are(dtype: type, shape: tuple[int, int]) -> None:
    array = np.arange(np.prod(shape), dtype=dtype).reshape(shape)
    before = array.copy()
    assert asked_for(array, 2) == array[2].sum()
    np.testing.assert_array_equal(array, before)
    assembly = asked_for.inspect_asm(asked_for.signatures[-1])
    assert "prefetch" in assembly or "prfm" in assembly


def test_a_replayed_row_is_asked_for_while_the_step_before_it_is_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    contexts = np.arange(COUNT)[:, None] * 1.0
    pseudo = np.arange(-FIRST, 0)[:, None] * 1.0
    drawn = list(np.random.default_rng(0).integers(0, FIRST + COUNT, STEPS))
    draws = iter(drawn)
    events: list[tuple[str, float]] = []
    monkeypatch.setattr(replicas, "below", lambda *_: next(draws))
    monkeypatch.setattr(replicas, "_set_sizes", lambda *_: None)
    monkeypatch.setattr(replicas, "prefetch", lambda array, row: events.append(("ask", row)))
    monkeypatch.setattr(
        replicas,
        "_take_step",
        lambda link, n, theta, squares, row, *_: events.append(("step", row[0])),
    )
    memory = contexts, np.zeros(COUNT), np.zeros((COUNT, 4))
    prior = pseudo, np.zeros(FIRST), np.zeros((1, FIRST, 4))
    learnt = np.zeros((1, 2, 4)), np.zeros((1, 2)), np.zeros((2, 2))
    replicas.replay.py_func(
        None, replicas.LOGISTIC, 0.1, STEPS, 4, 0, COUNT, memory, 1.0, prior, learnt, (None,)
    )
    rows = [int(i) - FIRST for i in drawn]
    expected: list[tuple[str, float]] = []
    for row, following in zip(rows, [*rows[1:], -1], strict=True):
        expected += [("ask", following)] * (3 if following >= 0 else 0)  # context, weights, reward
        expected.append(("step", row))
    assert events == expected
