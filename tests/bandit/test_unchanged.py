"""What is refused leaves nothing behind, and what can be refused early is."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression as Classifier
from sklearn.neighbors import KNeighborsClassifier

from bandstrap import (
    GLMUCB,
    UCB1,
    Bandit,
    BetaThompson,
    Bootstrap,
    ContextualBootstrap,
    ContextualEpsilonGreedy,
    EigenExamples,
    Expiry,
    Exponential,
    ForcedPulls,
    InvalidInput,
    LaplaceThompson,
    LinearRegression,
    LinThompson,
    LinUCB,
    NoExamples,
    SeenExamples,
    SharedBootstrap,
    Support,
    from_sklearn,
)
from bandstrap.policies import Policy
from bandstrap.policies.contextual.learners import LearnerState
from states import everything

LINEAR = ContextualBootstrap(Exponential(), LinearRegression(), EigenExamples())
SHARED = SharedBootstrap(Exponential(), LinearRegression(), EigenExamples())
FEATURES = {"a": [1.0, 0.0], "b": [0.0, 1.0]}
LARGEST = 100.0


def classifier(estimator=None, prior=None):
    model = from_sklearn(estimator or Classifier(), replicas=2)
    return ContextualBootstrap(Exponential(), model, prior or SeenExamples())


class PickyState(LearnerState):
    def check_contexts(self, contexts):
        super().check_contexts(contexts)
        if np.abs(contexts).max() > LARGEST:
            raise InvalidInput("contexts", float(contexts.max()), "scale it down")


class Picky(LinThompson):
    """Refuses to learn large contexts and, like a model that met one, to decide in them."""

    def _start(self, problem, runs):
        return PickyState(problem, runs, super()._start(problem, runs).learners)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda b, few: b.learn(context=[[1, 1], [1, 2], [500, 1]], arm=["a"] * 3, reward=[1] * 3),
        lambda b, few: b.learn(context=[500, 1], arm="a", reward=1),
        lambda b, few: b.decide([[1, 1], [1, 2], [500, 1]]),
        lambda b, few: b.decide([500, 1]),
    ],
)
def test_every_context_is_checked_before_the_first_is_used(wrong):
    bandit = Bandit(Picky(), ["a", "b"], seed=1, expiry=Expiry(decisions=3, reward=0.0))
    few = bandit.decide([[1, 1]] * 3)
    before = everything(bandit)
    with pytest.raises(InvalidInput, match="contexts = 500"):
        wrong(bandit, few)
    assert everything(bandit) == before


class Failing(LinThompson):
    """Refuses a context only when it is asked to decide, after having drawn."""

    def _scores(self, state, contexts, rng):
        rng.random()
        if contexts.max() > LARGEST:
            raise InvalidInput("contexts", float(contexts.max()), "scale it down")
        return super()._scores(state, contexts, rng)

    decide = Policy.decide  # by `_scores`
    _select = Policy._select


def test_decisions_of_a_batch_that_is_refused_are_taken_back():
    bandit = Bandit(Failing(), ["a", "b"], seed=1)
    bandit.decide([1, 1])
    before = everything(bandit)
    with pytest.raises(InvalidInput, match="scale it down"):
        bandit.decide([[1, 1], [500, 1]])
    assert everything(bandit) == before
    assert bandit.decide([1, 1]).number == 1


@pytest.mark.parametrize(
    "wrong",
    [
        lambda b: b.decide([{"city": "Paris"}, {"city": "Lima"}], allowed=["pink"]),
        lambda b: b.rank([{"city": "Paris"}, {"city": "Lima"}]),
        lambda b: b.learn(context={"city": "Paris"}, arm="a", reward=0.5),
        lambda b: b.learn(context=[{"city": "Paris"}] * 2, arm="a", reward=1),
    ],
)
def test_words_of_contexts_that_are_refused_are_forgotten(wrong):
    bandit = Bandit(classifier(), ["a", "b"], seed=1)
    bandit.learn(context={"city": "Oslo"}, arm="a", reward=1)
    before = everything(bandit)
    with pytest.raises((InvalidInput, LookupError)):
        wrong(bandit)
    assert everything(bandit) == before
    assert bandit.contexts.columns.words == {"city": {"Oslo": 0}}


def test_an_explanation_begins_no_memory():
    decision = Bandit(LINEAR, ["a", "b"], seed=1).decide([1.0, 2.0])
    fresh = Bandit(LINEAR, ["a", "b"], seed=2)
    before = everything(fresh)
    assert len(fresh.explain(decision, draws=5).arms) == 2
    assert everything(fresh) == before
    assert fresh.decide([1.0]).arm in ("a", "b")  # of another width


def test_an_expiry_reward_that_cannot_be_learnt_is_refused_at_once():
    expiry = Expiry(decisions=1, reward=0.5)
    with pytest.raises(InvalidInput, match=r"reward = 0.5: a classifier takes"):
        Bandit(classifier(), ["a", "b"], seed=1, expiry=expiry)
    Bandit(LINEAR, ["a", "b"], seed=1, expiry=expiry)


class HalvesState(LearnerState):
    def check_reward(self, reward, weight):
        if reward == 0.5:
            raise InvalidInput("reward", reward, "give 0 or 1")


class Halves(LinThompson):
    """Knows its rewards only when it has started, and refuses halves."""

    def _start(self, problem, runs):
        return HalvesState(problem, runs, super()._start(problem, runs).learners)


def test_or_as_soon_as_the_policy_has_started():
    bandit = Bandit(Halves(), ["a", "b"], seed=1, expiry=Expiry(decisions=1, reward=0.5))
    before = everything(bandit)
    with pytest.raises(InvalidInput, match=r"reward = 0.5: give 0 or 1"):
        bandit.decide([1.0])
    assert everything(bandit) == before


def test_an_expired_decision_that_is_refused_all_the_same_is_dropped_with_a_warning():
    bandit = Bandit(Picky(), ["a", "b"], seed=1, expiry=Expiry(decisions=1, reward=0.0))
    name, waiting = bandit.decide([1.0, 1.0]).id, bandit._pending.waiting
    waiting[name] = waiting[name]._replace(context=np.array([[500, 1.0]]))
    bandit.decide([1.0, 1.0])
    with pytest.warns(
        UserWarning,
        match=f"decision {name} has expired and its reward was refused: .*scale it down",
    ):
        bandit.decide([1.0, 1.0])
    assert (bandit.rewards_learnt, bandit.decisions_waiting) == (0, 2)
    assert bandit.decide([1.0, 1.0]).number == 3
    assert bandit.rewards_learnt == 1


POLICIES = (
    LinThompson(), LinUCB(), LaplaceThompson(), GLMUCB(), LINEAR,
    ContextualEpsilonGreedy(LinearRegression()),
    Bootstrap(), BetaThompson(), UCB1(), ForcedPulls(2),
)  # fmt: skip


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: type(policy).__name__)
def test_features_of_arms_need_a_policy_that_reads_them(policy):
    with pytest.raises(InvalidInput, match=r"no model for all arms: .*use SharedBootstrap"):
        Bandit(policy, FEATURES)


def test_forced_pulls_read_what_their_policy_reads():
    bandit = Bandit(ForcedPulls(1, SHARED), FEATURES, seed=1)
    for _ in range(2):
        bandit.learn(bandit.decide([1.0]), 1)
    assert bandit.decide([1.0]).arm in FEATURES


@pytest.mark.parametrize(
    ("policy", "rewards", "told"),
    [
        (classifier(KNeighborsClassifier()), Support.binary(), "takes no sample_weight"),
        (classifier(prior=NoExamples()), Support.real(), "rewards that are a few values"),
        (SHARED, None, "give features of arms"),
        (ForcedPulls(2, BetaThompson()), Support.real(), "Beta posterior needs"),
        (ContextualEpsilonGreedy(from_sklearn(Classifier())), Support.real(), "a few values"),
    ],
    ids=range(5),
)
def test_what_needs_no_context_is_refused_at_construction(policy, rewards, told):
    with pytest.raises(InvalidInput, match=told):
        Bandit(policy, ["a", "b"], rewards=rewards)
