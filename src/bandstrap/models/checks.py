"""Checks of the examples that `fit` and `predict` take."""

from typing import Any

import numpy as np

from bandstrap.arrays import Array
from bandstrap.errors import InvalidInput
from bandstrap.kernels.checks import LARGEST
from bandstrap.problem import Support


def checked_examples(contexts: Any, rewards: Any, weights: Any) -> tuple[Array, Array, Array]:
    """Contexts (n, features), rewards (n,) and weights (n,), at least one of them positive."""
    dense = checked_contexts(contexts)
    checked = []
    for name, given in (("rewards", rewards), ("weights", weights)):
        array = np.array(given, dtype=np.float64)
        if array.shape != (len(dense),):
            remedy = f"give one for each of {len(dense)} contexts"
            raise InvalidInput(name, array.shape, remedy)
        check_sizes(name, array)
        checked.append(array)
    if not (checked[1] >= 0).all() or not checked[1].any():
        least = float(checked[1].min(initial=0.0))
        raise InvalidInput("weights", least, "give weights >= 0, some positive")
    return dense, checked[0], checked[1]


def checked_contexts(contexts: Any) -> Array:
    """Contexts as a dense array of bytes or floats; scipy.sparse is expanded."""
    dense = np.ascontiguousarray(contexts.toarray() if hasattr(contexts, "toarray") else contexts)
    if dense.dtype not in (np.uint8, np.float32, np.float64):
        dense = dense.astype(np.float64)
    if dense.ndim != 2:
        raise InvalidInput("contexts", dense.shape, "give an array (examples, features)")
    check_sizes("contexts", dense)
    return dense


def check_sizes(name: str, numbers: Array) -> None:
    """Refuse numbers that are not finite, or too large to compute with."""
    if not np.isfinite(numbers).all():
        raise InvalidInput(name, "NaN or infinity", "fill in or drop what is not a finite number")
    most = float(np.abs(numbers).max(initial=0.0)) if numbers.dtype != np.uint8 else 0.0
    if most > LARGEST:
        raise too_large(name, most)


def too_large(name: str, value: float) -> InvalidInput:
    return InvalidInput(name, value, f"numbers may be at most {LARGEST:g}; use another unit")


def check_unit_support(support: Support, model: object) -> None:
    """Refuse a support with rewards outside [0, 1], which a sigmoid cannot predict."""
    if not 0 <= support.low <= support.high <= 1:
        remedy = f"{type(model).__name__} takes rewards in [0, 1]: rescale them"
        raise InvalidInput("support", (support.low, support.high), remedy)


def check_shares(rewards: Array, remedy: str) -> None:
    """Refuse rewards outside [0, 1]."""
    wrong = ~((rewards >= 0) & (rewards <= 1))
    if wrong.any():
        raise InvalidInput("rewards", float(rewards[wrong][0]), remedy)


def checked_start(start: Any, size: int) -> Array:
    """`size` parameters to start from."""
    array = np.array(start, dtype=np.float64)
    if array.shape != (size,):
        remedy = f"give what an earlier fit returned, of shape ({size},)"
        raise InvalidInput("start", array.shape, remedy)
    check_sizes("start", array)
    return array
