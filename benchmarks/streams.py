"""Rows of a labelled data set, in one order for everyone."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bandstrap.contexts import BYTE, as_numbers
from bandstrap.datasets import load
from bandstrap.problem import Problem, Support
from bandstrap.seeding import generator


@dataclass(frozen=True, eq=False)
class Stream:
    """Contexts as they are stored (bytes mean shares of 255) and the arm that pays, by round."""

    contexts: np.ndarray
    labels: np.ndarray
    n_arms: int
    covariance: np.ndarray

    @property
    def rounds(self) -> int:
        return len(self.labels)

    @property
    def problem(self) -> Problem:
        return Problem(self.n_arms, self.contexts.shape[1], Support.binary())

    def save(self, path: Path) -> None:
        """For programs that know nothing of this library."""
        unit = 1.0 / BYTE if self.contexts.dtype == np.uint8 else 1.0
        np.savez(
            path, contexts=self.contexts, labels=self.labels, n_arms=self.n_arms, unit=unit
        )  # fmt: skip


def stream(name: str, rounds: int, seed: int) -> Stream:
    """The first rounds of a data set shuffled by `seed`; shuffled again when all have been used."""
    data = load(name)
    count = len(data.labels)
    turns = range(-(-rounds // count))
    order = [generator(seed, "stream", name, turn).permutation(count) for turn in turns]
    rows = np.concatenate(order)[:rounds]
    labels = data.labels[rows].astype(np.int64)
    return Stream(data.contexts[rows], labels, len(data.classes), data.covariance)


def numbers(contexts: np.ndarray) -> np.ndarray:
    """Contexts as doubles."""
    return as_numbers(contexts).astype(np.float64)
