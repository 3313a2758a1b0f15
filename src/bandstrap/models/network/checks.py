"""Limits of networks, and their checks."""

from itertools import pairwise
from typing import Any

import numpy as np

from bandstrap.arrays import Array
from bandstrap.errors import InvalidInput
from bandstrap.validation import is_finite

UNSCALED = 1e6  # steps on contexts larger than this leave every unit dead or saturated
STEEPEST = 1e30  # a learning rate above this overflows in single precision
WIDEST = 1e6  # weights may start, or a prior be, in units of Glorot's
NARROWEST = 1e-6
MOST_UNITS = 100_000
MOST_LAYERS = 100
MOST_EXAMPLES = 10_000  # a round on more takes seconds
MOST_BATCH = 1_000_000
MOST_HEADS = 200  # each keeps two numbers of every reward
MOST_PARAMETERS = 50_000_000  # of all networks of a run; a step on more takes seconds
MOST_WORK = 10**10  # examples of a round times parameters
MOST_NUMBERS = 10**8  # examples of a round times units of the widest layer, or outputs


def check_size(contexts: Array) -> None:
    """Refuse huge contexts where they are not standardised."""
    largest = float(np.abs(contexts).max(initial=0.0))
    if largest > UNSCALED:
        raise InvalidInput(
            "contexts",
            largest,
            f"this network takes contexts up to {UNSCALED:g}; standardise them, or use "
            "Budgeted or SharedNetwork, which do",
        )


def check_rate(value: float) -> None:
    if not (is_finite(value) and 0 < value <= STEEPEST):
        raise InvalidInput("learning_rate", value, f"give a positive number up to {STEEPEST:g}")


def check_spread(value: float) -> None:
    if not (is_finite(value) and NARROWEST <= value <= WIDEST):
        remedy = f"give a number from {NARROWEST:g} to {WIDEST:g}"
        raise InvalidInput("spread", value, remedy)


def check_parameters(sizes: tuple[int, ...], networks: int = 1, examples: int = 1) -> None:
    """Refuse networks too large for memory, or too slow to wait for."""
    own = n_parameters(sizes)
    known = own * networks <= MOST_PARAMETERS and own * examples <= MOST_WORK
    if not known or max(sizes) * examples > MOST_NUMBERS:
        raise InvalidInput(
            "hidden",
            sizes[1],
            f"layers of {sizes} have {own * networks:,} parameters, taught {examples:,} examples a "
            f"round: have at most {MOST_PARAMETERS:,}, or fewer examples",
        )


def n_parameters(sizes: tuple[int, ...]) -> int:
    """Weights and biases of layers of these sizes."""
    return sum((fan_in + 1) * size for fan_in, size in pairwise(sizes))


def check_outputs(outputs: Array, model: Any) -> None:
    """Refuse outputs that are NaN."""
    if np.isnan(outputs).any():
        remedy = "predictions are no longer numbers: lower it"
        raise InvalidInput("learning_rate", model.learning_rate, remedy)
