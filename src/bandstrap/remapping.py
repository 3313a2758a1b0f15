"""Arrays and lists with an entry for each arm, when arms come and go."""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from bandstrap.arrays import Array

T = TypeVar("T")

ArmMap = Sequence[int | None]  # the earlier place of each arm, None for a new one


def remapped(old: Array, fresh: Array, before: ArmMap, axis: int = 0) -> Array:
    """The array with other arms; new ones are as in `fresh`, an array before learning.

    Other axes may have grown since: a new arm then has zeros where `fresh` ends.

    >>> remapped(np.array([1, 2, 3]), np.array([9, 9, 9]), [0, 2, None]).tolist()
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


def newcomers(waiting: list[int], before: ArmMap) -> list[int]:
    """The places of arms that were `waiting`, and of all new ones.

    >>> newcomers([1], [1, 2, None])
    [0, 2]
    """
    return [i for i, earlier in enumerate(before) if earlier is None or earlier in waiting]


def remapped_list(old: list[T], fresh: list[T], before: ArmMap) -> list[T]:
    """As `remapped`, for a list with an entry for each arm."""
    return [fresh[i] if earlier is None else old[earlier] for i, earlier in enumerate(before)]
