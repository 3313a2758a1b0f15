"""A uniform sample of rows that come in pieces, in memory that does not grow with the table."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from bandstrap.arrays import Array
from bandstrap.seeding import generator

ROWS = 100_000  # rows that are kept
CELLS = 20_000_000  # rows times columns that are kept


class Sample(NamedTuple):
    """Rows of a table, and how many there were."""

    table: pa.Table
    seen: int
    complete: bool = True  # whether all of the source was read


def sampled(schema: pa.Schema, pieces: Iterable[pa.RecordBatch], seed: int) -> Sample:
    """As many rows as are kept, each with the same chance, in the order in which they came.

    Every row draws a number and those with the smallest stay, so that the sample depends on the
    seed and on the rows, not on how they were cut into pieces.
    """
    rng = generator(seed, "sample of rows")
    most = min(ROWS, max(1, CELLS // max(1, len(schema))))
    kept, marks, seen = schema.empty_table(), np.zeros(0), 0
    for piece in pieces:
        kept = pa.concat_tables([kept, pa.Table.from_batches([piece], schema)])
        marks = np.concatenate([marks, rng.random(piece.num_rows)])
        seen += piece.num_rows
        if marks.size > 2 * most:
            kept, marks = _smallest(kept, marks, most)
    kept, _ = _smallest(kept, marks, most)
    return Sample(kept, seen)


def _smallest(table: pa.Table, marks: Array, most: int) -> tuple[pa.Table, Array]:
    if marks.size <= most:
        return table, marks
    places = np.sort(np.argpartition(marks, most)[:most])
    return table.take(places).combine_chunks(), marks[places]
