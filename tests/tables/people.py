"""The same people in every kind of table."""

from copy import deepcopy

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from bandstrap import InvalidInput
from bandstrap.tables import Columns

PEOPLE = [
    {"age": 31, "member": True, "city": "Oslo", "height": 1.8},
    {"age": 5, "member": False, "city": "Rome", "height": 1.1},
    {"age": 62, "member": True, "city": "Oslo", "height": 1.7},
]
NUMBERS = [[31, 1, 0, 1.8], [5, 0, 1, 1.1], [62, 1, 0, 1.7]]
TABLES = {
    "dicts": lambda rows: rows,
    "pandas": pd.DataFrame,
    "pandas of objects": lambda rows: pd.DataFrame(rows, dtype=object),
    "pandas of arrow": lambda rows: pd.DataFrame(rows).convert_dtypes(dtype_backend="pyarrow"),
    "nullable pandas": lambda rows: pd.DataFrame(rows).convert_dtypes(),
    "polars": pl.DataFrame,
    "arrow": pa.Table.from_pylist,
    "arrow batch": pa.RecordBatch.from_pylist,
}
KEPT = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table}
every_table = pytest.mark.parametrize("kind", TABLES)


def taught(first=PEOPLE, **options):
    columns = Columns(**options)
    columns.read(first)
    return columns


def refused(columns, contexts, *words):
    """One error that says all these words; nothing remembered."""
    before = deepcopy(vars(columns))
    with pytest.raises(InvalidInput) as caught:
        columns.read(contexts)
    for word in words:
        assert word in str(caught.value)
    assert vars(columns) == before
