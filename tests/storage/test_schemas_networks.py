"""Networks and trees come back from files as they were, or not at all."""

import numpy as np
import pytest
from edits import check_refused, entry, fewer, ids, item, put, refused, resized

from bandstrap import (
    Bandit,
    Budgeted,
    ContextualBootstrap,
    ContextualEpsilonGreedy,
    DecisionTree,
    EigenExamples,
    Exponential,
    HalfLife,
    InvalidInput,
    Multinomial,
    NetworkHeads,
    NeuralLinear,
    NeuralNetwork,
    NoExamples,
    Propensity,
    SharedNetwork,
    Support,
    TreeHeuristic,
    Window,
)
from bandstrap.models.network.shared import LangevinNetwork
from bandstrap.policies import Langevin
from hostile import array_at, find, new_array, objects, put_array, read, write

EYE = EigenExamples(np.eye(3))
SMALL = NeuralNetwork(hidden=4, batch=4)
BUDGETED = Budgeted(SMALL, examples=8)
SHARED = SharedNetwork(hidden=4, examples=8)
CONTEXTS = np.random.default_rng(7).standard_normal((200, 3))
POLICIES = {
    "passes": ContextualEpsilonGreedy(SMALL),
    "rotated": ContextualBootstrap(Exponential(), SMALL, EigenExamples(np.eye(3) + 0.5)),
    "budgeted": ContextualEpsilonGreedy(BUDGETED),
    "budgeted heads": ContextualBootstrap(Exponential(), NetworkHeads(BUDGETED, heads=3), EYE),
    "shared": ContextualEpsilonGreedy(SHARED),
    "heads": ContextualBootstrap(Exponential(), NetworkHeads(SHARED, heads=3), NoExamples()),
    "neural-linear": NeuralLinear(SHARED),
    "langevin": Langevin(LangevinNetwork(hidden=4, examples=8)),
    "trees": TreeHeuristic(),
    "fresh trees": ContextualBootstrap(Multinomial(), DecisionTree(), NoExamples()),
}
FORGETTING = {"all": None, "half": HalfLife(30), "window": Window(60)}


def bandit_of(name, forgetting=None):
    settings = {"rewards": Support.binary(), "propensity": Propensity(draws=2)}
    return Bandit(POLICIES[name], ["a", "b", "c"], seed=4, forgetting=forgetting, **settings)


def played(bandit, rounds):
    """What it decided, in contexts that tell which arm pays."""
    told = []
    for context in CONTEXTS[rounds]:
        decision = bandit.decide(context)
        told.append((decision.arm, decision.propensity, decision.scores))
        bandit.learn(decision, float(context[bandit.arms.index(decision.arm) % 3] > 0))
    return told


@pytest.fixture(scope="module")
def honest(tmp_path_factory):
    """A file of every policy after 120 rounds."""
    folder = tmp_path_factory.mktemp("honest")
    for name in POLICIES:
        bandit = bandit_of(name)
        played(bandit, slice(0, 120))
        bandit.save(folder / name)
    return folder


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize("forgetting", FORGETTING)
def test_a_loaded_one_goes_on_as_it_would_have(name, forgetting, tmp_path):
    bandit = bandit_of(name, FORGETTING[forgetting])
    played(bandit, slice(0, 120))
    bandit.save(tmp_path / "b")
    again = Bandit.load(tmp_path / "b")
    assert played(again, slice(120, 140)) == played(bandit, slice(120, 140))


@pytest.mark.parametrize("name", POLICIES)
def test_arms_that_came_and_went_are_no_obstacle(name, tmp_path):
    bandit = bandit_of(name)
    played(bandit, slice(0, 70))
    bandit.remove_arm("b")
    bandit.add_arm("d")
    bandit.save(tmp_path / "before")
    played(bandit, slice(70, 90))
    bandit.save(tmp_path / "after")
    for path in ("before", "after"):
        Bandit.load(tmp_path / path).decide(CONTEXTS[0])
    again = Bandit.load(tmp_path / "after")
    assert played(again, slice(90, 100)) == played(bandit, slice(90, 100))


def wider(raw, slot):
    """One more feature."""
    array = array_at(raw, slot)
    put_array(raw, slot.value[1], np.concatenate([array, array[..., :1]], axis=-1))


def without_leaves(raw, slot):
    slot.value[1][:] = [new_array(raw, np.zeros(0, dtype=np.int64)) for _ in slot.value[1]]


def cycle(raw, slot):
    """The last leaf is the root once more."""
    nodes = array_at(raw, slot)
    nodes[-1] = 0, 0, 0


CHANGES = [
    # kernels run along the parameters, whatever else there is
    ("shared", "Adam", "first", resized(-1)),
    ("shared", "Adam", "second", resized(-1)),
    ("shared", "Adam", "average", resized(-30)),
    ("shared", "Adam", "second", entry(0, -1.0)),
    ("shared", "Adam", "first", entry(0, np.nan)),
    ("shared", "Adam", "memory", put(2.0)),
    ("shared", "Adam", "rate", put(-0.1)),
    ("shared", "Adam", "steps", put(-1)),
    ("langevin", "Wander", "second", resized(-1)),
    ("langevin", "Wander", "second", entry(0, -1.0)),
    ("langevin", "Wander", "precision", put(-1.0)),
    ("shared", "Layers", "flat", resized(-1)),
    ("shared", "Layers", "flat", entry(3, np.inf)),
    ("passes", "Layers", "flat", resized(1)),
    ("shared", "Layers", "sizes", item(0, 2**40)),
    ("shared", "Layers", "sizes", item(0, -3)),
    ("budgeted", "Layers", "flat", resized(-1)),
    ("budgeted heads", "Adam", "average", resized(-1)),
    ("shared", "SharedLearner", "optimiser", put(None)),
    ("shared", "SharedLearner", "network", put(None)),
    ("shared", "SharedLearner", "unstarted", put(["list", [3], 9999])),
    ("shared", "SharedLearner", "unstarted", put(["list", [-1], 9999])),
    ("shared", "SharedLearner", "owed", put(-1)),
    ("heads", "SharedLearner", "starts", resized(-1)),
    ("heads", "SharedLearner", "starts", entry(0, np.nan)),
    ("heads", "ManyHeads", "count", put(2)),
    ("heads", "ManyHeads", "spread", put(1e308)),
    ("heads", "KeptDraws", "known", put(10**6)),
    ("heads", "KeptDraws", "known", put(128)),
    ("heads", "KeptDraws", "heads", put(2)),
    ("heads", "KeptDraws", "targets", resized(-1)),
    ("heads", "KeptDraws", "weights", entry((0, 0), -1.0)),
    ("shared", "Replay", "arms", entry(0, 3)),
    ("shared", "Replay", "arms", entry(0, -1)),
    ("shared", "Replay", "arms", entry(0, 2**40)),
    ("shared", "Replay", "arms", resized(-10)),
    ("shared", "Replay", "errors", resized(-64)),
    ("shared", "Replay", "errors", entry(0, np.nan)),
    ("shared", "Replay", "pulls", resized(1)),
    ("shared", "Replay", "n_arms", put(2)),
    ("shared", "Replay", "n_arms", put(4)),
    ("shared", "Replay", "new", put(10**6)),
    ("shared", "RunningScale", "mean", wider),
    ("shared", "RunningScale", "shares", resized(-1)),
    ("shared", "RunningScale", "squares", entry(0, -1.0)),
    ("shared", "RunningScale", "shares", entry(0, 1e308)),
    ("shared", "RunningScale", "count", put(-5)),
    ("budgeted", "BudgetedLearner", "n_features", put(4)),
    ("budgeted", "BudgetedLearner", "new", item(0, 1000)),
    ("budgeted", "BudgetedLearner", "new", item(0, -1)),
    ("budgeted", "BudgetedLearner", "rows", fewer),
    ("budgeted", "BudgetedLearner", "networks", fewer),
    ("budgeted", "BudgetedLearner", "optimisers", item(0, None)),
    ("budgeted", "BudgetedLearner", "draws", fewer),
    ("neural-linear", "NeuralLinearLearner", "sums", resized(-1)),
    ("neural-linear", "NeuralLinearLearner", "sums", wider),
    ("neural-linear", "NeuralLinearLearner", "squares", entry(0, -1.0)),
    ("neural-linear", "NeuralLinearLearner", "squares", resized(1)),
    ("neural-linear", "NeuralLinearLearner", "growth", put(3.0)),
    ("neural-linear", "NeuralLinearLearner", "known", put(-1)),
    ("neural-linear", "NeuralLinearLearner", "representation", put(None)),
    ("neural-linear", "RunningScale", "mean", wider),
    ("neural-linear", "Ellipsoids", "centres", wider),
    ("neural-linear", "NoisePrior", "rate", put(0.0)),
    ("trees", "Tree", "nodes", entry((0, 0), 3)),
    ("trees", "Tree", "nodes", entry((0, 0), 2**40)),
    ("trees", "Tree", "nodes", entry((0, 0), -1)),
    ("trees", "Tree", "nodes", entry((0, 1), 2**40)),
    ("trees", "Tree", "nodes", entry((0, 1), 0)),
    ("trees", "Tree", "nodes", entry((0, 2), -1)),
    ("trees", "Tree", "nodes", entry((0, 2), 0)),
    ("trees", "Tree", "nodes", cycle),
    ("trees", "Tree", "values", resized(-1)),
    ("trees", "Tree", "values", entry((0, 0), np.nan)),
    ("trees", "TreeLearner", "leaves", without_leaves),
    ("trees", "TreeLearner", "leaves", fewer),
    ("trees", "TreeLearner", "trees", fewer),
    ("trees", "TreeLearner", "rows", fewer),
    ("trees", "TreeLearner", "pulls", put(2)),
    ("trees", "TreeLearner", "growth", put(-1.0)),
    ("trees", "TreeLearner", "ends", resized(1)),
    ("fresh trees", "Tree", "nodes", entry((0, 0), 3)),
    ("fresh trees", "RefitLearner", "fits", item(0, 3.0)),
    ("rotated", "Eigenbasis", "matrix", entry((0, 0), 3.0)),
    ("rotated", "Eigenbasis", "matrix", entry((0, 0), np.nan)),
    ("rotated", "Eigenbasis", "matrix", wider),
    ("rotated", "Eigenbasis", "lengths", resized(-1)),
    ("rotated", "Eigenbasis", "lengths", resized(1)),
    ("rotated", "Eigenbasis", "lengths", entry(0, -1.0)),
    ("rotated", "Eigenbasis", "version", put(-2)),
    ("rotated", "StochasticLearner", "basis", put(3.0)),  # what files call an EigenLearner
    ("rotated", "StochasticLearner", "fits", fewer),
    ("rotated", "StochasticLearner", "fits", item(0, 3.0)),
    # what the policy itself says
    ("passes", "NeuralNetwork", "hidden", put(2**40)),
    ("passes", "NeuralNetwork", "hidden", put(5)),
    ("passes", "NeuralNetwork", "batch", put(0)),
    ("passes", "NeuralNetwork", "learning_rate", put(1e308)),
    ("shared", "SharedNetwork", "hidden", put(5)),
    ("shared", "SharedNetwork", "layers", put(1)),
    ("shared", "SharedNetwork", "layers", put(2**40)),
    ("shared", "SharedNetwork", "examples", put(2**40)),
    ("budgeted", "Budgeted", "examples", put(2**40)),
    ("heads", "NetworkHeads", "heads", put(4)),
    ("heads", "NetworkHeads", "heads", put(2**40)),
    ("langevin", "LangevinNetwork", "spread", put(5e-324)),
    ("trees", "DecisionTree", "leaf", put(0.0)),
    ("trees", "DecisionTree", "depth", put(-1)),
]


@pytest.mark.parametrize("change", CHANGES, ids=ids)
def test_what_could_not_have_been_learnt_is_refused(change, honest, tmp_path):
    check_refused(change, honest, tmp_path)


@pytest.mark.parametrize(
    ("name", "owner", "old", "new"),
    [
        ("shared", "SharedLearner", "network_shared:SharedLearner", "budget:BudgetedLearner"),
        ("heads", "KeptDraws", "KeptDraws", "FreshDraws"),
        ("heads", "ManyHeads", "ManyHeads", "OneHead"),
        ("shared", "Adam", "network_optimiser:Adam", "network_langevin:Wander"),
        ("shared", "Layers", "network_layers:Layers", "tree:Tree"),
    ],
)
def test_another_class_in_its_place_is_refused(name, owner, old, new, honest, tmp_path):
    raw = read(honest / name)
    node = objects(raw, owner)[0]
    node[1] = node[1].replace(old, new)
    refused(raw, tmp_path)


def test_a_learner_of_another_policy_is_refused(honest, tmp_path):
    """What wanders cannot be what averages, though both fit one network."""
    raw, other = read(honest / "langevin"), read(honest / "shared")
    [steps] = find(raw, "SharedLearner", "optimiser")
    [adam] = objects(other, "Adam")
    size = array_at(raw, find(raw, "Wander", "second")[0]).size
    arrays = {name: new_array(raw, np.zeros(size, np.float32)) for name in ("first", "second")}
    for number, node in enumerate(arrays.values()):
        node[-1] = 10_000 + number
    arrays["average"] = [*new_array(raw, np.zeros(size, np.float32))[:2], 10_002]
    steps.put(["object", adam[1], {"rate": 0.1, "memory": 0.9, "steps": 3, **arrays}, 10_003])
    refused(raw, tmp_path, "steps are of another model")


def asked(bandit):
    with np.errstate(all="ignore"):
        for context in CONTEXTS[:20]:
            bandit.decide(context)


@pytest.mark.parametrize("name", ["shared", "heads", "budgeted", "budgeted heads", "langevin"])
def test_parameters_that_overflow_lead_to_a_clear_error(name, honest, tmp_path):
    """They are numbers, so a file may hold them."""
    raw = read(honest / name)
    for slot in [*find(raw, "Layers", "flat"), *find(raw, "Adam", "average")]:
        array_at(raw, slot)[:] = np.where(np.arange(array_at(raw, slot).size) % 2, 3e38, -3e38)
    write(raw, tmp_path / "b")
    bandit = Bandit.load(tmp_path / "b")
    with pytest.raises(InvalidInput, match=r"learning_rate = .*no longer numbers"):
        asked(bandit)
