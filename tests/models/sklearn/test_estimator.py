"""Any estimator as a model: what is fit to which rows, and what an arm is then worth."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import (
    LinearRegression,
    LogisticRegression,
    Perceptron,
    Ridge,
    SGDClassifier,
)
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeRegressor

from bandstrap import (
    ContextualBootstrap,
    ContextualEpsilonGreedy,
    DoubleOrNothing,
    Every,
    EveryRound,
    Exponential,
    GaussianExamples,
    GaussianNoise,
    Multinomial,
    NoResampling,
    Online,
    Poisson,
    Problem,
    SeenExamples,
    Support,
    from_sklearn,
)
from bandstrap.errors import InvalidInput
from bandstrap.models.base import draw_scores
from bandstrap.tables import Columns
from estimators import LINE, TWO, XOR, filled, play, started


@pytest.mark.parametrize(
    ("estimator", "world", "resampling"),
    [
        (LogisticRegression(), LINE, Exponential()),
        (Ridge(), LINE, Exponential()),
        (DecisionTreeRegressor(min_samples_leaf=3), XOR, Exponential()),
        (RandomForestClassifier(4, min_samples_leaf=2), XOR, Exponential()),
        (GradientBoostingClassifier(n_estimators=5, learning_rate=0.5), XOR, DoubleOrNothing()),
        (HistGradientBoostingClassifier(max_iter=10, min_samples_leaf=5), XOR, Exponential()),
        (KNeighborsRegressor(3), XOR, Multinomial()),
        (Perceptron(), LINE, Poisson()),
    ],
    ids=lambda value: type(value).__name__,
)
def test_estimators_learn_worlds_that_they_can_tell_apart(estimator, world, resampling):
    model = from_sklearn(estimator, refit=Every(30), replicas=3, least=3)
    policy, state = started(model, resampling, SeenExamples(3))
    rng = np.random.default_rng(3)
    rewards = play(policy, state, rng, rng.uniform(-1, 1, (180, 2)), world)
    assert rewards[-80:].mean() > 0.72  # by chance 0.5, standard error 0.056


def test_lightgbm():
    lightgbm = pytest.importorskip("lightgbm")
    estimator = lightgbm.LGBMClassifier(
        n_estimators=10, min_child_samples=5, verbose=-1, n_jobs=1, deterministic=True
    )
    model = from_sklearn(estimator, refit=Every(30), replicas=3)
    policy, state = started(model, Exponential(), SeenExamples(3))
    rng = np.random.default_rng(3)
    rewards = play(policy, state, rng, rng.uniform(-1, 1, (180, 2)), XOR)
    assert rewards[-80:].mean() > 0.72


class Spy(ClassifierMixin, BaseEstimator):
    """Keeps what it was fit to."""

    seen: list = []  # noqa: RUF012

    def fit(self, X, y, sample_weight=None):  # noqa: N803
        self.classes_ = np.unique(y)
        Spy.seen.append((X, y, sample_weight))
        return self

    def predict_proba(self, X):  # noqa: N803
        return np.tile(np.arange(1.0, self.classes_.size + 1), (len(X), 1)) / 10


def test_weights_are_the_schemes_and_rows_without_weight_are_left_out():
    Spy.seen.clear()
    learner, rng = filled(from_sklearn(Spy(), refit=EveryRound()), [0, 1] * 50, Poisson())
    draw_scores(learner, np.zeros(1), rng)
    ((contexts, labels, weights),) = Spy.seen
    assert (weights >= 1).all()
    assert 45 < contexts.size < 80  # 63 of 100 expected, standard deviation 5
    assert (labels == contexts[:, 0] % 2).all()
    assert weights.sum() == pytest.approx(100, abs=40)


def test_an_expectation_over_classes():
    support = Support.categories((-1.0, 0.5, 2.0))
    learner, rng = filled(
        from_sklearn(Spy(), refit=EveryRound()), [-1.0, 0.5, 2.0] * 5, NoResampling(), support
    )
    assert draw_scores(learner, np.zeros(1), rng)[0] == pytest.approx(-0.1 + 0.1 + 0.6)
    Spy.seen.clear()
    learner, rng = filled(
        from_sklearn(Spy(), refit=EveryRound()), [0.5, 2.0] * 5, NoResampling(), support
    )
    assert draw_scores(learner, np.zeros(1), rng)[0] == pytest.approx(
        0.05 + 0.4
    )  # of those it knows
    assert set(Spy.seen[-1][1]) == {1, 2}


def test_predicted_classes_where_there_are_no_probabilities():
    learner, rng = filled(
        from_sklearn(SVC()), [0.0, 0.0, 2.0, 2.0], NoResampling(), Support.categories((0.0, 2.0))
    )
    assert draw_scores(learner, np.array([3.0]), rng)[0] == 2.0
    assert draw_scores(learner, np.array([0.0]), rng)[0] == 0.0


def test_the_lone_class_is_the_answer_and_arms_without_rows_come_first():
    Spy.seen.clear()
    for reward in (0.0, 1.0):
        learner, rng = filled(from_sklearn(Spy()), [reward] * 5, Exponential())
        assert draw_scores(learner, np.zeros(1), rng).tolist() == [reward, np.inf]
    assert not Spy.seen


def test_least_rows():
    """A regressor needs so many rows, a classifier so many of each class."""
    model = from_sklearn(KNeighborsRegressor(1), least=5, refit=EveryRound())
    learner, rng = filled(model, [0.0, 1.0, 1.0, 1.0], NoResampling())
    assert draw_scores(learner, np.zeros(1), rng)[0] == 0.75
    learner, rng = filled(model, [0.0, 1.0, 1.0, 1.0, 1.0], NoResampling())
    assert draw_scores(learner, np.zeros(1), rng)[0] == 0.0
    model = from_sklearn(KNeighborsClassifier(1), least=2, refit=EveryRound())
    learner, rng = filled(model, [0.0, 1.0, 1.0, 1.0], NoResampling())
    assert draw_scores(learner, np.zeros(1), rng)[0] == 0.75
    learner, rng = filled(model, [0.0, 0.0, 1.0, 1.0], NoResampling())
    assert draw_scores(learner, np.zeros(1), rng)[0] == 0.0


def test_columns_are_tables_for_pipelines():
    pandas = pytest.importorskip("pandas")
    known = Columns()
    known.read(pandas.DataFrame({"animal": ["cat", "dog", "emu"], "size": [0.0, 1.0, 2.0]}))
    encoder = OneHotEncoder(handle_unknown="ignore")
    columns = ColumnTransformer([("a", encoder, ["animal"]), ("s", StandardScaler(), ["size"])])
    model = from_sklearn(make_pipeline(columns, LogisticRegression()), refit=Every(30), replicas=2)
    policy = ContextualBootstrap(Multinomial(), model, SeenExamples(2))
    state, rng = policy.start(Problem(2, 2, Support.binary(), known)), np.random.default_rng(2)
    contexts = np.column_stack([rng.integers(3, size=80), rng.standard_normal(80)])
    world = (lambda x: x[:, 0] == 1, lambda x: x[:, 0] != 1)
    assert play(policy, state, rng, contexts, world)[-40:].mean() > 0.85


def test_epsilon_greedy_keeps_one_fit():
    policy = ContextualEpsilonGreedy(from_sklearn(LogisticRegression()))
    state, rng = policy.start(TWO), np.random.default_rng(0)
    play(policy, state, rng, rng.uniform(-1, 1, (60, 2)))
    assert [len(fits) for fits in state.learners[0].fits] == [1, 1]


def test_noise_on_rewards_of_a_regressor():
    learner, rng = filled(
        from_sklearn(LinearRegression(), refit=EveryRound()), [1.0] * 30, GaussianNoise(0.5)
    )
    draws = np.array([draw_scores(learner, np.array([14.5]), rng)[0] for _ in range(400)])
    assert draws.mean() == pytest.approx(1.0, abs=0.02)
    assert draws.std() == pytest.approx(0.5 / np.sqrt(30), rel=0.15)


def test_the_users_estimator_is_left_alone_and_names_what_is_computed():
    estimator = RandomForestClassifier(3, random_state=7)
    model = from_sklearn(estimator)
    learner, rng = filled(model, [0.0, 1.0] * 5, Exponential())
    draw_scores(learner, np.zeros(1), rng)
    assert not hasattr(estimator, "estimators_")
    assert estimator.random_state == 7
    assert model == from_sklearn(RandomForestClassifier(3, random_state=7))
    assert hash(model) == hash(from_sklearn(RandomForestClassifier(3, random_state=7)))
    assert model != from_sklearn(RandomForestClassifier(4, random_state=7))
    assert model != from_sklearn(estimator, replicas=3)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: from_sklearn(LogisticRegression), "estimator"),
        (lambda: from_sklearn(StandardScaler()), "classifier or a regressor"),
        (lambda: from_sklearn(Ridge(), refit="daily"), r"EveryRound\(\), Every"),
        (lambda: from_sklearn(Ridge(), refit=Every(0)), "n = 0"),
        (lambda: from_sklearn(Ridge(), replicas=0), "replicas = 0"),
        (lambda: from_sklearn(Ridge(), least=0), "least = 0"),
        (lambda: from_sklearn(Ridge(), refit=Online()), "partial_fit"),
        (lambda: from_sklearn(RandomForestClassifier(warm_start=True)), "add no trees"),
        (lambda: from_sklearn(HistGradientBoostingClassifier(warm_start=True)), "add no trees"),
        (lambda: started(from_sklearn(KNeighborsClassifier())), "takes no sample_weight.*Poisson"),
        (lambda: started(from_sklearn(Ridge(), repeat=True)), "asked for repeated rows"),
        (
            lambda: started(from_sklearn(SGDClassifier(), refit=Online()), Multinomial()),
            "as they come",
        ),
        (lambda: started(from_sklearn(LogisticRegression()), GaussianNoise()), "no noise"),
        (
            lambda: started(
                from_sklearn(LogisticRegression()), problem=Problem(2, 2, Support.real())
            ),
            "use a regressor",
        ),
        (lambda: SeenExamples(pairs=0), "pairs = 0"),
    ],
)
def test_what_cannot_be_used_is_refused(make, message):
    with pytest.raises(InvalidInput, match=message):
        make()


def test_real_rewards_are_not_classes():
    policy, state = started(from_sklearn(LogisticRegression()), problem=Problem(2, 2))
    with pytest.raises(InvalidInput, match=r"reward = 0\.3: a classifier takes.*regressor"):
        policy.update(state, np.zeros((1, 2)), np.array([0]), np.array([0.3]))
    assert state.learners[0].rows[0].count == 0
    assert state.learners[0].pseudo.count == 0


def test_pseudo_examples_are_learnt():
    learner, rng = filled(
        from_sklearn(LogisticRegression()), [], Exponential(), prior=GaussianExamples(20)
    )
    scores = np.array([draw_scores(learner, np.zeros(1), rng) for _ in range(50)])
    assert ((scores > 0.1) & (scores < 0.9)).all()
    assert len(np.unique(scores[:, 0])) == 10
