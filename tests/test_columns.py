"""Contexts of every kind become the same rows of numbers, and bad ones change nothing."""

import subprocess
import sys
from copy import deepcopy
from datetime import date
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array, csr_array, csr_matrix
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from bandstrap import InvalidInput, Problem
from bandstrap.columns import Columns
from bandstrap.packing import pack, unpack

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
def test_usual_arrays_are_not_copied(dtype):
    columns, array = Columns(), np.arange(6, dtype=dtype).reshape(2, 3)
    for context in (array, array[0], array, array[0]):
        read = columns.read(context)
        assert read.rows.dtype == dtype
        assert np.shares_memory(read.rows, array)
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


def test_wrong_names():
    columns = taught()
    lacking = {name: value for name, value in PEOPLE[0].items() if name != "age"}
    refused(columns, lacking, "'age'", "missing")
    refused(columns, {**PEOPLE[0], "hat": 1}, "'hat'", "leave it out")
    refused(columns, {**lacking, "agee": 1}, "'age'", "'agee'")
    refused(columns, [PEOPLE[0], lacking], "'age'", "row 1")
    refused(columns, pd.DataFrame([lacking]), "'age'")
    refused(columns, pl.DataFrame(PEOPLE).with_columns(hat=1), "'hat'")
    refused(columns, np.zeros(4), "names")
    refused(taught(np.zeros(4)), PEOPLE[0], "arrays")
    refused(Columns(), pd.DataFrame([[1, 2]], columns=["a", "a"]), "'a'")
    refused(Columns(), {("a", 1): 2}, "('a', 1)")


@every_table
def test_wrong_kinds(kind):
    columns, table = taught(), TABLES[kind]
    refused(columns, table([{**PEOPLE[0], "age": "old"}]), "'age'", "'old'", "numbers")
    refused(columns, table([{**PEOPLE[0], "city": 3}]), "'city'", "3", "text")
    refused(columns, table([{**PEOPLE[0], "member": 3}]), "'member'", "3", "true or false")
    refused(columns, table([{**PEOPLE[0], "age": date(2020, 1, 2)}]), "'age'", "numbers")
    refused(columns, table([{**PEOPLE[0], "city": "new", "height": np.inf}]), "'height'", "inf")
    assert columns.rows(table([{**PEOPLE[0], "member": 1}])).tolist() == NUMBERS[:1]


@pytest.mark.parametrize("value", [[1, 2], {"a": 1}, b"x", object(), date(2020, 1, 2), 1 + 2j])
def test_what_no_column_holds(value):
    for columns in (Columns(), taught({"a": 1, "b": 2})):
        refused(columns, {"a": 1, "b": value}, "'b'", "numbers, booleans or text")


def test_first_contexts_that_cannot_be_used():
    refused(Columns(), pl.DataFrame({"when": [date(2020, 1, 2)]}), "'when'", "Date")
    refused(Columns(), pd.DataFrame({"a": pd.Categorical([1, 2])}), "'a'", "text")
    refused(Columns(), [{"a": 1}, {"a": "x"}], "'a'", "'x'")
    refused(Columns(), {"a": 10**400}, "'a'", "too large")
    refused(taught({"a": 1}), {"a": 10**400}, "'a'", "too large")
    nothing = [{}, [], np.zeros(0), pd.DataFrame(), np.zeros((3, 0))]
    for contexts in [*nothing, 3.0, "text", None, object(), np.zeros((1, 1, 1)), [[1], [2, 3]]]:
        refused(Columns(), contexts, "contexts")
    refused(Columns(), pl.LazyFrame({"a": [1]}), "contexts")
    refused(Columns(), [1, "x"], "'x'")
    refused(Columns(), np.array([{"a": 1}, 2]), "numbers")


def test_wrong_widths_and_numbers_that_are_none():
    columns = taught(np.zeros(3))
    refused(columns, np.zeros(2), "2", "3")
    refused(columns, np.zeros((4, 5)), "5", "3")
    for dtype in (np.float32, np.float64):
        refused(columns, np.array([0, np.nan, 0], dtype), "position 1", "missing=True")
        refused(columns, np.array([[0, 0, 0], [0, 0, -np.inf]], dtype), "row 1", "position 2")
    refused(columns, np.ma.array([1.0, 2, 3], mask=[0, 1, 0]), "position 1", "missing")
    refused(columns, [1, None, 3], "position 1", "missing")
    refused(taught(np.zeros(3), missing=True), np.array([0, np.inf, 0]), "position 1")


@every_table
@pytest.mark.parametrize("name", ["age", "member", "city", "height"])
def test_missing_values_are_refused_by_row_and_column(kind, name):
    people = [PEOPLE[0], {**PEOPLE[1], "city": "new", name: None}]
    for columns in (Columns(), taught()):
        refused(columns, TABLES[kind](people), repr(name), "row 1", "missing=True")
    refused(taught(), {**PEOPLE[0], name: float("nan")}, repr(name), "missing=True")


@every_table
def test_missing_values_where_allowed(kind):
    columns = Columns(missing=True)
    gap = dict.fromkeys(PEOPLE[0])
    assert columns.rows(TABLES[kind]([*PEOPLE[:1], gap, *PEOPLE[1:]])).shape == (4, 4)
    row = columns.rows(gap)
    np.testing.assert_array_equal(row, [[np.nan, np.nan, 1, np.nan]])
    assert columns.rows(PEOPLE)[:, 2].tolist() == [0, 2, 0]
    back = columns.frame(columns.rows([PEOPLE[1], gap]))
    city = back["city"].to_pylist() if isinstance(back, pa.Table) else back["city"].to_list()
    assert city[0] == "Rome"
    assert pd.isna(city[1])
    refused(Columns(missing=True), gap, "'age'", "first")


@pytest.mark.parametrize("kind", KEPT)
def test_the_table_again(kind):
    columns, table = (
        Columns(),
        KEPT[kind](pd.DataFrame(PEOPLE).astype({"age": float}).to_dict("list")),
    )
    back = columns.frame(columns.rows(table))
    assert type(back) is type(table)
    assert back.equals(table)
    if kind == "pandas":
        assert back.dtypes.tolist() == table.dtypes.tolist()
    assert len(columns.frame(np.zeros((0, 4)))) == 0


def test_categories_come_back_as_categories():
    words = ["b", "a", "b"]
    frame = Columns()
    back = frame.frame(frame.rows(pd.DataFrame({"w": pd.Categorical(words)})))
    assert back["w"].dtype == pd.CategoricalDtype(["b", "a"])
    assert back["w"].tolist() == words
    for table in (
        pl.DataFrame({"w": pl.Series(words, dtype=pl.Categorical)}),
        pa.table({"w": pa.array(words).dictionary_encode()}),
    ):
        columns = Columns()
        back = columns.frame(columns.rows(table))
        assert back.equals(table)
        assert columns.text == ["w"]


def test_numbered_columns_of_pandas():
    table = pd.DataFrame([[1.0, 2.0], [3.0, 4.0]])
    columns = taught(table)
    assert columns.rows(table.iloc[1]).tolist() == [[3, 4]]
    pd.testing.assert_frame_equal(columns.frame(table.to_numpy()), table, check_column_type=False)


def test_codes_that_nobody_gave_are_refused():
    for code in (2.0, 0.5, -1.0, np.nan):
        with pytest.raises(InvalidInput, match="codes"):
            taught().frame(np.array([[1, 1, code, 1]]))
    with pytest.raises(InvalidInput, match="3 wide"):
        taught().frame(np.zeros((1, 3)))


def test_a_pipeline_learns_from_the_table_made_again():
    columns = Columns()
    rows = columns.rows(PEOPLE)
    encoder = make_column_transformer((OneHotEncoder(), ["city"]), remainder="passthrough")
    model = make_pipeline(encoder, LogisticRegression())
    direct = model.fit(pd.DataFrame(PEOPLE), [0, 1, 0]).predict_proba(pd.DataFrame(PEOPLE))
    again = model.fit(columns.frame(rows), [0, 1, 0]).predict_proba(columns.frame(rows))
    np.testing.assert_array_equal(direct, again)


@given(st.integers(0, 20), st.booleans())
def test_packed_and_unpacked_it_goes_on_identically(split, missing):
    words = ["a", "b", "a", "c", "d", "b", "e", "a", "f", "d"] * 2
    rows = [{"w": word, 0: float(i), "f": i % 3 == 0} for i, word in enumerate(words)]
    whole, halves = Columns(missing), Columns(missing)
    for row in rows[:split]:
        assert halves.rows(row).tobytes() == whole.rows(row).tobytes()
    halves = unpack(pack(halves))
    assert vars(halves) == vars(whole)
    for row in rows[split:]:
        assert halves.rows(row).tobytes() == whole.rows(row).tobytes()
    assert vars(halves) == vars(whole)
    numbers = whole.rows(rows)
    pd.testing.assert_frame_equal(halves.frame(numbers), whole.frame(numbers))


def test_a_problem_is_the_same_whatever_its_columns():
    plain, named = Problem(3, 4), Problem(3, 4, columns=taught())
    assert plain == named
    assert hash(plain) == hash(named)
    assert repr(plain) == repr(named)
    assert "columns" not in repr(plain)
    assert unpack(pack(named)).columns.rows(PEOPLE).tolist() == NUMBERS


WITHOUT = """
import sys
class Nowhere:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("pandas", "polars"):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Nowhere())
import numpy as np, pyarrow as pa
from bandstrap import InvalidInput
from bandstrap.columns import Columns
columns = Columns()
assert columns.rows({"a": 1, "b": "x"}).tolist() == [[1, 0]]
assert columns.rows(pa.table({"b": ["y"], "a": [2]})).tolist() == [[2, 1]]
assert Columns().rows([1, 2]).tolist() == [[1, 2]]
try:
    columns.frame(np.zeros((1, 2)))
except InvalidInput as error:
    print(error)
"""


def test_without_pandas_and_polars():
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert "pip install pandas" in done.stdout
