"""Many policies over many data sets: ranks, groups that do not differ, and the files."""

import io
import json
import sys
from contextlib import redirect_stdout

import numpy as np
import pytest

from bandstrap.cli import main
from bandstrap.commands.benchmark import ranks_table
from bandstrap.comparison.benchmark.benchmark import LINEUP, Task, benchmark, judged
from bandstrap.comparison.candidates import LEAN, WIDE, Selection
from bandstrap.comparison.options import Size
from bandstrap.environments import ClassPayoffs, TableEnvironment
from bandstrap.report.benchmark import _ranks
from bandstrap.simulation import Runner, Trace
from called import failed, in_one_line


def test_the_command(tmp_path, monkeypatch):
    out = tmp_path / "out"
    said = io.StringIO()
    words = [
        "benchmark",
        "--datasets",
        "iris,wine",
        "--policies",
        "wb-log-gaussian,ts-laplace,eg-lin",
    ]
    size = ["--rounds", "40", "--runs", "2", "--workers", "1", "--out", str(out), "--json"]
    monkeypatch.setattr(sys, "argv", ["bandstrap", *words, *size])
    with redirect_stdout(said), pytest.raises(SystemExit) as stopped:
        main()
    assert not stopped.value.code
    answer = json.loads(said.getvalue())
    assert {path.name for path in out.iterdir()} == {
        "results.parquet", "timings.parquet", "ranks.png", "frontier.png", "benchmark.json",
        "report.html", "batches",
    }  # fmt: skip
    report = (out / "report.html").read_text(encoding="utf-8")
    assert report.count("data:image/png;base64,") == 2
    assert "Reward per round on every data set" in report
    assert [one["name"] for one in answer["datasets"]] == ["iris", "wine"]
    assert "best bootstrap by mean rank (wb-log-gaussian" in answer["answer"]
    assert answer["duels"][0]["second"] == "ts-laplace"
    earned = answer["datasets"][0]["reward"]
    assert all(0 <= value <= 1 for value in earned.values())
    before = (out / "results.parquet").stat().st_mtime_ns
    with redirect_stdout(io.StringIO()), pytest.raises(SystemExit):
        main()
    assert (out / "results.parquet").stat().st_mtime_ns == before  # nothing is played again


def trace(dataset, policy, total):
    reward = np.array([[total]])
    return Trace("e", dataset, policy, np.array([10]), 10 - reward, reward, np.array([1.0]))


@pytest.mark.parametrize("order", ["ab", "ba"])
def test_who_ties_for_the_best_shares_it(order):
    earned = {("one", "a"): 5.0, ("one", "b"): 5.0, ("two", "a"): 3.0, ("two", "b"): 2.0}
    traces = [
        trace(name, policy, earned[name, policy]) for name in ("one", "two") for policy in order
    ]
    found = judged(["one", "two"], [*order], traces)
    assert dict(zip(order, found.wins, strict=True)) == {"a": 1.5, "b": 0.5}
    shown = {row[0].text: row[-1].shown for row in _ranks(found).rows}
    table = ranks_table(found)
    told = dict(zip(map(str, table.columns[0].cells), table.columns[-1].cells, strict=True))
    assert shown == told == {"a": "1.5", "b": "0.5"}


def random_task(name, width):
    contexts = np.random.default_rng(0).random((12, width)).astype(np.float32)
    return Task(
        name, TableEnvironment(name, contexts, ClassPayoffs(np.arange(12) % 2, 2)), "made up"
    )


def test_where_one_data_set_is_wide_only_those_play_that_cost_least(tmp_path):
    tasks = [random_task("narrow", 2), random_task("wide", WIDE + 1)]
    found = benchmark(tasks, Selection(), Size(2, 1), Runner(), tmp_path)
    assert set(found.policies) == set(LEAN) & set(LINEUP)
    assert found.decisions[0].startswith("wide is 201 numbers wide: only policies that are cheap")


def test_where_no_table_can_be_played_it_is_said_why(tmp_path):
    (tmp_path / "one.csv").write_text("x,y\n1,a\n2,a\n")
    said = in_one_line(failed("benchmark", "--folder", tmp_path, "--out", tmp_path / "out"))
    assert "it holds no table that can be played (one.csv: skipped, --label = 'y': it has" in said


def test_reading_a_folder_is_shown(tmp_path, monkeypatch):
    from contextlib import nullcontext

    shown = []
    waiting = "bandstrap.commands.benchmark.waiting"
    monkeypatch.setattr(waiting, lambda what: shown.append(what) or nullcontext())
    failed("benchmark", "--folder", tmp_path, "--out", tmp_path / "out")
    assert shown == [f"reading the tables of {tmp_path}"]
