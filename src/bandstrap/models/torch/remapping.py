"""Stacks with a module for each arm, when arms come and go."""

from typing import Any

import numpy as np

from bandstrap.arrays import Array
from bandstrap.remapping import ArmMap, remapped

Parts = dict[str, Any]


def regrouped(old: Parts, fresh: Parts, replicas: int, before: ArmMap) -> Parts:
    """What is saved of a stack, with other arms; new ones start as in `fresh`."""

    def modules(was: Array, start: Array) -> Array:
        by_arm = remapped(_by_arm(was, replicas), _by_arm(start, replicas), before, axis=1)
        return by_arm.reshape(-1, *was.shape[1:])

    parts = {
        name: {key: modules(array, fresh[name][key]) for key, array in old[name].items()}
        for name in ("parameters", "buffers")
    }
    count = len(next(iter(old["parameters"].values())))

    def optimised(value: Any) -> Any:
        """The optimiser knows nothing yet of new modules: zeros."""
        if np.ndim(value) == 0 or len(value) != count:
            return value
        return modules(value, np.zeros((replicas * len(before), *value.shape[1:]), value.dtype))

    state = {
        place: {key: optimised(value) for key, value in entries.items()}
        for place, entries in old["optimiser"]["state"].items()
    }
    return parts | {"optimiser": old["optimiser"] | {"state": state}, "draws": old["draws"]}


def _by_arm(array: Array, replicas: int) -> Array:
    return array.reshape(replicas, -1, *array.shape[1:])
