"""Any npz file or table in the data folder has a name, wherever names of data sets are taken."""

import json
import os

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bandstrap import LinUCB, compare, simulate
from bandstrap.commands.names import FOUND, complete_datasets
from bandstrap.datasets import DATASETS, forget, found, load
from bandstrap.environments import Labelled
from bandstrap.errors import InvalidInput, OutputError, UnknownName
from bandstrap.simulation.store.fingerprint import fingerprint
from called import called, failed, in_one_line

TEXT = "age,city,kind\n" + "".join(
    f"{20 + i % 7},{'Oslo' if i % 3 else 'Rome'},{'tea' if i % 2 else 'milk'}\n" for i in range(40)
)
RNG = np.random.default_rng(0)
X, Y = RNG.standard_normal((30, 3)), np.array(["a", "b", "c"] * 10)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("BANDSTRAP_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "data").mkdir()
    (tmp_path / "cache" / "bandstrap").mkdir(parents=True)
    forget()
    return tmp_path / "data"


def test_a_table_is_a_data_set(folder):
    (folder / "drinks.csv").write_text(TEXT)
    data = load("drinks")
    assert (data.classes, data.contexts.shape) == (("milk", "tea"), (40, 3))
    assert data.columns == ("age", "city=Oslo", "city=Rome")
    assert data.labels[:4].tolist() == [0, 1, 0, 1]
    assert (data.contexts.dtype, data.contexts.flags.writeable) == (np.float32, False)
    np.testing.assert_allclose(data.contexts[:, 0].std(), 1, rtol=1e-6)
    assert load("drinks") is data
    assert load("drinks.csv").labels.tolist() == data.labels.tolist()
    pq.write_table(pa.table({"y": Y, "x": X[:, 0]}), folder / "parquet.parquet")
    assert load("parquet").columns == ("x",)  # y holds the classes, though it is not last


def test_rows_without_a_class_are_left_out(folder):
    (folder / "gaps.csv").write_text("x,kind\n1,a\n2,\n3,b\n4,a\n5,\n")
    data = load("gaps")
    assert data.labels.tolist() == [0, 1, 0]
    assert data.contexts.shape[0] == 3


def test_which_file_has_a_name(folder, tmp_path):
    np.savez(folder / "both.npz", X=X, y=Y)
    (folder / "both.csv").write_text(TEXT)
    np.savez(folder / "iris.npz", X=X, y=Y)  # ours
    (folder / ".hidden.csv").write_text(TEXT)
    (folder / "notes.md").write_text("nothing")
    (folder / "inner.csv").mkdir()
    cached = tmp_path / "cache" / "bandstrap"
    (cached / "cached.csv").write_text(TEXT)
    np.savez(cached / "both.npz", X=X[:6], y=Y[:6])
    names = found()
    assert {*names} == {"both", "both.csv", "cached"}
    assert names["both"] == folder / "both.npz"
    assert load("both").contexts.shape == (30, 3)
    assert load("both.csv").classes == ("milk", "tea")
    assert load("cached").classes == ("milk", "tea")
    assert load("iris").contexts.shape == (150, 4)


def test_a_changed_file_is_read_again_and_never_taken_for_the_old_one(folder):
    path = folder / "drinks.csv"
    path.write_text(TEXT)
    environment = Labelled("drinks")
    before, stream = fingerprint(environment), environment.stream
    assert load("drinks").contexts.shape[0] == 40
    path.write_text(TEXT.replace("Rome", "Lima") + "30,Oslo,tea\n")
    os.utime(path, ns=(1, 1))
    assert load("drinks").contexts.shape[0] == 41
    assert fingerprint(Labelled("drinks")) != before
    assert Labelled("drinks").stream == stream == "Labelled(dataset='drinks')"
    assert repr(Labelled("iris")) == "Labelled(dataset='iris')"
    assert repr(Labelled("gone")) == "Labelled(dataset='gone')"


def test_results_of_other_rows_are_not_reused(folder, tmp_path):
    np.savez(folder / "mine.npz", X=X, y=Y)
    given = {"horizon": 20, "runs": 2, "checkpoint": tmp_path / "kept"}
    simulate(LinUCB(), Labelled("mine"), **given)
    np.savez(folder / "mine.npz", X=-X, y=Y[::-1])
    simulate(LinUCB(), Labelled("mine"), **given)
    assert len([*(tmp_path / "kept").glob("*.npz")]) == 4


def test_commands_take_the_names(folder, tmp_path):
    np.savez(folder / "mine.npz", X=X, y=Y)
    (folder / "drinks.csv").write_text(TEXT)
    size = ("--rounds", "10", "--runs", "2", "--workers", "1", "--policies", "eg-lin,ucb-lin")
    out = tmp_path / "benchmarked"
    code, shown, _ = called("benchmark", "--datasets", "mine,drinks,iris", *size, "--out", out)
    assert code == 0
    assert "drinks: your own, from the data folder" in " ".join(shown.split())
    out = tmp_path / "compared"
    code, shown, _ = called("compare", "mine", *size, "--out", out, "--json")
    assert (code, json.loads(shown)["table"]) == (0, "mine")
    labelled = ("drinks", "--label", "kind")
    code, shown, _ = called("compare", *labelled, *size, "--out", tmp_path / "c2", "--json")
    assert (code, json.loads(shown)["table"]) == (0, "drinks")
    assert "--label" in failed("compare", "drinks", *size, "--out", tmp_path / "c3")


def test_python_takes_the_names(folder):
    np.savez(folder / "mine.npz", X=X, y=Y)
    given = {"policies": "eg-lin", "rounds": 5, "runs": 1}
    assert compare("mine", **given).title == "mine"
    assert compare("iris", **given).title == "iris"
    assert compare("mine", label="y", **given).ranking
    with pytest.raises(UnknownName, match="unknown data set 'min': did you mean 'mine'"):
        compare("min", **given)
    with pytest.raises(OutputError, match="not_there"):
        compare("not_there.csv", label="y", **given)


def test_a_file_of_that_name_here_goes_first(folder, tmp_path, monkeypatch):
    np.savez(folder / "mine.npz", X=X, y=Y)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").write_text(TEXT)
    assert compare("mine", label="kind", policies="eg-lin", rounds=5, runs=1).title == "mine"


def test_they_are_listed_and_complete(folder):
    listed = json.loads(called("list", "--json")[1])
    assert FOUND not in listed
    (folder / "drinks.csv").write_text(TEXT)
    np.savez(folder / "mine.npz", X=X, y=Y)
    listed = json.loads(called("list", "--json")[1])
    assert listed[FOUND] == ["drinks", "mine"]
    assert listed["data sets"] == [*DATASETS]
    assert "drinks" in called("list")[1].split()
    assert complete_datasets("dr") == ["drinks"]
    assert complete_datasets("iris,mi") == ["iris,mine"]


@pytest.mark.parametrize(
    ("arrays", "told"),
    [
        ({"X": X}, "has no array y; it holds X; store rows as X"),
        ({"a": X, "b": Y}, "has no array X and no y; it holds a, b"),
        ({"X": X, "y": np.array([object()] * 30)}, "not a data set"),
        ({"X": X, "y": Y[:5]}, "give a row of X for each entry of y"),
    ],
)
def test_arrays_that_will_not_do(folder, arrays, told):
    np.savez(folder / "mine.npz", **arrays)
    with pytest.raises(OutputError, match=told) as refused:
        load("mine")
    assert "mine.npz" in str(refused.value)
    said = in_one_line(failed("benchmark", "--datasets", "mine", "--out", folder / "out"))
    assert told in said


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("x,kind\n1,a\n2,a\n", "has 1 classes in its column 'kind'; 2 to 1,000 are needed"),
        ("kind\na\nb\n", "is not a table with columns"),
        ("x,kind\n", "has 0 rows"),
        ("x,kind\n1,a\n1,b\n", "has no column to decide by"),
    ],
)
def test_tables_that_will_not_do(folder, text, told):
    (folder / "mine.csv").write_text(text)
    with pytest.raises(OutputError, match=told) as refused:
        load("mine")
    assert "mine.csv" in str(refused.value)


@pytest.mark.parametrize("name", ["../x", "a/b", "", "..", "a\0b", "n" * 300])
def test_names_stay_in_the_folder(tmp_path, name):
    (tmp_path / "x.csv").write_text(TEXT)
    with pytest.raises(InvalidInput, match="give the name of a data set"):
        load(name)


def test_many_files_are_not_all_looked_at(folder, monkeypatch):
    from bandstrap.datasets import own

    monkeypatch.setattr(own, "MOST", 3)
    for i in range(5):
        (folder / f"t{i}.csv").write_text(TEXT)
    assert [*found()] == ["t0", "t1", "t2"]
