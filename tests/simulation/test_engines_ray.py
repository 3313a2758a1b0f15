"""Batches on a real Ray instance of two cores."""

from importlib.util import find_spec

import pytest

from bandstrap.simulation.engines import Ray
from clusters import check_a_killed_worker, contextual, ray_cluster, results

if find_spec("ray") is None:  # not imported here: its token must be in the environment before
    pytest.skip("needs ray", allow_module_level=True)


@pytest.fixture(scope="module")
def engine():
    with ray_cluster(2) as address:
        yield Ray(address)


def test_results_are_those_of_this_machine_to_the_byte(engine, tmp_path):
    assert results(tmp_path / "cluster", engine) == results(tmp_path / "alone")
    assert contextual(engine) == contextual()


def test_a_killed_worker_loses_nothing(engine, tmp_path):
    check_a_killed_worker(engine, tmp_path)
