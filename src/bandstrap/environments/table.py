"""A table played as a bandit: rows in random order, rewards from the table."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import ClassVar

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.environments.base import Environment, Round
from bandstrap.environments.labelled import ShuffledRows
from bandstrap.errors import InvalidInput
from bandstrap.problem import Problem, Support
from bandstrap.storage.schema import ArrayOf, Schema


class Payoffs(ABC):
    """The reward of each arm in each row."""

    @property
    @abstractmethod
    def n_arms(self) -> int: ...

    @property
    @abstractmethod
    def support(self) -> Support:
        """Where payoffs lie."""

    @abstractmethod
    def of(self, rows: Array) -> Array:
        """The rewards of all arms in these rows, (rows, arms)."""

    @abstractmethod
    def means(self) -> Array:
        """The mean reward of each arm over all rows, (arms,)."""

    @property
    @abstractmethod
    def content(self) -> Array:
        """The array that determines all payoffs."""


@dataclass(frozen=True, eq=False)
class ClassPayoffs(Payoffs):
    """One versus all: the arm of a row's class pays 1, any other 0.

    >>> ClassPayoffs(np.array([0, 1, 1, 1]), classes=2).means()
    array([0.25, 0.75])
    """

    labels: Array  # (rows,), 0 to classes - 1
    classes: int
    support = Support.binary()

    @property
    def n_arms(self) -> int:
        return self.classes

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
class FullPayoffs(Payoffs):
    """Full information: the table holds the reward of every arm, from 0 to 1.

    >>> FullPayoffs(np.array([[0.0, 1.0], [0.5, 0.5]])).means()
    array([0.25, 0.75])
    """

    rewards: Array  # (rows, arms)

    def __post_init__(self) -> None:
        if not (np.isfinite(self.rewards).all() and np.abs(self.rewards - 0.5).max() <= 0.5):
            raise InvalidInput("rewards", self.rewards, "give finite rewards from 0 to 1")

    @property
    def n_arms(self) -> int:
        return int(self.rewards.shape[1])

    @cached_property
    def support(self) -> Support:
        binary = np.isin(self.rewards, (0.0, 1.0)).all()
        return Support.binary() if binary else Support.interval(0.0, 1.0)

    def of(self, rows: Array) -> Array:
        paid: Array = self.rewards[rows]
        return paid

    def means(self) -> Array:
        means: Array = self.rewards.mean(axis=0)
        return means

    @property
    def content(self) -> Array:
        return self.rewards


class PaidRows(ShuffledRows):
    """The rows of each run, and the arms' rewards in the present ones."""

    schema = Schema(paid=ArrayOf(np.float64, "runs", "arms"))

    def __init__(self, seeds: Array, n_arms: int) -> None:
        super().__init__(seeds)
        self.paid = np.zeros((seeds.size, n_arms))


@dataclass(frozen=True, eq=False, repr=False)
class TableEnvironment(Environment):
    """Contexts, and the reward of every arm in each of them.

    >>> contexts = np.array([[0.0], [1.0], [1.0]])
    >>> payoffs = ClassPayoffs(np.array([0, 1, 1]), classes=2)
    >>> TableEnvironment("mine", contexts, payoffs).problem.n_arms
    2
    """

    title: str
    contexts: Array  # (rows, features)
    payoffs: Payoffs

    contextual: ClassVar[bool] = True
    seeded_as: ClassVar[str] = "OwnTable"  # its old name

    @property
    def name(self) -> str:
        return self.title

    @cached_property
    def digest(self) -> str:
        """Of all contexts and payoffs, so that results of other rows are never reused."""
        digest = sha256()
        for array in (self.contexts, self.payoffs.content):
            digest.update(f"{array.dtype.str}{array.shape}".encode())
            digest.update(np.ascontiguousarray(array).data)
        return digest.hexdigest()[:24]

    def __repr__(self) -> str:
        return f"TableEnvironment({self.title!r}, {self.payoffs.n_arms} arms, {self.digest})"

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
