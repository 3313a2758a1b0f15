"""What is saved of a stack of modules: arrays for tensors, their checks, and changing arms."""

from collections.abc import Callable
from math import isfinite
from typing import Any

import numpy as np

from bandstrap.arrays import Array
from bandstrap.models.torch.modules import forked
from bandstrap.models.torch.training import check_optimiser
from bandstrap.remapping import ArmMap, remapped
from bandstrap.storage.schema import LARGEST, require

PARTS = {"parameters", "buffers", "optimiser", "draws"}
Parts = dict[str, Any]


def plain(thing: Any) -> Any:
    """Tensors as arrays that share their memory."""
    return _mapped(thing, lambda item: item.detach().numpy() if hasattr(item, "detach") else item)


def tensors(thing: Any) -> Any:
    """Arrays as tensors of their own."""
    import torch

    return _mapped(thing, lambda item: torch.tensor(item) if hasattr(item, "dtype") else item)


def _mapped(thing: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(thing, dict):
        return {key: _mapped(value, change) for key, value in thing.items()}
    if type(thing) in (list, tuple):
        return type(thing)(_mapped(item, change) for item in thing)
    return change(thing)


def verify_parts(parts: Any, skeleton: Any, count: int) -> None:
    """Refuse parameters and buffers of other modules than `count` of these."""
    require(type(parts) is dict and parts.keys() == PARTS, "parts are not those of a stack")
    require(type(parts["draws"]) is bool, "draws is not a flag")
    _verify_named(parts["parameters"], plain(dict(skeleton.named_parameters())), count)
    require(all(map(_is_finite, parts["parameters"].values())), "a parameter is not finite")
    _verify_named(parts["buffers"], plain(dict(skeleton.named_buffers())), count)


def _verify_named(saved: Any, own: dict[str, Array], count: int) -> None:
    require(type(saved) is dict and saved.keys() == own.keys(), "names are of other modules")
    for name, array in own.items():
        found = saved[name]
        known = type(found) is np.ndarray and found.dtype == array.dtype
        require(known, f"{name} is of another type")
        require(found.shape == (count, *array.shape), f"{name} is of another shape")


def verify_steps(saved: Any, factory: Any, parameters: list[Any]) -> None:
    """Refuse the state of another optimiser than the factory makes of these parameters.

    An optimiser that has taken a step shows what a state holds.
    """
    like = _after_a_step(factory, parameters)
    require(type(saved) is dict and saved.keys() == like.keys(), "it is not an optimiser's state")
    groups, entries = saved["param_groups"], saved["state"]
    known = type(groups) is list and len(groups) == len(like["param_groups"])
    require(known, "it has other groups")
    for group, own in zip(groups, like["param_groups"], strict=True):
        require(type(group) is dict and group.keys() <= own.keys(), "a group is another")
        require(group.get("params") == own["params"], "a group is of other parameters")
        for name, value in group.items():
            _verify_like(name, value, own[name])
    require(type(entries) is dict and entries.keys() <= like["state"].keys(), "a state is another")
    for place, entry in entries.items():
        _verify_entry(entry, like["state"][place])


def _after_a_step(factory: Any, parameters: list[Any]) -> Any:
    import torch

    trial = [torch.zeros_like(each).requires_grad_() for each in parameters]
    with forked(0):
        optimiser = check_optimiser(factory, trial)
        for each in trial:
            each.grad = torch.zeros_like(each)
        optimiser.step()
    return plain(optimiser.state_dict())


def _verify_entry(entry: Any, own: dict[str, Any]) -> None:
    require(type(entry) is dict and entry.keys() >= own.keys(), "a state lacks something")
    for name, value in entry.items():
        _verify_like(name, value, own.get(name, value))


def _verify_like(name: str, value: Any, own: Any) -> None:
    """Refuse a value of another form; flags and words must be equal, numbers may differ."""
    if type(own) in (list, tuple):
        require(type(value) is type(own) and len(value) == len(own), f"{name} is of another form")
        for one, two in zip(value, own, strict=True):
            _verify_like(name, one, two)
    elif isinstance(own, np.ndarray):
        known = type(value) is np.ndarray and value.dtype == own.dtype
        require(known and value.shape == own.shape, f"{name} is of another form")
        require(_is_finite(value), f"{name} is not finite")
    elif type(own) in (int, float):
        require(_is_number(value), f"{name} is not a number")
    else:
        require(type(value) is type(own) and value == own, f"{name} is another")


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) <= LARGEST and isfinite(value)


def _is_finite(array: Array) -> bool:
    return array.dtype.kind != "f" or bool(np.isfinite(array).all())


def regrouped(old: Parts, fresh: Parts, replicas: int, before: ArmMap) -> Parts:
    """The parts of a stack for other arms; new ones start as in `fresh`."""

    def modules(was: Array, start: Array) -> Array:
        by_arm = remapped(_by_arm(was, replicas), _by_arm(start, replicas), before, axis=1)
        return by_arm.reshape(-1, *was.shape[1:])

    parts = {
        name: {key: modules(array, fresh[name][key]) for key, array in old[name].items()}
        for name in ("parameters", "buffers")
    }
    count = len(next(iter(old["parameters"].values())))

    def optimised(value: Any) -> Any:
        """The optimiser's state of new modules is zero."""
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
