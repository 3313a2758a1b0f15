"""Batches on a real Dask scheduler with two worker processes."""

import numpy as np
import pytest

from bandstrap.simulation.engines import Dask
from called import called
from clusters import check_a_killed_worker, check_own_code, contextual, dask_cluster, results

pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def engine():
    with dask_cluster(2) as address:
        yield Dask(address)


def test_results_are_those_of_this_machine_to_the_byte(engine, tmp_path):
    assert results(tmp_path / "cluster", engine) == results(tmp_path / "alone")
    assert contextual(engine) == contextual()


def test_a_killed_worker_loses_nothing(engine, tmp_path):
    check_a_killed_worker(engine, tmp_path)


def test_workers_play_code_that_only_this_folder_has(engine, tmp_path):
    check_own_code(engine, tmp_path)


def test_commands_play_there(engine, tmp_path):
    """The table goes to the workers with the batches."""
    rng = np.random.default_rng(0)
    lines = [f"{x:.3f},{'up' if x > 0 else 'down'}" for x in rng.standard_normal(60)]
    (tmp_path / "table.csv").write_text("\n".join(["x,way", *lines]))
    there, here = ("--engine", "dask", "--address", engine.address), ("--workers", "1")
    for name, where in (("there", there), ("here", here)):
        size = ("--rounds", "20", "--runs", "2", "--policies", "ucb-lin,ts-laplace")
        out = ("--out", str(tmp_path / name))
        call = ("compare", str(tmp_path / "table.csv"), "--label", "way", *size, *out, *where)
        assert called(*call)[0] == 0
    results = [tmp_path / name / "results.parquet" for name in ("there", "here")]
    assert results[0].read_bytes() == results[1].read_bytes()
