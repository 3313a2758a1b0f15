"""Replicas of a torch module as one: parameters stacked along a first axis, one batched pass."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from bandstrap.arrays import Array
from bandstrap.models.torch.examples import Minibatch
from bandstrap.models.torch.modules import Sizes, forked, made
from bandstrap.models.torch.saved import plain, tensors, verify_parts, verify_steps
from bandstrap.models.torch.training import (
    check_batched,
    check_losses,
    check_optimiser,
    diverged,
    failing,
    loss_of,
)

Named = dict[str, Any]  # tensors, or arrays, by the name of a parameter


class Stack:
    """Modules in the order of replicas, and within a replica of arms where each has its own.

    All calls go through the skeleton, a module whose own parameters are never used. Torch
    allocates all tensors: other alignment may give other bits.
    """

    def __init__(self, model: Any, sizes: Sizes, seed: int, count: int, parts: Named) -> None:
        """`parts` of `count` modules: parameters, buffers, the optimiser's state, whether training
        draws."""
        self.model = model
        self.sizes = sizes
        self.skeleton = made(model.module_factory, sizes, seed)
        verify_parts(parts, self.skeleton, count)
        self.parameters: Named = tensors(parts["parameters"])
        for name, parameter in self.skeleton.named_parameters():
            self.parameters[name].requires_grad_(parameter.requires_grad)
        self.buffers: Named = tensors(parts["buffers"])
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

    def saved(self) -> Named:
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

        self._mode(training=False)
        with torch.no_grad(), failing(self.skeleton):
            inputs = self.tensor(contexts)
            if replica is None:
                outputs = self.outputs(inputs)
            elif self.sizes.groups == 1:
                outputs = self._one(replica, inputs)
            else:
                first = replica * self.sizes.groups
                outputs = self.outputs(inputs, modules=slice(first, first + self.sizes.groups))
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
            losses = loss_of(self.model.loss)(predictions, rewards.expand_as(predictions))
            check_losses(losses, predictions)
            total = (losses * weights).sum() / len(columns)
            if not np.isfinite(total.item()):
                raise diverged(self.model)
            self.optimiser.zero_grad()
            total.backward()
            self.optimiser.step()

    def outputs(self, inputs: Any, draws: bool = False, modules: slice | None = None) -> Any:
        """Predictions (replicas, batch, outputs) of all modules, or of some of one replica."""
        from torch.func import functional_call, vmap

        stacked = (self.parameters, self.buffers)
        if modules is not None:
            stacked = tuple(_at(part, modules) for part in stacked)  # type: ignore[assignment]
        computed = vmap(
            lambda parts, x: functional_call(self.skeleton, parts, (x,)),
            in_dims=(0, None),
            randomness="different" if draws else "error",
        )(stacked, inputs)
        if self.sizes.groups == 1:
            return computed
        by_arm = computed.reshape(-1, self.sizes.groups, len(inputs))
        return by_arm.transpose(1, 2)

    def _mode(self, training: bool) -> None:
        if self.skeleton.training != training:  # it takes a while for every layer
            self.skeleton.train(training)

    def _one(self, replica: int, inputs: Any) -> Any:
        from torch.func import functional_call

        parts = (_at(self.parameters, replica), _at(self.buffers, replica))
        return functional_call(self.skeleton, parts, (inputs,))[None]

    def tensor(self, array: Array) -> Any:
        """An array in the parameters' precision."""
        import torch

        dtype = next(each.dtype for each in self.parameters.values() if each.is_floating_point())
        return torch.tensor(array, dtype=dtype)


def _at(part: Named, place: int | slice) -> Named:
    return {name: tensor[place] for name, tensor in part.items()}
