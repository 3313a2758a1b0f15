"""Losses that have a name, and what a prediction then says an arm is worth."""

from typing import Any

from bandstrap.arrays import Array
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
    """What arms with these predictions are worth."""
    return sigmoid(predictions) if loss == LOG_LOSS else predictions
