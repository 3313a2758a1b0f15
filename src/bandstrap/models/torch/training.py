"""Losses by name and what their predictions mean; checks of losses, optimisers and stacks."""

from collections.abc import Iterator
from contextlib import contextmanager
from inspect import Parameter, signature
from typing import Any

import numpy as np

from bandstrap.arrays import Array
from bandstrap.errors import BandstrapError, InvalidInput
from bandstrap.models.link import sigmoid

SQUARED_ERROR = "squared_error"
LOG_LOSS = "log_loss"


def squared_error(predictions: Any, rewards: Any) -> Any:
    return (predictions - rewards) ** 2


def log_loss(predictions: Any, rewards: Any) -> Any:
    import torch

    return torch.nn.functional.binary_cross_entropy_with_logits(
        predictions, rewards, reduction="none"
    )


LOSSES = {SQUARED_ERROR: squared_error, LOG_LOSS: log_loss}


def loss_of(loss: Any) -> Any:
    """The function of a loss, which may be given by name."""
    return LOSSES[loss] if isinstance(loss, str) else loss


def worth(loss: Any, predictions: Array) -> Array:
    """Expected rewards from predictions."""
    return sigmoid(predictions) if loss == LOG_LOSS else predictions


def check_optimiser(factory: Any, parameters: list[Any]) -> Any:
    """The optimiser of these parameters."""
    import torch

    optimiser = factory(parameters)
    if not isinstance(optimiser, torch.optim.Optimizer):
        raise InvalidInput("optimiser", optimiser, "it must make a torch.optim.Optimizer")
    needed = [each for each in signature(optimiser.step).parameters.values() if _required(each)]
    if needed:
        remedy = "its steps compute the loss again: use one that steps on gradients, such as Adam"
        raise InvalidInput("optimiser", type(optimiser).__name__, remedy)
    return optimiser


def _required(parameter: Parameter) -> bool:
    rest = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    return parameter.default is Parameter.empty and parameter.kind not in rest


def check_losses(losses: Any, predictions: Any) -> None:
    shape = getattr(losses, "shape", None)
    if shape != predictions.shape:
        remedy = f'return one for each of {tuple(predictions.shape)}: reduction="none"'
        raise InvalidInput("loss", f"shape {tuple(shape or ())}", remedy)


def diverged(model: Any) -> InvalidInput:
    return InvalidInput(
        "optimiser",
        model.optimiser,
        "predictions or losses are no longer finite: lower its learning rate, and see that rewards "
        "and contexts are of the order of one",
    )


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
        raise InvalidInput(
            "module_factory",
            type(stack.skeleton).__name__,
            "replicas of its module cannot be computed at once; use layers and operations that "
            f"torch.func.vmap supports, without .item() or branches on values: {error}",
        ) from error
    return False
