"""Logs in tables: which column is what, and what becomes of contexts."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from logged_worlds import ARMS, frame

from bandstrap import InvalidInput, UnknownName
from bandstrap.evaluation.logs import read_log
from bandstrap.tables.reading import Reading


def written(path, columns=None, **options):
    pd.DataFrame(frame() if columns is None else columns).to_csv(path, index=False, **options)
    return path


def test_a_csv_of_another_system_needs_no_mapping(tmp_path):
    columns = {**frame(), "revenue": 1.5, "user_id": np.arange(200) // 3}
    columns = {"clicks_last_week": np.arange(200) % 7, **columns}
    log = read_log(written(tmp_path / "log.csv", columns))
    assert log.arms == ARMS
    assert [log.arms[place] for place in log.chosen] == columns["variant"]
    assert (log.rewards == columns["clicked"]).all()
    assert (log.propensities == columns["prob"]).all()
    assert log.times[1] - log.times[0] == 60.0
    assert log.columns.names == ["clicks_last_week", "age", "city=Bern", "city=Oslo", "city=Rome"]
    for row in (0, 7):
        names = ("clicks_last_week", "age", "city")
        assert log.context(row) == {name: columns[name][row] for name in names}
        assert log.columns.record(log.contexts[row])[f"city={columns['city'][row]}"] == 1.0
    notes = " ".join(log.notes)
    for told in ("Arm: column 'variant'", "Reward: column 'clicked'", "Propensity: column 'prob'",
                 "Time: column 'when'", "'revenue', by the name known", "user_id"):  # fmt: skip
        assert told in notes


@pytest.mark.parametrize("kind", ["parquet", "feather", "pandas", "polars", "arrow", "tsv", "gz"])
def test_all_kinds_of_tables_give_the_same(tmp_path, kind):
    table, path = pa.table(frame()), tmp_path / "log"
    if kind == "parquet":
        pq.write_table(table, path)
    elif kind == "feather":
        pyarrow.feather.write_feather(table, path)
    elif kind == "tsv":
        written(path, sep="\t")
    elif kind == "gz":
        written(path := tmp_path / "log.csv.gz")
    frames = {"pandas": table.to_pandas, "polars": lambda: pl.from_arrow(table),
              "arrow": lambda: table}  # fmt: skip
    log, plain = read_log(frames.get(kind, lambda: path)()), read_log(table)
    for name in ("chosen", "rewards", "propensities", "contexts", "times"):
        assert (getattr(log, name) == getattr(plain, name)).all(), name
    assert log.columns.names == plain.columns.names


def test_columns_may_be_named():
    columns = {"x": [1.0, 2.0], "y": [0.5, 3.0], "which": ["b", "a"], "got": [1, 0], "p": [0.5, 1]}
    with pytest.raises(InvalidInput, match=r"arm = None: no name .* name one of x, y, which"):
        read_log(pa.table(columns))
    with pytest.raises(InvalidInput, match="holds what it paid"):
        read_log(pa.table(columns), arm="which")
    with pytest.raises(UnknownName, match="did you mean 'which'"):
        read_log(pa.table(columns), arm="whihc")
    log = read_log(pa.table(columns), arm="which", reward="got", context=["y"])
    assert log.columns.names == ["y"]
    assert log.propensities.tolist() == [0.5, 1.0]
    without = read_log(pa.table(columns), arm="which", reward="got", propensity="")
    assert without.propensities is None
    assert "The log has no propensities." in without.notes
    assert without.columns.names == ["x", "y", "p"]


def test_numbers_stay_as_they_are_and_missing_ones_get_an_indicator():
    table = {"arm": ["a", "b"] * 2, "reward": [1, 0, None, 2], "age": [30.0, None, 50.0, 70.0],
             "city": ["x", None, "y", "x"], "member": [True, False, True, True]}  # fmt: skip
    log = read_log(pa.table(table))
    assert log.columns.names == ["age", "age=(missing)", "city=x", "city=y", "city=(missing)",
                                 "member"]  # fmt: skip
    assert log.contexts[1].tolist() == [50.0, 1.0, 0.0, 0.0, 1.0, 0.0]
    assert log.context(0) == {"age": 30.0, "city": "x", "member": 1.0}
    assert np.isnan(log.context(1)["age"])
    assert log.context(1)["city"] is None
    assert np.isnan(log.rewards[2])
    assert "1 of 4 decisions have no reward." in log.notes


@pytest.mark.parametrize("cells", [["a|b", "b|c", ""], ['["a", "b"]', '["b", "c"]', None],
                                   [["a", "b"], ["c", "b"], None]])  # fmt: skip
def test_allowed_arms(cells):
    columns = {"arm": ["a", "c", "a"], "reward": [1, 0, 1], "allowed": cells}
    log = read_log(pa.table(columns))
    assert log.arms == ("a", "b", "c")
    assert log.allowed.tolist() == [[True, True, False], [False, True, True], [True, True, True]]
    assert read_log(pa.table({**columns, "allowed": ["a|b|c"] * 3})).allowed is None


def test_arms_that_are_numbers_and_arms_that_are_given():
    columns = {"arm": [10, 9, 10], "reward": [0.0, 1.0, 2.0]}
    assert read_log(pa.table(columns)).arms == (9, 10)
    text = pa.table({**columns, "arm": ["10", "9", "10"]})
    assert read_log(text).arms == (9, 10)
    assert read_log(pa.table({**columns, "arm": ["07", "9", "10"]})).arms == ("07", "10", "9")
    log = read_log(text, arms=[12, 10, 9])
    assert (log.arms, log.chosen.tolist()) == ((12, 10, 9), [1, 2, 1])


def test_arms_that_come_later_may_come_before():
    first = pa.table({"arm": ["c", "b"], "reward": [0.0, 1.0], "city": ["x", "y"]})
    later = pa.table({"arm": ["a", "c"], "reward": [2.0, 3.0], "city": ["z", "x"]})
    log = read_log(pa.concat_tables([first, later]))  # two pieces
    assert log.arms == ("a", "b", "c")
    assert log.chosen.tolist() == [2, 1, 0, 2]
    assert [log.context(row)["city"] for row in range(4)] == ["x", "y", "z", "x"]


def test_rows_are_sorted_by_time_if_asked_and_equal_times_stay():
    times = [3.0, 1.0, 2.0, 1.0]
    columns = {"time": times, "arm": ["a", "b", "a", "c"], "reward": [0.0, 1.0, 2.0, 3.0],
               "city": ["x", "y", "y", "z"], "allowed": ["a|b", "b|c", "a|b", "c|a"]}  # fmt: skip
    log = read_log(pa.table(columns), sort=True)
    assert log.times.tolist() == [1.0, 1.0, 2.0, 3.0]
    assert log.rewards.tolist() == [1.0, 3.0, 2.0, 0.0]
    assert [log.context(row)["city"] for row in range(4)] == ["y", "z", "y", "x"]
    assert log.allowed[1].tolist() == [True, False, True]
    assert "sorted: 2 came before the row above" in log.notes[-1]


@pytest.mark.parametrize(
    ("cells", "first"),
    [
        (["2024-01-31", "2024-02-01"], 1706659200.0),
        (["31.01.2024 12:00", "01.02.2024"], 1706702400.0),
        (["2024-01-31T00:00:00+01:00", "2024-02-01T00:00:00Z"], 1706655600.0),
        ([1706659200000, 1706659300000], 1706659200.0),
        ([5, 6], 5.0),
    ],
)
def test_times_as_people_write_them(cells, first):
    log = read_log(pa.table({"timestamp": cells, "arm": ["a", "b"], "reward": [0, 1]}))
    assert log.times[0] == first


def test_rows_without_a_time_stay_where_they_are():
    log = read_log(pa.table({"time": [3.0, None, 1.0], "arm": ["a"] * 3, "reward": [0, 1, 2]}))
    assert log.times is None
    assert log.rewards.tolist() == [0.0, 1.0, 2.0]
    assert "1 of 3 rows have no time" in " ".join(log.notes)


def test_decimal_commas_and_dates_as_contexts(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("arm;reward;price;since\na;1,5;2,25;2024-01-01\nb;0;3;2024-01-02\n")
    log = read_log(path, reading=Reading(decimal=",", kinds={"since": "date"}))
    assert log.rewards.tolist() == [1.5, 0.0]
    assert log.contexts[:, 0].tolist() == [2.25, 3.0]
    assert log.columns.names[1:] == ["since", "since=year, sine", "since=year, cosine",
                                     "since=week, sine", "since=week, cosine"]  # fmt: skip


def test_columns_beyond_the_memory_are_mapped_from_files():
    columns = {**frame(3000), "time": np.arange(3000)[::-1], "allowed": ["blue|green|red"] * 2999
               + ["blue|green|red|grey"]}  # fmt: skip
    small, large = (read_log(pa.table(columns), sort=True, memory=each) for each in (1000, 10**9))
    for name in ("chosen", "rewards", "propensities", "contexts", "times", "allowed"):
        assert isinstance(getattr(small, name), np.memmap), name
        assert not isinstance(getattr(large, name), np.memmap)
        assert (getattr(small, name) == getattr(large, name)).all()
    assert isinstance(small.given.rows, np.memmap)
    assert small.context(17) == large.context(17)
