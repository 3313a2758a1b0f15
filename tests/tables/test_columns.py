"""Contexts of every kind become the same rows of numbers."""

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from people import NUMBERS, PEOPLE, TABLES, every_table, taught
from scipy.sparse import coo_array, csr_array, csr_matrix

from bandstrap.tables import Columns


@every_table
def test_every_table_gives_the_same_rows(kind):
    columns = Columns()
    read = columns.read(TABLES[kind](PEOPLE))
    assert read.rows.tolist() == NUMBERS
    assert read.rows.dtype == np.float64
    assert not read.one
    assert columns.names == ["age", "member", "city", "height"]
    assert columns.kinds["member"] == "flag"
    assert columns.text == ["city"]


@every_table
def test_a_table_after_another_kind_of_table_in_another_order(kind):
    columns = taught()
    turned = [dict(reversed(row.items())) for row in PEOPLE]
    assert columns.rows(TABLES[kind](turned)).tolist() == NUMBERS


@pytest.mark.parametrize("wrap", [dict, pd.Series, lambda row: pd.DataFrame(PEOPLE).iloc[0]])
def test_one_context_with_names(wrap):
    for columns in (Columns(), taught()):
        read = columns.read(wrap(PEOPLE[0]))
        assert read.rows.tolist() == NUMBERS[:1]
        assert read.one
    assert taught().read([wrap(PEOPLE[0])]).one is False


@given(st.lists(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=9), min_size=1))
def test_codes_are_the_order_of_first_appearance_however_words_are_grouped(groups):
    columns = Columns()
    codes = [c for group in groups for c in columns.rows([{"w": w} for w in group])[:, 0]]
    words = [word for group in groups for word in group]
    order = list(dict.fromkeys(words))
    assert codes == [order.index(word) for word in words]
    assert columns.frame(np.array(codes)[:, None])["w"].tolist() == words


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=5))
def test_numbers_come_through_to_the_last_bit(numbers):
    named = {f"c{i}": number for i, number in enumerate(numbers)}
    exact = np.array([numbers]).tobytes()
    arrays, dicts, frames = Columns(), Columns(), Columns()
    for _ in range(2):  # once looked at, once the quick way
        assert arrays.rows(np.array(numbers)).tobytes() == exact
        assert dicts.rows(named).tobytes() == exact
        assert frames.rows(pl.DataFrame([named])).tobytes() == exact


@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.float64])
def test_usual_arrays_keep_their_type_and_may_change_afterwards(dtype):
    columns, array = Columns(), np.arange(6, dtype=dtype).reshape(2, 3)
    for context in (array, array[0], array, array[0]):
        read = columns.read(context)
        assert read.rows.dtype == dtype
        assert not np.shares_memory(read.rows, array)
        assert read.one == (context.ndim == 1)
    assert columns.frame(array) is array
    assert columns.rows(array.T.repeat(3, 1)[:, :3]).flags.c_contiguous
    strided = columns.rows(np.arange(6.0)[::2])
    assert strided.tolist() == [[0, 2, 4]]
    assert strided.flags.c_contiguous


def test_other_arrays_become_doubles():
    columns = Columns()
    one = [[1, 2], (1, 2), np.array([1, 2]), np.array([1.0, 2], np.float16), coo_array([1, 2])]
    one += [np.array([1, 2.0], dtype=object), [1, Decimal(2)], np.array([1, 2], dtype=">f8")]
    for context in one:
        read = columns.read(context)
        assert read.rows.tolist() == [[1, 2]]
        assert read.rows.dtype == np.float64
        assert read.one
    rows = [[1, 0], [0, 2]]
    for many in (
        rows,
        csr_array(rows),
        csr_matrix(rows),
        np.array(rows),
        [np.array([1, 0]), [0, 2]],
    ):
        read = columns.read(many)
        assert read.rows.tolist() == rows
        assert not read.one
    assert columns.rows(csr_array(np.array(rows, np.uint8))).dtype == np.uint8
    assert columns.rows(np.zeros((0, 2))).shape == (0, 2)


def test_very_large_numbers_are_numbers():
    columns = taught(np.array([1e300, -1e300]))
    assert columns.rows(np.array([1e300, -1e300])).tolist() == [[1e300, -1e300]]
    assert taught({"a": 1e300}).rows({"a": 1e300}).tolist() == [[1e300]]
