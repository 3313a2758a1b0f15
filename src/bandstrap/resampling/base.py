"""How randomness enters a bootstrap: random weights of mean 1 for the rewards of an arm."""

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.problem import Support


class Resampling(ABC):
    """A scheme is one method, `weights`; everything else has a default that uses it.

    `totals` may be overridden by a closed form for repeated rewards. Class attributes declare what
    else is known about the scheme:

    * `code`: how compiled kernels know it (None: they do not);
    * `whole_counts`: whether pseudo-counts must be whole numbers;
    * `needs_rewards`: False if count and mean of the rewards determine the draw's distribution;
    * `independent`: whether each reward is weighed by itself, so that weights can be drawn as
      rewards come; they multiply;
    * `variance`: of a weight;
    * `noise`: the standard deviation of Gaussian noise that is added to rewards, 0 if none is;
    * `perturbs`: whether rewards change otherwise, so that weights alone do not make a draw.

    >>> class Halves(Resampling):
    ...     def weights(self, shape, rng):
    ...         return rng.choice([0.5, 1.5], shape)
    >>> Halves().weights((2, 3), np.random.default_rng(0))
    array([[1.5, 1.5, 1.5],
           [0.5, 0.5, 0.5]])
    """

    code: ClassVar[int | None] = None
    whole_counts: ClassVar[bool] = True
    needs_rewards: ClassVar[bool] = True
    independent: ClassVar[bool] = False
    variance: ClassVar[float] = 1.0
    perturbs: ClassVar[bool] = False

    @property
    def noise(self) -> float:
        return 0.0

    @property
    def random(self) -> bool:
        """Whether draws differ from each other at all."""
        return self.variance > 0 or self.noise > 0 or self.perturbs

    def check(self, support: Support) -> None:  # noqa: B027 - most take any
        """Refuse rewards that the scheme has no meaning for."""

    @abstractmethod
    def weights(self, shape: tuple[int, ...], rng: Rng) -> Array:
        """Random weights for `shape[-1]` rewards of one arm, independent along the other axes."""

    def perturb(self, rewards: Array, rng: Rng) -> tuple[Array, Array]:
        """Rewards and weights to fit a model to, for the examples (n,) of one arm."""
        return rewards, self.weights(rewards.shape, rng)

    def totals(self, counts: Array, rng: Rng) -> Array:
        """The total weight of each group of equal rewards, groups along the last axis."""
        flat = counts.reshape(-1, counts.shape[-1])
        totals = np.zeros(flat.shape)
        for row, groups in enumerate(flat.astype(np.int64)):
            weights = self.weights((int(groups.sum()),), rng)
            owners = np.repeat(np.arange(groups.size), groups)
            totals[row] = np.bincount(owners, weights, minlength=groups.size)
        return totals.reshape(counts.shape)

    def means(self, values: Array, counts: Array, rng: Rng, factors: Array | float = 1.0) -> Array:
        """Bootstrapped means of `values` repeated `counts` times; infinite where there are none.

        The weights of each value are multiplied by its factor.
        """
        totals = self.totals(counts, rng)
        some = counts.sum(axis=-1) > 0
        # Weights may all be zero: such a draw has no mean and is drawn again.
        while (void := (totals.sum(axis=-1) <= 0) & some).any():
            totals[void] = self.totals(counts[void], rng)
        totals = totals * factors
        weight = totals.sum(axis=-1)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(weight > 0, totals @ values / weight, np.inf)

    def means_by_moments(self, count: Array, mean: Array, rng: Rng) -> Array:
        """Bootstrapped means from count and mean alone, for schemes that need no more."""
        raise NotImplementedError(f"{type(self).__name__} needs the rewards themselves")
