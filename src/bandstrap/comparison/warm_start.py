"""What a table tells a bandit before its first decision, and the two ways of learning it."""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from bandstrap.arrays import Array
from bandstrap.bandit import Bandit
from bandstrap.comparison.table import PreparedTable
from bandstrap.errors import InvalidInput, OutputError
from bandstrap.seeding import generator
from bandstrap.simulation.store.tables import read_table, write_table
from bandstrap.validation import require_whole

ARMS = b"bandstrap-arms"  # the key of their names
AT_ONCE = 256  # rows
REMEDY = "run bandstrap compare again"
MOST = 100_000  # rewards that are learnt, where all arms are


@dataclass(frozen=True, eq=False)
class WarmStart:
    """Rows as contexts (n, features), and what every arm paid in them, (n, arms), in your units.

    >>> from bandstrap import Bandit, LinUCB, Support
    >>> known = WarmStart(("a", "b"), np.array([[0.0], [1.0]]), np.array([[1.0, 0.0], [0.0, 1.0]]))
    >>> bandit = Bandit(LinUCB(), arms=["a", "b"], rewards=Support.binary())
    >>> known.teach(bandit)
    >>> known.rehearse(bandit, rounds=3)
    >>> bandit.rewards_learnt
    7
    """

    arms: tuple[str, ...]
    contexts: Array
    rewards: Array

    @classmethod
    def of(cls, table: PreparedTable, rows: int, seed: int = 0) -> "WarmStart":
        """Some rows of a table, at random."""
        some = generator(seed, "warm start").permutation(len(table.contexts))[:rows]
        contexts = table.contexts[some].astype(np.float64)
        return cls(table.rewards.arms, contexts, table.rewards.in_units(some))

    def __len__(self) -> int:
        return len(self.contexts)

    def teach(self, bandit: Bandit) -> None:
        """Let a bandit with these arms learn every row, of every arm."""
        self._check(bandit)
        for contexts, rewards in self._pieces():
            bandit.learn(
                context=np.repeat(contexts, len(self.arms), axis=0),
                arm=[*self.arms] * len(contexts),
                reward=rewards.ravel(),
            )
        bandit.settle()

    def rehearse(self, bandit: Bandit, rounds: int | None = None) -> None:
        """Let it choose an arm in each row and learn what that paid, as in a product.

        Each row is one of the `rounds`; where these are more, rows come again.
        """
        require_whole(1, rounds=rounds)
        self._check(bandit)
        paid = [dict(zip(self.arms, each, strict=True)) for each in self.rewards.tolist()]
        for played in range(len(self) if rounds is None else rounds):
            place = played % len(self)
            arm = bandit.rank(self.contexts[place], k=1)[0]
            bandit.learn(context=self.contexts[place], arm=arm, reward=paid[place][str(arm)])

    def _check(self, bandit: Bandit) -> None:
        if set(bandit.arms) != set(self.arms):
            raise InvalidInput("arms", list(bandit.arms), f"the table has {list(self.arms)}")

    def _pieces(self) -> Iterator[tuple[Array, Array]]:
        for start in range(0, len(self), AT_ONCE):
            some = slice(start, start + AT_ONCE)
            yield self.contexts[some], self.rewards[some]

    def save(self, path: Path | str) -> None:
        """Write it as a Parquet table, for `load`."""
        columns = {f"context {i}": self.contexts[:, i] for i in range(self.contexts.shape[1])}
        columns |= {f"reward {i}": self.rewards[:, i] for i in range(len(self.arms))}
        facts = {ARMS: json.dumps(self.arms).encode()}
        write_table(pa.table(columns).replace_schema_metadata(facts), Path(path))

    @classmethod
    def load(cls, path: Path | str) -> "WarmStart":
        """Read a file that `save` has written."""
        table = read_table(Path(path))
        try:
            arms = tuple(map(str, json.loads((table.schema.metadata or {})[ARMS])))
            values = np.stack([column.to_numpy() for column in table.columns], axis=1)
            width = values.shape[1] - len(arms)
            if width < 1 or not np.isfinite(values).all():
                raise ValueError("it lacks contexts, or numbers")
            return cls(arms, values[:, :width].copy(), values[:, width:].copy())
        except (KeyError, ValueError, TypeError, RecursionError) as error:
            raise OutputError(path, f"is not a warm start ({error})", REMEDY) from error


@dataclass(frozen=True)
class Lesson(ABC):
    """How long a run was, and how much of a table of so many rows and arms is learnt."""

    rounds: int
    rows: int
    arms: int

    @property
    @abstractmethod
    def learnt(self) -> int:
        """Rows that are learnt."""

    @abstractmethod
    def give(self, known: WarmStart, bandit: Bandit) -> None:
        """Let a bandit learn them."""

    @property
    @abstractmethod
    def code(self) -> str:
        """The call that does, after `WarmStart.load(…)`."""

    def of(self, table: PreparedTable, seed: int) -> WarmStart:
        """What is learnt."""
        return WarmStart.of(table, self.learnt, seed)


class Told(Lesson):
    """Every arm of as many rows as a run has rounds; of fewer where arms are very many."""

    @property
    def learnt(self) -> int:
        return min(self.rows, self.rounds, max(1, MOST // self.arms))

    def give(self, known: WarmStart, bandit: Bandit) -> None:
        known.teach(bandit)

    @property
    def code(self) -> str:
        return f"teach(bandit)  # {self.learnt:,} rows, every arm"


class Rehearsed(Lesson):
    """The arms that the bandit chooses, over twice the rounds of a run: rows come again if need be.

    Models that are too simple for a table do better so: they fit each arm where it may be chosen.
    """

    @property
    def learnt(self) -> int:
        return min(self.rows, self._played)

    @property
    def _played(self) -> int:
        return 2 * self.rounds

    def give(self, known: WarmStart, bandit: Bandit) -> None:
        known.rehearse(bandit, self._played)

    @property
    def code(self) -> str:
        again = f", rounds={self._played}" if self._played > self.learnt else ""
        return f"rehearse(bandit{again})  # {self._played:,} rounds on the table"
