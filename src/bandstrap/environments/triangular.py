"""Triangular rewards."""

from dataclasses import dataclass

from bandstrap.arrays import Array
from bandstrap.environments.stationary import Stationary
from bandstrap.history.compiled import Law
from bandstrap.kernels.rewards import TRIANGULAR, TRIANGULAR_SPAN


@dataclass(frozen=True)
class Triangular(Stationary):
    """The symmetric triangle around μ with half-width min(μ, 1 − μ), which has mean μ.

    With `full_span` the triangle spans [0, 1] and μ is its mode; its mean is (1 + μ)/3. The
    paper draws means from U[0, 1], which such triangles cannot have; hence the default.
    """

    full_span: bool = False

    def _true_means(self, parameters: Array) -> Array:
        return (1.0 + parameters) / 3.0 if self.full_span else parameters

    @property
    def law(self) -> Law | None:
        return Law(TRIANGULAR_SPAN if self.full_span else TRIANGULAR)
