"""Several models learn, and the one that predicts best decides."""

import numpy as np
import pytest

from bandstrap import Auto, Bandit, InvalidInput, OutputError, Problem, Support
from bandstrap.models import Learner
from bandstrap.policies.contextual.auto import CHANCE, AutoLearner, _sure


def play(policy, support, rounds, pays, seed=0):
    """The arms chosen in contexts (rounds, 2), the learner, and what was earned."""
    rng = np.random.default_rng(seed)
    state = policy.start(Problem(2, 2, support))
    low, high = support.low, support.high
    arms, earned = [], 0
    for x in rng.standard_normal((rounds, 1, 2)):
        arm = policy.select(state, x, rng)
        paid = pays(x[0], int(arm[0]))
        policy.update(state, x, arm, np.array([high if paid else low]), rng)
        arms.append(int(arm[0]))
        earned += paid
    return arms, state.learners[0], earned / rounds


def by_sign(x, arm):
    return (x[0] > 0) == arm


def by_product(x, arm):
    """What no linear model can tell."""
    return (x[0] * x[1] > 0) == arm


def test_a_network_takes_over_where_lines_do_not_do():
    """A linear model earns a half; found .93."""
    _, learner, earned = play(Auto(), Support.binary(), 800, by_product)
    assert learner.leader == 1
    assert earned > 0.8


def test_where_lines_do_a_small_budget_does():
    _, learner, earned = play(Auto(budget=300.0), Support.binary(), 300, by_sign)
    assert len(learner.learners) == 1
    assert earned > 0.9


def test_rewards_of_any_range_lead_to_the_same_choices():
    plain, _, _ = play(Auto(), Support.interval(), 60, by_sign)
    scaled, learner, _ = play(Auto(), Support.interval(-30.0, 10.0), 60, by_sign)
    assert plain == scaled
    scores = learner.margins(np.array([1.0, 0.0]), np.random.default_rng(0))
    assert -30 <= scores[0] < scores[1] <= 10


@pytest.mark.parametrize(
    ("budget", "n_features", "policies", "examples"),
    [
        (1.0, 20, ["ContextualBootstrap"], None),  # replicas cost least
        (300.0, 20, ["RegCB"], None),
        (600.0, 20, ["RegCB", "ContextualBootstrap"], 32),
        (2000.0, 20, ["RegCB", "ContextualBootstrap"], 64),
        (2000.0, 700, ["SquareCB", "ContextualBootstrap"], 32),
    ],
)
def test_the_budget_says_who_takes_part(budget, n_features, policies, examples):
    found = Auto(budget).affordable(Problem(10, n_features))
    assert [type(each).__name__ for each in found] == policies
    assert examples is None or found[1].model.network.examples == examples


@pytest.mark.parametrize("budget", [0.0, -1.0, float("nan")])
def test_a_budget_is_positive(budget):
    with pytest.raises(InvalidInput, match="budget"):
        Auto(budget)


def test_rewards_must_have_ends():
    with pytest.raises(InvalidInput, match="support"):
        Auto().start(Problem(2, 2, Support.real()))


class Says(Learner):
    """Always expects the same of both arms, and chooses the first with probability `first`."""

    def __init__(self, expected, first=0.5):
        self.always, self.first = expected, first

    def learn(self, context, arm, reward, rng, weight=1.0):
        pass

    def margins(self, contexts, rng):
        return np.array(self.always)

    expected = margins

    def probabilities(self, contexts, allowed):
        return np.array([self.first, 1 - self.first])


def leaders(learner, pulls):
    """Who leads after each (arm, reward)."""
    rng, found = np.random.default_rng(0), []
    for arm, reward in pulls:
        learner.learn(np.zeros(1), arm, reward, rng)
        found.append(learner.leader)
    return found


def test_the_better_predictor_leads_and_old_errors_fade():
    auto = AutoLearner((0.0, 1.0), [Says([0.4, 0.4]), Says([0.7, 0.7])], 2)
    paid = (np.random.default_rng(1).random(400) < 0.8) * 1.0
    first = leaders(auto, [(0, reward) for reward in paid])
    assert (first[0], first[-1]) == (0, 1)
    then = leaders(auto, [(0, 1 - reward) for reward in paid])
    assert then[-1] == 0
    assert 100 < then.index(0) < 400  # not at once, but before all rewards are of the new kind


def test_many_arms_are_given_rewards_to_be_learnt_by():
    paid = (np.random.default_rng(1).random(2000) < 0.8) * 1.0

    def takeover(n_arms):
        auto = AutoLearner((0.0, 1.0), [Says([0.4] * n_arms), Says([0.7] * n_arms)], n_arms)
        return leaders(auto, [(0, reward) for reward in paid]).index(1)

    assert takeover(20) > 5 * takeover(2)


def test_equal_predictors_leave_the_lead_where_it_is():
    auto = AutoLearner((0.0, 1.0), [Says([0.4, 0.4]), Says([0.4, 0.4])], 2)
    assert set(leaders(auto, [(0, 1.0), (1, 0.0)] * 50)) == {0}


@pytest.mark.parametrize(("first", "leader"), [(0.5, 0), (0.97, 1)])
def test_arms_count_alike_however_often_they_are_pulled(first, leader):
    """The second learner is worse by 29 small errors, better by one large error in a rare arm."""
    common, rare = Says([1.0, 0.0], first), Says([0.8, 1.0], first)
    auto = AutoLearner((0.0, 1.0), [common, rare], 2)
    pulls = [(0, 1.0)] * 29 + [(1, 1.0)]
    assert leaders(auto, pulls * 400)[-1] == leader


def test_learners_in_another_order_are_refused_in_a_file():
    bandit = Bandit(Auto(), ["a", "b"], seed=1)
    bandit.learn(bandit.decide([0.1, 0.2]), reward=1.0)
    bandit._memory.state.learners[0].learners.reverse()
    with pytest.raises(OutputError, match="learners"):
        Bandit.from_bytes(bandit.to_bytes())


def test_equal_learners_seldom_take_over_however_often_one_looks():
    counts = np.arange(1, 3001)
    rng = np.random.default_rng(0)
    differences = counts**2 * rng.standard_normal((300, counts.size))
    ahead = differences.cumsum(axis=1) / np.sqrt(np.square(differences).cumsum(axis=1))
    sure = np.array([_sure(count) for count in counts])
    assert (ahead > sure).any(axis=1).mean() <= CHANCE
    assert (ahead > 2.0).any(axis=1).mean() > 0.3  # what two standard errors do
