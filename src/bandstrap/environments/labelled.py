"""A labelled data set played as a bandit: an arm for each class, and a reward for the right one."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.datasets import Dataset, load
from bandstrap.environments.base import Environment, Round
from bandstrap.problem import Problem, Support
from bandstrap.storage.schema import ArrayOf, Schema


class Rows:
    """The rows that each run meets: all of them in random order, then all in another order."""

    unsaved: ClassVar[tuple[str, ...]] = ("order", "turn")
    schema = Schema(
        seeds=ArrayOf(np.int64, "runs", fixed=True),
        labels=ArrayOf(np.int64, "runs"),
    )

    def __init__(self, seeds: Array) -> None:
        self.seeds = seeds  # (runs,), from which every pass is shuffled
        self.restore()
        self.labels = np.zeros(seeds.size, dtype=np.int64)  # of the round last looked at

    def restore(self) -> None:
        """The order follows from the seeds."""
        self.turn = -1  # the pass that `order` belongs to
        self.order = np.zeros((self.seeds.size, 0), dtype=np.int64)

    def at(self, played: int, count: int) -> Array:
        """The row of each run in the round after `played` others, of `count` rows."""
        turn, position = divmod(played, count)
        if turn != self.turn:
            self.order = np.array([_shuffled(count, int(seed), turn) for seed in self.seeds])
            self.turn = turn
        return self.order[:, position]


def _shuffled(count: int, seed: int, turn: int) -> Array:
    sequence = np.random.SeedSequence([seed, turn])
    return np.random.Generator(np.random.PCG64DXSM(sequence)).permutation(count)


@dataclass(frozen=True)
class Labelled(Environment):
    """One versus all: the arm of a row's class pays 1, any other 0.

    It holds the data set's name and reads the data when first asked, so that it is cheap to send to
    another process.

    >>> Labelled("digits").problem.n_features
    64
    """

    dataset: str = "digits"

    contextual: ClassVar[bool] = True

    @property
    def name(self) -> str:
        return self.dataset

    @property
    def data(self) -> Dataset:
        return load(self.dataset)

    @property
    def problem(self) -> Problem:
        data = self.data
        return Problem(len(data.classes), data.contexts.shape[1], Support.binary())

    @property
    def covariance(self) -> Array:
        """The covariance of all contexts, for `EigenExamples`."""
        return self.data.covariance

    def start(self, runs: int, rng: Rng) -> Rows:
        return Rows(rng.integers(2**63, size=runs))

    def look(self, world: Rows, played: int) -> Round:
        data = self.data
        rows = world.at(played, data.labels.size)
        world.labels = data.labels[rows].astype(np.int64)
        means = np.zeros((rows.size, len(data.classes)))
        means[np.arange(rows.size), world.labels] = 1.0
        return Round(data.contexts[rows], means, np.ones(rows.size))

    def pull(self, world: Rows, chosen: Array, rng: Rng) -> Array:
        rewards: Array = (chosen == world.labels).astype(np.float64)
        return rewards
