"""BLAS is held to one thread where that is said, and until the last has left."""

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from bandstrap import Bandit, Support
from bandstrap.kernels import network_pass
from bandstrap.models.network.layers import Layers
from bandstrap.one_thread import ONE_BLAS_THREAD, ONE_THREAD
from bandstrap.policies.registry import CONTEXTUAL
from bandstrap.priors import EigenExamples


def threads():
    """Of NumPy's BLAS, where it has one of its own."""
    pools = [pool for pool in threadpool_info() if pool["user_api"] == "blas"]
    own = [pool for pool in pools if "numpy" in pool["filepath"]]
    return {pool["num_threads"] for pool in own or pools}


@pytest.mark.parametrize("held", [ONE_THREAD, ONE_BLAS_THREAD])
def test_the_last_to_leave_lifts_the_limit(held):
    with threadpool_limits(2, user_api="blas"):
        with held:
            with held:
                assert threads() == {1}
            assert threads() == {1}
        assert threads() == {2}


@pytest.mark.parametrize(
    ("name", "owner", "step"),
    [
        ("wb-nn", network_pass, "step"),
        ("wb-nn-budgeted", Layers, "gradient"),
        ("wb-nn-shared", Layers, "gradient"),
        ("ts-langevin-nn", Layers, "gradient"),
    ],
)
def test_networks_of_a_bandit_take_their_steps_on_one_thread(name, owner, step, monkeypatch):
    """With two on two busy cores a decision of a shared network took fifty times as long."""
    seen, taken = [], getattr(owner, step)

    def watched(*given):
        seen.append(threads())
        return taken(*given)

    monkeypatch.setattr(owner, step, watched)
    policy = CONTEXTUAL[name](EigenExamples(np.eye(2)))
    with threadpool_limits(2, user_api="blas"):
        bandit = Bandit(policy, ["a", "b"], seed=0, rewards=Support.binary())
        for _ in range(3):
            bandit.learn(bandit.decide([0.1, -0.2]), 1.0)
        assert threads() == {2}
    assert seen
    assert all(each == {1} for each in seen)
