"""What every network refuses."""

import numpy as np

from bandstrap.errors import InvalidInput
from bandstrap.problem import Support

UNSCALED = 1e6  # steps on contexts larger than this leave every unit dead or saturated


def check_size(contexts: np.ndarray) -> None:
    """Contexts that are not scaled must not be huge."""
    largest = float(np.abs(contexts).max(initial=0.0))
    if largest > UNSCALED:
        raise InvalidInput(
            "contexts",
            largest,
            f"this network takes contexts up to {UNSCALED:g}; standardise them, or use "
            "Budgeted or SharedNetwork, which do",
        )


def check_positive(parameter: str, value: float) -> None:
    if not (np.isfinite(value) and value > 0):
        raise InvalidInput(parameter, value, "give a positive number")


def check_count(parameter: str, value: int) -> None:
    if value < 1:
        raise InvalidInput(parameter, value, "give 1 or more")


def check_support(support: Support) -> None:
    """A sigmoid output can only predict rewards between 0 and 1."""
    if not (support.low >= 0.0 and support.high <= 1.0):
        raise InvalidInput(
            "support",
            (support.low, support.high),
            "a network with a sigmoid output predicts rewards in [0, 1]; scale the rewards",
        )
