"""Tables made again from rows, and columns that go on elsewhere."""

import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from people import KEPT, NUMBERS, PEOPLE, taught
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from bandstrap import InvalidInput, Problem
from bandstrap.storage.packing import pack
from bandstrap.storage.unpacking import Loaded, unpack
from bandstrap.tables import Columns


@pytest.mark.parametrize("kind", KEPT)
def test_the_table_again(kind):
    columns, table = (
        Columns(),
        KEPT[kind](pd.DataFrame(PEOPLE).astype({"age": float}).to_dict("list")),
    )
    back = columns.frame(columns.rows(table))
    if kind == "arrow":  # a pandas frame, whose text Arrow reads as another type
        back = pa.Table.from_pandas(back).cast(table.schema)
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
    for table, frame in (
        (pl.DataFrame({"w": pl.Series(words, dtype=pl.Categorical)}), pl.DataFrame),
        (pa.table({"w": pa.array(words).dictionary_encode()}), pd.DataFrame),
    ):
        columns = Columns()
        back = columns.frame(columns.rows(table))
        assert type(back) is frame
        assert back["w"].to_list() == words
        assert columns.text == ["w"]


def test_words_met_since_a_mark_can_be_forgotten():
    columns = Columns()
    columns.rows([{"w": "b"}, {"w": "a"}])
    mark = columns.mark()
    assert columns.rows([{"w": "c"}, {"w": "a"}, {"w": "d"}]).tolist() == [[2], [1], [3]]
    columns.back_to(mark)
    assert columns.rows({"w": "d"}).tolist() == [[2]]


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
    halves = unpack(pack(halves), Loaded())
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
    assert unpack(pack(named), Loaded()).columns.rows(PEOPLE).tolist() == NUMBERS


WITHOUT = """
import sys
class Nowhere:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("pandas", "polars"):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Nowhere())
import numpy as np, pyarrow as pa
from bandstrap import InvalidInput
from bandstrap.tables import Columns
columns = Columns()
assert columns.rows({"a": 1, "b": "x"}).tolist() == [[1, 0]]
assert columns.rows(pa.table({"b": ["y"], "a": [2]})).tolist() == [[2, 1]]
assert Columns().rows([1, 2]).tolist() == [[1, 2]]
try:
    columns.frame(np.zeros((1, 2)))
except InvalidInput as error:
    print(error)
"""


def test_without_pandas_a_frame_is_polars():
    only = (
        WITHOUT.replace('("pandas", "polars")', '("pandas",)')
        + "print(type(columns.frame(np.zeros((1, 2)))))"
    )
    done = subprocess.run([sys.executable, "-c", only], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "polars" in done.stdout


def test_without_pandas_and_polars():
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert "pip install pandas" in done.stdout
