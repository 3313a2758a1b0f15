"""What checks have in common: reporting a broken rule, and tests that rule out chance."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import stats

from bandstrap.arrays import Array
from bandstrap.storage.packing import CannotPack, Packed, pack

UNLIKELY = 1e-6  # a rule is broken if what was seen is less probable than this
FEW = 10  # results that were seen less often are counted together


def require(held: bool, thing: object, rule: str, found: object = None) -> None:
    """Raise for a broken rule, also where `assert` is switched off."""
    if not held:
        but = "" if found is None else f"; found {found}"
        raise AssertionError(f"{type(thing).__name__}: {rule}{but}")


def require_shape(array: Any, shape: tuple[int, ...], thing: object, what: str) -> None:
    """Require an array of numbers of this shape."""
    kind = getattr(getattr(array, "dtype", None), "kind", "")
    found = f"a {type(array).__name__} of shape {np.shape(array)}" if kind else f"{array!r}"
    rule = f"{what} must be an array of numbers of shape {shape}"
    require(kind in "fiub" and kind != "" and np.shape(array) == shape, thing, rule, found)


def packed(value: object, thing: object, what: str) -> Packed:
    """A packed copy of something that must be savable."""
    try:
        saved = pack(value)
    except CannotPack as error:
        rule = f"{what} must be of plain attributes, so that it can be saved"
        raise AssertionError(f"{type(thing).__name__}: {rule}; {error}") from error
    # Packed arrays share memory with the original until they are written to a file.
    return Packed({name: array.copy() for name, array in saved.arrays.items()}, saved.text)


def print_of(saved: Packed) -> tuple[str, dict[str, bytes]]:
    """Something to compare."""
    return saved.text, {name: array.tobytes() for name, array in saved.arrays.items()}


def refuses(action: Callable[[], object]) -> bool:
    """Whether an action raises the error that is meant for bad input."""
    try:
        action()
    except ValueError:  # `InvalidInput` is one
        return True
    return False


def alike(one: Array, other: Array) -> bool:
    """Whether two tables of counts may come from the same law, by a chi-square test."""
    both = np.array([one, other])
    few = both.sum(axis=0) < FEW
    cells = np.column_stack([both[:, ~few], both[:, few].sum(axis=1)])
    cells = cells[:, cells.sum(axis=0) > 0]
    if cells.shape[1] < 2:
        return True
    return bool(stats.chi2_contingency(cells, correction=False).pvalue > UNLIKELY)


def follow(counts: Array, probabilities: Array) -> bool:
    """Whether counts may come from probabilities, by an exact test of each."""
    total = int(counts.sum())
    return all(
        stats.binomtest(int(count), total, min(max(p, 0.0), 1.0)).pvalue > UNLIKELY
        for count, p in zip(counts, probabilities.tolist(), strict=True)
    )


def same_law(one: Array, other: Array) -> bool:
    """Whether two samples of numbers may come from the same law, by Kolmogorov and Smirnov."""
    return bool(stats.ks_2samp(one, other, method="asymp").pvalue > UNLIKELY)


def has_mean(values: Array, mean: float, slack: float = 0.0) -> bool:
    """Whether independent values may have a mean: within five standard errors."""
    error = values.std() / np.sqrt(values.size)
    rounding = 1e-9 * max(1.0, abs(mean))
    return bool(abs(values.mean() - mean) <= 5 * error + slack + rounding)
