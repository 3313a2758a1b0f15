"""What replicas of torch modules refuse, each by one clear error, and arms that come and go."""

from functools import partial

import numpy as np
import pytest

from bandstrap import (
    Bandit,
    EigenExamples,
    GaussianNoise,
    InvalidInput,
    Multinomial,
    NoExamples,
    Problem,
    SeenExamples,
    Support,
    from_torch,
)
from bandstrap.models.torch import model as torch_model

torch = pytest.importorskip("torch")

from torch_worlds import (  # noqa: E402
    PROBLEM,
    huge,
    learner,
    line,
    mlp,
    parameters,
    play,
    policy_of,
    started,
)

from estimators import copied  # noqa: E402

CONTEXT = np.array([[0.3, -1.0, 0.8, 0.1]])
nn = torch.nn


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"module_factory": 3}, "module_factory = 3"),
        ({"module_factory": nn.Linear(2, 2)}, "not a module"),
        ({"loss": "hinge"}, "loss = 'hinge'.*squared_error"),
        ({"loss": 3}, "loss = 3"),
        ({"optimiser": "adam"}, "optimiser = 'adam'"),
        ({"optimiser": torch.optim.Adam(nn.Linear(2, 2).parameters())}, "optimiser"),
        ({"replicas": 0}, "replicas = 0"),
        ({"batch": 0}, "batch = 0"),
        ({"steps": 0}, "steps = 0"),
        ({"memory": 0}, "memory = 0"),
    ],
    ids=str,
)
def test_parameters(given, named):
    with pytest.raises(InvalidInput, match=named):
        from_torch(**{"module_factory": mlp, **given})


def test_without_torch_the_remedy_is_named(monkeypatch):
    monkeypatch.setattr(torch_model, "find_spec", lambda name: None)
    with pytest.raises(InvalidInput, match="pip install"):
        from_torch(mlp)


class Calling(nn.Module):
    """A line, and then whatever a test wants."""

    def __init__(self, then, n_features, n_outputs):
        super().__init__()
        self.line = nn.Linear(n_features, n_outputs)
        self.then = then

    def forward(self, x):
        return self.then(self.line(x))


def calling(then):
    return partial(Calling, then)


def branching(x):
    return x if x.sum().item() > 0 else -x


def normalised(n_features, n_outputs):
    return nn.Sequential(line(n_features, 8), nn.BatchNorm1d(8), line(8, n_outputs))


@pytest.mark.parametrize(
    ("factory", "named"),
    [
        (lambda n_features: None, "called with \\(n_features, n_arms\\)"),
        (lambda n_features, n_arms: None, "torch.nn.Module"),
        (lambda n_features, n_arms: line(n_features, n_arms + 1), r"\(2, 4\).*shape \(2, 3\)"),
        (calling(lambda x: x[:, 0]), r"shape \(2, 3\)"),
        (calling(lambda x: [x]), "list.*shape"),
        (lambda n_features, n_arms: line(n_features + 1, n_arms), r"contexts of shape \(2, 4\)"),
        (normalised, "1: BatchNorm1d.*LayerNorm"),
        (lambda n_features, n_arms: nn.Sequential(), "nothing to learn"),
        (lambda n_features, n_arms: line(n_features, n_arms).half(), "float32 or float64"),
        (calling(branching), "torch.func.vmap"),
        (calling(nn.functional.dropout), "self.training"),
    ],
    ids=range(11),
)
def test_modules(factory, named):
    policy = policy_of(factory)
    state, rng = policy.start(PROBLEM), np.random.default_rng(0)
    with pytest.raises(InvalidInput, match=f"(?s)module_factory.*{named}"):
        policy.update(state, CONTEXT, np.array([0]), np.array([1.0]), rng)
    assert learner(state).examples.rows.count == 0


@pytest.mark.parametrize(
    ("kinds", "named"),
    [
        ({"loss": nn.functional.mse_loss}, 'loss = .*reduction="none"'),
        ({"loss": lambda predictions, rewards: 1.0}, "loss = "),
        ({"optimiser": lambda given: 3}, "optimiser = 3.*Optimizer"),
        ({"optimiser": huge}, "learning rate"),
        ({"loss": lambda predictions, rewards: predictions / 0.0}, "finite"),
    ],
    ids=range(5),
)
def test_steps(kinds, named):
    policy = policy_of(**kinds)
    with pytest.raises(InvalidInput, match=named):
        started(policy)


def test_schemes_and_supports():
    for resampling in (Multinomial(), GaussianNoise()):
        with pytest.raises(InvalidInput, match="resampling"):
            policy_of(resampling=resampling).start(PROBLEM)
    with pytest.raises(InvalidInput, match="squared_error"):
        policy_of(loss="log_loss").start(Problem(2, 4, Support.interval(-1, 1)))


def test_learning_needs_a_generator():
    policy = policy_of()
    state = policy.start(PROBLEM)
    with pytest.raises(InvalidInput, match="rng"):
        policy.update(state, CONTEXT, np.array([0]), np.array([1.0]))


def test_one_module_cannot_have_more_arms():
    policy = policy_of()
    state, _ = started(policy)
    with pytest.raises(InvalidInput, match="per_arm=True"):
        policy.remap_arms(state, Problem(4, 4, PROBLEM.support), [0, 1, 2, None])
    assert state.problem.n_arms == 3


@pytest.mark.parametrize("per_arm", [False, True])
def test_arms_can_go_and_change_places(per_arm):
    policy = policy_of(per_arm=per_arm, prior=EigenExamples())
    state, rng = started(policy, rounds=30)
    before = learner(state).stack.ask(CONTEXT)[:, learner(state).columns]
    examples = learner(state).examples
    pulls, rows = examples.pulls[[2, 0]], np.isin(examples.arms[:30], [0, 2]).sum()
    policy.remap_arms(state, Problem(2, 4, PROBLEM.support), [2, 0])
    after = learner(state).stack.ask(CONTEXT)[:, learner(state).columns]
    np.testing.assert_allclose(after, before[:, [2, 0]], rtol=1e-6)
    assert (learner(state).examples.pulls == pulls).all()
    assert learner(state).examples.rows.count == rows
    again, twin, twin_rng = copied((policy, state, rng))
    assert (play(policy, state, rng, 20) == play(again, twin, twin_rng, 20)).all()


def test_a_module_per_arm_takes_more_arms():
    policy = policy_of(per_arm=True, prior=SeenExamples())
    state, rng = started(policy, rounds=30)
    before = learner(state).stack.ask(CONTEXT)
    momenta = learner(state).saved["optimiser"]["state"][0]["exp_avg"].copy()
    policy.remap_arms(state, Problem(4, 4, PROBLEM.support), [None, 0, 1, 2])
    after = learner(state).stack.ask(CONTEXT)
    np.testing.assert_allclose(after[:, 1:], before, rtol=1e-6)
    assert len(np.unique(after[:, 0])) == 4  # replicas of the new arm start apart
    kept = learner(state).saved["optimiser"]["state"][0]["exp_avg"].reshape(4, 4, 16, 4)
    assert (kept[:, 1:].reshape(momenta.shape) == momenta).all()
    assert (kept[:, 0] == 0).all()
    assert learner(state).examples.pulls[0] == 0
    twin, twin_rng = copied((state, rng))
    assert (play(policy, state, rng, 20) == play(policy, twin, twin_rng, 20)).all()
    for name, array in parameters(state).items():
        assert array.tobytes() == parameters(twin)[name].tobytes()


def test_a_run_that_has_not_begun_takes_any_arms():
    policy = policy_of()
    state = policy.start(PROBLEM)
    policy.remap_arms(state, Problem(5, 4, PROBLEM.support), [0, 1, 2, None, None])
    assert play(policy, state, np.random.default_rng(0), 3).shape == (3,)


@pytest.mark.parametrize("name", ["replicas", "batch", "steps", "memory"])
def test_counts_are_whole(name):
    with pytest.raises(InvalidInput, match=f"{name} = 2.5: give a whole number"):
        from_torch(mlp, **{name: 2.5})


def test_an_optimiser_that_computes_losses_again():
    with pytest.raises(InvalidInput, match=r"optimiser = 'LBFGS': .*such as Adam"):
        started(policy_of(optimiser=torch.optim.LBFGS))


class Bursting(torch.optim.SGD):
    """Its steps leave the numbers as they are until it is told to burst."""

    burst = False

    def step(self, closure=None):
        super().step(closure)
        if Bursting.burst:
            for group in self.param_groups:
                for parameter in group["params"]:
                    parameter.data.fill_(1e30)


@pytest.mark.parametrize("prior", [NoExamples(), SeenExamples(), EigenExamples()], ids=repr)
def test_a_reward_whose_steps_diverge_is_not_learnt(prior, monkeypatch):
    policy = policy_of(optimiser=partial(Bursting, lr=0.01), prior=prior, steps=3)
    bandit = Bandit(policy, ["a", "b"], rewards=Support.binary(), seed=1)
    for _ in range(10):
        bandit.learn(bandit.decide(CONTEXT[0]), 1)
    decision = bandit.decide(-CONTEXT[0])
    own = bandit.memory(None).state.learners[0]
    before = parameters(bandit.memory(None).state)
    mean = own.examples.scale.mean.copy()
    monkeypatch.setattr(Bursting, "burst", True)
    with pytest.raises(InvalidInput, match="no longer finite"):
        bandit.learn(decision, 1)
    monkeypatch.setattr(Bursting, "burst", False)
    assert own.examples.rows.count == own.examples.pulls.sum() == bandit.rewards_learnt == 10
    assert (own.examples.scale.mean == mean).all()
    assert all((own.saved["parameters"][name] == it).all() for name, it in before.items())
    assert bandit.decisions_waiting == 1
    bandit.learn(decision, 1)  # it still can be
    assert bandit.decide(CONTEXT[0]).arm in ("a", "b")


def test_schemes_and_supports_are_refused_before_any_context():
    with pytest.raises(InvalidInput, match="resampling"):
        Bandit(policy_of(resampling=Multinomial()), ["a", "b"])
    with pytest.raises(InvalidInput, match="squared_error"):
        Bandit(policy_of(loss="log_loss"), ["a", "b"], rewards=Support.interval(-1, 1))
