"""Bandits with torch modules come back from files as they were, or not at all."""

import numpy as np
import pytest
from edits import entry, filled, ids, put, resized

from bandstrap import (
    Bandit,
    ContextualBootstrap,
    Exponential,
    HalfLife,
    InvalidInput,
    NoExamples,
    OutputError,
    SeenExamples,
    from_torch,
)
from bandstrap.models.features import RunningScale
from hostile import array_at, find, new_array, objects, put_array, read, write

torch = pytest.importorskip("torch")

from torch_files import (  # noqa: E402
    CONTEXTS,
    MODELS,
    TRUSTED,
    bandit_of,
    network,
    played,
    refused,
)


@pytest.fixture(autouse=True)
def _one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def honest(tmp_path_factory):
    folder = tmp_path_factory.mktemp("honest")
    for name in MODELS:
        bandit = bandit_of(name)
        played(bandit, slice(0, 70))
        bandit.save(folder / name)
    return folder


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("prior", [NoExamples(), SeenExamples()], ids=repr)
@pytest.mark.parametrize("forgetting", [None, HalfLife(20)], ids=["all", "half"])
def test_a_loaded_one_goes_on_as_it_would_have(name, prior, forgetting, tmp_path):
    bandit = bandit_of(name, prior, forgetting)
    played(bandit, slice(0, 100))
    bandit.save(tmp_path / "b")
    again = Bandit.load(tmp_path / "b", trusted=TRUSTED)
    assert played(again, slice(100, 110)) == played(bandit, slice(100, 110))


@pytest.mark.parametrize("name", MODELS)
def test_arms_that_went_are_no_obstacle(name, tmp_path):
    bandit = bandit_of(name)
    bandit.save(tmp_path / "before")
    Bandit.load(tmp_path / "before", trusted=TRUSTED).decide(CONTEXTS[0])
    played(bandit, slice(0, 30))
    bandit.remove_arm("a")
    if name == "by arm":
        bandit.add_arm("d")
    bandit.save(tmp_path / "b")
    again = Bandit.load(tmp_path / "b", trusted=TRUSTED)
    assert played(again, slice(30, 40)) == played(bandit, slice(30, 40))


def flat(raw, slot):
    """All numbers in one row."""
    put_array(raw, slot.value[1], array_at(raw, slot).reshape(1, -1))


CHANGES = [
    ("shared", "TorchLearner", "columns", filled([0, 1, 3])),
    ("shared", "TorchLearner", "columns", filled([0, 1, 1])),
    ("shared", "TorchLearner", "columns", filled([0, 1, -1])),
    ("shared", "TorchLearner", "columns", resized(-1)),
    ("by arm", "TorchLearner", "columns", filled([0, 2, 1])),
    ("shared", "TorchLearner", "replicas", put(4)),
    ("shared", "TorchLearner", "seed", put(-1)),
    ("shared", "TorchLearner", "saved", put(3)),
    ("shared", "TorchLearner", "_make", put(None)),
    ("shared", "TorchLearner", "stack", put(None)),
    ("shared", "Sizes", "n_features", put(5)),
    ("shared", "Sizes", "n_outputs", put(2)),
    ("shared", "Sizes", "n_outputs", put(2**40)),
    ("shared", "Sizes", "groups", put(2)),
    ("by arm", "Sizes", "groups", put(2**40)),
    ("by arm", "Sizes", "n_outputs", put(2)),
    ("shared", "TorchExamples", "arms", entry(0, 3)),
    ("shared", "TorchExamples", "arms", entry(0, 2**40)),
    ("shared", "TorchExamples", "arms", resized(-100)),
    ("shared", "TorchExamples", "weights", entry((0, 0), -1.0)),
    ("shared", "TorchExamples", "weights", flat),
    ("shared", "TorchExamples", "pseudo_weights", entry((0, 0, 0), np.nan)),
    ("shared", "TorchExamples", "pulls", resized(1)),
    ("shared", "TorchExamples", "pulls", entry(0, -1)),
    ("shared", "TorchExamples", "scale", put(None)),
    ("shared", "TorchExamples", "memory", put(3)),
    ("by arm", "TorchExamples", "memory", put(0)),
    ("shared", "RunningScale", "mean", resized(1)),
    ("shared", "TorchModel", "replicas", put(10**9)),
    ("shared", "TorchModel", "batch", put(10**12)),
    ("shared", "TorchModel", "steps", put(10**12)),
    ("shared", "TorchModel", "standardise", put(False)),
    ("shared", "TorchModel", "per_arm", put(True)),
    ("shared", "TorchModel", "loss", put("no_such")),
    ("shared", "TorchModel", "module_factory", put("network")),
    ("bound", "Bound", "keywords", put(["tuple", [["tuple", ["hidden"], 9998]], 9999])),
    ("bound", "Bound", "arguments", put(["list", [], 9999])),
]


@pytest.mark.parametrize("change", CHANGES, ids=ids)
def test_what_could_not_have_been_learnt_is_refused(change, honest, tmp_path):
    name, owner, attribute, how = change
    raw = read(honest / name)
    found = find(raw, owner, attribute)
    if not found:  # an attribute that files never have
        find(raw, owner)[0].holder[attribute] = None
    else:
        how(raw, found[0])
    refused(raw, tmp_path)


OURS = {
    "a method that makes files": "bandstrap.bandit.bandit:Bandit.save",
    "a download": "bandstrap.datasets.archives:_download",
    "the optimiser": "bandstrap.models.torch_model:adam",
    "a command": "os:system",
    "an evaluation": "builtins:eval",
}


@pytest.mark.parametrize("attribute", ["module_factory", "loss", "optimiser"])
@pytest.mark.parametrize("name", OURS)
def test_nothing_is_called_that_is_not_trusted(attribute, name, honest, tmp_path):
    raw = read(honest / "shared")
    [slot] = find(raw, "TorchModel", attribute)
    slot.put(["global", OURS[name], 9999])
    if (attribute, name) == ("optimiser", "the optimiser"):
        return  # it is what an optimiser may be
    refused(raw, tmp_path, r"damaged|asks for")


@pytest.mark.parametrize("attribute", ["module_factory", "loss", "optimiser"])
def test_what_happens_to_be_callable_is_not_called(attribute, honest, tmp_path):
    """A running scale can be called, and is part of files."""
    assert callable(RunningScale(1))
    raw = read(honest / "shared")
    [scale] = objects(raw, "RunningScale")
    arrays = {name: new_array(raw, np.zeros(1)) for name in ("mean", "squares", "shares")}
    for number, node in enumerate(arrays.values()):
        node[-1] = 10_000 + number
    [slot] = find(raw, "TorchModel", attribute)
    slot.put(["object", scale[1], {"count": 1, **arrays}, 9999])
    refused(raw, tmp_path)


@pytest.mark.parametrize("function", ["bandstrap.models.torch_model:adam", "os:system"])
def test_what_is_bound_is_trusted_too(function, honest, tmp_path):
    raw = read(honest / "bound")
    slot = find(raw, "Bound", "function")[0]
    slot.put(["global", function, 9999])
    if function.startswith("bandstrap"):
        write(raw, tmp_path / "b")
        with pytest.raises((OutputError, InvalidInput)):
            Bandit.load(tmp_path / "b", trusted=TRUSTED).decide(CONTEXTS[0])
    else:
        refused(raw, tmp_path, "asks for os:system")


def test_arguments_are_plain_or_trusted(honest, tmp_path):
    raw = read(honest / "bound")
    ours = ["object", "bandstrap.policies.ucb1:UCB1", {"scale": 1.0}, 9998]
    find(raw, "Bound", "arguments")[0].put(["tuple", [ours], 9999])
    refused(raw, tmp_path, "UCB1 is not plain")


@pytest.mark.parametrize(
    ("name", "value"), [("replicas", 10**9), ("batch", 10**9), ("steps", 10**9), ("memory", 0)]
)
def test_counts_have_an_end(name, value):
    with pytest.raises(InvalidInput, match=name):
        from_torch(network, **{name: value})


class Fails(torch.nn.Module):
    """A module that takes no large numbers."""

    def __init__(self, n_features, n_outputs):
        super().__init__()
        self.line = torch.nn.Linear(n_features, n_outputs)

    def forward(self, x):
        if x.shape[0] == 1:
            raise RuntimeError("one is too few")
        return self.line(x)


def test_a_module_that_fails_is_named():
    policy = ContextualBootstrap(Exponential(), from_torch(Fails, replicas=2), NoExamples())
    with pytest.raises(InvalidInput, match=r"module_factory = 'Fails': .*one is too few"):
        Bandit(policy, ["a", "b"], seed=1).decide(CONTEXTS[0])
