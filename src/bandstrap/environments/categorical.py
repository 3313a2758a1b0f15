"""Rewards from a few values."""

from dataclasses import dataclass

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.environments.stationary import Arms, Stationary
from bandstrap.errors import InvalidInput
from bandstrap.problem import Support


@dataclass(frozen=True)
class Categorical(Stationary):
    """`values` with probabilities drawn from a flat Dirichlet per arm and run, or given.

    `probabilities` has a row for each arm; `means` follow from it and are not given.
    """

    values: tuple[float, ...] = (0.0, 0.5, 1.0)
    probabilities: tuple[tuple[float, ...], ...] | None = None

    def __post_init__(self) -> None:
        if self.means is not None:
            raise InvalidInput("means", self.means, "give probabilities instead")
        if self.probabilities is not None:
            rows = np.array(self.probabilities, dtype=np.float64)
            right_shape = rows.ndim == 2 and rows.shape[1] == len(self.values)
            if not right_shape or rows.min() < 0 or not np.allclose(rows.sum(axis=1), 1.0):
                raise InvalidInput(
                    "probabilities", self.probabilities, "give a row per arm that sums to 1"
                )
            object.__setattr__(self, "n_arms", rows.shape[0])
        super().__post_init__()

    @property
    def support(self) -> Support:
        return Support.categories(self.values)

    def start(self, runs: int, rng: Rng) -> Arms:
        if self.probabilities is None:
            shares = rng.dirichlet(np.ones(len(self.values)), size=(runs, self.n_arms))
        else:
            shares = np.tile(np.array(self.probabilities), (runs, 1, 1))
        return Arms(shares, shares @ np.array(self.values))

    def _rewards(self, parameters: Array, rng: Rng) -> Array:
        levels = parameters.cumsum(axis=1)[:, :-1]
        position = (rng.random((parameters.shape[0], 1)) >= levels).sum(axis=1)
        rewards: Array = np.array(self.values)[position]
        return rewards
