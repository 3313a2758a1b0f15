"""Contexts without names: a list of numbers in every row."""

import numpy as np
import pyarrow as pa

from bandstrap.arrays import Array
from bandstrap.evaluation.feedback import Given
from bandstrap.evaluation.logs.faults import Faults, Places
from bandstrap.evaluation.logs.spill import Spill, SpillColumn
from bandstrap.tables import Columns
from bandstrap.validation import LARGEST

FINITE = f"give finite numbers, up to {LARGEST:g}"


class MatrixStore:
    """Rows of numbers, all of the width of the first."""

    def __init__(self, column: str, spill: Spill) -> None:
        self._column, self._spill = column, spill
        self._rows: SpillColumn | None = None
        self._width = 0

    def append(self, piece: pa.Table, faults: Faults, places: Places) -> None:
        lists = piece[self._column].combine_chunks()
        widths = np.asarray(lists.value_lengths().fill_null(0))
        if self._rows is None:
            self._width = int(widths[0])
            self._rows = self._spill.column(np.float64, self._width)
        uneven = widths != self._width
        remedy = f"numbers in the context, where the first has {self._width}"
        faults.look("context", uneven, widths, places, remedy)
        if not uneven.any():
            rows = np.asarray(lists.flatten(), np.float64).reshape(len(widths), self._width)
            bad = np.asarray(~(np.abs(rows) <= LARGEST).all(axis=1))
            faults.look(
                "context", bad, rows.tolist() if bad.any() else [], places, "give finite numbers"
            )
            self._rows.append(rows)

    def contexts(self) -> tuple[Array | None, Columns | None, Given | None]:
        if self._rows is None or not self._width:
            return None, None, None
        columns = Columns()
        columns.rows(np.zeros((1, self._width)))
        return self._rows.array(), columns, None
