"""What a log tells: which arm was chosen in which context, how probably, and what it paid."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from bandstrap.arrays import Array
from bandstrap.bandit.decision import Arm
from bandstrap.problem import Support
from bandstrap.tables import Columns

__all__ = ["Feedback", "Given"]


@dataclass(frozen=True)
class Given:
    """Contexts as they were given, where text or missing values had to become numbers."""

    rows: Array  # (n, columns), numbers and codes of words, by `columns`
    columns: Columns


@dataclass(frozen=True)
class Feedback:
    """Logged decisions as columns, one row for each, in the order of their time.

    Arrays may be mapped from a file, so that a log may be longer than memory: read them by
    slices of rows. Readers in `logs/` have validated everything; nothing here is checked again.
    """

    arms: tuple[Arm, ...]
    chosen: Array  # (n,), places among `arms`
    rewards: Array  # (n,); NaN where none has come
    contexts: Array | None = None  # (n, features), encoded by `columns`
    propensities: Array | None = None  # (n,), of the chosen arm; None if the log has none
    weights: Array | None = None  # (n,), the inverse propensity without bias; None: 1 / propensity
    probabilities: Array | None = None  # (n, arms), of all arms by the logger, where it tells them
    allowed: Array | None = None  # (n, arms), of bool; None: all arms, always
    times: Array | None = None  # (n,), seconds
    counts: Array | None = None  # (n,), how many decisions a row stands for; None: one
    columns: Columns | None = None  # how contexts became rows; None without contexts
    given: Given | None = None  # contexts before they were encoded; None: they are as given
    support: Support | None = None  # where rewards lie, as far as somebody has declared it
    notes: tuple[str, ...] = ()  # what the reader found and did, a sentence each

    def __len__(self) -> int:
        return len(self.chosen)

    def context(self, place: int) -> Any:
        """The context of a row as a bandit or a rule would be given it.

        A dict where columns have names, else an array (features,); None without contexts.
        """
        columns, rows = self.columns, self.contexts
        if self.given is not None:
            columns, rows = self.given.columns, self.given.rows
        if rows is None or columns is None:
            return None
        return columns.record(rows[place]) if columns.kinds else np.array(rows[place])
