"""What a library must offer to be played: adapters wrap each in this. Needs NumPy alone."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

WIDE = 200  # features from which on a batch is a wide one


@dataclass(frozen=True)
class Task:
    """A stream with one arm for each class; contexts times `unit` are the features."""

    n_arms: int
    n_features: int
    unit: float
    seed: int

    @property
    def rng(self) -> np.random.Generator:
        return np.random.default_rng(self.seed)


class Player(ABC):
    """Chooses for some rows and then learns what they paid."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.rng = task.rng

    def prepare(self, contexts: np.ndarray) -> Any:
        """Rows in the form that the library takes; timed apart."""
        return contexts * self.task.unit

    @abstractmethod
    def choose(self, prepared: Any) -> np.ndarray: ...

    @abstractmethod
    def learn(self, prepared: Any, arms: np.ndarray, rewards: np.ndarray) -> None: ...


@dataclass(frozen=True)
class Method:
    """A player and how many rows it chooses for before it learns; many features may take more."""

    make: Callable[[Task], Player]
    batch: int = 1
    wide_batch: int | None = None

    def batch_for(self, n_features: int) -> int:
        wide = self.wide_batch is not None and n_features >= WIDE
        return self.wide_batch or self.batch if wide else self.batch


def with_constant(features: np.ndarray) -> np.ndarray:
    """A constant feature for libraries that add none."""
    return np.concatenate([features, np.ones((len(features), 1))], axis=1)
