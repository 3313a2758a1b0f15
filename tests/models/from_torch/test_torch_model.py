"""Any torch module as a model: replicas in one pass, each with weights of its own."""

import subprocess
import sys

import numpy as np
import pytest

from bandstrap import (
    ContextualEpsilonGreedy,
    DoubleOrNothing,
    EigenExamples,
    Exponential,
    NoResampling,
    Poisson,
    Problem,
    Resampling,
    SeenExamples,
    Support,
    from_torch,
)
from bandstrap.policies.base import discount

torch = pytest.importorskip("torch")

from torch_worlds import (  # noqa: E402
    PROBLEM,
    dropping,
    learner,
    line,
    mlp,
    parameters,
    play,
    policy_of,
    quick,
    started,
)

CONTEXT = np.array([[0.3, -1.0, 0.8, 0.1]])
ALL = np.ones((1, 3), dtype=bool)


@pytest.fixture(autouse=True)
def _one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize(
    ("kinds", "least"),
    [
        ({}, 0.7),
        ({"loss": "log_loss"}, 0.7),
        ({"prior": EigenExamples(), "loss": "log_loss"}, 0.6),
        ({"per_arm": True}, 0.7),
        ({"factory": dropping, "resampling": Poisson()}, 0.65),
        ({"resampling": DoubleOrNothing(), "memory": 200, "steps": 2}, 0.7),
    ],
    ids=["squared", "log loss", "prior", "by arm", "dropout", "memory"],
)
def test_it_learns(kinds, least):
    policy = policy_of(**{"batch": 16, "optimiser": quick, **kinds})
    state, rng = policy.start(PROBLEM), np.random.default_rng(3)
    earned = play(policy, state, rng, 300)
    assert earned[-100:].mean() > least  # by chance 0.33


def test_epsilon_greedy_has_one_replica():
    policy = ContextualEpsilonGreedy(from_torch(mlp, optimiser=quick))
    state, rng = policy.start(PROBLEM), np.random.default_rng(3)
    assert play(policy, state, rng, 200)[-100:].mean() > 0.55
    assert learner(state).replicas == 1
    assert learner(policy_of(resampling=NoResampling()).start(PROBLEM)).replicas == 1


@pytest.mark.parametrize("loss", ["squared_error", "log_loss"])
@pytest.mark.parametrize("per_arm", [False, True])
def test_replicas_equal_those_trained_one_by_one(loss, per_arm, monkeypatch):
    policy = policy_of(loss=loss, per_arm=per_arm, steps=2, prior=SeenExamples())
    state, rng = policy.start(PROBLEM), np.random.default_rng(5)
    policy.select(state, CONTEXT, rng)  # modules start
    begin, batches = parameters(state), []
    examples = learner(state).examples
    draw = examples.batch

    def recorded(size, rng):
        batches.append(draw(size, rng))
        return batches[-1]

    monkeypatch.setattr(examples, "batch", recorded)
    play(policy, state, rng, 10)
    assert len(batches) == 20
    for replica in (0, 3):
        twin = Twin(begin, replica, per_arm)
        for batch in batches:
            twin.step(batch, replica, loss)
        for mine, theirs in zip(
            of_replica(parameters(state), replica, per_arm), twin.modules, strict=True
        ):
            for name, tensor in theirs.named_parameters():
                np.testing.assert_allclose(mine[name], tensor.detach().numpy(), atol=2e-5)
        asked = learner(state).stack.ask(examples.scaled(CONTEXT), replica)[0]
        np.testing.assert_allclose(asked, twin.predictions(examples.scaled(CONTEXT)), atol=1e-4)


def of_replica(stacked, replica, per_arm):
    places = range(replica * 3, replica * 3 + 3) if per_arm else [replica]
    return [{name: array[place] for name, array in stacked.items()} for place in places]


class Twin:
    """One replica as anyone would write it in torch."""

    def __init__(self, stacked, replica, per_arm):
        self.modules = []
        for state in of_replica(stacked, replica, per_arm):
            module = mlp(4, 1 if per_arm else 3)
            module.load_state_dict({name: torch.tensor(array) for name, array in state.items()})
            self.modules.append(module)
        every = [parameter for module in self.modules for parameter in module.parameters()]
        self.optimiser = torch.optim.Adam(every, lr=1e-3)

    def outputs(self, contexts):
        inputs = torch.tensor(contexts, dtype=torch.float32)
        return torch.cat([module(inputs) for module in self.modules], dim=1)

    def predictions(self, contexts):
        return self.outputs(contexts)[0].detach().numpy()

    def step(self, batch, replica, loss):
        total = 0.0
        outputs = self.outputs(batch.contexts)
        for i, arm in enumerate(batch.arms):
            predicted, reward = outputs[i, int(arm)], float(batch.rewards[i])
            if loss == "log_loss":
                chance = torch.sigmoid(predicted)
                term = -(reward * torch.log(chance) + (1 - reward) * torch.log(1 - chance))
            else:
                term = (predicted - reward) ** 2
            total = total + float(batch.weights[i, replica]) * term
        self.optimiser.zero_grad()
        (total / len(batch.arms)).backward()
        self.optimiser.step()


class FirstOnly(Resampling):
    """The first replica gives every example the weight 0."""

    independent = True

    def weights(self, shape, rng):
        weights = np.ones(shape)
        weights[0] = 0.0
        return weights


def test_a_replica_learns_nothing_from_examples_without_weight():
    policy = policy_of(resampling=FirstOnly())
    state, rng = policy.start(PROBLEM), np.random.default_rng(1)
    policy.select(state, CONTEXT, rng)
    begin = parameters(state)
    play(policy, state, rng, 10)
    for name, array in parameters(state).items():
        moved = np.abs(array - begin[name]).reshape(4, -1).max(axis=1)
        assert moved[0] == 0.0
        assert (moved[1:] > 0.0).all()


def test_only_the_arm_pulled_is_learnt():
    policy = policy_of(line)
    state, rng = policy.start(PROBLEM), np.random.default_rng(1)
    policy.select(state, CONTEXT, rng)
    begin = parameters(state)
    policy.update(state, CONTEXT, np.array([1]), np.array([1.0]), rng)
    moved = np.abs(parameters(state)["bias"] - begin["bias"]).max(axis=0)
    assert moved[1] > 0
    assert moved[[0, 2]].tolist() == [0.0, 0.0]


def test_probabilities_are_shares_of_replicas():
    policy = policy_of(replicas=5, loss="log_loss")
    state, rng = started(policy, rounds=40)
    allowed = np.array([[True, False, True]])
    shares = policy.probabilities(state, CONTEXT, allowed)
    assert shares[1] == 0.0
    assert shares.sum() == pytest.approx(1.0)
    assert shares * 5 == pytest.approx(np.rint(shares * 5))
    chosen = [int(policy.select(state, CONTEXT, rng, allowed)[0]) for _ in range(400)]
    found = np.bincount(chosen, minlength=3) / 400
    assert np.abs(found - shares).max() < 0.1  # four standard errors
    scaled = learner(state).examples.scaled(CONTEXT)
    votes = [learner(state).stack.ask(scaled, r)[0, [0, 2]].argmax() for r in range(5)]
    assert shares[[0, 2]] == pytest.approx(np.bincount(votes, minlength=2) / 5)


def test_log_loss_scores_are_sigmoids():
    policy = policy_of(loss="log_loss", prior=EigenExamples())
    state, rng = started(policy)
    scores = policy.scores(state, CONTEXT, rng)
    assert ((scores > 0) & (scores < 1)).all()


def test_arms_never_tried_go_first():
    policy = policy_of()
    state, rng = policy.start(PROBLEM), np.random.default_rng(0)
    assert np.isinf(policy.scores(state, CONTEXT, rng)).all()
    policy.update(state, CONTEXT, np.array([0]), np.array([1.0]), rng)
    assert np.isinf(policy.scores(state, CONTEXT, rng)[0]).tolist() == [False, True, True]
    assert policy.probabilities(state, CONTEXT, ALL).tolist() == [0.0, 0.5, 0.5]


def test_memory_keeps_the_last_examples():
    policy = policy_of(memory=5)
    state, rng = started(policy, rounds=37)
    rows = learner(state).examples.rows
    assert rows.count < 11
    batch = learner(state).examples.batch(500, rng)
    kept = learner(state).examples.scaled(rows.contexts[-5:])
    assert {row.tobytes() for row in batch.contexts} == {row.tobytes() for row in kept}


def test_every_batch_has_the_newest_example_and_others():
    state, rng = started(policy_of(prior=SeenExamples()), rounds=9)
    examples = learner(state).examples
    batches = [examples.batch(4, rng) for _ in range(500)]
    newest = examples.scaled(examples.rows.contexts[-1:])[0]
    assert all((batch.contexts[0] == newest).all() for batch in batches)
    others = np.concatenate([batch.arms[1:] for batch in batches])
    found = np.bincount(others, minlength=3) / 1500
    expected = (np.bincount(examples.arms[:9], minlength=3) + 2) / 15  # 9 rows, 2 by 3 pseudo
    assert np.abs(found - expected).max() < 0.06  # more than four standard errors


def test_weights_of_rewards_and_forgetting_scale_the_weights():
    policy = policy_of(resampling=FirstOnly())
    state, rng = started(policy, rounds=3)
    policy.update(state, CONTEXT, np.array([2]), np.array([1.0]), rng, np.array([2.5]))
    discount(policy, state, 0.5)
    weights = learner(state).examples.weights[:4]
    assert weights.tolist() == [[0, 0.5, 0.5, 0.5]] * 3 + [[0, 1.25, 1.25, 1.25]]


def test_contexts_as_they_are():
    policy = policy_of(standardise=False)
    state, rng = started(policy, rounds=5)
    batch = learner(state).examples.batch(8, rng)
    assert (batch.contexts[0] == learner(state).examples.rows.contexts[-1]).all()


def test_bytes_are_shares():
    policy = policy_of(standardise=False)
    state, rng = policy.start(PROBLEM), np.random.default_rng(0)
    context = np.array([[0, 51, 255, 0]], dtype=np.uint8)
    policy.update(state, context, np.array([0]), np.array([1.0]), rng)
    batch = learner(state).examples.batch(2, rng)
    np.testing.assert_allclose(batch.contexts[0], [0.0, 0.2, 1.0, 0.0], rtol=1e-6)


def test_importing_the_models_does_not_import_torch():
    code = "import sys, bandstrap; bandstrap.from_torch; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], timeout=60, check=True)


def test_real_rewards():
    problem = Problem(2, 4, Support.real())
    policy = policy_of(resampling=Exponential(), optimiser=quick)
    state, rng = policy.start(problem), np.random.default_rng(2)
    for x in rng.standard_normal((200, 1, 4)):
        arms = policy.select(state, x, rng)
        policy.update(state, x, arms, np.array([x[0, 0] if arms[0] else -x[0, 0]]), rng)
    assert policy.scores(state, np.array([[1.0, 0, 0, 0]]), rng)[0, 1] == pytest.approx(
        1.0, abs=0.3
    )
