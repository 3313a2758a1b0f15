"""When fits are made, what they cost, and the votes of replicas."""

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import LogisticRegression, Ridge, SGDClassifier

from bandstrap import (
    ContextualBootstrap,
    Every,
    EveryRound,
    Exponential,
    Growth,
    InvalidInput,
    Multinomial,
    NoExamples,
    Online,
    Poisson,
    Problem,
    SeenExamples,
    Support,
    from_sklearn,
)
from bandstrap.models.base import draw_scores
from estimators import play

PROBLEM = Problem(n_arms=3, n_features=2, support=Support.binary())
WORLD = (lambda x: x[:, 0] > 0, lambda x: x[:, 1] > 0.3, lambda x: x[:, 0] < x[:, 1])


def refits(schedule, rows):
    """After how many rows fits are made."""
    made, last = [], 0
    for now in range(1, rows + 1):
        if schedule.due(last, now):
            made.append(now)
            last = now
    return made


def test_when_fits_are_due():
    assert refits(Every(4), 20) == [1, 2, 4, 8, 12, 16, 20]
    assert refits(Every(1), 5) == [1, 2, 3, 4, 5]
    assert refits(Growth(1.0), 20) == [1, 2, 4, 8, 16]
    assert refits(Growth(0.1), 30) == [*range(1, 12), 13, 15, 17, 19, 21, 24, 27, 30]
    assert not Every(1).due(3, 3)
    assert not Growth().due(0, 0)
    with pytest.raises(InvalidInput, match="share"):
        Growth(0.0)


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_the_stated_cost_of_growth(share):
    made = np.array(refits(Growth(share), 20_000))
    assert made.sum() / made[-1] == pytest.approx(1 + 1 / share, rel=0.05)
    assert np.diff(made[made > 100]) / made[made > 100][:-1] == pytest.approx(share, rel=0.1)


def started(refit, resampling=None, prior=None, estimator=None, rounds=40, seed=0):
    model = from_sklearn(estimator or LogisticRegression(), refit=refit, replicas=8)
    policy = ContextualBootstrap(resampling or Exponential(), model, prior or SeenExamples())
    state, rng = policy.start(PROBLEM), np.random.default_rng(seed)
    play(policy, state, rng, rng.uniform(-1, 1, (rounds, 2)), WORLD, noise=0.2)
    return policy, state.learners[0], rng


@pytest.mark.parametrize(
    ("refit", "estimator"), [(Growth(), None), (Online(), SGDClassifier(loss="log_loss"))]
)
def test_probabilities_are_the_shares_of_decisions(refit, estimator):
    _, learner, rng = started(refit, Poisson(), estimator=estimator)
    context, allowed = np.array([0.2, 0.25]), np.array([True, False, True])
    learner.best(context, rng, allowed)
    for mask in (allowed, np.ones(3, dtype=bool)):
        shares = learner.probabilities(context, mask)
        assert shares.sum() == pytest.approx(1.0)
        assert (shares[~mask] == 0).all()
        assert (shares * 8 == np.rint(shares * 8)).all()
        chosen = [learner.best(context, rng, mask) for _ in range(200)]
        counts = np.bincount(chosen, minlength=3)
        possible = shares > 0
        assert counts[~possible].sum() == 0
        if possible.sum() > 1:
            assert stats.chisquare(counts[possible], 200 * shares[possible]).pvalue > 1e-4


def test_every_online_replica_knows_an_arm_from_its_first_reward_on():
    model = from_sklearn(SGDClassifier(loss="log_loss"), refit=Online(), replicas=30)
    learner = model.learner(Problem(1, 2, Support.binary()), Poisson(), NoExamples())
    learner.learn(np.zeros(2), 0, 1.0, np.random.default_rng(0))
    asked = [learner.means(learner._fits(replica), np.zeros((1, 2))) for replica in range(30)]
    assert np.array_equal(asked, np.ones((30, 1)))


def test_no_probabilities_while_a_refit_is_due():
    _, learner, rng = started(Every(1), rounds=15)
    context = np.zeros(2)
    draw_scores(learner, context, rng)
    assert learner.probabilities(context, np.ones(3, dtype=bool)) is not None
    learner.learn(context, 1, 1.0, rng)
    assert learner.probabilities(context, np.ones(3, dtype=bool)) is None


def test_an_arm_that_is_not_pulled_is_drawn_anew_when_all_rewards_have_doubled():
    _, learner, rng = started(Growth(), prior=NoExamples(), rounds=20)
    context = np.zeros(2)
    draw_scores(learner, context, rng)
    before = [chain[-1] for chain in learner.chains]
    for _ in range(2 * before[1].total - 20 - 1):
        learner.learn(context, 0, float(rng.integers(2)), rng)
    draw_scores(learner, context, rng)
    assert learner.chains[1][-1] is before[1]
    learner.learn(context, 0, 1.0, rng)
    draw_scores(learner, context, rng)
    assert learner.chains[1][-1].seed != before[1].seed


def test_every_round_fits_only_what_is_allowed(monkeypatch):
    _, learner, rng = started(EveryRound(), rounds=20)
    fitted = []
    monkeypatch.setattr(
        type(learner), "_fit", lambda self, arm, rng: fitted.append(arm), raising=True
    )
    learner.best(np.zeros(2), rng, np.array([True, False, True]))
    assert fitted == [0, 2]


def test_replicas_draw_as_fresh_fits_do():
    # Many replicas fit once have the distribution of fits made afresh at every decision.
    rng = np.random.default_rng(5)
    rows = [(rng.uniform(-1, 1, 2), float(rng.random() < 0.4)) for _ in range(25)]
    drawn = []
    for refit in (EveryRound(), Growth()):
        model = from_sklearn(Ridge(), refit=refit, replicas=150)
        learner = model.learner(Problem(1, 2), Multinomial(), NoExamples())
        for context, reward in rows:
            learner.learn(context, 0, reward, rng)
        probe = np.array([0.5, -0.5])
        if isinstance(refit, Growth):
            draw_scores(learner, probe, rng)
            drawn.append([learner.means([fit], probe[None])[0] for fit in learner.fits[0]])
        else:
            drawn.append([draw_scores(learner, probe, rng)[0] for _ in range(150)])
    assert stats.ks_2samp(*drawn).pvalue > 1e-3
    assert stats.ks_2samp(drawn[0], np.array(drawn[1]) + np.std(drawn[0])).pvalue < 1e-3


def test_warm_starts_start_where_the_last_fit_ended():
    hasty = LogisticRegression(max_iter=3, warm_start=True, C=1e4)
    learner = from_sklearn(hasty, refit=Every(1), replicas=1).learner(
        Problem(1, 2, Support.binary()), Exponential(), NoExamples()
    )
    rng = np.random.default_rng(0)
    for _ in range(60):
        context = rng.uniform(-1, 1, 2)
        learner.learn(context, 0, float(context[0] > 0), rng)
    with pytest.warns(Warning, match="converge"):
        draw_scores(learner, context, rng)
    first = learner.fits[0][0].estimator
    learner.learn(context, 0, float(context[0] > 0), rng)
    with pytest.warns(Warning, match="converge"):
        draw_scores(learner, context, rng)
    assert learner.fits[0][0].estimator is first
    assert len(learner.chains[0]) == 2


def test_online_replicas_learn_each_row_once_by_its_weight():
    class Counting(SGDClassifier):
        def partial_fit(self, X, y, classes=None, sample_weight=None):  # noqa: N803
            self.rows = getattr(self, "rows", 0) + len(X)
            return super().partial_fit(X, y, classes, sample_weight)

    model = from_sklearn(Counting(loss="log_loss"), refit=Online(), replicas=20)
    learner = model.learner(Problem(1, 2, Support.binary()), Poisson(), NoExamples())
    rng = np.random.default_rng(0)
    for _ in range(60):
        learner.learn(rng.uniform(-1, 1, 2), 0, float(rng.integers(2)), rng)
    rows = np.array([fit.estimator.rows for fit in learner.arms[0].fits])
    assert rows.mean() == pytest.approx(60, abs=7)  # four standard errors of a Poisson(60)'s mean
    assert 3 < rows.std() < 14  # 7.7
    with pytest.raises(InvalidInput, match="generator"):
        learner.learn(np.zeros(2), 0, 1.0, None)
