"""What a table tells a bandit before its first decision."""

import json
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

ARMS = b"bandstrap-arms"  # the key of their names
MOST = 100_000  # rewards that are learnt
AT_ONCE = 256  # rows
REMEDY = "run bandstrap compare again"


@dataclass(frozen=True, eq=False)
class WarmStart:
    """Rows as contexts (n, features), and what every arm paid in them, (n, arms), in your units.

    A labelled table tells the reward of every arm in every row, so a bandit that learns them all
    begins where others have to explore first.

    >>> from bandstrap import Bandit, LinUCB, Support
    >>> known = WarmStart(("a", "b"), np.array([[0.0], [1.0]]), np.array([[1.0, 0.0], [0.0, 1.0]]))
    >>> bandit = Bandit(LinUCB(), arms=["a", "b"], rewards=Support.binary())
    >>> known.teach(bandit)
    >>> bandit.rewards_learnt
    4
    """

    arms: tuple[str, ...]
    contexts: Array
    rewards: Array

    @classmethod
    def of(cls, table: PreparedTable, rounds: int, seed: int = 0) -> "WarmStart":
        """As many rows as a run has rounds, at random; fewer where arms are very many."""
        rewards = table.rewards.in_units()
        rows, arms = rewards.shape
        order = generator(seed, "warm start").permutation(rows)
        some = order[: min(rounds, max(1, MOST // arms))]
        return cls(table.rewards.arms, table.contexts[some].astype(np.float64), rewards[some])

    def __len__(self) -> int:
        return len(self.contexts)

    def teach(self, bandit: Bandit) -> None:
        """Let a bandit with these arms learn every row, of every arm."""
        if set(bandit.arms) != set(self.arms):
            raise InvalidInput("arms", list(bandit.arms), f"the table has {list(self.arms)}")
        for contexts, rewards in self._pieces():
            bandit.learn(
                context=np.repeat(contexts, len(self.arms), axis=0),
                arm=[*self.arms] * len(contexts),
                reward=rewards.ravel(),
            )
        bandit.settle()

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
        except (KeyError, ValueError, TypeError) as error:
            raise OutputError(path, f"is not a warm start ({error})", REMEDY) from error
