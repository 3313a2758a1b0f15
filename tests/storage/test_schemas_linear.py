"""Replicas, ellipsoids and descent are refused in a file where kernels would go beyond them."""

import numpy as np
import pytest
from edits import check_refused

from bandstrap import Bandit, OutputError
from hostile import find, objects, read, write
from storage.model_files import (
    POLICIES,
    by_columns,
    entry,
    fewer,
    item,
    item_resized,
    put,
    resized,
    saved,
)

FAR = 2**40
CHANGES = [
    # replicas, whose kernels compute addresses
    ("replicas", "ReplicaLearner", "count", put(5)),
    ("replicas", "ReplicaLearner", "count", put(FAR)),
    ("replicas", "ReplicaLearner", "theta", resized(-1, axis=2)),
    ("replicas", "ReplicaLearner", "theta", resized(-1, axis=1)),
    ("replicas", "ReplicaLearner", "theta", entry((0, 0, 0), np.nan)),
    ("replicas", "ReplicaLearner", "theta", by_columns),
    ("replicas", "ReplicaLearner", "pseudo_weights", resized(-1)),
    ("replicas", "ReplicaLearner", "pseudo_weights", resized(-1, axis=2)),
    ("replicas", "ReplicaLearner", "untaught", put(["list", [3], 99_999])),
    ("replicas", "ReplicaLearner", "untaught", put(["list", [FAR], 99_999])),
    ("replicas", "ReplicaLearner", "untaught", put(["list", [-1], 99_999])),
    ("replicas", "ReplicaLearner", "untaught", put(["list", [0] * 1000, 99_999])),
    ("replicas", "ReplicaLearner", "rows", fewer),
    ("replicas", "ReplicaLearner", "weights", fewer),
    ("replicas", "ReplicaLearner", "weights", item_resized(-60)),
    ("replicas", "ReplicaLearner", "squares", resized(-1)),
    ("replicas", "ReplicaLearner", "squares", entry((0, 0), -1.0)),
    ("replicas", "ReplicaLearner", "scales", resized(-1, axis=1)),
    ("replicas", "ReplicaLearner", "scales", entry((1, 0), 0.0)),
    ("replicas", "ReplicaLearner", "rewards", resized(-1)),
    ("replicas", "ReplicaLearner", "_residuals", resized(-1)),
    ("replicas", "ReplicaLearner", "_residuals", resized(-4, axis=1)),
    ("replicas", "ReplicaLearner", "_places", resized(-1)),
    ("replicas", "ReplicaLearner", "_values", resized(-1)),
    ("shared replicas", "SharedReplicas", "theta", resized(1)),
    # stochastic descent
    ("descent", "StochasticLearner", "fits", item_resized(-2)),
    ("descent", "StochasticLearner", "fits", item_resized(2)),
    ("descent", "StochasticLearner", "fits", item(0, 3.0)),
    ("descent", "StochasticLearner", "fits", fewer),
    ("descent", "StochasticLearner", "rows", fewer),
    ("descent", "Rows", "_rewards", entry(0, -3.0)),
    # ellipsoids
    ("lin-ucb", "Ellipsoids", "factors", resized(-1, axis=1)),
    ("lin-ucb", "Ellipsoids", "factors", entry((0, 0), 0.0)),
    ("lin-ucb", "Ellipsoids", "diagonals", entry((0, 0), 0.0)),
    ("lin-ucb", "Ellipsoids", "diagonals", entry((0, 0), -1.0)),
    ("lin-ucb", "Ellipsoids", "diagonals", resized(-1)),
    ("lin-ucb", "Ellipsoids", "centres", resized(-1, axis=1)),
    ("lin-ucb", "Ellipsoids", "log_dets", entry(0, -1e9)),
    ("lin-ucb", "Ellipsoids", "counts", entry(0, -1.0)),
    ("lin-ucb", "Ellipsoids", "penalty", put(2.0)),
    ("lin-ucb", "Ellipsoids", "_context", entry(-1, 3.0)),
    ("lin-ucb", "Ellipsoids", "_context", resized(-1)),
    ("lin-ucb", "Ellipsoids", "_scratch", resized(-1)),
    ("lin-ucb", "LinUCBLearner", "penalty", put(-1.0)),
    ("laplace", "LaplaceLearner", "spread", put(3.0)),
    ("glm-ucb", "Ellipsoids", "factors", resized(1, axis=1)),
    ("ucb-glm", "Ellipsoids", "factors", resized(1, axis=1)),
    ("ucb-glm", "UCBGLMLearner", "solved", resized(-1)),
    ("ucb-glm", "UCBGLMLearner", "rows", fewer),
    ("ucb-glm", "UCBGLMLearner", "penalty", put(2.0)),
    ("ucb-glm", "Rows", "_rewards", entry(0, 3.0)),
    ("ucb-glm", "Rows", "count", put(FAR)),
    ("ucb-glm", "ConvexExamples", "bias", put(0.0)),
    ("ucb-glm", "LikelihoodEllipsoid", "flattest", put(0.0)),
    ("ucb-glm", "UCBGLM", "exploration", put(-1)),
    ("gloc", "GLOCLearner", "steps", resized(-1)),
    ("gloc", "GLOCLearner", "steps", resized(-1, axis=1)),
    ("gloc", "GLOCLearner", "steps", entry((0, 0), 3.0)),
    ("gloc", "GLOCLearner", "steps", entry((0, 0), np.nan)),
    ("gloc", "GLOCLearner", "regrets", entry(0, -1.0)),
    ("gloc", "GLOCLearner", "surpluses", resized(1)),
    ("gloc", "GLOCLearner", "flattest", put(0.5)),
    ("gloc", "GLOCLearner", "norm", put(3.0)),
    ("gloc", "OnlineToConfidence", "delta", put(1.0)),
    ("cover", "OnlineCoverLearner", "cover", resized(-1)),
    ("cover", "OnlineCoverLearner", "cover", resized(1, axis=1)),
    ("cover", "OnlineCoverLearner", "cover", resized(-1, axis=2)),
    ("cover", "OnlineCoverLearner", "cover", entry((0, 0, 0), np.inf)),
    ("cover", "OnlineCoverLearner", "rounds", put(-1.0)),
    ("cover", "OnlineCoverLearner", "psi", put(0.5)),
    ("cover", "Ellipsoids", "diagonals", entry((0, 0), -1.0)),
    ("cover", "OnlineCover", "count", put(2**62)),
    ("epochs", "EpochState", "samples", put(FAR)),
    ("epochs", "EpochState", "left", put(-1)),
    ("epochs", "ConstantEpochs", "rounds", put(-1)),
    ("epochs", "EpochGreedy", "epochs", put(3)),
    # inverse gap weighting, and bounds
    ("gaps", "GapLearner", "rounds", put(-1.0)),
    ("gaps", "Gamma", "scale", put(1e300)),
    ("gaps", "Gamma", "exponent", put(2.0)),
    ("gaps", "Ellipsoids", "centres", resized(-1)),
    ("gaps", "RecursiveLinear", "penalty", put(2.0)),
    ("gap epochs", "FALCONLearner", "waiting", put(-1.0)),
    ("gap epochs", "FALCONLearner", "rows", fewer),
    ("gap epochs", "Rows", "count", put(FAR)),
    ("bounds", "RegCBLearner", "mellowness", put(0.5)),
    ("bounds", "RegCBLearner", "rounds", put(float("nan"))),
    ("bounds", "Ellipsoids", "factors", resized(1, axis=1)),
    ("bounds", "RegCB", "mellowness", put(-1.0)),
    # the state, and what the policy itself says
    ("solved", "LearnerState", "learners", fewer),
    ("solved", "LearnerState", "rounds", put(-1)),
    ("solved", "LearnerState", "runs", put(2)),
    ("solved", "LogisticRegression", "penalty", put(2.0)),
    ("solved", "LogisticRegression", "penalty", put(-1.0)),
    ("solved", "LogisticRegression", "intercept", put(False)),
    ("solved", "LogisticRegression", "tolerance", put(0.0)),
    ("grouped", "Grouped", "groups", put(6)),
    ("grouped", "Grouped", "groups", put(2**62)),
    ("replicas", "Replicas", "count", put(7)),
    ("replicas", "Replicas", "count", put(2**62)),
    ("replicas", "OnlineLogistic", "replay", put(2**62)),
    ("descent", "StochasticLogisticRegression", "passes", put(2**62)),
    ("descent", "StochasticLogisticRegression", "patience", put(2**62)),
    ("noise", "GaussianNoise", "scale", put(2.0)),
    ("greedy", "Decay", "c", put(float("nan"))),
    ("greedy", "ContextualEpsilonGreedy", "schedule", put(3)),
]


@pytest.fixture(scope="module")
def honest(tmp_path_factory):
    return saved(tmp_path_factory.mktemp("honest"), POLICIES)


@pytest.mark.parametrize("change", CHANGES, ids=lambda it: f"{it[0]}: {it[1]}.{it[2]}")
def test_what_could_not_have_been_learnt_is_refused(change, honest, tmp_path):
    check_refused(change, honest, tmp_path)


@pytest.mark.parametrize(
    ("name", "owner", "old", "new"),
    [
        ("solved", "ConvexLearner", "convex_learner:ConvexLearner", "one_step:OneStepLearner"),
        ("lin-ts", "LinThompsonLearner", "LinThompsonLearner", "Nothing"),
        ("descent", "StochasticLearner", "stochastic_learner:Stochastic", "refit:Refit"),
        ("shared replicas", "SharedReplicas", "shared_replicas:Shared", "replicas:"),
        ("solved", "AxisExamples", "eigen_examples:AxisExamples", "pseudo_examples:PseudoExamples"),
    ],
)
def test_another_class_in_its_place_is_refused(name, owner, old, new, honest, tmp_path):
    raw = read(honest / name)
    node = objects(raw, owner)[0]
    node[1] = node[1].replace(old, new)
    write(raw, tmp_path / "b")
    with pytest.raises(OutputError):
        Bandit.load(tmp_path / "b")


@pytest.mark.parametrize("width", [2000, 20_000, 2**30])
@pytest.mark.parametrize("name", ["solved, estimated axes", "limit", "noise", "lin-ts", "descent"])
def test_a_width_that_nothing_has_takes_no_memory(name, width, honest, tmp_path, monkeypatch):
    """A learner of so many features is not even started, to compare."""
    raw = read(honest / name)
    for slot in [*find(raw, "Problem", "n_features"), *find(raw, "Columns", "width")]:
        slot.put(width)
    for node in objects(raw, "EigenExamples"):
        node[2]["covariance"] = None
    write(raw, tmp_path / "b")
    monkeypatch.setattr(type(POLICIES[name]), "_learner", lambda *_: pytest.fail("started"))
    with pytest.raises(OutputError, match="damaged"):
        Bandit.load(tmp_path / "b")
