"""Numbers and dates as people write them: in a table, and in the rows of a product."""

import datetime

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from bandstrap import Encoder, InvalidInput
from bandstrap.comparison.rewards import Label, RewardColumns
from bandstrap.comparison.table import prepare
from bandstrap.tables.numerals import number
from bandstrap.tables.reading import Reading, repeats


@pytest.mark.parametrize(
    ("word", "decimal", "value"),
    [
        ("2.862,49", ",", 2862.49),
        ("1,234.50", ".", 1234.5),
        ("1 234,5", ",", 1234.5),
        ("1'234.5", ".", 1234.5),
        ("€ 2.32", ".", 2.32),
        ("2,32 €", ",", 2.32),
        ("-€5", ".", -5.0),
        ("−7", ".", -7.0),
        ("23.2%", ".", 23.2),
        ("USD 1,000", ".", 1000.0),
        (".5", ".", 0.5),
        ("1.5e3", ".", 1500.0),
        ("2.5", ",", None),  # no group of three
        ("0.505", ",", None),
        ("1,23,4", ".", None),
        ("error", ".", None),
        ("12 apples", ".", None),
        ("", ".", None),
        ("€", ".", None),
        ("9" * 50, ".", None),
    ],
)
def test_numbers_as_they_are_written(word, decimal, value):
    assert number(word, decimal) == value


ROWS = pd.DataFrame(
    {
        "price": ["1.000,50", "2.862,49", "€ 3,00", "7,5"],
        "load": ["5 %", "error", "7 %", "12.5 %"],
        "zip": [10115, 80331, 10115, 50667],
        "when": ["31.01.2024 10:30", "01.02.2024 00:00", None, "05.03.2024 23:59"],
        "y": ["a", "b", "a", "b"],
    }
)
READING = Reading(",", {"load": "number", "zip": "text", "when": "date"})


def test_rows_of_a_product_are_read_as_the_table_was(tmp_path):
    prepared = prepare(ROWS, Label("y"), reading=READING)
    prepared.encoder.save(tmp_path / "encoder.json")
    encode = Encoder.load(tmp_path / "encoder.json")
    assert encode == prepared.encoder
    for place, row in enumerate(ROWS.to_dict("records")):
        assert encode(row) == pytest.approx(prepared.contexts[place], abs=1e-6)
    assert encode(ROWS) == pytest.approx(prepared.contexts, abs=1e-6)
    columns = list(encode.columns)
    there = prepared.contexts[0]
    assert there[columns.index("zip=10115")] == 1
    assert there[columns.index("when=day, sine")] == pytest.approx(np.sin(2 * np.pi * 10.5 / 24))
    usual = dict(ROWS.iloc[0])
    with pytest.raises(InvalidInput, match="give a number"):
        encode({**usual, "price": "many"})
    assert encode({**usual, "load": "many"})[columns.index("load=(missing)")] == 1
    with pytest.raises(InvalidInput, match="give a date"):
        encode({**usual, "when": "soon"})


def test_dates_of_any_kind_are_the_same_moment():
    prepared = prepare(ROWS, Label("y"), reading=READING)
    usual = dict(ROWS.iloc[0])
    moment = datetime.datetime(2024, 1, 31, 10, 30)
    berlin = datetime.timezone(datetime.timedelta(hours=1))
    for same in (
        moment,
        pd.Timestamp(moment),
        np.datetime64(moment),
        "2024-01-31T10:30:00Z",
        "2024-01-31 11:30:00+01:00",
        moment.replace(hour=11, tzinfo=berlin),
    ):
        assert prepared.encoder({**usual, "when": same}) == pytest.approx(prepared.contexts[0])
    typed = ROWS.assign(when=pd.to_datetime(ROWS.when, dayfirst=True))
    read = prepare(typed, Label("y"), reading=READING)
    assert read.contexts == pytest.approx(prepared.contexts)


def test_dates_that_may_be_two_are_refused():
    table = pa.table({"x": [1, 2, 4], "when": ["1/2/2024", "3/4/2024", "5/6/2024"], "y": [0, 1, 1]})
    with pytest.raises(InvalidInput, match="day and month may be swapped"):
        prepare(table, Label("y"), reading=Reading(kinds={"when": "date"}))


def test_rewards_may_be_written_in_any_way():
    table = pa.table(
        {"x": [0.0, 1.0, 2.5], "a": ["€ 1,50", "2,00", "1.000,25"], "b": ["1,5", "n/a", "2,5"]}
    )
    with pytest.raises(InvalidInput, match="add --decimal ,"):
        prepare(table, RewardColumns(("a", "b")))
    rewards = prepare(table, RewardColumns(("a", "b")), reading=Reading(",")).rewards
    assert rewards.in_units() == pytest.approx(np.array([[1.5, 1.5], [1000.25, 2.5]]))


def test_a_mark_is_found_or_asked_for():
    column = pa.chunked_array([["1,234", "2,345"]])
    with pytest.raises(InvalidInput, match=r"add --decimal \. or ,"):
        Reading(kinds={"n": "number"}).cells("n", column)
    cells = Reading(".", {"n": "number"}).cells("n", column)
    assert cells.numbers().tolist() == [1234.0, 2345.0]
    # A column that is written otherwise than the rest.
    other = Reading(",", {"n": "number"}).cells("n", pa.chunked_array([["€ 2.32", "?", "bad"]]))
    assert other.numbers()[0] == 2.32
    assert np.isnan(other.numbers()[1:]).all()
    with pytest.raises(InvalidInput, match="no value of this column is a number"):
        Reading(kinds={"n": "number"}).cells("n", pa.chunked_array([["a", "b"]]))


def test_rows_that_repeat_others():
    table = pa.table({"a": [1, 1, 2, None, None, 1], "b": ["x", "x", "x", None, None, "y"]})
    assert repeats(table).tolist() == [False, True, False, False, True, False]
    coded = table.set_column(1, "b", table["b"].dictionary_encode())
    assert repeats(coded).tolist() == [False, True, False, False, True, False]
