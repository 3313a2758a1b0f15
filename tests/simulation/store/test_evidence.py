import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from bandstrap import ContextualBootstrap, EigenExamples, Exponential, LinearRegression
from bandstrap.environments import Bernoulli, Labelled
from bandstrap.errors import OutputError
from bandstrap.policies import Bootstrap
from bandstrap.simulation import Cell, Runner, Trace
from bandstrap.simulation.store import evidence as module
from bandstrap.simulation.store.checkpoint import Checkpoint
from bandstrap.simulation.store.evidence import Evidence, Source, commit, machine, tree

SOURCE = Source("bandstrap reproduce mine", "abc", "2026-11-18", "a machine")
WORLD = Labelled("iris")
POLICY = ContextualBootstrap(Exponential(), LinearRegression(), EigenExamples())


def cell(runs: int = 3, horizon: int = 60, penalty: float = 1e-4) -> Cell:
    policy = replace(POLICY, model=LinearRegression(penalty=penalty))
    return Cell("mine", "iris", "wb-lin", WORLD, policy, horizon, runs)


def played(tmp_path: Path, kept: Path, cells: list[Cell], source: Source | None = SOURCE) -> Trace:
    out = tmp_path / "out"
    shutil.rmtree(out, ignore_errors=True)
    runner = Runner(0, checkpoint=Checkpoint(out), evidence=Evidence(kept, source))
    return runner.run(cells)[0]


def test_kept_runs_are_not_played_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = tmp_path / "evidence"
    first = played(tmp_path, kept, [cell()])
    rounds = []
    run_batch = module.run_batch
    monkeypatch.setattr(
        module, "run_batch", lambda batch: rounds.append(batch.horizon) or run_batch(batch)
    )
    monkeypatch.setattr("bandstrap.simulation.runner.run_batch", None)  # whatever plays would fail
    again = played(tmp_path, kept, [cell()])
    assert (again.reward == first.reward).all()
    assert (again.seconds == first.seconds).all()
    assert rounds == [30]  # the first run vouches for the others of its commit


def test_more_runs_are_added_to_those_kept(tmp_path: Path) -> None:
    kept = tmp_path / "evidence"
    played(tmp_path, kept, [cell(runs=2)])
    later = replace(SOURCE, commit="def")
    more = played(tmp_path, kept, [cell(runs=3)], later)
    assert (more.reward == played(tmp_path, tmp_path / "none", [cell(runs=3)]).reward).all()
    runs = Evidence(kept).runs("iris")["wb-lin"]
    assert [(run.run, run.source.commit) for run in runs] == [(0, "abc"), (1, "abc"), (2, "def")]
    [trace] = Evidence(kept).traces("mine", "iris")
    assert (trace.reward == more.reward).all()
    assert trace.policy == "wb-lin"
    assert Evidence(kept).environments() == ["iris"]


def test_runs_that_no_longer_hold_are_played_again(tmp_path: Path) -> None:
    kept = tmp_path / "evidence"
    path = kept / "iris" / "wb-lin.parquet"
    honest = played(tmp_path, kept, [cell()])
    runs = Evidence(kept).runs("iris")["wb-lin"]
    other = [replace(run.result, reward=run.result.reward + 1.0) for run in runs]
    module._write(path, [replace(run, result=it) for run, it in zip(runs, other, strict=True)])
    with pytest.warns(UserWarning, match="commit abc no longer plays"):
        again = played(tmp_path, kept, [cell()])
    assert (again.reward == honest.reward).all()
    assert (Evidence(kept).traces("mine", "iris")[0].reward == honest.reward).all()


def test_another_policy_of_the_same_name_is_another_batch(tmp_path: Path) -> None:
    kept = tmp_path / "evidence"
    played(tmp_path, kept, [cell()])
    other = played(tmp_path, kept, [cell(penalty=100.0)])
    assert (other.reward == played(tmp_path, tmp_path / "none", [cell(penalty=100.0)]).reward).all()


def test_without_a_source_nothing_is_added(tmp_path: Path) -> None:
    played(tmp_path, tmp_path / "evidence", [cell()], source=None)
    assert not (tmp_path / "evidence").exists()


def test_runs_without_contexts_are_not_kept(tmp_path: Path) -> None:
    bernoulli = Cell("mine", "bernoulli", "wb", Bernoulli(n_arms=2), Bootstrap(), 20, 3)
    played(tmp_path, tmp_path / "evidence", [bernoulli])
    assert not (tmp_path / "evidence").exists()


def test_only_runs_without_a_gap_make_a_trace(tmp_path: Path) -> None:
    kept = tmp_path / "evidence"
    played(tmp_path, kept, [cell(runs=3)])
    played(tmp_path, kept, [cell(runs=2, horizon=90)])
    path = kept / "iris" / "wb-lin.parquet"
    runs = Evidence(kept).runs("iris")["wb-lin"]
    [trace] = Evidence(kept).traces("mine", "iris")  # not hidden by more runs that are shorter
    assert (trace.runs, trace.rounds[-1]) == (2, 90)
    module._write(path, [run for run in runs if (run.horizon, run.run) != (60, 1)])
    [trace] = Evidence(kept).traces("mine", "iris")
    assert (trace.runs, trace.rounds[-1]) == (2, 90)
    assert Evidence(kept).traces("mine", "iris", seed=1) == []


def test_the_first_rounds_of_long_runs_stand_for_shorter_ones(tmp_path: Path) -> None:
    kept = tmp_path / "evidence"
    rounds = int(module.recorded_rounds(90)[-2])  # one that both record
    played(tmp_path, kept, [cell(runs=1, horizon=90)])
    assert Evidence(kept).shorter("mine", "iris") == []
    path = kept / "iris" / "wb-lin.parquet"
    [long] = Evidence(kept).runs("iris")["wb-lin"]
    played(tmp_path, kept, [cell(runs=3, horizon=rounds)])
    short = Evidence(kept).runs("iris")["wb-lin"]
    module._write(path, [each for each in short if (each.run, each.horizon) != (0, rounds)])
    [trace] = Evidence(kept).shorter("mine", "iris")
    assert (trace.runs, trace.rounds[-1]) == (3, rounds)
    known = {each.run: each for each in short if each.horizon == rounds}
    assert trace.reward[:, -1].tolist() == [known[i].result.reward[0, -1] for i in range(3)]
    assert long.result.reward[0, -2] == trace.reward[0, -1]


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    kept = tmp_path / "evidence"
    played(tmp_path, kept, [cell()])
    path = kept / "iris" / "wb-lin.parquet"
    table = pq.read_table(path)
    module.write_table(table.slice(0, table.num_rows - 1), path)
    with pytest.raises(OutputError, match=r"damaged \(run 2 is not complete"):
        Evidence(kept).runs("iris")
    module.write_table(table.drop_columns("seconds"), path)
    with pytest.raises(OutputError, match="its columns are not batch, seed"):
        Evidence(kept).runs("iris")
    module.write_table(table.replace_schema_metadata({}), path)
    with pytest.raises(OutputError, match="damaged"):
        Evidence(kept).runs("iris")


def test_a_source_says_where() -> None:
    here = Source.here("bandstrap reproduce")
    assert here.commit == commit()
    assert here.machine == machine()
    assert "core" in here.machine
    assert here.tree == tree() != here.commit
    assert np.datetime64(here.date)
