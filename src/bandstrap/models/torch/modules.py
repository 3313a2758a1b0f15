"""What the user gives, and its checks: modules from a seed, losses, optimisers."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from inspect import Parameter, signature
from typing import Any

import numpy as np

from bandstrap.errors import BandstrapError, InvalidInput


@dataclass(frozen=True)
class Sizes:
    """Inputs and outputs of a module, and how many modules a replica has: one, or one per arm."""

    n_features: int
    n_outputs: int
    groups: int


@contextmanager
def forked(seed: int) -> Iterator[None]:
    """Torch's random numbers from a seed; afterwards its generator is as it was."""
    import torch

    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)
        yield


def made(factory: Any, sizes: Sizes, seed: int) -> Any:
    """A module as it starts from a seed; called once, as lazy layers need it."""
    import torch

    with forked(seed):
        try:
            module = factory(sizes.n_features, sizes.n_outputs)
        except TypeError as error:
            remedy = f"it is called with (n_features, n_arms): {error}"
            raise InvalidInput("module_factory", factory, remedy) from error
        if not isinstance(module, torch.nn.Module):
            raise InvalidInput("module_factory", module, "it must make a torch.nn.Module")
        _check_layers(module)
        kind = type(module).__name__
        try:
            dtype = next(each.dtype for each in module.parameters() if each.is_floating_point())
            with torch.no_grad():
                outputs = module.eval()(torch.zeros(2, sizes.n_features, dtype=dtype))
        except Exception as error:
            remedy = f"its module fails on contexts of shape (2, {sizes.n_features}): {error}"
            raise InvalidInput("module_factory", kind, remedy) from error
    shape = tuple(getattr(outputs, "shape", ()))
    if shape != (2, sizes.n_outputs):
        remedy = (
            f"for contexts of shape (2, {sizes.n_features}) it must return predictions of shape "
            f"(2, {sizes.n_outputs}), one for each arm"
        )
        found = f"{kind} -> {shape or type(outputs).__name__}"
        raise InvalidInput("module_factory", found, remedy)
    return module


def _check_layers(module: Any) -> None:
    import torch

    normalised = torch.nn.modules.batchnorm._BatchNorm
    for name, layer in module.named_modules():
        if isinstance(layer, normalised) or getattr(layer, "track_running_stats", False):
            mixes = "it mixes the examples of a batch, whatever weight a replica gives them"
            remedy = f"{mixes}: use LayerNorm or GroupNorm"
            raise InvalidInput("module_factory", f"{name}: {type(layer).__name__}", remedy)
    if not any(parameter.requires_grad for parameter in module.parameters()):
        remedy = "its module has nothing to learn"
        raise InvalidInput("module_factory", type(module).__name__, remedy)
    for name, parameter in module.named_parameters():
        single = parameter.dtype in (torch.float32, torch.float64)
        if parameter.device.type != "cpu" or (parameter.is_floating_point() and not single):
            found = f"{name}: {parameter.dtype} on {parameter.device}"
            remedy = "make the module on the CPU, in float32 or float64"
            raise InvalidInput("module_factory", found, remedy)


SQUARED_ERROR = "squared_error"
LOG_LOSS = "log_loss"


LOSSES = SQUARED_ERROR, LOG_LOSS


def losses_of(loss: Any, predictions: Any, rewards: Any) -> Any:
    """The loss of each prediction, by the name of a loss or a function."""
    from torch.nn.functional import binary_cross_entropy_with_logits

    if loss == SQUARED_ERROR:
        return (predictions - rewards) ** 2
    if loss == LOG_LOSS:
        return binary_cross_entropy_with_logits(predictions, rewards, reduction="none")
    losses = loss(predictions, rewards)
    shape = getattr(losses, "shape", None)
    if shape != predictions.shape:
        remedy = f'return one for each of {tuple(predictions.shape)}: reduction="none"'
        raise InvalidInput("loss", f"shape {tuple(shape or ())}", remedy)
    return losses


def check_optimiser(factory: Any, parameters: list[Any]) -> Any:
    import torch

    optimiser = factory(parameters)
    if not isinstance(optimiser, torch.optim.Optimizer):
        raise InvalidInput("optimiser", optimiser, "it must make a torch.optim.Optimizer")
    rest = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    given = signature(optimiser.step).parameters.values()
    if any(each.default is each.empty and each.kind not in rest for each in given):
        remedy = "its steps compute the loss again: use one that steps on gradients, such as Adam"
        raise InvalidInput("optimiser", type(optimiser).__name__, remedy)
    return optimiser


def diverged(model: Any) -> InvalidInput:
    remedy = "lower its learning rate, and see that rewards and contexts are of the order of one"
    remedy = f"predictions or losses are no longer finite: {remedy}"
    return InvalidInput("optimiser", model.optimiser, remedy)


@contextmanager
def failing(module: Any) -> Iterator[None]:
    """Turn any error into one that names the user's module."""
    try:
        yield
    except BandstrapError:
        raise
    except Exception as error:
        remedy = f"it fails, or its loss or optimiser does ({type(error).__name__}: {error})"
        raise InvalidInput("module_factory", type(module).__name__, remedy) from error


def check_batched(stack: Any) -> bool:
    """Whether training draws random numbers; refuses modules that cannot be batched."""
    import torch

    inputs = stack.tensor(np.zeros((2, stack.sizes.n_features)))
    with torch.no_grad():
        stack.skeleton.eval()
        if _draws(stack, inputs):
            remedy = "its module draws at random in decisions too: do so only if self.training"
            raise InvalidInput("module_factory", type(stack.skeleton).__name__, remedy)
        stack.skeleton.train()
        return _draws(stack, inputs)


def _draws(stack: Any, inputs: Any) -> bool:
    try:
        stack.outputs(inputs)
    except Exception as error:
        if "randomness" in str(error):
            return True
        remedy = (
            "replicas of its module cannot be computed at once; use layers and operations that "
            f"torch.func.vmap supports, without .item() or branches on values: {error}"
        )
        raise InvalidInput("module_factory", type(stack.skeleton).__name__, remedy) from error
    return False
