"""Figure 2 as its users run it, small: files, claims, refusals, and the same bytes everywhere."""

import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout

import pyarrow.parquet as pq
import pytest

from bandstrap import datasets
from bandstrap.cli import main
from bandstrap.datasets import archives, sources
from bandstrap.experiments import EXPERIMENTS, RunSize, Settings
from bandstrap.experiments.session import Session
from bandstrap.policies.registry import CONTEXTUAL
from bandstrap.simulation.progress import Quiet

COLUMNS = ["experiment", "environment", "policy", "run", "round", "regret", "reward"]
PLAYED = "ucb-lin,ts-lin,eg-lin,npb-lin,wb-lin,eg-log,npb-log,wb-log,wb-nn,ensemble-log"
MORE = "wb-log-random-prior,tree-heuristic,eg-log-c5,wb-log-paper"


def command(*arguments):
    """Run the command line here: another process would take seconds to start."""
    said = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stderr(said), redirect_stdout(said):
        patch.setattr(sys, "argv", ["bandstrap", *map(str, arguments)])
        with pytest.raises(SystemExit) as stopped:
            main()
    return stopped.value.code, said.getvalue()


def reproduced(out, name, policies):
    size = ("--quick", "--horizon", 60, "--exact-horizon", 20, "--workers", 1)
    code, said = command("reproduce", name, *size, "--policies", policies, "--out", out)
    assert code == 0, said
    claims = json.loads((out / "claims.json").read_text())
    return pq.read_table(out / name / "results.parquet"), {each["id"]: each for each in claims}


def test_covtype_in_small(tmp_path):
    results, claims = reproduced(tmp_path, "figure2-covtype", f"{PLAYED},{MORE}")
    assert results.column_names == COLUMNS
    rows = results.to_pylist()
    assert {row["environment"] for row in rows} == {"digits"}
    assert {row["policy"] for row in rows} == {*PLAYED.split(","), *MORE.split(",")}
    assert {row["run"] for row in rows} == {0, 1}
    for row in rows:
        assert row["regret"] + row["reward"] == row["round"]  # the right arm pays 1 in every round
    last = {row["policy"]: row["round"] for row in rows}
    reduced = {name for name, rounds in last.items() if rounds < 60}
    assert reduced == {"wb-nn", "wb-log-paper", "tree-heuristic"}
    assert {last[name] for name in reduced} == {20}
    assert set(claims) == {"C9", "C12", "C13", "C14"}
    for claim in claims.values():
        assert claim["verdict"] == "not decidable at this size"
        assert "digits in place of covtype decides nothing" in claim["evidence"]
        assert claim["claim"].startswith("on digits in place of covtype: ")
        assert claim["stand_in"] == "digits"
    timings = pq.read_table(tmp_path / "figure2-covtype" / "timings.parquet").to_pylist()
    assert min(row["seconds"] for row in timings if row["round"] == last[row["policy"]]) > 0
    assert (tmp_path / "figure2-covtype" / "plot.png").stat().st_size > 10_000


def test_mnist_in_small(tmp_path):
    played = "ucb-lin-fixed,eg-lin,eg-log-bare,npb-log,wb-log,wb-log-replicas,wb-nn"
    results, claims = reproduced(tmp_path, "figure2-mnist", played)
    last = {row["policy"]: row["round"] for row in results.to_pylist()}
    assert last["wb-log-replicas"] == last["ucb-lin-fixed"] == 60
    assert last["wb-log"] == 60
    assert last["wb-nn"] == 20
    assert set(claims) == {"C10"}
    assert "logistic far above linear UCB" in claims["C10"]["evidence"]


def test_same_bytes_with_one_worker_and_two(tmp_path):
    policies = ("wb-log", "wb-log-replicas", "wb-nn-shared", "tree-heuristic")
    settings = Settings(RunSize.QUICK, horizon=50, policies=policies)
    stored = []
    for workers in (1, 2):
        out = tmp_path / str(workers)
        Session(out, settings, seed=3, workers=workers).run(EXPERIMENTS["figure2-mnist"](), Quiet())
        stored.append((out / "figure2-mnist" / "results.parquet").read_bytes())
    assert stored[0] == stored[1]


@pytest.mark.parametrize(
    ("experiment", "policies", "known"),
    [("figure2-covtype", "wb,ts", "ucb-lin"), ("figure1", "wb-log", "npb-binomial")],
)
def test_policies_of_the_other_kind_are_refused(tmp_path, experiment, policies, known):
    arguments = ("--quick", "--policies", policies, "--out", tmp_path / "out")
    code, said = command("reproduce", experiment, *arguments)
    assert code == 2
    assert f"--policies = '{policies}'" in said
    assert known in said
    assert not (tmp_path / "out").exists()


def test_an_unknown_policy_is_told_the_nearest(tmp_path):
    code, said = command("reproduce", "--policies", "wb-lgo", "--out", tmp_path)
    assert code == 2
    assert "'wb-log'" in said


def test_an_empty_exact_horizon_is_refused(tmp_path):
    code, said = command("reproduce", "figure2-mnist", "--exact-horizon", 0, "--out", tmp_path)
    assert code == 2
    assert "--exact-horizon = 0" in said


@pytest.mark.parametrize("name", ["covtype", "mnist"])
def test_data_out_of_reach_say_where_to_put_them(tmp_path, monkeypatch, name):
    def unreachable(*_):
        raise OSError("no network here")

    monkeypatch.setenv("BANDSTRAP_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(sources, "fetched", unreachable)
    monkeypatch.setattr(archives, "downloaded", unreachable)
    datasets.forget()
    # All experiments: it is said before the first has taken its time.
    chosen = ["figure1", f"figure2-{name}"]
    code, said = command("reproduce", *chosen, "--out", tmp_path / "out")
    assert code == 2
    assert f"{name}.npz" in said
    assert "BANDSTRAP_DATA" in said
    assert not (tmp_path / "out").exists()


def test_names_are_listed():
    code, said = command("list")
    assert code == 0
    assert {*CONTEXTUAL, "figure2-covtype", "figure2-mnist", "runtime"} <= set(said.split())
