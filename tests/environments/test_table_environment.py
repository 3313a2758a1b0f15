"""A table as an environment: it pays what its rows say, and is known by its contents."""

import numpy as np
import pytest

from bandstrap import LinUCB
from bandstrap.environments import ClassPayoffs, FullPayoffs, TableEnvironment
from bandstrap.errors import InvalidInput
from bandstrap.simulation import simulate
from bandstrap.testing import check_environment


def test_tables_of_ones_own_are_environments():
    rng = np.random.default_rng(0)
    contexts = rng.standard_normal((40, 3)).astype(np.float32)
    labels, rewards = rng.integers(0, 3, 40), rng.random((40, 2))
    labelled = TableEnvironment("mine", contexts, ClassPayoffs(labels, 3))
    paid = TableEnvironment("mine", contexts, FullPayoffs(rewards))
    check_environment(labelled)
    check_environment(paid)
    assert labelled.problem.support.values == (0.0, 1.0)
    assert labelled.stream != paid.stream
    other = rewards.copy()
    other[7, 1] += 1e-9
    assert repr(TableEnvironment("mine", contexts, FullPayoffs(other))) != repr(paid)
    assert repr(TableEnvironment("mine", contexts, FullPayoffs(rewards))) == repr(paid)
    with pytest.raises(InvalidInput):
        FullPayoffs(rewards + 0.5)
    whole = simulate(LinUCB(), paid, horizon=40, runs=2)  # every row once
    assert whole.regret[:, -1] + whole.reward[:, -1] == pytest.approx(rewards.max(axis=1).sum())
