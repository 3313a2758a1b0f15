"""Contexts as users give them, as a bandit keeps them, and as its policy sees them."""

from typing import Any

import numpy as np

from bandstrap.arrays import Array
from bandstrap.bandit.arm_features import ArmFeatures
from bandstrap.bandit.arms import Arms
from bandstrap.errors import InvalidInput
from bandstrap.problem import Problem, Support
from bandstrap.storage.schema import Flag, Maybe, Of, Schema, require
from bandstrap.tables import Columns

BYTES = np.dtype(np.uint8)


class ContextReader:
    """Reads contexts into rows (1, features), and joins features of arms to them if there are any.

    `keeps_bytes`: whether bytes stay bytes, which models read as fractions of 255. In files of
    earlier versions, which lack it, they do, and what is learnt from now on has to match.
    """

    keeps_bytes = True
    schema = Schema(
        features=Maybe(Of(ArmFeatures)),
        columns=Maybe(Of(Columns, shared=True)),
        keeps_bytes=Flag(),
    )

    def __init__(self, features: ArmFeatures | None) -> None:
        self.features = features
        self.columns: Columns | None = None  # known after the first context
        self.keeps_bytes = False

    def rows(self, context: Any) -> tuple[list[Array | None], bool]:
        """The contexts as rows, and whether it is a single context."""
        if context is None:
            return [None], True
        if self.columns is None:
            self.columns = Columns()
        rows, one = self.columns.read(context)
        if rows.dtype == BYTES and not self.keeps_bytes:
            rows = rows.astype(np.float64)
        if one:
            return [rows], True
        # Copies: a row that waits would keep all of them in memory.
        return [rows[i : i + 1].copy() for i in range(len(rows))], False

    def verify_arms(self, arms: Arms) -> None:
        """Refuse, in a file, features of other arms."""
        if self.features is not None:
            require([*arms.names] == self.features.names, "features belong to other arms")

    def mark(self) -> Any:
        """What is known of columns, for `back_to`."""
        return self.columns, {} if self.columns is None else self.columns.mark()

    def back_to(self, mark: Any) -> None:
        """Undo what refused contexts have added since the mark."""
        self.columns, words = mark
        if self.columns is not None:
            self.columns.back_to(words)

    def one_row(self, context: Any) -> Array | None:
        rows, one = self.rows(context)
        if not one:
            raise InvalidInput("context", f"{len(rows)} contexts", "give one")
        return rows[0]

    def seen(self, row: Array | None) -> Array | None:
        """A context as the policy sees it: with features of arms, a row for each arm."""
        return row if self.features is None else self.features.rows(row)[None]

    def learnt(self, row: Array | None, place: int) -> Array | None:
        """A context as the policy learns it: with features of arms, those of one arm."""
        return row if self.features is None else self.features.rows(row, place)

    def problem(self, n_arms: int, support: Support, row: Array | None) -> Problem:
        """The problem with contexts like this one."""
        width = 0 if row is None else row.shape[1]
        if self.features is None:
            return Problem(n_arms, width, support, self.columns)
        return Problem(n_arms, self.features.width(width), support, self.columns, per_arm=True)
