"""A simulation that was interrupted goes on where it was, to the same numbers."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from bandstrap import Bootstrap, Multinomial, OutputError, simulate
from bandstrap.environments import Bernoulli
from bandstrap.experiments import RunSize, Settings
from bandstrap.experiments.figure1 import Figure1
from bandstrap.experiments.session import Session
from bandstrap.simulation import Runner, runner
from bandstrap.simulation.batch import run_batch
from bandstrap.simulation.progress import Quiet
from bandstrap.simulation.store.checkpoint import Checkpoint
from simulated import MEANS, cells, same

CLI = [sys.executable, "-m", "bandstrap"]


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


def test_an_unwritable_checkpoint_is_named(tmp_path):
    file = tmp_path / "file"
    file.write_text("mine")
    with pytest.raises(OutputError, match=r"file.*cannot be written.*choose another"):
        simulate(Bootstrap(), MEANS, 5, runs=5, checkpoint=file)
    assert file.read_text() == "mine"


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
    settings = Settings(RunSize.QUICK, runs=1200, horizon=150, policies=("wb", "ts"))
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
