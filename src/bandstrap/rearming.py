"""Arrays with an axis of arms, when arms come and go."""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

T = TypeVar("T")

Before = Sequence[int | None]  # for each arm where it stood before, None for a new one


def rearmed(old: np.ndarray, fresh: np.ndarray, before: Before, axis: int = 0) -> np.ndarray:
    """The array with other arms; new ones are as in `fresh`, which has learnt nothing.

    Other axes may have grown since the start: a new arm then has zeros where `fresh` ends.

    >>> rearmed(np.array([1, 2, 3]), np.array([9, 9, 9]), [0, 2, None]).tolist()
    [1, 3, 9]
    """
    shape = list(old.shape)
    shape[axis] = len(before)
    made = np.zeros(shape, old.dtype)
    new, was, start = (np.moveaxis(array, axis, 0) for array in (made, old, fresh))
    for place, earlier in enumerate(before):
        if earlier is None:
            here = (slice(place, place + 1), *map(slice, start.shape[1:]))
            new[here] = start[place]
        else:
            new[place] = was[earlier]
    return made


def newcomers(waiting: list[int], before: Before) -> list[int]:
    """Where arms that wait for something now stand, and all that are new.

    >>> newcomers([1], [1, 2, None])
    [0, 2]
    """
    return [i for i, earlier in enumerate(before) if earlier is None or earlier in waiting]


def relisted(old: list[T], fresh: list[T], before: Before) -> list[T]:
    """As `rearmed`, for a list with an entry for each arm."""
    return [fresh[i] if earlier is None else old[earlier] for i, earlier in enumerate(before)]
