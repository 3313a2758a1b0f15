"""What parameters have to be, asked by name."""

import numpy as np

from bandstrap.errors import InvalidInput


def require_positive(**parameters: float | None) -> None:
    """Refuse what is neither None nor a finite number above 0."""
    for name, value in parameters.items():
        if value is not None and not (np.isfinite(value) and value > 0):
            raise InvalidInput(name, value, "give a positive number")


def require_share(**parameters: float) -> None:
    """Refuse what is no probability strictly between 0 and 1."""
    for name, value in parameters.items():
        if not 0 < value < 1:
            raise InvalidInput(name, value, "give a probability above 0 and below 1")
