"""The same seed gives the same numbers: whatever the workers, the order, and the interruptions."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from time import thread_time
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bandstrap import Bootstrap, InvalidInput, Multinomial, OutputError, simulate
from bandstrap.environments import Bernoulli, Beta
from bandstrap.experiments import Settings
from bandstrap.experiments.figure1 import Figure1
from bandstrap.experiments.session import Session
from bandstrap.policies import BetaThompson
from bandstrap.simulation import Cell, Runner, runner
from bandstrap.simulation.batch import Batch, recorded_rounds, run_batch
from bandstrap.simulation.checkpoint import Checkpoint
from bandstrap.simulation.progress import Quiet

MEANS = Bernoulli(means=(0.3, 0.6, 0.5))
CLI = [sys.executable, "-m", "bandstrap"]


def same(one, two):
    """Everything but the time it took, byte for byte."""
    return all(
        getattr(one, name).tobytes() == getattr(two, name).tobytes()
        for name in ("rounds", "regret", "reward")
    )


def cells(runs=1100, horizon=40):
    return [
        Cell("test", "bernoulli", "wb", MEANS, Bootstrap(), horizon, runs),
        Cell("test", "bernoulli", "npb", MEANS, Bootstrap(Multinomial()), horizon, runs),
        Cell("test", "beta", "wb", Beta(3), Bootstrap(), horizon, runs),
    ]


def test_twice_the_same():
    one, two = (simulate(Bootstrap(), MEANS, 50, runs=20, seed=3) for _ in range(2))
    assert same(one, two)
    assert not same(one, simulate(Bootstrap(), MEANS, 50, runs=20, seed=4))


def test_workers_change_nothing():
    alone, together = (Runner(seed=5, workers=workers).run(cells()) for workers in (1, 2))
    assert [trace.runs for trace in alone] == [1100] * 3
    assert all(same(one, two) for one, two in zip(alone, together, strict=True))


def test_order_changes_nothing(monkeypatch):
    straight = Runner(seed=5).run(cells(horizon=10))

    def backwards(self, todo):
        return [(i, batch, run_batch(batch)) for i, batch in reversed(todo)]

    monkeypatch.setattr(Runner, "_play", backwards)
    turned = Runner(seed=5).run(cells(horizon=10))
    assert all(same(one, two) for one, two in zip(straight, turned, strict=True))
    alone = [Runner(seed=5).run([cell])[0] for cell in reversed(cells(horizon=10))][::-1]
    assert all(same(one, two) for one, two in zip(straight, alone, strict=True))


def test_more_runs_begin_with_the_same_runs():
    few, many = (simulate(Bootstrap(), MEANS, 10, runs=runs) for runs in (500, 700))
    assert (many.regret[:500] == few.regret).all()
    assert (many.regret[500:700] != few.regret[:200]).any()


@dataclass(frozen=True)
class SlowToStart(BetaThompson):
    """Compiles for a third of a second, so to speak, when it is first asked."""

    started: ClassVar[list[bool]] = []

    def compiled(self, state):
        return None

    def _update(self, *given):
        end = thread_time() + 0.3
        while not self.started and thread_time() < end:
            pass
        self.started.append(True)
        super()._update(*given)


def test_no_decision_is_charged_for_what_only_the_first_takes():
    trace = simulate(SlowToStart(), Bernoulli(n_arms=2), horizon=50, runs=3)
    assert SlowToStart.started
    assert trace.seconds[-1] < 0.2


def test_policies_meet_the_same_arms():
    """With one round to play, regret and reward depend on the arms alone, so runs can be paired."""
    batches = [cell.batches(7)[0] for cell in cells(runs=50)]
    first, second = (
        Batch(policy, Beta(4), 10, 50, 7, "world", label, 0)
        for policy, label in ((Bootstrap(), "wb"), (BetaThompson(), "ts"))
    )
    seen = []
    for batch in (first, second, batches[0]):
        start = type(batch.environment).start

        def spy(self, runs, rng, start=start, wanted=batch.runs):
            arms = start(self, runs, rng)
            if runs == wanted:  # and not a few that warm up
                seen.append(arms.means)
            return arms

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(type(batch.environment), "start", spy)
            run_batch(batch)
    assert (seen[0] == seen[1]).all()
    other = Batch(Bootstrap(), Beta(4), 10, 50, 7, "world", "wb", 1)
    assert (run_batch(other).reward != run_batch(first).reward).any()


def test_regret_is_the_gap_of_the_pulled_arms():
    trace = simulate(Bootstrap(), MEANS, 200, runs=30)
    assert (np.diff(trace.regret, axis=1) >= 0).all()
    assert (np.diff(trace.reward, axis=1) >= 0).all()
    assert (trace.regret[:, 0] <= 0.3 + 1e-12).all()
    assert (trace.regret <= 0.3 * trace.rounds + 1e-9).all()
    means = 0.6 * trace.rounds - trace.regret.mean(axis=0)  # what the pulled arms pay on average
    assert abs(trace.reward.mean(axis=0) - means)[-1] < 5 * np.sqrt(0.25 * 200 / 30)
    assert (np.diff(trace.seconds) >= 0).all()
    low, high = trace.band()
    assert (low <= trace.mean()).all()
    assert (trace.mean() <= high).all()


def test_one_arm_has_no_regret():
    trace = simulate(Bootstrap(), Bernoulli(means=(0.4,)), 30, runs=10)
    assert (trace.regret == 0).all()


@pytest.mark.parametrize("horizon", [1, 2, 7, 100, 1000, 10_000])
def test_recorded_rounds(horizon):
    rounds = recorded_rounds(horizon)
    assert (rounds[0], rounds[-1]) == (1, horizon)
    assert (np.diff(rounds) > 0).all()
    assert rounds.size <= 100
    assert rounds.size >= min(horizon, 20)


def test_tables_are_as_the_contract_says(tmp_path):
    trace = simulate(Bootstrap(), MEANS, 60, runs=12, name="wb")
    trace.to_parquet(tmp_path / "deep" / "results.parquet")
    table = pq.read_table(tmp_path / "deep" / "results.parquet")
    names = ["experiment", "environment", "policy", "run", "round", "regret", "reward"]
    assert table.column_names == names
    types = [pa.string()] * 3 + [pa.int64()] * 2 + [pa.float64()] * 2
    assert table.schema.types == types
    assert table.num_rows == 12 * trace.rounds.size
    assert (table["regret"].to_numpy().reshape(12, -1) == trace.regret).all()
    assert (np.arange(12) == table["run"].to_numpy().reshape(12, -1).T).all()
    assert (table["round"].to_numpy().reshape(12, -1) == trace.rounds).all()
    timings = trace.timings()
    names = ["experiment", "environment", "policy", "round", "decisions", "seconds"]
    assert timings.column_names == names
    assert timings.schema.types == [pa.string()] * 3 + [pa.int64()] * 2 + [pa.float64()]
    assert (timings["decisions"].to_numpy() == 12 * trace.rounds).all()
    assert timings["seconds"].to_numpy()[-1] > 0


def test_only_missing_batches_are_played(tmp_path, monkeypatch):
    played = []

    def counting(batch, watch):
        played.append((batch.label, batch.world, batch.index))
        if len(played) == 5:
            raise KeyboardInterrupt
        return run_batch(batch, watch)

    monkeypatch.setattr(runner, "run_batch", counting)
    with pytest.raises(KeyboardInterrupt):
        Runner(seed=2, checkpoint=Checkpoint(tmp_path)).run(cells(horizon=10))
    kept = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    assert len(kept) == 4
    resumed = Runner(seed=2, checkpoint=Checkpoint(tmp_path)).run(cells(horizon=10))
    assert len(played) == 5 + (9 - 4)
    assert len(set(played)) == 9
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    monkeypatch.undo()
    whole = Runner(seed=2).run(cells(horizon=10))
    assert all(same(one, two) for one, two in zip(resumed, whole, strict=True))
    again = Runner(seed=2, checkpoint=Checkpoint(tmp_path)).run(cells(horizon=10))
    assert all((one.seconds == two.seconds).all() for one, two in zip(again, resumed, strict=True))


@pytest.mark.parametrize(
    "other",
    [
        {"seed": 3},
        {"horizon": 11},
        {"runs": 60},
        {"policy": Bootstrap(Multinomial())},
        {"environment": Bernoulli(means=(0.3, 0.6))},
        {"name": "other"},
    ],
    ids=str,
)
def test_a_checkpoint_is_for_the_very_same_batch(tmp_path, other):
    given = {"policy": Bootstrap(), "environment": MEANS, "horizon": 10, "runs": 50, "seed": 2}
    simulate(**given, checkpoint=tmp_path)
    assert len(list(tmp_path.iterdir())) == 1
    stored = simulate(**given | other, checkpoint=tmp_path)
    assert len(list(tmp_path.iterdir())) == 2
    assert same(stored, simulate(**given | other))


@pytest.mark.parametrize("damage", ["cut", "empty", "noise", "other arrays"])
def test_a_damaged_batch_is_named(tmp_path, damage):
    simulate(Bootstrap(), MEANS, 10, runs=20, checkpoint=tmp_path)
    (path,) = tmp_path.iterdir()
    whole = path.read_bytes()
    if damage == "other arrays":
        np.savez(path, something=np.ones(3))
    else:
        path.write_bytes({"cut": whole[:-100], "empty": b"", "noise": b"no zip"}[damage])
    with pytest.raises(OutputError, match=f"{path.name}.*damaged.*delete it"):
        simulate(Bootstrap(), MEANS, 10, runs=20, checkpoint=tmp_path)
    assert path.exists()


def test_what_a_kill_leaves_half_written_is_no_batch(tmp_path):
    one = simulate(Bootstrap(), MEANS, 10, runs=20, checkpoint=tmp_path)
    (path,) = tmp_path.iterdir()
    path.rename(path.with_suffix(".part"))
    path.with_suffix(".part").write_bytes(b"half")
    assert same(one, simulate(Bootstrap(), MEANS, 10, runs=20, checkpoint=tmp_path))
    assert [left.suffix for left in tmp_path.iterdir()] == [".npz"]


@pytest.mark.parametrize(
    ("wrong", "parameter"),
    [
        ({"runs": 0}, "runs = 0"),
        ({"horizon": 0}, "horizon = 0"),
        ({"workers": 0}, "workers = 0"),
        ({"seed": -1}, "seed = -1"),
    ],
)
def test_bad_sizes_are_named(wrong, parameter):
    with pytest.raises(InvalidInput, match=parameter):
        simulate(**{"policy": Bootstrap(), "environment": MEANS, "horizon": 5} | wrong)


def test_an_unwritable_checkpoint_is_named(tmp_path):
    file = tmp_path / "file"
    file.write_text("mine")
    with pytest.raises(OutputError, match=r"file.*cannot be written.*choose another"):
        simulate(Bootstrap(), MEANS, 5, runs=5, checkpoint=file)
    assert file.read_text() == "mine"


def test_an_error_in_a_worker_is_the_error_itself():
    wrong = [Cell("test", "beta", "ts", Beta(means=(1.5,)), Bootstrap(), 5, 1000)]
    with pytest.raises(InvalidInput, match="means"):
        Runner(workers=2).run(wrong)


def killed_midway(out):
    """Start a command, kill it and its workers once some batches are done, and return those."""
    size = ["--quick", "--runs", "1200", "--horizon", "150", "--policies", "wb,ts"]
    command = [*CLI, "reproduce", "figure1", *size, "--workers", "2", "--out", str(out)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, start_new_session=True, **quiet)
    batches = out / "batches"
    try:
        until = time.monotonic() + 120
        while len(list(batches.glob("*.npz"))) < 3:
            assert process.poll() is None
            assert time.monotonic() < until
            time.sleep(0.005)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return {path: path.stat().st_mtime_ns for path in batches.glob("*.npz")}


@pytest.mark.skipif(sys.platform == "win32", reason="kills a process group")
def test_a_killed_run_continues_where_it_was(tmp_path, monkeypatch):
    """Killed with two workers and resumed with one, it is byte for byte the run never killed."""
    out, whole = tmp_path / "killed", tmp_path / "whole"
    kept = killed_midway(out)
    assert 3 <= len(kept) < 24
    assert not (out / "figure1" / "results.parquet").exists()
    settings = Settings(quick=True, runs=1200, horizon=150, policies=("wb", "ts"))
    played = []

    def counting(batch, watch):
        played.append(batch)
        return run_batch(batch, watch)

    monkeypatch.setattr(runner, "run_batch", counting)
    Session(out, settings).run(Figure1(), Quiet())
    assert len(played) == 24 - len(kept)
    times = {path: path.stat().st_mtime_ns for path in (out / "batches").iterdir()}
    assert len(times) == 24  # and nothing else
    assert {path: times[path] for path in kept} == kept  # not written again
    Session(whole, settings).run(Figure1(), Quiet())
    for name in ("results.parquet", "plot.png"):
        assert (out / "figure1" / name).read_bytes() == (whole / "figure1" / name).read_bytes()
