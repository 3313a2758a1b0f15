"""Priors in files, and the ends that their counts and those of models have."""

import numpy as np
import pytest
from edits import check_refused

from bandstrap import (
    Bandit,
    Bootstrap,
    ContextualEpsilonGreedy,
    EigenExamples,
    ExamplePrior,
    GaussianExamples,
    Grouped,
    InvalidInput,
    LinearRegression,
    LogisticRegression,
    NoExamples,
    OnlineEnsemble,
    OnlineLogistic,
    Poisson,
    Problem,
    PseudoExamples,
    PseudoRewards,
    Replicas,
    SeenExamples,
    StochasticLogisticRegression,
    Support,
)
from bandstrap.priors import PseudoRewardsAt
from storage.model_files import (
    CONTEXTS,
    bootstrapped,
    entry,
    fewer,
    fresh,
    laid,
    put,
    resized,
    saved,
)

AXES, ESTIMATED, SEEN = "solved", "solved, estimated axes", "solved, seen"
GAUSSIAN, ADAPTIVE = "solved, Gaussian", "solved, adaptive"
CHANGES = [
    # three of four examples of the last axis: rewards would be dealt out by fours
    (GAUSSIAN, "PseudoExamples", "axes", fresh(np.zeros((4, 3)))),
    (GAUSSIAN, "PseudoExamples", "contexts", resized(-1)),
    (GAUSSIAN, "PseudoExamples", "contexts", resized(1, axis=1)),
    (GAUSSIAN, "PseudoExamples", "contexts", entry((0, 0), np.inf)),
    (GAUSSIAN, "PseudoExamples", "contexts", entry((0, 0), 1e300)),
    (GAUSSIAN, "PseudoExamples", "contexts", laid(writeable=False)),
    (GAUSSIAN, "PseudoExamples", "rewards", resized(1)),
    (GAUSSIAN, "PseudoExamples", "rewards", entry(0, np.nan)),
    (GAUSSIAN, "PseudoExamples", "rewards", entry(0, 7.0)),
    (GAUSSIAN, "PseudoExamples", "version", put(-1)),
    (AXES, "AxisExamples", "ends", put(["tuple", [0.0, 2.0], 99_999])),
    (AXES, "AxisExamples", "ends", fewer),
    (AXES, "AxisExamples", "axes", resized(-1)),
    (ESTIMATED, "EstimatedExamples", "pending", put(256)),
    (ESTIMATED, "EstimatedExamples", "pending", put(-1)),
    (ESTIMATED, "EstimatedExamples", "pending", put(250)),
    (ESTIMATED, "EstimatedExamples", "seen", put(-1)),
    (ESTIMATED, "EstimatedExamples", "block", resized(-1)),
    (ESTIMATED, "EstimatedExamples", "block", resized(1, axis=1)),
    (ESTIMATED, "EstimatedExamples", "products", resized(-1)),
    (ESTIMATED, "EstimatedExamples", "products", entry((0, 0), 1e300)),
    (ESTIMATED, "EstimatedExamples", "total", resized(-1)),
    (ESTIMATED, "EstimatedExamples", "shift", entry(0, np.nan)),
    (SEEN, "Reservoir", "pairs", put(4)),
    (SEEN, "Reservoir", "pairs", put(2**62)),
    (SEEN, "Reservoir", "seen", put(2)),
    (SEEN, "Reservoir", "rng", put(None)),
    (ADAPTIVE, "MeanExamples", "ends", put(["tuple", [0.0, 2.0], 99_999])),
    (ADAPTIVE, "MeanExamples", "contexts", resized(1)),
    (ADAPTIVE, "MeanExamples", "powers", put(["tuple", [1.0, 2.0, 0.5], 99_998])),
    (ADAPTIVE, "MeanExamples", "powers", put(["tuple", [-1.0, -1.0, -1.0], 99_997])),
    (ADAPTIVE, "MeanExamples", "powers", put(["tuple", [1.0, 0.0, 0.0], 99_996])),
    (ADAPTIVE, "MeanExamples", "powers", put(["tuple", [2.0, 2.0, 1.0], 99_995])),
    (ADAPTIVE, "MeanExamples", "rewarded", put(2**40)),
    (ADAPTIVE, "MeanExamples", "total", resized(-1)),
    (ADAPTIVE, "MeanExamples", "seen", put(-1)),
    (ADAPTIVE, "MeanExamples", "wordy", put(1)),
    (AXES, "EigenExamples", "covariance", entry((0, 1), 5.0)),
    (AXES, "EigenExamples", "covariance", entry((0, 0), -5.0)),
    (AXES, "EigenExamples", "covariance", entry((0, 0), 1e300)),
    (AXES, "EigenExamples", "covariance", resized(-1)),
    (AXES, "EigenExamples", "covariance", put("identity")),
    (SEEN, "SeenExamples", "pairs", put(2**62)),
    (SEEN, "SeenExamples", "seed", put(-1)),
    (GAUSSIAN, "GaussianExamples", "count", put(2**62)),
    (GAUSSIAN, "GaussianExamples", "scale", put(float("inf"))),
]


@pytest.fixture(scope="module")
def honest(tmp_path_factory):
    return saved(tmp_path_factory.mktemp("honest"), {change[0] for change in CHANGES})


@pytest.mark.parametrize("change", CHANGES, ids=lambda it: f"{it[1]}.{it[2]}")
def test_what_could_not_have_been_learnt_is_refused(change, honest, tmp_path):
    check_refused(change, honest, tmp_path)


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: SeenExamples(pairs=10**9), "pairs"),
        (lambda: GaussianExamples(count=10**9), "count"),
        (lambda: GaussianExamples(scale=1e200), "scale"),
        (lambda: EigenExamples(1e100 * np.eye(2)), "covariance"),
        (lambda: Replicas(OnlineLogistic(), count=10**9), "count"),
        (lambda: Replicas(OnlineLogistic(), count=0), "count"),
        (lambda: OnlineLogistic(replay=10**9), "replay"),
        (lambda: OnlineLogistic(replay=-1), "replay"),
        (lambda: OnlineLogistic(rate=np.nan), "rate"),
        (lambda: OnlineEnsemble(count=10**9), "count"),
        (lambda: Grouped(LogisticRegression(), groups=10**9), "groups"),
        (lambda: Grouped(LogisticRegression(), groups=1), "groups"),
        (lambda: StochasticLogisticRegression(passes=10**9), "passes"),
        (lambda: StochasticLogisticRegression(patience=10**9), "patience"),
        (lambda: PseudoRewards(1e300, 1), "ones"),
        (lambda: PseudoRewards(1, 5e-324), "zeros"),
        (lambda: PseudoRewards(1, np.nan), "zeros"),
        (lambda: PseudoRewardsAt((0.0, 1.0), (1.0, 5e-324)), "counts"),
        (lambda: PseudoRewardsAt((0.0, 1e300), (1.0, 1.0)), "values"),
    ],
)
def test_counts_have_an_end(make, named):
    with pytest.raises(InvalidInput, match=rf"{named} = "):
        make()


def test_the_least_pseudo_rewards_are_drawn_in_time():
    """Draws in which nothing weighs are drawn again; less would never end."""
    bandit = Bandit(Bootstrap(Poisson(), PseudoRewards(1e-4, 1e-4)), ["a", "b"], seed=1)
    assert 0 < bandit.decide().propensity <= 1


@pytest.mark.parametrize("prior", [EigenExamples(), NoExamples(), SeenExamples()])
@pytest.mark.parametrize("model", [LogisticRegression(), LinearRegression(), Replicas()])
def test_a_model_without_contexts_is_refused(model, prior):
    bandit = Bandit(ContextualEpsilonGreedy(model, prior=prior), ["a", "b"], seed=1)
    with pytest.raises(InvalidInput, match="a model needs contexts"):
        bandit.decide()


def test_rewards_that_a_model_cannot_take_are_refused_every_time():
    """A prior that was refused once is not left out from then on."""
    policy = bootstrapped(LogisticRegression(), EigenExamples())
    bandit = Bandit(policy, ["a", "b"], rewards=Support.interval(0, 5), seed=1)
    for _ in range(2):
        with pytest.raises(InvalidInput, match="takes \\[0, 1\\]"):
            bandit.decide(CONTEXTS[0])


class ByColumns(ExamplePrior):
    """Contexts as a user may have them: of another type, by columns, read-only."""

    def start(self, problem: Problem) -> PseudoExamples:
        contexts = np.asfortranarray(np.ones((4, problem.n_features), dtype=np.float32))
        contexts.flags.writeable = False
        return PseudoExamples(contexts, np.array([0, 1, 0, 1]), np.zeros((0, problem.n_features)))


@pytest.mark.parametrize(
    "model", [LogisticRegression(), Replicas(), StochasticLogisticRegression()]
)
def test_a_prior_of_ones_own_may_have_any_layout(model, tmp_path):
    bandit = Bandit(bootstrapped(model, ByColumns()), ["a", "b"], seed=1)
    bandit.learn(bandit.decide(CONTEXTS[0]), 1.0)
    bandit.save(tmp_path / "b")
    again = Bandit.load(tmp_path / "b", trusted=[ByColumns])
    assert again.decide(CONTEXTS[1]).scores == bandit.decide(CONTEXTS[1]).scores
