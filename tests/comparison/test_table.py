"""From a table to contexts: what is done with which column, and what is refused."""

import io
import subprocess
import sys
from contextlib import redirect_stderr
from time import perf_counter

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from bandstrap.cli import main
from bandstrap.comparison import Encoder
from bandstrap.comparison.rewards import Label, RewardColumns, RewardScale
from bandstrap.comparison.table import prepare

CSV = """\
n; id; age;city;flag;same;mostly;y
1;k1; 20;Oslo;0;7;;a
2;k2;40 ;Rome;1;7;;b
3;k3;?;Oslo;0;7;;a
4;k4;60;NA;1;7;3;
5;k5;40;Rome;1;7;;b
"""


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "small.csv"
    path.write_text(CSV)
    return path


def test_what_is_done_with_each_column(small):
    prepared = prepare(small, Label("y"))
    told = dict(line.split(": ", 1) for line in prepared.decisions if ": " in line)
    assert told["y"].startswith("the label, 2 classes")
    assert told["1 rows dropped"] == "label or reward missing"
    assert told["n"].startswith("numbers")  # it counts no more, as a row was dropped
    assert told["same"] == "dropped, constant"
    assert told["mostly"] == "dropped, all missing"  # its one value was in that row
    assert told["age"] == "numbers, standardised; 1 missing: the median 40, and an indicator"
    assert told["city"] == "2 categories, an indicator each"
    assert told["flag"] == "zeros and ones, as they are"
    columns = prepared.encoder.columns
    assert columns[columns.index("age") :][:5] == (
        "age", "age=(missing)", "city=Oslo", "city=Rome", "flag",
    )  # fmt: skip
    here = prepared.environment.contexts[:, columns.index("age") :][:, :5]
    deviation = np.std([20, 40, 40, 40])
    assert here[:, 0] == pytest.approx((np.array([20, 40, 40, 40]) - 35) / deviation)
    assert here[:, 1:].tolist() == [[0, 1, 0, 0], [0, 0, 1, 1], [1, 1, 0, 0], [0, 0, 1, 1]]


def test_identifiers_counters_and_dates_are_dropped():
    table = pa.table(
        {
            "row": range(100),
            "id": [f"k{i}" for i in range(100)],
            "when": pa.array(range(100), pa.timestamp("s")),
            "list": [[1]] * 100,
            "words": [f"w{i // 2}" for i in range(60)] + ["usual"] * 40,
            "spread": [f"w{i % 40}" for i in range(80)] + [f"s{i}" for i in range(20)],
            "y": [True, False] * 50,
        }
    )
    told = "\n".join(prepare(table, Label("y")).decisions)
    assert "row: dropped, it counts the rows" in told
    assert "id: dropped, an identifier" in told
    assert "when: dropped, of type timestamp" in told
    assert "list: dropped, of type list" in told
    assert "words: 31 categories: an indicator for each of the 20 most frequent, one for" in told
    many = pa.table(
        {"x": [0, 1] * 500, "z": [f"w{i // 2}" for i in range(1000)], "y": [0, 1] * 500}
    )
    assert "500 categories, the 20 most frequent hold 4%" in "\n".join(
        prepare(many, Label("y")).decisions
    )


@pytest.mark.parametrize("kind", ["parquet", "arrow", "feather", "tsv.gz", "pandas", "polars"])
def test_the_same_table_in_any_form(small, tmp_path, kind):
    wanted = prepare(small, Label("y")).environment
    table = pa.csv.read_csv(small, parse_options=pa.csv.ParseOptions(delimiter=";"))
    table = table.rename_columns([name.strip() for name in table.column_names])
    path = tmp_path / f"small.{kind}"
    if kind == "parquet":
        pq.write_table(table, path)
    elif kind == "arrow":
        with pa.ipc.new_stream(path, table.schema) as writer:
            writer.write_table(table)
    elif kind == "feather":
        pa.feather.write_feather(table, path)
    elif kind == "tsv.gz":
        with pa.CompressedOutputStream(str(path), "gzip") as stream:
            pa.csv.write_csv(table, stream, pa.csv.WriteOptions(delimiter="\t"))
    else:
        path = table.to_pandas() if kind == "pandas" else pl.from_arrow(table)
    found = prepare(path, Label("y")).environment
    assert (found.payoffs.labels == wanted.payoffs.labels).all()
    assert (found.contexts == wanted.contexts).all()


def test_the_encoder_does_to_a_row_what_was_done_to_the_table(small, tmp_path):
    prepared = prepare(small, Label("y"))
    prepared.encoder.save(tmp_path / "encoder.json")
    encoder = Encoder.load(tmp_path / "encoder.json")
    assert encoder == prepared.encoder
    contexts = prepared.environment.contexts
    assert encoder(encoder.example) == pytest.approx(contexts[0], abs=1e-6)
    rows = [
        {"n": n, "id": f"k{n}", "age": age, "city": city, "flag": flag}
        for n, age, city, flag in [(1, 20, "Oslo", 0), (2, 40.0, "Rome", 1), (3, None, "Oslo", 0)]
    ]
    assert encoder(pd.DataFrame(rows)) == pytest.approx(contexts[:3], abs=1e-6)
    unknown = encoder({**rows[0], "city": "Paris"})
    assert unknown[list(encoder.columns).index("city=Oslo")] == 0
    with pytest.raises(ValueError, match="'n': is missing"):
        encoder({"ages": 1, "city": "Oslo"})
    with pytest.raises(ValueError, match="give a number"):
        encoder({**rows[0], "age": "old"})


def test_rewards_of_any_size_are_told_as_0_to_1():
    table = pa.table({"x": [0.0, 1.0, 2.0], "a": [-5.0, 10.0, 0.0], "b": [15.0, 0.0, None]})
    rewards = prepare(table, RewardColumns(("a", "b"))).rewards
    assert rewards.scale == RewardScale(-5.0, 20.0)
    assert rewards.payoffs.rewards.tolist() == [[0, 1], [0.75, 0.25]]
    assert rewards.baselines() == {"any arm at random": 5.0, "always b": 7.5}


def test_a_column_without_a_name_is_told_as_such():
    table = pa.table({"": [1, 2, 3, 4], "x": [0.5, 2.5, 1.5, 3.0], "y": ["a", "b", "a", "b"]})
    assert "(no name): dropped, it counts the rows" in prepare(table, Label("y")).decisions


def refused(*arguments):
    said = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stderr(said):
        patch.setattr(sys, "argv", ["bandstrap", "compare", *map(str, arguments)])
        started = perf_counter()
        with pytest.raises(SystemExit) as stopped:
            main()
    assert stopped.value.code == 2
    assert perf_counter() - started < 10  # two seconds where nobody else is at work
    text = said.getvalue().strip()
    assert text.startswith("error: ")
    assert len(text.splitlines()) == 1
    return text


BAD = {
    "empty": ("", "is empty"),
    "blank": ("\n\n \n", "is empty"),
    "header": ("x,y\n", "no rows"),
    "unended": ("x,y", "has a header but no rows"),
    "prose": ("It was a dark night.\nThe rain, as ever, fell.\n", "is not a table"),
    "ragged": ("x,y\n1,a\n1,2,3\n", "is not a table"),
    "duplicate": ("x,x,y\n1,2,a\n2,3,b\n", "2 columns have this name"),
    "no-column": ("x,yy\n1,a\n2,b\n", "did you mean 'yy'"),
    "one-class": ("x,y\n1,a\n2,a\n", "only the class 'a'"),
    "missing": ("x,y\n1,\n2,?\n", "all missing"),
    "nothing": ("x,y\n1,a\n1,b\n", "none is left to decide by"),
    "many": ("x,y\n" + "".join(f"{i},{i}k\n" for i in range(10_000)), "10,000 different values"),
    "numbers": ("x,y\n" + "".join(f"{i},{i * 0.37}\n" for i in range(500)), "500 different"),
    "binary": ("\0\1\2\3" * 100, "is not a text"),
    "parquet": ("PAR1 but cut off", "is damaged"),
    "arrow": ("ARROW1 but cut off", "is damaged"),
    "zip": ("PK\3\4\0\0 a workbook", "is a zip archive"),
    "bytes": ("x,y\n1,\33[31m\7,2\n", "line 2 has 3 columns"),
    "wide": (",".join(f"x{i}" for i in range(20_000)) + "\n", "x10065 and 19,923 more"),
}


@pytest.mark.parametrize("write", [pa.csv.write_csv, pq.write_table, pa.feather.write_feather])
def test_no_such_column_is_told_by_the_header_alone(tmp_path, monkeypatch, write):
    path = tmp_path / "table"
    write(pa.table({"x": [1.0, 2.0], "y": ["a", "b"]}), path)

    def fails(*given):
        raise AssertionError("rows were read")

    monkeypatch.setattr("bandstrap.tables.source.sampled", fails)
    assert "unknown column" in refused(path, "--label", "z", "--out", tmp_path / "out")


@pytest.mark.parametrize("name", BAD)
def test_bad_tables_are_refused_in_one_sentence(tmp_path, name):
    content, wanted = BAD[name]
    path = tmp_path / f"{name}.csv"
    path.write_text(content)
    assert wanted in refused(path, "--label", "y", "--out", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_refusal_does_not_wait_for_the_compiler(tmp_path):
    (tmp_path / "empty.csv").touch()
    code = (
        "import sys; sys.argv = ['bandstrap', 'compare', 'empty.csv', '--label', 'y']\n"
        "import atexit; atexit.register(lambda: print('numba' in sys.modules))\n"
        "from bandstrap.cli import main; main()"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (done.returncode, done.stdout) == (2, "False\n")


def test_bad_arguments_are_refused_in_one_sentence(small, tmp_path):
    out = ("--out", tmp_path / "out")
    assert "cannot be read" in refused(tmp_path / "none.csv", "--label", "y", *out)
    assert "is a folder" in refused(tmp_path, "--label", "y", *out)
    assert "--rewards" in refused(small, *out)
    assert "not both" in refused(small, "--label", "y", "--rewards", "age,y", *out)
    assert "two or more" in refused(small, "--rewards", "age", *out)
    for named in (("age,city",), ("age", "--rewards", "city")):  # once, or once for each
        assert "columns of numbers" in refused(small, "--rewards", *named, *out)
    assert "''" in refused(small, "--label", "y", "--policies", "", *out)  # not: all of them
    assert "'eg-lin'" in refused(small, "--label", "y", "--policies", "eg-linn", *out)
    assert "module:Class" in refused(small, "--label", "y", "--policy", "mine", *out)
    assert "no module" in refused(small, "--label", "y", "--policy", "no_such:Mine", *out)
    said = refused(small, "--label", "y", "--model", "bandstrap:LinUCB", *out)
    assert said.startswith("error: --model")
    assert "seed = -1" in refused(small, "--label", "y", "--seed", "-1", *out)
    assert "--rounds = 0" in refused(small, "--label", "y", "--rounds", "0", *out)
    assert not (tmp_path / "out").exists()
