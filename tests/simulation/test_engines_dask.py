"""Batches on a real Dask scheduler with two worker processes."""

import pytest

from bandstrap.simulation.engines import Dask
from clusters import check_a_killed_worker, contextual, dask_cluster, results

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
