"""Contexts that cannot be read are refused by name, and change nothing."""

from datetime import date

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from people import NUMBERS, PEOPLE, TABLES, every_table, refused, taught

from bandstrap.tables import Columns


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
