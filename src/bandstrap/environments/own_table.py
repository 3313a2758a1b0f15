"""A table of one's own played as a bandit: its rows in random order, its arms paid by the table."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import ClassVar

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.environments.base import Environment, Round
from bandstrap.environments.labelled import Rows
from bandstrap.errors import InvalidInput
from bandstrap.problem import Problem, Support
from bandstrap.storage.schema import ArrayOf, Schema


class Payoffs(ABC):
    """What each arm would pay in each row."""

    @property
    @abstractmethod
    def n_arms(self) -> int: ...

    @property
    @abstractmethod
    def support(self) -> Support:
        """Where payoffs lie."""

    @abstractmethod
    def of(self, rows: Array) -> Array:
        """What all arms would pay in some rows, (rows, arms)."""

    @abstractmethod
    def means(self) -> Array:
        """What each arm would pay on average over all rows, (arms,)."""

    @property
    @abstractmethod
    def content(self) -> Array:
        """The array that says everything."""


@dataclass(frozen=True, eq=False)
class ClassPayoffs(Payoffs):
    """One versus all: the arm of a row's class pays 1, any other 0."""

    labels: Array  # (rows,), 0 to classes - 1
    classes: int

    @property
    def n_arms(self) -> int:
        return self.classes

    @property
    def support(self) -> Support:
        return Support.binary()

    def of(self, rows: Array) -> Array:
        right: Array = self.labels[rows][:, None] == np.arange(self.classes)
        return right.astype(np.float64)

    def means(self) -> Array:
        means: Array = np.bincount(self.labels, minlength=self.classes) / self.labels.size
        return means

    @property
    def content(self) -> Array:
        return self.labels


@dataclass(frozen=True, eq=False)
class GivenPayoffs(Payoffs):
    """Full information: the table tells what every arm would have paid, between 0 and 1."""

    rewards: Array  # (rows, arms)

    def __post_init__(self) -> None:
        if not (np.isfinite(self.rewards).all() and np.abs(self.rewards - 0.5).max() <= 0.5):
            raise InvalidInput("rewards", self.rewards, "give finite rewards from 0 to 1")

    @property
    def n_arms(self) -> int:
        return int(self.rewards.shape[1])

    @property
    def support(self) -> Support:
        return Support.binary() if self._binary else Support.interval(0.0, 1.0)

    @cached_property
    def _binary(self) -> bool:
        return bool(np.isin(self.rewards, (0.0, 1.0)).all())

    def of(self, rows: Array) -> Array:
        paid: Array = self.rewards[rows]
        return paid

    def means(self) -> Array:
        means: Array = self.rewards.mean(axis=0)
        return means

    @property
    def content(self) -> Array:
        return self.rewards


def payoffs_of(values: Array, n_arms: int) -> Payoffs:
    """By the class of each row, (rows,), or by what each arm pays in it, (rows, arms)."""
    return ClassPayoffs(values, n_arms) if values.ndim == 1 else GivenPayoffs(values)


class PaidRows(Rows):
    """The rows that each run meets, and what the arms pay in the present ones."""

    schema = Schema(paid=ArrayOf(np.float64, "runs", "arms"))

    def __init__(self, seeds: Array, n_arms: int) -> None:
        super().__init__(seeds)
        self.paid = np.zeros((seeds.size, n_arms))


@dataclass(frozen=True, eq=False, repr=False)
class OwnTable(Environment):
    """Contexts, and what every arm would pay in each of them.

    >>> contexts = np.array([[0.0], [1.0], [1.0]])
    >>> OwnTable("mine", contexts, ClassPayoffs(np.array([0, 1, 1]), 2)).problem.n_arms
    2
    """

    title: str
    contexts: Array  # (rows, features)
    payoffs: Payoffs

    contextual: ClassVar[bool] = True

    @property
    def name(self) -> str:
        return self.title

    @cached_property
    def digest(self) -> str:
        """Of everything that is played: what was computed from other rows is never mixed in."""
        digest = sha256()
        for array in (self.contexts, self.payoffs.content):
            digest.update(f"{array.dtype.str}{array.shape}".encode())
            digest.update(np.ascontiguousarray(array).data)
        return digest.hexdigest()[:24]

    def __repr__(self) -> str:
        return f"OwnTable({self.title!r}, {self.payoffs.n_arms} arms, {self.digest})"

    @property
    def problem(self) -> Problem:
        return Problem(self.payoffs.n_arms, self.contexts.shape[1], self.payoffs.support)

    def start(self, runs: int, rng: Rng) -> PaidRows:
        return PaidRows(rng.integers(2**63, size=runs), self.payoffs.n_arms)

    def look(self, world: PaidRows, played: int) -> Round:
        rows = world.at(played, self.contexts.shape[0])
        world.paid = self.payoffs.of(rows)
        return Round(self.contexts[rows], world.paid, world.paid.max(axis=1))

    def pull(self, world: PaidRows, chosen: Array, rng: Rng) -> Array:
        rewards: Array = world.paid[np.arange(chosen.size), chosen]
        return rewards
