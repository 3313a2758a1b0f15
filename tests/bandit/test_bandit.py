"""A bandit as a product uses it: decisions, rewards in any order, arms that come and go."""

import threading
import time

import numpy as np
import pytest

from bandstrap import (
    Bandit,
    BetaThompson,
    Bootstrap,
    ContextualBootstrap,
    EigenExamples,
    Expiry,
    Exponential,
    ForcedPulls,
    GaussianLimit,
    InvalidInput,
    LogisticRegression,
    Propensity,
    Support,
    UnknownName,
)
from states import everything

COLOURS = ["red", "green", "blue"]


def contextual(seed=0, **given):
    policy = ContextualBootstrap(
        Exponential(), GaussianLimit(LogisticRegression()), EigenExamples()
    )
    return Bandit(policy, COLOURS, seed=seed, rewards=Support.binary(), **given)


def test_it_finds_the_best_arm():
    bandit, rng = Bandit(Bootstrap(), COLOURS, seed=0), np.random.default_rng(1)
    pays = {"red": 0.2, "green": 0.8, "blue": 0.4}
    for _ in range(500):
        decision = bandit.decide()
        bandit.learn(decision, rng.beta(2 * pays[decision.arm], 2 - 2 * pays[decision.arm]))
    assert [bandit.decide().arm for _ in range(50)].count("green") >= 45
    assert bandit.rewards_learnt == 500


def test_equal_seeds_decide_alike_and_others_do_not():
    def played(seed):
        bandit = Bandit(BetaThompson(), COLOURS, seed=seed)
        return [bandit.decide().arm for _ in range(40)]

    assert played(1) == played(1) != played(2)


def test_scores_are_those_of_the_draw_that_decided():
    bandit = contextual(propensity=Propensity(floor=1e-9))
    for i in range(60):
        decision = bandit.decide(np.array([1.0, float(i % 3)]))
        assert set(decision.scores) == set(COLOURS)
        assert decision.scores[decision.arm] == max(decision.scores.values())
        bandit.learn(decision, float(decision.arm == COLOURS[i % 3]))


def test_models_of_numbers_refuse_words_and_stay_open_to_others():
    bandit = contextual()
    with pytest.raises(InvalidInput, match=r"\['city'\].*from_sklearn"):
        bandit.decide({"age": 3.0, "city": "Oslo"})
    assert bandit.decide({"age": 3.0}).arm in COLOURS


def test_only_allowed_arms_are_chosen_and_have_a_chance():
    bandit = Bandit(Bootstrap(), COLOURS, seed=0)
    for _ in range(50):
        decision = bandit.decide(allowed=["blue", "red"])
        assert decision.arm != "green"
        assert decision.propensities["green"] == 0
        assert sum(decision.propensities.values()) == pytest.approx(1.0)
        assert min(decision.propensities["red"], decision.propensities["blue"]) > 0


def test_many_contexts_at_once_are_as_many_decisions():
    bandit = contextual()
    decisions = bandit.decide(np.eye(3))
    assert [decision.number for decision in decisions] == [0, 1, 2]
    assert len({decision.id for decision in decisions}) == 3
    bandit.learn(decisions, [1.0, 0.0, 1.0])
    assert bandit.rewards_learnt == 3
    assert bandit.decisions_waiting == 0


def test_rewards_come_in_any_order_and_by_number():
    first, second = contextual(), contextual()
    contexts = np.random.default_rng(0).standard_normal((6, 2))
    one, other = first.decide(contexts), second.decide(contexts)
    for i in (4, 0, 5, 2, 1, 3):
        first.learn(one[i], float(i % 2))
        second.learn(other[i].id, float(i % 2))
    assert everything(first) == everything(second)


def test_what_others_logged_is_learnt_too():
    bandit = contextual()
    contexts = np.random.default_rng(0).standard_normal((200, 2))
    best = [COLOURS[0] if x > 0 else COLOURS[1] for x in contexts[:, 0]]
    arms = [COLOURS[i % 3] for i in range(200)]
    rewards = [float(arm == right) for arm, right in zip(arms, best, strict=True)]
    bandit.learn(context=contexts, arm=arms, reward=rewards)
    bandit.learn(context=contexts[0], arm=best[0], reward=1, weight=2)
    assert bandit.rewards_learnt == 201
    assert [bandit.decide(np.array([3.0, 0.0])).arm for _ in range(20)].count("red") >= 18
    assert [bandit.decide(np.array([-3.0, 0.0])).arm for _ in range(20)].count("green") >= 18


def test_logged_rewards_without_contexts():
    bandit = Bandit(Bootstrap(), COLOURS, seed=0)
    bandit.learn(arm=["red", "green"] * 30, reward=[0.0, 1.0] * 30)
    bandit.learn(arm="blue", reward=0.0, weight=30)
    assert [bandit.decide().arm for _ in range(20)].count("green") >= 19


def test_a_new_arm_is_explored_at_once_and_an_old_one_is_kept():
    bandit = Bandit(Bootstrap(), COLOURS, seed=3)
    bandit.learn(arm=["red"] * 40 + ["green"] * 40, reward=[0.0] * 40 + [0.6] * 40)
    bandit.learn(arm="blue", reward=0.1, weight=40)
    bandit.add_arm("black")
    assert bandit.arms == (*COLOURS, "black")
    chosen = [bandit.decide().arm for _ in range(200)]
    assert 40 < chosen.count("black") < 160  # uniform on [0, 1] against 0.6
    bandit.remove_arm("green")
    assert bandit.arms == ("red", "blue", "black")
    assert [bandit.decide().arm for _ in range(200)].count("green") == 0


def test_a_policy_that_cannot_change_its_arms_leaves_them():
    class Fixed(Bootstrap):
        def _start(self, problem, runs):
            if problem.n_arms != 3:
                raise InvalidInput("n_arms", problem.n_arms, "three and no others")
            return super()._start(problem, runs)

    bandit = Bandit(Fixed(), COLOURS, seed=0)
    bandit.decide()
    for change in (bandit.add_arm, bandit.remove_arm):
        with pytest.raises(InvalidInput, match="three and no others"):
            change("black" if change == bandit.add_arm else "red")
        assert bandit.arms == tuple(COLOURS)
        assert bandit.decide().arm in COLOURS


def test_rewards_of_a_removed_arm_are_refused():
    bandit = Bandit(Bootstrap(), COLOURS, seed=0)
    decision = bandit.decide(allowed=["blue"])
    bandit.remove_arm("blue")
    with pytest.raises(UnknownName, match="unknown arm 'blue'"):
        bandit.learn(decision, 1.0)
    bandit.add_arm("blue")
    bandit.learn(decision, 1.0)
    assert bandit.rewards_learnt == 1


def test_ranking_is_that_of_one_draw():
    bandit = Bandit(Bootstrap(), ["a", "b", "c", "d"], seed=0)
    bandit.learn(arm=list("abcd") * 100, reward=[0.1, 0.9, 0.5, 0.7] * 100)
    assert bandit.rank(k=3) == ["b", "d", "c"]
    assert bandit.rank(allowed=["a", "c"]) == ["c", "a"]
    firsts = {bandit.rank(allowed=["a"])[0] for _ in range(5)}
    assert firsts == {"a"}


@pytest.mark.parametrize("default", [None, 0.0])
def test_decisions_without_a_reward_expire(default):
    bandit = Bandit(Bootstrap(), COLOURS, seed=0, expiry=Expiry(decisions=5, reward=default))
    decisions = [bandit.decide() for _ in range(12)]
    assert bandit.decisions_waiting == 6
    assert bandit.rewards_learnt == (0 if default is None else 6)
    with pytest.raises(InvalidInput, match="has expired"):
        bandit.learn(decisions[0], 1.0)


def test_a_decision_that_was_never_shown_is_dropped():
    bandit = Bandit(Bootstrap(), COLOURS, seed=0)
    decision = bandit.decide()
    bandit.drop(decision)
    assert bandit.decisions_waiting == 0
    with pytest.raises(InvalidInput, match="has its reward already"):
        bandit.learn(decision, 1.0)


def test_decisions_expire_by_the_clock():
    now = [0.0]
    bandit = Bandit(Bootstrap(), COLOURS, seed=0, expiry=Expiry(seconds=60), clock=lambda: now[0])
    decision = bandit.decide()
    now[0] = 59.0
    assert bandit.expire() == 0
    now[0] = 61.0
    assert bandit.expire() == 1
    with pytest.raises(InvalidInput, match="has expired"):
        bandit.learn(decision, 1.0)


def test_it_says_what_it_is():
    bandit = Bandit(Bootstrap(), COLOURS, seed=0)
    bandit.learn(bandit.decide(), 1.0)
    bandit.decide()
    assert repr(bandit) == (
        f"Bandit({Bootstrap()!r}, {COLOURS}: 2 decisions, 1 waiting, 1 rewards learnt)"
    )
    assert "0, … 99 arms" in repr(Bandit(Bootstrap(), range(99)))


def open_of(bandit):
    """The id of the one decision that waits."""
    (name,) = bandit._pending.waiting
    return name


def told_of(bandit):
    """The id of the decision before it."""
    return f"{bandit._pending.epoch}-{0:010x}"


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda b: b.decide(allowed=["pink"]), "unknown arm 'pink'"),
        (lambda b: b.decide(allowed=[]), "allow at least one"),
        (lambda b: b.decide(np.ones(3)), "2"),
        (lambda b: b.decide(np.array([1.0, np.nan])), "fill it in"),
        (lambda b: b.decide(np.array([1.0, np.inf])), "inf"),
        (lambda b: b.learn(77, 1.0), "no such decision"),
        (lambda b: b.learn(-1, 1.0), "no such decision"),
        (lambda b: b.learn("x", 1.0), "no such decision"),
        (lambda b: b.learn(1.5, 1.0), "Decision or its id"),
        (lambda b: b.learn(told_of(b), 1.0), "has its reward already"),
        (lambda b: b.learn(open_of(b), np.nan), "rewards lie in"),
        (lambda b: b.learn(open_of(b), np.inf), "rewards lie in"),
        (lambda b: b.learn(open_of(b), 0.5), "declared values"),
        (lambda b: b.learn(open_of(b), "high"), "give a number"),
        (lambda b: b.learn(open_of(b), 1.0, weight=0), "positive"),
        (lambda b: b.learn([open_of(b)] * 2, [1.0, 1.0]), "only one reward"),
        (lambda b: b.learn([open_of(b)], [1.0, 0.0]), "give 1"),
        (lambda b: b.learn([open_of(b), told_of(b)], [1.0, 1.0]), "has its reward already"),
        (lambda b: b.learn(reward=1.0), "give a decision"),
        (lambda b: b.learn(open_of(b), 1.0, arm="red"), "give a decision"),
        (lambda b: b.learn(arm="pink", context=np.ones(2), reward=1.0), "unknown arm"),
        (lambda b: b.learn(arm=["red"], context=np.ones((2, 2)), reward=[1.0]), "each of 2"),
        (lambda b: b.rank(np.ones(2), k=4), "ask for 1 to 3"),
        (lambda b: b.rank(np.ones((2, 2))), "give one"),
        (lambda b: b.add_arm("red"), "has that name already"),
        (lambda b: b.add_arm(1.5), "text or whole numbers"),
        (lambda b: b.remove_arm("pink"), "unknown arm"),
    ],
)
def test_bad_input_is_one_clear_error_and_changes_nothing(wrong, told):
    bandit = contextual()
    bandit.learn(bandit.decide(np.array([[1.0, 2.0], [3.0, 4.0]]))[0], 1.0)
    before = everything(bandit)
    with pytest.raises((InvalidInput, UnknownName), match=told):
        wrong(bandit)
    assert everything(bandit) == before


@pytest.mark.parametrize("arms", [[], ["a", "a"], [None], [True]])
def test_bad_arms(arms):
    with pytest.raises(InvalidInput, match="arms = "):
        Bandit(Bootstrap(), arms)


def test_two_threads_lose_no_reward():
    bandit, errors = Bandit(ForcedPulls(3, Bootstrap()), COLOURS, seed=0), []
    made = [0, 0]
    until = time.monotonic() + 1.0

    def work(which):
        try:
            while time.monotonic() < until:
                decision = bandit.decide()
                bandit.learn(decision, float(decision.arm == "green"))
                made[which] += 1
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert bandit.rewards_learnt == sum(made)
    assert bandit.decisions_waiting == 0
    assert min(made) > 0
