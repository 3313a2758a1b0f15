"""Replicas of a torch module as one: parameters stacked along a first axis, one batched pass."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from math import isfinite
from typing import Any

import numpy as np

from bandstrap.arrays import Array
from bandstrap.models.torch.examples import Minibatch
from bandstrap.models.torch.modules import (
    Sizes,
    check_batched,
    check_optimiser,
    diverged,
    failing,
    forked,
    losses_of,
    made,
)
from bandstrap.remapping import ArmMap, remapped
from bandstrap.storage.schema import LARGEST, require

PARTS = {"parameters", "buffers", "optimiser", "draws"}
Parts = dict[str, Any]  # by these names, or tensors or arrays by the name of a parameter


class Stack:
    """Modules in the order of replicas, and within a replica of arms where each has its own.

    All calls go through the skeleton, a module whose own parameters are never used. Torch
    allocates all tensors: other alignment may give other bits.
    """

    def __init__(self, model: Any, sizes: Sizes, seed: int, count: int, parts: Parts) -> None:
        """`parts` of `count` modules: parameters, buffers, the optimiser's state, whether training
        draws."""
        self.model = model
        self.sizes = sizes
        self.skeleton = made(model.module_factory, sizes, seed)
        verify_parts(parts, self.skeleton, count)
        self.parameters: Parts = tensors(parts["parameters"])
        for name, parameter in self.skeleton.named_parameters():
            self.parameters[name].requires_grad_(parameter.requires_grad)
        self.buffers: Parts = tensors(parts["buffers"])
        learnt = [each for each in self.parameters.values() if each.requires_grad]
        self.optimiser = check_optimiser(model.optimiser, learnt)
        if parts["optimiser"] is not None:
            verify_steps(parts["optimiser"], model.optimiser, learnt)
            self.optimiser.load_state_dict(tensors(parts["optimiser"]))
        self.draws: bool = parts["draws"]

    @classmethod
    def start(cls, model: Any, sizes: Sizes, seed: int, starts: list[int]) -> "Stack":
        """Modules that each start from their own seed."""
        from torch.func import stack_module_state

        modules = [made(model.module_factory, sizes, start) for start in starts]
        parameters, buffers = stack_module_state(modules)
        parts = {"parameters": plain(parameters), "buffers": plain(buffers)}
        parts |= {"optimiser": None, "draws": True}
        stack = cls(model, sizes, seed, len(starts), parts)
        with forked(seed):
            stack.draws = check_batched(stack)
        return stack

    def saved(self) -> Parts:
        """The parts that the stack is made from again; arrays are views, and change with it."""
        return {
            "parameters": plain(self.parameters),
            "buffers": plain(self.buffers),
            "optimiser": plain(self.optimiser.state_dict()),
            "draws": self.draws,
        }

    def ask(self, contexts: Array, replica: int | None = None) -> Array:
        """Predictions for one context (1, features), of one replica or all: (replicas, outputs)."""
        import torch
        from torch.func import functional_call

        self._mode(training=False)
        with torch.no_grad(), failing(self.skeleton):
            inputs, groups = self.tensor(contexts), self.sizes.groups
            if replica is None:
                outputs = self.outputs(inputs)
            elif groups == 1:
                outputs = functional_call(self.skeleton, self._at(replica), (inputs,))[None]
            else:
                modules = slice(replica * groups, (replica + 1) * groups)
                outputs = self.outputs(inputs, modules=modules)
        predictions: Array = outputs[:, 0].numpy().astype(np.float64)
        if not np.isfinite(predictions).all():
            raise diverged(self.model)
        return predictions

    def step(self, batch: Minibatch, columns: Array, seed: int | None) -> None:
        """One step of all replicas; each prediction's column is that of the arm pulled."""
        import torch

        self._mode(training=True)
        rewards, weights = self.tensor(batch.rewards), self.tensor(batch.weights.T)
        around: AbstractContextManager[Any] = nullcontext() if seed is None else forked(seed)
        with torch.enable_grad(), around, failing(self.skeleton):
            outputs = self.outputs(self.tensor(batch.contexts), self.draws)
            places = torch.tensor(columns).expand(len(outputs), -1)[..., None]
            predictions = outputs.gather(2, places)[..., 0]
            losses = losses_of(self.model.loss, predictions, rewards.expand_as(predictions))
            total = (losses * weights).sum() / len(columns)
            if not np.isfinite(total.item()):
                raise diverged(self.model)
            self.optimiser.zero_grad()
            total.backward()
            self.optimiser.step()

    def outputs(self, inputs: Any, draws: bool = False, modules: slice | None = None) -> Any:
        """Predictions (replicas, batch, outputs) of all modules, or of some of one replica."""
        from torch.func import functional_call, vmap

        stacked = (self.parameters, self.buffers) if modules is None else self._at(modules)
        computed = vmap(
            lambda parts, x: functional_call(self.skeleton, parts, (x,)),
            in_dims=(0, None),
            randomness="different" if draws else "error",
        )(stacked, inputs)
        if self.sizes.groups == 1:
            return computed
        return computed.reshape(-1, self.sizes.groups, len(inputs)).transpose(1, 2)

    def _mode(self, training: bool) -> None:
        if self.skeleton.training != training:  # it takes a while for every layer
            self.skeleton.train(training)

    def _at(self, place: int | slice) -> tuple[Parts, ...]:
        both = (self.parameters, self.buffers)
        return tuple({name: tensor[place] for name, tensor in part.items()} for part in both)

    def tensor(self, array: Array) -> Any:
        """An array in the parameters' precision."""
        import torch

        dtype = next(each.dtype for each in self.parameters.values() if each.is_floating_point())
        return torch.tensor(array, dtype=dtype)


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
        require(known and found.shape == (count, *array.shape), f"{name} is of another form")


def verify_steps(saved: Any, factory: Any, parameters: list[Any]) -> None:
    """Refuse the state of another optimiser than the factory makes of these parameters."""
    like = _after_a_step(factory, parameters)  # which shows what a state holds
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
        own = like["state"][place]
        require(type(entry) is dict and entry.keys() >= own.keys(), "a state lacks something")
        for name, value in entry.items():
            _verify_like(name, value, own.get(name, value))


def _after_a_step(factory: Any, parameters: list[Any]) -> Any:
    import torch

    trial = [torch.zeros_like(each).requires_grad_() for each in parameters]
    with forked(0):
        optimiser = check_optimiser(factory, trial)
        for each in trial:
            each.grad = torch.zeros_like(each)
        optimiser.step()
    return plain(optimiser.state_dict())


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
        known = type(value) in (int, float) and abs(value) <= LARGEST and isfinite(value)
        require(known, f"{name} is not a number")
    else:
        require(type(value) is type(own) and value == own, f"{name} is another")


def _is_finite(array: Array) -> bool:
    return array.dtype.kind != "f" or bool(np.isfinite(array).all())


def regrouped(saved: Parts, fresh: Parts, replicas: int, before: ArmMap) -> Parts:
    """The parts of a stack for other arms; new ones start as in `fresh`."""

    def modules(was: Array, start: Array) -> Array:
        old, new = (each.reshape(replicas, -1, *each.shape[1:]) for each in (was, start))
        return remapped(old, new, before, axis=1).reshape(-1, *was.shape[1:])

    parts = {
        name: {key: modules(array, fresh[name][key]) for key, array in saved[name].items()}
        for name in ("parameters", "buffers")
    }
    count = len(next(iter(saved["parameters"].values())))

    def optimised(value: Any) -> Any:
        """The optimiser's state of new modules is zero."""
        if np.ndim(value) == 0 or len(value) != count:
            return value
        return modules(value, np.zeros((replicas * len(before), *value.shape[1:]), value.dtype))

    state = {
        place: {key: optimised(value) for key, value in entries.items()}
        for place, entries in saved["optimiser"]["state"].items()
    }
    return parts | {"optimiser": saved["optimiser"] | {"state": state}, "draws": saved["draws"]}
