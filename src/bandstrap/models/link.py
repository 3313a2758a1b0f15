"""From margins to expected rewards."""

from typing import Protocol

import numpy as np

from bandstrap.arrays import Array


class Link(Protocol):
    """What turns margins into expected rewards; it is increasing, so the best margin is best."""

    def expected(self, margins: Array) -> Array:
        """Expected rewards at margins."""


class Identity:
    """Margins are expected rewards already."""

    def expected(self, margins: Array) -> Array:
        return margins


class Sigmoid:
    """Expected rewards are probabilities, the sigmoids of margins."""

    def expected(self, margins: Array) -> Array:
        return sigmoid(margins)


IDENTITY, SIGMOID = Identity(), Sigmoid()


def sigmoid(margins: Array) -> Array:
    """1 / (1 + e⁻ᶻ), precise however small, so that very low scores do not tie.

    >>> float(sigmoid(np.array(-700.0))) > 0
    True
    """
    return np.asarray(np.exp(-np.logaddexp(0.0, -margins)))
