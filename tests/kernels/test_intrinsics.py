"""Prefetching changes nothing but speed; vectors of four give the bits of a scalar loop."""

from typing import Any

import numpy as np
import pytest
from numba import njit

from bandstrap.kernels.compile import kernel
from bandstrap.kernels.intrinsics import LANES, add_lanes, prefetch


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
