"""Pipes, sockets and folders, endless names, and files that are not encoders: refused at once."""

import json
import os
import signal
import socket
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bandstrap import Bandit, Bootstrap, Encoder, compare
from bandstrap.errors import BandstrapError, InvalidInput, OutputError
from called import called, failed, in_one_line

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names")

LONG = "x" * 10**6
LIMIT = 20  # seconds: who waits for a pipe waits for ever


@pytest.fixture(autouse=True)
def limited():
    """A test that waits for what never comes fails."""

    def late(number, frame):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(LIMIT)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def pipe(path):
    os.mkfifo(path)


def linked_pipe(path):
    os.mkfifo(path.with_suffix(".fifo"))
    path.symlink_to(path.with_suffix(".fifo"))


def listening(path):
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


def endless(path):
    path.symlink_to("/dev/zero")


KINDS = {
    pipe: "is a pipe",
    linked_pipe: "is a pipe",
    listening: "is a socket",
    endless: "is a device",
    os.mkdir: "is a folder",
}


@pytest.mark.parametrize("make", KINDS)
@pytest.mark.parametrize("ending", [".csv", ".parquet", ".arrow", ".csv.gz"])
def test_what_is_no_file_is_no_table(tmp_path, make, ending):
    path = tmp_path / f"t{ending}"
    make(path)
    assert KINDS[make] in in_one_line(failed("compare", path, "--label", "y"))
    with pytest.raises(OutputError, match=KINDS[make]):
        compare(path, "y")


@pytest.mark.parametrize("make", KINDS)
def test_nor_an_encoder(tmp_path, make):
    make(tmp_path / "encoder.json")
    with pytest.raises(OutputError, match=KINDS[make]):
        Encoder.load(tmp_path / "encoder.json")


def test_a_folder_with_a_pipe_is_played_without_it(tmp_path):
    pipe(tmp_path / "a.csv")
    for name in ("b.csv", "c.csv"):
        (tmp_path / name).write_text("x,z,y\n" + "1,2,p\n3,1,q\n2,2,p\n" * 10)
    words = ("--policies", "eg-lin,ts-lin", "--rounds", "20", "--runs", "2", "--workers", "1")
    code, out, _ = called("benchmark", "--folder", tmp_path, *words, "--out", tmp_path / "out")
    assert code == 0
    assert "a.csv: skipped" in out
    assert "is a pipe" in out


def test_what_comes_through_a_pipe_is_to_be_saved_first():
    command = [sys.executable, "-m", "bandstrap", "compare", "/dev/stdin", "--label", "y"]
    done = subprocess.run(command, input="x,y\n1,a\n", capture_output=True, text=True)
    assert done.returncode == 2
    assert "/dev/stdin: is a pipe, not a file; save what comes through the pipe" in in_one_line(
        done.stderr
    )


@pytest.mark.parametrize("write", [pa.csv.write_csv, pq.write_table, lambda table, path: None])
def test_names_without_an_end_are_refused(tmp_path, write):
    rows = {"x": [1.0, 2.0, 3.0] * 10, "y": ["a", "b", "c"] * 10}
    for name, table in {
        "column": {**rows, LONG: rows["x"]},
        "class": {**rows, "y": [LONG, "b", "c"] * 10},
    }.items():
        data, path = pa.table(table), tmp_path / name
        write(data, path)
        with pytest.raises(InvalidInput, match="1,000,000 characters") as refused:
            compare(path if path.exists() else data, "y")
        assert len(str(refused.value)) < 500


def test_a_question_is_a_name_and_a_text_is_a_word(tmp_path):
    asked = "Taking all things together, how satisfied are you with life? " * 5
    rows = {asked: [1.0, 2.0, 3.0, 1.0] * 10, "text": [LONG, "b", "c", "c"] * 10}
    table = pa.table({**rows, "y": ["a", "b", "c", asked.strip()] * 10})
    found = compare(table, "y", policies="eg-lin", rounds=20, runs=2)
    assert max(map(len, found.decisions)) < 200
    assert asked.strip() in found.code


@pytest.mark.parametrize("word", ["--policies", "--models", "--rewards", "--label"])
def test_long_words_on_the_command_line(tmp_path, word):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n" + "1,a\n2,b\n" * 20)
    label = () if word in ("--rewards", "--label") else ("--label", "y")
    long = f"{LONG},b" if word == "--rewards" else LONG
    assert len(in_one_line(failed("compare", path, *label, word, long))) < 1200


@pytest.mark.parametrize(
    "ask",
    [
        lambda: Bandit(Bootstrap(), arms=[LONG, LONG]),
        lambda: Bandit(Bootstrap(), arms=[LONG, "b"]).learn(LONG[1:], 1.0),
        lambda: Bandit(Bootstrap(), arms=[LONG, "b"]).learn(None, 1.0, arm=LONG[1:]),
        lambda: Bandit(Bootstrap(), arms=[LONG, "b"]).remove_arm(f"{LONG}y"),
    ],
)
def test_long_arms_are_named_in_short(ask):
    with pytest.raises(BandstrapError) as refused:
        ask()
    assert len(str(refused.value)) < 1200


FEATURES = [
    {"kind": "number", "name": "x", "median": 0.0, "mean": 0.0, "deviation": 2.0, "missing": 0},
    {"kind": "words", "name": "c", "levels": ["a", "b"], "others": 1, "missing": 2},
]


def stored(path, features, example=None):
    facts = {"format": 1, "features": features, "example": example or {"x": 1.0, "c": "a"}}
    path.write_text(json.dumps(facts), encoding="utf-8")
    return path


def test_an_encoder_is_read_back(tmp_path):
    encoder = Encoder.load(stored(tmp_path / "e.json", FEATURES))
    assert encoder({"x": 3.0, "c": "b"}).tolist() == [1.5, 0.0, 1.0, 0.0, 0.0]


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "code"},
        {"kind": ["number"]},
        {"name": 7},
        {"median": "0"},
        {"mean": float("nan")},
        {"deviation": 0.0},
        {"deviation": -1.0},
        {"missing": -1},
        {"missing": 0.5},
        {"missing": True},
        {"levels": "ab"},
        {"told": "x"},
        {"encoded": "x"},
        {"__class__": "x"},
    ],
    ids=str,
)
def test_an_encoder_of_other_values_is_refused(tmp_path, change):
    for feature in FEATURES:
        with pytest.raises(OutputError, match="is not an encoder"):
            Encoder.load(stored(tmp_path / "e.json", [{**feature, **change}]))


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{}", "7", "null", "[" * 100_000, '{"features": [7], "example": {}}',
     '{"features": {}, "example": 7}', b"\xff\xfe\x00"],
)  # fmt: skip
def test_what_is_no_encoder_is_refused(tmp_path, content):
    path = tmp_path / "e.json"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(OutputError, match="is not an encoder"):
        Encoder.load(path)
