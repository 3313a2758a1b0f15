"""Many policies over many data sets: ranks, groups that do not differ, and the files."""

import gzip
import io
import json
import sys
from contextlib import redirect_stdout

import numpy as np
import pytest
from scipy.stats import friedmanchisquare

from bandstrap.cli import main
from bandstrap.commands.benchmark import ranks_table
from bandstrap.comparison.benchmark.benchmark import LINEUP, benchmark, judged
from bandstrap.comparison.benchmark.diagram import frontier
from bandstrap.comparison.benchmark.ranks import duel, ranks
from bandstrap.comparison.benchmark.tasks import Task, folder_tasks, named_tasks
from bandstrap.comparison.candidates import LEAN, WIDE, Asked
from bandstrap.comparison.size import Size
from bandstrap.environments import ClassPayoffs, OwnTable
from bandstrap.errors import OutputError, UnknownName
from bandstrap.report.of_benchmark import _ranks
from bandstrap.simulation import Runner, Trace
from called import failed, in_one_line


def test_mean_ranks_by_hand():
    rewards = np.array([[0.9, 0.5, 0.7], [0.8, 0.8, 0.1], [0.3, 0.2, 0.4]])
    found = ranks(["a", "b", "c"], rewards)
    assert found.policies == ("a", "c", "b")
    assert found.mean == pytest.approx((4.5 / 3, 6 / 3, 7.5 / 3))  # ties share their ranks
    assert found.friedman == pytest.approx(friedmanchisquare(*rewards.T).pvalue)
    assert found.groups == (("a", "c", "b"),)  # three data sets tell nobody apart


def test_groups_end_where_a_pair_differs():
    rng = np.random.default_rng(0)
    level = rng.random(20)
    worse = level - 0.2 - 0.01 * rng.random(20)
    rewards = np.stack([level, level + 0.01 * rng.standard_normal(20), worse], axis=1)
    assert ranks(["a", "b", "c"], rewards).groups in ((("a", "b"),), (("b", "a"),))
    # a and c differ, b lies between and differs from neither.
    steps = np.where(np.arange(20) % 2, 0.05, -0.04)
    rewards = np.stack([level, level + steps - 0.02, level - 0.02], axis=1)
    assert set(ranks(["a", "b", "c"], rewards).groups) == {("a", "b"), ("b", "c")}


def test_a_duel_counts_data_sets():
    rewards = {"a": np.array([3.0, 2.0, 5.0, 1.0]), "b": np.array([1.0, 2.0, 4.0, 2.0])}
    found = duel("a", "b", rewards)
    assert (found.wins, found.losses, found.difference) == (2, 1, 0.5)
    assert duel("a", "a", rewards).p == 1


def test_the_frontier_holds_those_that_nobody_beats():
    shares, costs = np.array([0.5, 0.9, 0.7, 0.8, 0.9]), np.array([1.0, 50.0, 9.0, 20.0, 60.0])
    assert frontier(shares, costs).tolist() == [0, 2, 3, 1]


def test_tables_of_a_folder(tmp_path):
    (tmp_path / "a.csv").write_text("kind,x,z\n" + "p,1,0\nq,2,1\n" * 5)
    (tmp_path / "b.tsv").write_text("x\tcolour\n" + "1\tred\n2\tblue\n3\tgreen\n" * 5)
    (tmp_path / "c.csv").write_text("x,y\n1,a\n2,a\n")
    (tmp_path / "notes.md").write_text("not a table")
    tasks, skipped = folder_tasks(tmp_path, "kind", seed=0)
    assert [(task.name, task.environment.problem.n_arms) for task in tasks] == [("a", 2), ("b", 3)]
    assert "its column 'kind'" in tasks[0].told
    assert "its column 'colour'" in tasks[1].told
    assert len(skipped) == 1
    assert "c.csv: skipped" in skipped[0]
    with pytest.raises(OutputError, match="is no folder"):
        folder_tasks(tmp_path / "none", None, 0)
    with pytest.raises(UnknownName, match="did you mean 'iris'"):
        named_tasks(("irs",))


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


def test_tables_are_called_apart(tmp_path):
    names = ("sales.2023.csv", "sales.2024.csv", "iris.csv", "iris.tsv", "shop.csv.gz")
    for i, name in enumerate(names):
        separator = "\t" if name.endswith("tsv") else ","
        rows = [("x", "kind"), *((str(0.5 * j + i), "pq"[j % 2]) for j in range(10))]
        text = "".join(separator.join(row) + "\n" for row in rows)
        if name.endswith(".gz"):
            (tmp_path / name).write_bytes(gzip.compress(text.encode()))
        else:
            (tmp_path / name).write_text(text)
    tasks, skipped = folder_tasks(tmp_path, None, seed=0, taken=["iris"])
    assert not skipped
    assert [task.name for task in tasks] == [
        "iris.csv", "iris.tsv", "sales.2023", "sales.2024", "shop",
    ]  # fmt: skip


def test_a_data_set_counts_once():
    assert [task.name for task in named_tasks(("iris", "wine", "iris"))] == ["iris", "wine"]


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
    return Task(name, OwnTable(name, contexts, ClassPayoffs(np.arange(12) % 2, 2)), "made up")


def test_where_one_data_set_is_wide_only_those_play_that_cost_least(tmp_path):
    tasks = [random_task("narrow", 2), random_task("wide", WIDE + 1)]
    found = benchmark(tasks, Asked(), Size(2, 1), Runner(), tmp_path)
    assert set(found.policies) == set(LEAN) & set(LINEUP)
    assert found.decisions[0].startswith("wide is 201 numbers wide: only policies that cost little")


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
