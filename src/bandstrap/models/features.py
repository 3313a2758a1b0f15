"""Contexts as the numbers that models compute with: their scale, and histories of them."""

from collections.abc import Sequence

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.contexts import BYTE, as_numbers
from bandstrap.history.fractions import FORGOTTEN
from bandstrap.kernels.checks import LARGEST
from bandstrap.kernels.network import note_scale, standardise
from bandstrap.problem import Problem
from bandstrap.resampling import Resampling
from bandstrap.storage.schema import FLOATS, ArrayOf, Fixed, Grows, Maybe, Schema, Whole, require

__all__ = ["BYTE", "Examples", "as_numbers"]

CONTEXTS = (*FLOATS, np.uint8)  # the types that contexts come in
SMALLEST = 1 / 1e100  # a feature with a smaller spread is constant
CLIP = 5.0  # standard deviations; a rare indicator would have hundreds
MOST = 1e100  # sums of squared contexts are less


class Examples:
    """Contexts and rewards of one run, usually of one arm, in the order they came.

    Contexts keep the type they came in, so that bytes stay bytes. The arrays double when full.
    """

    _weights: Array | None = None  # all are 1 until one is not
    schema = Schema(
        n_features=Fixed(Whole()),
        count=Whole(),
        _contexts=ArrayOf(CONTEXTS, Grows("rows"), "features", low=-LARGEST, high=LARGEST),
        _rewards=ArrayOf(np.float64, Grows("rows"), low=-LARGEST, high=LARGEST),
        _weights=Maybe(ArrayOf(np.float64, Grows("rows"), low=0.0, high=LARGEST)),
    )

    def verify_saved(self) -> None:
        require(self.n_features == self._contexts.shape[1], "contexts are of another width")
        require(self.count <= self._rewards.size, "count is beyond the rows")

    def __init__(self, n_features: int) -> None:
        self.n_features = n_features
        self.count = 0
        self._contexts = np.zeros((0, n_features))
        self._rewards = np.zeros(0)

    @classmethod
    def of(cls, contexts: Array, rewards: Array) -> "Examples":
        """Examples from arrays, which are not copied."""
        rows = cls(contexts.shape[1])
        rows.count, rows._contexts, rows._rewards = len(rewards), contexts, rewards
        return rows

    @property
    def contexts(self) -> Array:
        return self._contexts[: self.count]

    @property
    def rewards(self) -> Array:
        return self._rewards[: self.count]

    @property
    def plain(self) -> bool:
        """Whether all rows count alike."""
        return self._weights is None

    @property
    def weights(self) -> Array:
        """How much each row counts."""
        return np.ones(self.count) if self._weights is None else self._weights[: self.count]

    def fade(self, factor: float) -> Array:
        """Let rows count `factor` as much; returns which of them still count, (count,)."""
        if self.count == 0:
            return np.ones(0, dtype=np.bool_)
        if self._weights is None:
            self._weights = np.ones(self._rewards.size)
        self._weights[: self.count] *= factor
        return self.weights >= FORGOTTEN

    def add(self, context: Array, reward: float, weight: float = 1.0) -> None:
        if self.count == self._rewards.size:
            self._grow(context.dtype)
        if context.dtype != self._contexts.dtype:
            common = np.promote_types(context.dtype, self._contexts.dtype)
            self._contexts = as_numbers(self._contexts).astype(common)
            context = as_numbers(context)
        self._contexts[self.count] = context
        self._rewards[self.count] = reward
        if weight != 1.0 and self._weights is None:
            self._weights = np.ones(self._rewards.size)
        if self._weights is not None:
            self._weights[self.count] = weight
        self.count += 1

    def replace(self, contexts: Array) -> None:
        """The same rows in other contexts, (count, features)."""
        self._contexts = np.zeros(self._contexts.shape, contexts.dtype)
        self._contexts[: self.count] = contexts

    def keep(self, kept: Array) -> None:
        """Keep only the rows marked in `kept`, (count,)."""
        if not kept.all():
            n = int(kept.sum())
            self._contexts[:n] = self.contexts[kept]
            self._rewards[:n] = self.rewards[kept]
            if self._weights is not None:
                self._weights[:n] = self.weights[kept]
            self.count = n

    def _grow(self, dtype: np.dtype[np.generic]) -> None:
        more = max(64, 2 * self.count) - self.count
        contexts = self._contexts.astype(dtype) if self.count == 0 else self._contexts
        room = np.zeros((more, self.n_features), contexts.dtype)
        self._contexts = np.concatenate([contexts, room])
        self._rewards = np.concatenate([self._rewards, np.zeros(more)])
        if self._weights is not None:
            self._weights = np.concatenate([self._weights, np.ones(more)])


def verify_rows(rows: Sequence[Examples], problem: Problem) -> None:
    """Refuse a file with rows of other arms or features."""
    require(len(rows) == problem.n_arms, "rows are of other arms")
    for each in rows:
        require(each.n_features == problem.n_features, "rows are of another width")


def perturbed(
    resampling: Resampling, rewards: Array, rng: Rng, counts: Array | None = None
) -> tuple[Array, Array]:
    """Bootstrapped rewards and weights of examples, whose weights are multiplied by `counts`.

    They are drawn again until some example has weight, if there are any examples.
    """
    while True:
        targets, weights = resampling.perturb(rewards, rng)
        weights = weights if counts is None else weights * counts
        if weights.any() or weights.size == 0:
            return targets, weights


def unit_of(contexts: Array) -> float:
    """The factor that turns contexts into numbers: bytes are 255ths."""
    return 1.0 / BYTE if contexts.dtype == np.uint8 else 1.0


class RunningScale:
    """Mean and spread of every feature so far (Welford); a constant feature is left out."""

    schema = Schema(
        count=Whole(),
        mean=ArrayOf(np.float64, "features", low=-MOST, high=MOST),
        squares=ArrayOf(np.float64, "features", low=0.0, high=MOST),
        shares=ArrayOf(np.float64, "features", low=0.0, high=1.1 / SMALLEST),
    )

    def __init__(self, n_features: int) -> None:
        self.count = 0
        self.mean, self.squares, self.shares = np.zeros((3, n_features))

    def see(self, context: Array) -> None:
        """Take in one context (features,)."""
        self.count += 1
        unit = unit_of(context)
        note_scale(context, unit, self.count, SMALLEST, self.mean, self.squares, self.shares)

    def __call__(self, contexts: Array, out: Array | None = None) -> Array:
        """Contexts (n, features) in standard deviations from the mean, at most `CLIP`."""
        scaled = np.empty(contexts.shape, dtype=np.float32) if out is None else out
        standardise(contexts, unit_of(contexts), self.mean, self.shares, CLIP, scaled)
        return scaled
