"""Contexts as the numbers that models compute with, and histories of them."""

from collections.abc import Iterable

import numpy as np

from bandstrap.contexts import BYTE, as_numbers

__all__ = ["BYTE", "Rows", "as_numbers"]


class Rows:
    """Contexts and rewards of one arm in one run, in the order they came.

    Contexts keep the type they came in, so that bytes stay bytes. The arrays double when full.
    """

    def __init__(self, n_features: int) -> None:
        self.n_features = n_features
        self.count = 0
        self._contexts = np.zeros((0, n_features))
        self._rewards = np.zeros(0)

    @classmethod
    def of(cls, contexts: np.ndarray, rewards: np.ndarray) -> "Rows":
        """Rows that are there already; the arrays are not copied."""
        rows = cls(contexts.shape[1])
        rows.count, rows._contexts, rows._rewards = len(rewards), contexts, rewards
        return rows

    @property
    def contexts(self) -> np.ndarray:
        return self._contexts[: self.count]

    @property
    def rewards(self) -> np.ndarray:
        return self._rewards[: self.count]

    def add(self, context: np.ndarray, reward: float) -> None:
        """One more row."""
        if self.count == self._rewards.size:
            self._grow(context.dtype)
        if context.dtype != self._contexts.dtype:
            common = np.promote_types(context.dtype, self._contexts.dtype)
            self._contexts = as_numbers(self._contexts).astype(common)
            context = as_numbers(context)
        self._contexts[self.count] = context
        self._rewards[self.count] = reward
        self.count += 1

    def extend(self, contexts: Iterable[np.ndarray], rewards: Iterable[float]) -> None:
        """More rows."""
        for context, reward in zip(contexts, rewards, strict=True):
            self.add(context, reward)

    def keep(self, kept: np.ndarray) -> None:
        """Only the rows that `kept` (count,) says, in place."""
        if not kept.all():
            n = int(kept.sum())
            self._contexts[:n] = self.contexts[kept]
            self._rewards[:n] = self.rewards[kept]
            self.count = n

    def _grow(self, dtype: np.dtype[np.generic]) -> None:
        size = max(64, 2 * self.count)
        if self.count == 0:
            self._contexts = self._contexts.astype(dtype)
        contexts = np.zeros((size, self.n_features), self._contexts.dtype)
        contexts[: self.count] = self.contexts
        rewards = np.zeros(size)
        rewards[: self.count] = self.rewards
        self._contexts, self._rewards = contexts, rewards
