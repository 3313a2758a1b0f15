"""Bandits with scikit-learn's estimators come back from files as they were, or not at all."""

import numpy as np
import pytest
from edits import another, entry, fewer, filled, ids, item, put, refused
from estimator_files import POLICIES, bandit_of, played

from bandstrap import Bandit, HalfLife
from hostile import find, read


@pytest.fixture(scope="module")
def honest(tmp_path_factory):
    folder = tmp_path_factory.mktemp("honest")
    for name in POLICIES:
        bandit = bandit_of(name)
        played(bandit, slice(0, 110))
        bandit.save(folder / name)
    return folder


@pytest.mark.parametrize("name", POLICIES)
def test_a_loaded_one_goes_on_as_it_would_have(name, tmp_path):
    bandit = bandit_of(name)
    played(bandit, slice(0, 110))
    bandit.save(tmp_path / "b")
    again = Bandit.load(tmp_path / "b")
    assert played(again, slice(110, 120)) == played(bandit, slice(110, 120))


@pytest.mark.filterwarnings("ignore::bandstrap.bandit.lock_in.LockInWarning")
@pytest.mark.parametrize("name", ["kept", "afresh"])
def test_what_fades_goes_on_too(name, tmp_path):
    bandit = bandit_of(name, HalfLife(15))
    played(bandit, slice(0, 110))
    bandit.remove_arm("b")
    bandit.add_arm("d")
    played(bandit, slice(110, 130))
    bandit.save(tmp_path / "b")
    again = Bandit.load(tmp_path / "b")
    assert played(again, slice(130, 140)) == played(bandit, slice(130, 140))


of_half = filled(0.5)  # rewards that are no classes


def repeated(raw, slot):
    """The first arm's list, with its last item once more."""
    chain = slot.value[1][0]
    chain[1] += [["same", chain[1][-1][-1]]] * 50


def often(raw, slot):
    """So many fits that nothing asked for."""
    chain = slot.value[1][0]
    last = chain[1][-1]
    for number in range(50):
        chain[1].append([*last[:2], dict(last[2]), 20_000 + number])
        chain[1][-1][2]["snapshot"] = ["same", last[2]["snapshot"][-1]]


CHANGES = [
    ("kept", "EstimatorModel", "replicas", put(3)),
    ("kept", "EstimatorModel", "replicas", put(10**9)),
    ("kept", "EstimatorModel", "least", put(2)),
    ("kept", "EstimatorModel", "least", put(-1)),
    ("kept", "EstimatorModel", "repeat", put(True)),
    ("kept", "EstimatorModel", "refit", put(None)),
    ("kept", "Fitter", "keyword", put("max_depth")),
    ("kept", "Fitter", "seeds", put(["tuple", ["max_depth"], 9999])),
    ("kept", "Fitter", "repeats", put(True)),
    ("kept", "Fitter", "warm", put(True)),
    ("kept", "Fitter", "least", put(7)),
    ("classes", "Fitter", "values", put(["tuple", [0.0, 7.0], 9999])),
    ("classes", "Fitter", "values", put(None)),
    ("classes", "Rows", "_rewards", of_half),
    ("classes", "EstimatedExamples", "rewards", of_half),
    ("kept", "Importance", "count", put(10**6)),
    ("kept", "Importance", "count", put(1)),
    ("kept", "Importance", "_rows", entry((0, 0), 1e18)),
    ("kept", "Importance", "_rows", entry((0, 0), -1.0)),
    ("kept", "Importance", "_rows", entry((0, 1), -1e9)),
    ("kept", "Importance", "_rows", entry((0, 1), np.nan)),
    ("kept", "EnsembleLearner", "fading", put(1.0)),
    ("kept", "EnsembleLearner", "replicas", put(1000)),
    ("kept", "EnsembleLearner", "rows", fewer),
    ("kept", "EnsembleLearner", "chains", fewer),
    ("kept", "EnsembleLearner", "chains", repeated),
    ("kept", "EnsembleLearner", "fits", put(None)),
    ("kept", "EnsembleLearner", "schedule", put(None)),
    ("kept", "EnsembleLearner", "_renew", put(None)),
    ("warm", "EnsembleLearner", "chains", repeated),
    ("warm", "EnsembleLearner", "chains", often),
    ("kept", "Moment", "rows", put(10**6)),
    ("kept", "Moment", "rows", put(-1)),
    ("kept", "Moment", "version", put(10**6)),
    ("kept", "Moment", "fading", put(-1.0)),
    ("kept", "Moment", "fading", put(1.0)),
    ("kept", "Moment", "contexts", another(4, 3)),
    ("kept", "Moment", "rewards", another(3)),
    ("kept", "Renewal", "seed", put(-1)),
    ("kept", "Renewal", "seed", put(2**64)),
    ("kept", "Renewal", "total", put(0)),
    ("online", "OnlineLearner", "seeds", item(0, None)),
    ("online", "OnlineLearner", "seeds", item(0, -1)),
    ("online", "OnlineLearner", "replicas", put(1000)),
    ("online", "OnlineLearner", "versions", item(0, 10**6)),
    ("online", "OnlineLearner", "versions", item(0, -2)),
    ("online", "OnlineLearner", "updates", repeated),
    ("online", "OnlineLearner", "updates", fewer),
    ("online", "OnlineLearner", "arms", put(None)),
    ("online", "Mark", "rows", put(10**6)),
    ("online", "Mark", "rewards", another(1)),
    ("online", "Mark", "contexts", another(4, 3)),
]


@pytest.mark.parametrize("change", CHANGES, ids=ids)
def test_what_could_not_have_been_learnt_is_refused(change, honest, tmp_path):
    name, owner, attribute, how = change
    raw = read(honest / name)
    found = find(raw, owner, attribute)
    if not found:  # an attribute that files never have
        [node] = [slot for slot in find(raw, owner) if slot.name == "rows"]
        node.holder[attribute] = None
    else:
        how(raw, found[0])
    refused(raw, tmp_path)
