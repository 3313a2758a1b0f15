"""Models of rewards have not seen what they predict, and expect what is there."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression as SklearnLinear
from sklearn.linear_model import LogisticRegression as SklearnLogistic
from sklearn.neighbors import KNeighborsRegressor

from bandstrap import DecisionTree, LinearRegression, LogisticRegression
from bandstrap.errors import InvalidInput
from bandstrap.evaluation import reward_models
from bandstrap.evaluation.feedback import Feedback
from bandstrap.evaluation.regression import cross_fit, forward_fit, given, sampled
from bandstrap.evaluation.reward_models import Ridge, as_reward_model

ARMS = ("a", "b", "c", "d")
SLOPES = np.array([[0.2, 0.0], [-0.2, 0.1], [0.0, 0.2], [0.1, 0.1]])


def log(n, contexts=True, noise=0.0, seed=0):
    """A log whose last arm was never chosen."""
    rng = np.random.default_rng(seed)
    x, chosen = rng.uniform(-1, 1, (n, 2)), rng.integers(3, size=n)
    means = 0.5 + (x * SLOPES[chosen]).sum(axis=1) if contexts else 0.2 + 0.2 * chosen
    rewards = means + noise * rng.standard_normal(n)
    return Feedback(ARMS, chosen, rewards, x if contexts else None, np.full(n, 1 / 3))


@pytest.mark.parametrize("fit", [cross_fit, forward_fit])
@pytest.mark.parametrize(
    "model",
    [None, Ridge(1.0), LinearRegression(), LogisticRegression(penalty=1e-6), DecisionTree(),
     SklearnLinear(), KNeighborsRegressor(10)],
    ids=lambda each: type(each).__name__,
)  # fmt: skip
def test_what_arms_pay(fit, model):
    feedback = log(3000)
    q = fit(feedback, model)(1500, 3000)
    truth = 0.5 + feedback.contexts[1500:] @ SLOPES[:3].T
    assert q.shape == (1500, 4)
    assert np.abs(q[:, :3] - truth).mean() < 0.03
    assert np.abs(q[:, 3] - 0.5).mean() < 0.15  # never chosen: what arms have in common


def test_classifiers_expect_rewards():
    rng = np.random.default_rng(0)
    x, chosen = rng.standard_normal((4000, 1)), rng.integers(2, size=4000)
    rewards = 2.0 * (rng.random(4000) < 1 / (1 + np.exp(-2 * x[:, 0] * (1 - 2 * chosen))))
    q = cross_fit(Feedback((0, 1), chosen, rewards, x), SklearnLogistic())(0, 4000)
    truth = 2 / (1 + np.exp(-2 * x * np.array([1.0, -1.0])))
    assert np.abs(q - truth).mean() < 0.05


@pytest.mark.parametrize("fit", [cross_fit, forward_fit])
@pytest.mark.parametrize("contexts", [True, False])
def test_slices_do_not_matter(fit, contexts):
    predict = fit(log(700, contexts, noise=0.1))
    whole = predict(0, 700)
    parts = np.concatenate([predict(start, start + 33) for start in range(0, 700, 33)])
    assert (parts == whole).all()


@pytest.mark.parametrize("model", [None, SklearnLinear()])
def test_a_row_does_not_change_what_is_expected_of_it(model):
    """Its whole fold, or all that came before, stays as it is."""
    feedback = log(600, noise=0.1)
    changed = feedback.rewards.copy()
    changed[300] = 50.0
    other = Feedback(ARMS, feedback.chosen, changed, feedback.contexts, feedback.propensities)
    before, after = (cross_fit(each, model)(0, 600) for each in (feedback, other))
    same = (before == after).all(axis=1)
    assert same[300]
    assert 600 / 5 - 6 <= same.sum() <= 600 / 5 + 6
    before, after = (forward_fit(each, model)(0, 600) for each in (feedback, other))
    same = (before == after).all(axis=1)
    assert same[:301].all()
    assert not same[-1]


def test_means_are_shrunk():
    feedback = Feedback(("a", "b"), np.array([0] * 90 + [1]), np.array([0.0, 1.0] * 45 + [1.0]))
    learning = Ridge(5.0).start(2, 0)
    learning.add(None, feedback.chosen, feedback.rewards, np.ones(91))
    mean = 46 / 91
    expected = [(45 + 5 * mean) / 95, (1 + 5 * mean) / 6]
    assert learning.fit()(None, 1)[0] == pytest.approx(expected)


def test_ridge_is_ridge():
    """One arm, by the normal equations of features in units of their spread."""
    rng = np.random.default_rng(1)
    x, y = rng.normal(3, [1, 20], (80, 2)), rng.random(80)
    learning = Ridge(4.0).start(1, 2)
    for start in range(0, 80, 30):
        some = slice(start, start + 30)
        n = len(y[some])
        learning.add(x[some], np.zeros(n, int), y[some], np.ones(n))
    z = np.column_stack([(x - x.mean(axis=0)) / x.std(axis=0), np.ones(80)])
    shared = np.linalg.solve(z.T @ z + np.diag([8, 8, 0]), z.T @ y)
    own = shared + np.linalg.solve(z.T @ z + np.diag([8, 8, 4]), z.T @ (y - z @ shared))
    assert learning.fit()(x, 80)[:, 0] == pytest.approx(
        np.clip(z @ own, y.min(), y.max()), abs=1e-8
    )


def test_counts_are_repetitions():
    feedback, times = log(60, noise=0.2), np.random.default_rng(2).integers(1, 4, 60)
    once, often = Ridge().start(4, 2), Ridge().start(4, 2)
    once.add(feedback.contexts, feedback.chosen, feedback.rewards, times + 0.0)
    repeated = [np.repeat(each, times, axis=0) for each in (feedback.contexts, feedback.chosen)]
    often.add(*repeated, np.repeat(feedback.rewards, times), np.ones(times.sum()))
    x = feedback.contexts
    assert once.fit()(x, 60) == pytest.approx(often.fit()(x, 60), abs=1e-9)


def test_constant_features_and_no_rows():
    feedback = log(50)
    flat = Feedback(ARMS, feedback.chosen, feedback.rewards, np.ones((50, 2)))
    assert np.isfinite(cross_fit(flat)(0, 50)).all()
    assert (Ridge().start(3, 2).fit()(np.ones((5, 2)), 5) == 0).all()


def test_many_arms_share_slopes(monkeypatch):
    monkeypatch.setattr(reward_models, "CELLS", 10)
    rng = np.random.default_rng(0)
    x, chosen = rng.standard_normal((4000, 3)), rng.integers(4, size=4000)
    rewards = 0.1 * chosen + x @ [0.1, 0.0, -0.1]
    q = cross_fit(Feedback(ARMS, chosen, rewards, x))(0, 4000)
    truth = 0.1 * np.arange(4) + (x @ [0.1, 0.0, -0.1])[:, None]
    assert np.abs(q - truth).mean() < 0.01


@pytest.mark.parametrize("rows", [7, 11, 17, 101])
def test_rows_are_thinned(monkeypatch, rows):
    monkeypatch.setattr(reward_models, "MOST", 100)
    learning = as_reward_model(SklearnLinear()).start(1, 1)
    for start in range(0, 1000, rows):
        stop = min(start + rows, 1000)
        x = np.arange(start, stop)[:, None] + 0.0
        learning.add(x, np.zeros(len(x), int), x[:, 0], np.ones(len(x)))
    kept = np.concatenate([each[0][:, 0] for each in learning.kept])
    assert 50 <= len(kept) <= 100
    assert (kept == np.arange(0, 1000, learning.stride)).all()


def test_missing_rewards_are_left_out():
    feedback = log(300)
    rewards = feedback.rewards.copy()
    rewards[::3] = np.nan
    some = Feedback(ARMS, feedback.chosen, rewards, feedback.contexts, feedback.propensities)
    q = cross_fit(some)(0, 300)
    assert np.isfinite(q).all()
    sample = sampled(some, 0, 300, np.full((300, 4), 0.25), q)
    assert len(sample) == 200
    assert sample.fitted == pytest.approx(q[np.arange(300), feedback.chosen][np.isfinite(rewards)])


def test_samples_know_squares_where_the_log_tells_all():
    logged, target = np.array([[0.5, 0.5, 0.0], [0.2, 0.3, 0.5]]), np.array([[0.9, 0.1, 0]] * 2)
    chosen = np.array([0, 1])
    own = logged[[0, 1], chosen]
    feedback = Feedback(("a", "b", "c"), chosen, np.ones(2), None, own, probabilities=logged)
    sample = sampled(feedback, 0, 2, target)
    assert sample.squares == pytest.approx([0.81 / 0.5 + 0.01 / 0.5, 0.81 / 0.2 + 0.01 / 0.3])
    assert sample.ratios == pytest.approx([1.8, 1 / 3])


def test_weights_come_before_propensities():
    n = 3
    feedback = Feedback(
        ("a",), np.zeros(n, int), np.ones(n), None, np.full(n, 0.5), weights=np.array([1.0, 2.0, 3])
    )
    assert sampled(feedback, 0, n, np.ones((n, 1))).weights.tolist() == [1, 2, 3]
    without = Feedback(("a",), np.zeros(n, int), np.ones(n))
    assert np.isnan(sampled(without, 0, n, np.ones((n, 1))).weights).all()


def test_given_expectations():
    feedback = log(10)
    table = np.arange(40.0).reshape(10, 4)
    assert (given(table, feedback)(3, 6) == table[3:6]).all()
    assert (
        given(lambda x: x @ SLOPES.T, feedback)(3, 6) == feedback.contexts[3:6] @ SLOPES.T
    ).all()
    with pytest.raises(InvalidInput, match=r"give shape \(4,\) or \(10, 4\)"):
        given(np.ones(3), feedback)


def rare(rewards):
    """A log of 300 rows whose second arm has 25."""
    chosen = np.r_[np.zeros(275, int), np.ones(25, int)]
    contexts = np.random.default_rng(0).standard_normal((300, 2))
    return Feedback(("a", "b"), chosen, rewards(contexts, chosen), contexts, np.full(300, 0.5))


def test_an_arm_with_too_few_rows_for_a_model_has_the_quick_one():
    """30 neighbours are not among 25 rows; other arms have their own model."""
    scarce = rare(lambda x, chosen: x[:, 0] ** 2 + chosen)
    own, quick = (cross_fit(scarce, each)(0, 300) for each in (KNeighborsRegressor(30), None))
    assert (own[:, 1] == quick[:, 1]).all()
    assert np.corrcoef(own[:275, 0], scarce.rewards[:275])[0, 1] > 0.8
    assert np.corrcoef(quick[:275, 0], scarce.rewards[:275])[0, 1] < 0.5


def test_a_model_that_cannot_be_fit_to_many_rows_is_refused():
    scarce = rare(lambda x, chosen: x[:, 0])
    with pytest.raises(InvalidInput, match=r"model = 'KNeighborsRegressor': it cannot be fit to 2"):
        cross_fit(scarce, KNeighborsRegressor(1000))(0, 300)
    with pytest.raises(InvalidInput, match="'LogisticRegression': it is a classifier, but"):
        cross_fit(scarce, SklearnLogistic())


def test_a_model_must_fit_and_predict():
    with pytest.raises(InvalidInput, match="fit and predict"):
        cross_fit(log(10), model="linear")
