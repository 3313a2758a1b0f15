"""Modules as a user's factory makes them from a seed, and their checks."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from bandstrap.errors import InvalidInput


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
        try:
            with torch.no_grad():
                outputs = module.eval()(_zeros(module, sizes))
        except Exception as error:
            remedy = f"its module fails on contexts of shape (2, {sizes.n_features}): {error}"
            raise InvalidInput("module_factory", _kind(module), remedy) from error
    _check_outputs(module, outputs, sizes)
    return module


def _zeros(module: Any, sizes: Sizes) -> Any:
    import torch

    dtype = next(each.dtype for each in module.parameters() if each.is_floating_point())
    return torch.zeros(2, sizes.n_features, dtype=dtype)


def _check_layers(module: Any) -> None:
    import torch

    normalised = torch.nn.modules.batchnorm._BatchNorm
    for name, layer in module.named_modules():
        if isinstance(layer, normalised) or getattr(layer, "track_running_stats", False):
            raise InvalidInput(
                "module_factory",
                f"{name}: {_kind(layer)}",
                "it mixes the examples of a batch, whatever weight a replica gives them: use "
                "LayerNorm or GroupNorm",
            )
    if not any(parameter.requires_grad for parameter in module.parameters()):
        raise InvalidInput("module_factory", _kind(module), "its module has nothing to learn")
    for name, parameter in module.named_parameters():
        single = parameter.dtype in (torch.float32, torch.float64)
        if parameter.device.type != "cpu" or (parameter.is_floating_point() and not single):
            found = f"{name}: {parameter.dtype} on {parameter.device}"
            remedy = "make the module on the CPU, in float32 or float64"
            raise InvalidInput("module_factory", found, remedy)


def _check_outputs(module: Any, outputs: Any, sizes: Sizes) -> None:
    shape = tuple(getattr(outputs, "shape", ()))
    if shape != (2, sizes.n_outputs):
        found = f"{_kind(module)} -> {shape or type(outputs).__name__}"
        remedy = (
            f"for contexts of shape (2, {sizes.n_features}) it must return predictions of shape "
            f"(2, {sizes.n_outputs}), one for each arm"
        )
        raise InvalidInput("module_factory", found, remedy)


def _kind(module: Any) -> str:
    return type(module).__name__
