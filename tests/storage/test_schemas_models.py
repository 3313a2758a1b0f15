"""Convex and linear models come back from files as they were, and garbage leads to clear errors."""

import numpy as np
import pytest

from bandstrap import Bandit, HalfLife, OutputError, Window
from bandstrap.errors import BandstrapError
from hostile import find, objects, read, write
from storage.model_files import CONTEXTS, POLICIES, bandit_of, entry, played, put, saved, scaled

EARLIER = [("solved", "ConvexDraw", "scale"), ("least squares", "ConvexDraw", "scale")]
FORGETTING = {"all": None, "half": HalfLife(20), "window": Window(50)}


@pytest.mark.parametrize("forgetting", FORGETTING)
@pytest.mark.parametrize("name", POLICIES)
def test_a_loaded_one_goes_on_as_it_would_have(name, forgetting, tmp_path):
    bandit = bandit_of(name, FORGETTING[forgetting])
    played(bandit, range(110))
    bandit.save(tmp_path / "b")
    again = Bandit.load(tmp_path / "b")
    assert played(again, range(110, 125)) == played(bandit, range(110, 125))


@pytest.mark.parametrize("name", [name for name in POLICIES if not name.startswith("shared")])
def test_arms_that_came_and_went_are_no_obstacle(name, tmp_path):
    bandit = bandit_of(name)
    played(bandit, range(40))
    bandit.remove_arm("b")
    bandit.add_arm("d")
    bandit.save(tmp_path / "before")
    played(bandit, range(40, 60))
    bandit.save(tmp_path / "after")
    Bandit.load(tmp_path / "before").decide(CONTEXTS[0])
    again = Bandit.load(tmp_path / "after")
    assert played(again, range(60, 70)) == played(bandit, range(60, 70))


def test_files_of_earlier_versions_lack_some_attributes(tmp_path):
    """Then what the classes say holds, also once such a bandit has been saved again."""
    bandit = bandit_of("noise, no prior")
    played(bandit, range(40))
    bandit.save(tmp_path / "b")
    raw = read(tmp_path / "b")
    for node in objects(raw, "NoisyLearner"):
        del node[2]["rows"]
    write(raw, tmp_path / "b")
    for rounds in (range(40, 80), range(80, 120)):
        again = Bandit.load(tmp_path / "b")
        played(again, rounds)
        again.save(tmp_path / "b")
    for name, owner, attribute in EARLIER:
        bandit = bandit_of(name)
        played(bandit, range(20))
        bandit.save(tmp_path / "b")
        raw = read(tmp_path / "b")
        for node in objects(raw, owner):
            node[2].pop(attribute, None)
        write(raw, tmp_path / "b")
        played(Bandit.load(tmp_path / "b"), range(20, 30))


@pytest.fixture(scope="module")
def honest(tmp_path_factory):
    return saved(tmp_path_factory.mktemp("honest"), POLICIES)


@pytest.mark.parametrize(
    ("name", "owner", "attribute", "how"),
    [
        ("solved", "ConvexArm", "theta", entry(slice(0, None, 2), -1e150)),
        ("solved", "ConvexArm", "factor", scaled(1e30)),
        ("solved, seen", "ConvexArm", "theta", entry(slice(0, None, 2), 1e150)),
        ("least squares", "ConvexArm", "theta", scaled(1e150)),
        ("least squares", "ConvexDraw", "scale", put(5e-324)),
        ("solved", "LogisticRegression", "tolerance", put(5e-324)),
        ("limit", "GaussianLimitLearner", "covariance", scaled(1e300)),
        ("limit", "GaussianLimitLearner", "theta", scaled(1e149)),
        ("noise", "NoisyLearner", "gram", entry((0, 0, 0), -1e150)),
        ("noise, no prior", "NoisyLearner", "own_gram", entry((0, 0, 0), -1e150)),
        ("replicas", "ReplicaLearner", "theta", scaled(1e149)),
        ("replicas", "ReplicaLearner", "scales", scaled(1e140)),
        ("lin-ts", "Ellipsoids", "diagonals", scaled(1e300)),
        ("lin-ucb", "Ellipsoids", "factors", entry((0, 1), 1e308)),
    ],
    ids=lambda it: it if isinstance(it, str) else "",
)
def test_garbage_that_is_no_contradiction_decides_or_is_refused(
    name, owner, attribute, how, honest, tmp_path
):
    """Never a hang, a raw error or propensities that are none."""
    raw = read(honest / name)
    how(raw, find(raw, owner, attribute)[0])
    write(raw, tmp_path / "b")
    with np.errstate(all="ignore"):
        try:
            bandit = Bandit.load(tmp_path / "b")
        except OutputError:
            return
        for i in range(12):
            try:
                decision = bandit.decide(CONTEXTS[i])
            except BandstrapError:
                continue
            assert sum(decision.propensities.values()) == pytest.approx(1.0)
            try:
                bandit.learn(decision, 1.0)
            except BandstrapError:
                continue
