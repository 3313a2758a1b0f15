"""What convex models keep of arms is refused in a file where kernels would go beyond it."""

import numpy as np
import pytest
from edits import check_refused, refused

from hostile import find, read
from storage.model_files import by_columns, entry, fewer, fresh, item, laid, put, resized, saved

FAR = 2**40
CHANGES = [
    # rows: everything else reads as many as they say
    ("solved", "Rows", "count", put(10**6)),
    ("solved", "Rows", "count", put(-1)),
    ("solved", "Rows", "n_features", put(4)),
    ("solved", "Rows", "n_features", put(FAR)),
    ("solved", "Rows", "_contexts", resized(1, axis=1)),
    ("solved", "Rows", "_contexts", resized(-10)),
    ("solved", "Rows", "_rewards", resized(-10)),
    ("solved", "Rows", "_weights", resized(-10)),
    ("solved", "Rows", "_contexts", entry((0, 0), np.nan)),
    ("solved", "Rows", "_contexts", entry((0, 0), 1e31)),
    ("solved", "Rows", "_rewards", entry(0, 1e31)),
    ("solved", "Rows", "_weights", entry(0, -1.0)),
    ("solved", "Rows", "_weights", entry(0, 0.0)),
    ("solved", "Rows", "_contexts", by_columns),
    ("solved", "Rows", "_rewards", laid(writeable=False)),
    # examples of an arm
    ("solved", "Rows", "_rewards", entry(0, 5.0)),
    ("solved", "ConvexExamples", "bias", put(0.0)),
    ("solved", "ConvexExamples", "bias", put(7.0)),
    ("solved", "ConvexExamples", "axes", fresh(np.zeros((4, 3)))),
    ("solved", "ConvexExamples", "axes", fresh(np.zeros((3, 4)))),
    ("solved", "ConvexExamples", "axis_rewards", resized(-1)),
    ("solved", "ConvexExamples", "axis_rewards", resized(-1, axis=1)),
    ("solved", "ConvexExamples", "axis_rewards", entry((0, 0), -2.0)),
    ("solved, Gaussian", "ConvexExamples", "plain", resized(3)),
    ("solved, Gaussian", "ConvexExamples", "plain", resized(1, axis=1)),
    ("solved, Gaussian", "ConvexExamples", "plain", entry((0, 0), 1e300)),
    ("solved, Gaussian", "ConvexExamples", "plain_rewards", resized(-3)),
    # a draw
    ("solved", "ConvexDraw", "loss", put(1)),
    ("solved", "ConvexDraw", "loss", put(7)),
    ("solved", "ConvexDraw", "penalty", put(1.0)),
    ("solved", "ConvexDraw", "theta", resized(1)),
    ("solved", "ConvexDraw", "gradient", resized(-1)),
    ("solved", "ConvexDraw", "step", resized(-1)),
    ("solved", "ConvexDraw", "pairs", resized(-1, axis=1)),
    ("solved", "ConvexDraw", "pairs", resized(-1, axis=2)),
    ("solved", "ConvexDraw", "work", resized(-1)),
    ("solved", "ConvexDraw", "entries", resized(-1)),
    ("solved", "ConvexDraw", "n_pairs", put(-1)),
    ("least squares", "ConvexDraw", "scale", put(0.0)),
    ("least squares", "ConvexDraw", "scale", put(float("nan"))),
    # an arm
    ("solved", "ConvexArm", "loss", put(1)),
    ("solved", "ConvexArm", "theta", resized(1)),
    ("solved", "ConvexArm", "theta", entry(0, 1e300)),
    ("solved", "ConvexArm", "factor", resized(-1, axis=1)),
    ("solved", "ConvexArm", "factor", resized(1)),
    ("solved", "ConvexArm", "factor", entry((0, 0), np.inf)),
    ("solved", "ConvexArm", "margins", resized(-10)),
    ("solved", "ConvexArm", "means", resized(-10)),
    ("solved", "ConvexArm", "known_rows", put(FAR)),
    ("solved", "ConvexArm", "known_rows", put(-FAR)),
    ("solved", "ConvexArm", "factored_rows", put(-2)),
    ("solved", "ConvexArm", "fitted_rows", put(-1)),
    ("solved", "ConvexArms", "arms", fewer),
    ("solved", "ConvexArms", "version", put(-2)),
    # the Gaussian limit
    ("limit", "GaussianLimitLearner", "loss", put(1)),
    ("limit", "GaussianLimitLearner", "variance", put(2.0)),
    ("limit", "GaussianLimitLearner", "noise", put(1.0)),
    ("limit", "GaussianLimitLearner", "theta", resized(-1)),
    ("limit", "GaussianLimitLearner", "theta", entry((0, 0), np.nan)),
    ("limit", "GaussianLimitLearner", "inverse", resized(-1, axis=2)),
    ("limit", "GaussianLimitLearner", "covariance", resized(-1, axis=1)),
    ("limit", "GaussianLimitLearner", "ready", resized(-1)),
    ("limit", "GaussianLimitLearner", "due", fewer),
    ("limit", "GaussianLimitLearner", "gained", fewer),
    ("limit", "GaussianLimitLearner", "gained", item(0, float("inf"))),
    ("limit", "GaussianLimitLearner", "drawn", resized(1)),
    ("limit", "GaussianLimitLearner", "laws", resized(-1)),
    ("limit", "GaussianLimitLearner", "context", resized(1)),
    ("limit", "GaussianLimitLearner", "context", entry(-1, 5.0)),
    ("limit", "GaussianLimitLearner", "work", resized(-1)),
    ("limit", "GaussianLimitLearner", "places", resized(-2)),
    # groups
    ("grouped", "GroupedLearner", "sums", resized(-1)),
    ("grouped", "GroupedLearner", "sums", resized(-1, axis=1)),
    ("grouped", "GroupedLearner", "sums", resized(1, axis=2)),
    ("grouped", "GroupedLearner", "known_rows", entry(0, -FAR)),
    ("grouped", "GroupedLearner", "known_rows", entry(0, FAR)),
    ("grouped", "GroupedLearner", "known_fits", entry(0, FAR)),
    ("grouped", "GroupedLearner", "known_fits", resized(-1)),
    # noise
    ("noise", "NoisyLearner", "noise", put(3.0)),
    ("noise", "NoisyLearner", "gram", resized(-1, axis=2)),
    ("noise", "NoisyLearner", "own_gram", resized(-1)),
    ("noise", "NoisyLearner", "moment", resized(-1, axis=1)),
    ("noise", "NoisyLearner", "own_moment", entry((0, 0), np.inf)),
    ("noise", "NoisyLearner", "count", entry(0, -1.0)),
    ("noise", "NoisyLearner", "own_count", resized(-1)),
    ("noise", "NoisyLearner", "inverse", resized(-1)),
    ("noise", "NoisyLearner", "inverted", resized(-1)),
    ("noise", "NoisyLearner", "rows", fewer),
    ("noise", "NoisyLearner", "work", resized(-1)),
    ("noise", "NoisyLearner", "drawn", resized(1)),
]


@pytest.fixture(scope="module")
def honest(tmp_path_factory):
    return saved(tmp_path_factory.mktemp("honest"), {change[0] for change in CHANGES})


@pytest.mark.parametrize("change", CHANGES, ids=lambda it: f"{it[0]}: {it[1]}.{it[2]}")
def test_what_could_not_have_been_learnt_is_refused(change, honest, tmp_path):
    check_refused(change, honest, tmp_path)


@pytest.mark.parametrize(
    ("owner", "attribute"),
    [("ConvexArm", "examples"), ("ConvexDraw", "examples"), ("ConvexArm", "draw")],
)
def test_arms_that_share_what_they_learn_are_refused(owner, attribute, honest, tmp_path):
    raw = read(honest / "solved")
    first, second = find(raw, owner, attribute)[:2]
    second.put(["same", first.value[-1]])
    refused(raw, tmp_path)
