"""Replicas of torch modules: the same bytes for the same seed, stopped, copied or not."""

import copy

import numpy as np
import pytest

from bandstrap import EigenExamples, Poisson, SeenExamples

torch = pytest.importorskip("torch")

from torch_worlds import (  # noqa: E402
    PROBLEM,
    Doubled,
    dropping,
    learner,
    momentum,
    parameters,
    play,
    policy_of,
    started,
)

from estimators import copied  # noqa: E402

CONTEXT = np.array([[0.3, -1.0, 0.8, 0.1]])


@pytest.fixture(autouse=True)
def _one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def test_replicas_start_apart_and_torch_keeps_its_generator():
    torch.manual_seed(7)
    before = torch.get_rng_state()
    state, _ = started(policy_of(dropping))
    assert torch.equal(torch.get_rng_state(), before)
    biases = parameters(state)["0.bias"]
    assert len(np.unique(biases, axis=0)) == 4


def test_the_same_seed_gives_the_same_bytes():
    one, _ = started(policy_of(dropping), rounds=20, seed=4)
    torch.rand(3)  # what others draw changes nothing
    two, _ = started(policy_of(dropping), rounds=20, seed=4)
    for name, array in parameters(one).items():
        assert array.tobytes() == parameters(two)[name].tobytes()


CASES = {
    "shared": {},
    "by arm": {"per_arm": True, "prior": SeenExamples()},
    "dropout": {"factory": dropping, "steps": 2},
    "momentum": {"optimiser": momentum, "resampling": Poisson(), "prior": EigenExamples()},
    "double": {"factory": Doubled, "memory": 6},
}


@pytest.mark.parametrize("case", CASES)
def test_a_stopped_run_goes_on_as_if_never_stopped(case):
    policy = policy_of(**CASES[case])
    state, rng = started(policy, rounds=25)
    again, twin, twin_rng = copied((policy, state, rng))
    assert again == policy
    assert repr(again) == repr(policy)
    assert (play(policy, state, rng, 25) == play(again, twin, twin_rng, 25)).all()
    for name, array in parameters(state).items():
        assert array.tobytes() == parameters(twin)[name].tobytes()
    assert rng.bit_generator.state == twin_rng.bit_generator.state
    one, two = policy.scores(state, CONTEXT, rng), again.scores(twin, CONTEXT, twin_rng)
    assert one.tobytes() == two.tobytes()


def test_a_run_that_has_not_begun_can_be_saved():
    policy = policy_of()
    state = copied(policy.start(PROBLEM))
    assert policy.select(state, CONTEXT, np.random.default_rng(0)).shape == (1,)


@pytest.mark.parametrize("case", CASES)
def test_a_copy_learns_by_itself(case):
    policy = policy_of(**CASES[case])
    state, rng = started(policy, rounds=5)
    before, twin = parameters(state), copy.deepcopy(state)
    earned = play(policy, twin, copy.deepcopy(rng), 10)
    for name, array in parameters(state).items():
        assert array.tobytes() == before[name].tobytes()
    assert (play(policy, state, rng, 10) == earned).all()
    for name, array in parameters(state).items():
        assert array.tobytes() == parameters(twin)[name].tobytes()


def test_frozen_parameters_stay_and_buffers_are_used():
    state, _ = started(policy_of(Doubled), rounds=1)
    frozen = parameters(state)["frozen"]
    later, _ = started(policy_of(Doubled), rounds=12)
    assert parameters(later)["frozen"].tobytes() == frozen.tobytes()
    assert frozen.dtype == np.float64
    assert learner(later).saved["buffers"]["shift"].shape == (4, 3)
