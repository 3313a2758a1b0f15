"""A labelled data set played as a bandit: an arm for each class, and a reward for the right one."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.datasets import DATASETS, Dataset, load
from bandstrap.environments.base import Environment, Round
from bandstrap.errors import BandstrapError
from bandstrap.problem import Problem, Support
from bandstrap.storage.schema import ArrayOf, Schema


class ShuffledRows:
    """The rows of each run: a random permutation of all, then another, and so on."""

    unsaved: ClassVar[tuple[str, ...]] = ("order", "epoch")
    schema = Schema(seeds=ArrayOf(np.int64, "runs", fixed=True), labels=ArrayOf(np.int64, "runs"))

    def __init__(self, seeds: Array) -> None:
        self.seeds = seeds  # (runs,), one generator per run and pass
        self.restore()
        self.labels = np.zeros(seeds.size, dtype=np.int64)  # of the round last looked at

    def restore(self) -> None:
        """Set what follows from the seeds and is not saved."""
        self.epoch = -1  # the pass over the rows that `order` belongs to
        self.order = np.zeros((self.seeds.size, 0), dtype=np.int64)

    def at(self, played: int, count: int) -> Array:
        """The row of each run after `played` rounds, out of `count` rows."""
        epoch, position = divmod(played, count)
        if epoch != self.epoch:
            self.order = np.array([_shuffled(count, int(seed), epoch) for seed in self.seeds])
            self.epoch = epoch
        return self.order[:, position]


def _shuffled(count: int, seed: int, epoch: int) -> Array:
    sequence = np.random.SeedSequence([seed, epoch])
    return np.random.Generator(np.random.PCG64DXSM(sequence)).permutation(count)


@dataclass(frozen=True)
class Labelled(Environment):
    """One versus all: the arm of a row's class pays 1, any other 0.

    It holds only the data set's name and reads the data on first use, so it is cheap to send to
    another process.

    >>> Labelled("digits").problem.n_features
    64
    """

    dataset: str = "digits"

    contextual: ClassVar[bool] = True

    def __repr__(self) -> str:
        """With a digest of the user's own rows, which may change; those of ours cannot."""
        if self.dataset in DATASETS:
            return self.stream
        try:
            return f"Labelled(dataset={self.dataset!r}, {self.data.digest})"
        except BandstrapError:  # a repr says what it can
            return self.stream

    @property
    def name(self) -> str:
        return self.dataset

    @property
    def stream(self) -> str:
        return f"Labelled(dataset={self.dataset!r})"

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

    def start(self, runs: int, rng: Rng) -> ShuffledRows:
        return ShuffledRows(rng.integers(2**63, size=runs))

    def look(self, world: ShuffledRows, played: int) -> Round:
        data = self.data
        rows = world.at(played, data.labels.size)
        world.labels = data.labels[rows].astype(np.int64)
        means = np.zeros((rows.size, len(data.classes)))
        means[np.arange(rows.size), world.labels] = 1.0
        return Round(data.contexts[rows], means, np.ones(rows.size))

    def pull(self, world: ShuffledRows, chosen: Array, rng: Rng) -> Array:
        rewards: Array = (chosen == world.labels).astype(np.float64)
        return rewards
