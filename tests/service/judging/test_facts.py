"""All facts together: as they are kept, as arms come and go, and as policies take over."""

import json
from dataclasses import replace

import numpy as np
import pytest
from lessons import again, evenly, experiment, played

from bandstrap import (
    Bandit,
    Bootstrap,
    Control,
    EigenExamples,
    Exponential,
    LinUCB,
    Multinomial,
    OnlineLogistic,
    Propensity,
    PseudoRewards,
    Replicas,
    SharedBootstrap,
)
from bandstrap.problem import Support
from bandstrap.service.candidates import draws_train
from bandstrap.service.config import Gate, Guardrail, Mode
from bandstrap.service.judging import Facts, Lesson, Verdict
from states import everything

PAYS = {"a": 0.1, "b": 0.3, "c": 0.6, "new": 0.3}
PARTS = {
    "experiment", "mode", "policy", "version", "started", "decisions", "rewards", "missing", "arms",
    "traffic", "reward", "lift", "propensity", "ratio", "delay", "warnings", "candidates",
    "guardrails", "events",
}  # fmt: skip


def begun(seed=0, **more):
    """An experiment whose deciding bandit chooses all arms alike, with two candidates."""
    given = {"candidates": {"ts": "ts", "ucb": "ucb1"}, "promote": Gate(), **more}
    told = experiment(**given)
    control = {} if told.control is None else {"control": told.control}
    deciding = evenly(told.arms, seed, **control)
    candidates = {name: told.bandit(policy) for name, policy in told.candidates.items()}
    return Facts(told), deciding, candidates


def test_facts_go_on_where_they_were():
    rails = (Guardrail("slow", most=0.95),)
    facts, deciding, candidates = begun(control=Control(0.2, arm="a"), guardrails=rails)
    played(facts, deciding, candidates, PAYS, 90)
    facts.event(90.0, "retire_arm", {"arm": "b"})
    kept = again(facts)
    assert kept.to_dict() == facts.to_dict()
    twin = Bandit.from_bytes(deciding.to_bytes())
    twins = {name: Bandit.from_bytes(it.to_bytes()) for name, it in candidates.items()}
    played(facts, deciding, candidates, PAYS, 60, start=90)
    played(kept, twin, twins, PAYS, 60, start=90)
    assert kept.to_dict() == facts.to_dict()
    assert kept.status() == facts.status()
    assert kept.verdicts() == facts.verdicts()


def test_the_status_is_what_was_agreed_and_json():
    facts, deciding, candidates = begun(control=Control(0.2, arm="a"))
    json.dumps(facts.status(), allow_nan=False)  # before the first lesson, too
    played(facts, deciding, candidates, PAYS, 50)
    told = json.loads(json.dumps(facts.status(), allow_nan=False))
    assert set(told) == PARTS
    assert set(told["arms"][0]) == {
        "name", "decisions", "lessons", "mean", "low", "high", "retired", "stopped",
    }  # fmt: skip
    assert set(told["lift"]) == {"over", "value", "low", "high", "decisions"}
    assert set(told["candidates"][0]) >= {
        "name", "policy", "value", "low", "high", "decisions", "margin", "needed",
    }  # fmt: skip
    assert sum(row["decisions"] for row in told["arms"]) == told["decisions"] == 50


def test_a_better_candidate_is_promoted_and_rolled_back():
    facts, deciding, candidates = begun()
    played(facts, deciding, candidates, PAYS, 400)
    ask = facts.verdicts()
    assert ask in ([Verdict("promote", "ts")], [Verdict("promote", "ucb")])
    best = str(ask[0].name)
    told = {row["name"]: row for row in facts.status()["candidates"]}
    assert told[best]["low"] > 0 == told[best]["needed"]
    assert told[best]["value"] == pytest.approx(0.6 - 1 / 3, abs=0.12)
    facts.event(400.0, "promote", {"candidate": best})
    assert facts.verdicts() == []
    candidates["news"], deciding = deciding, candidates.pop(best)
    played(facts, deciding, candidates, PAYS, 150, start=400)
    told = {row["name"]: row for row in facts.status()["candidates"]}
    assert told["news"]["decisions"] == 150  # anew
    assert told["news"]["value"] < 0
    assert facts.status()["policy"] == best
    facts = again(facts)
    facts.event(550.0, "rollback", {"candidate": "news"})
    assert facts.status()["policy"] == "news"
    assert {row["decisions"] for row in facts.status()["candidates"]} == {0}
    assert [row["kind"] for row in facts.status()["events"]] == ["promote", "rollback"]


def test_what_is_known_of_a_candidate_and_the_control_stays_known():
    facts, deciding, candidates = begun(candidates={"ts": "ts"}, control=Control(0.2, arm="a"))
    played(facts, deciding, candidates, PAYS, 200)
    before = facts.status()
    facts.event(200.0, "promote", {"candidate": "ts"})
    lift = facts.status()["lift"]
    assert lift == {"over": "a", **before["candidates"][0]["over_control"]}
    played(facts, candidates["ts"], {"news": deciding}, PAYS, 100, start=200)
    after = facts.status()
    assert after["lift"]["decisions"] == 300
    assert after["lift"]["low"] < 0.48 < after["lift"]["high"]
    assert after["candidates"][0]["over_control"]["decisions"] == 300
    assert after["candidates"][0]["decisions"] == 100
    facts.event(300.0, "promote", {"candidate": "ts"})  # which decides already
    assert facts.status()["lift"] == after["lift"]


def test_what_arms_were_expected_to_pay_is_worked_out_for_those_who_are_compared():
    facts, deciding, asked = Facts(experiment(candidates={"other": "ts"})), evenly(list("abc")), []
    expects = facts.model.expects
    facts.model.expects = lambda *given: asked.append(given) or expects(*given)
    played(facts, deciding, {}, PAYS, 20)
    assert (asked, facts.model.rewards) == ([], 20)  # it has learnt all the same
    other = experiment().bandit("ts")
    played(facts, deciding, {"other": other}, PAYS, 5, start=20)
    assert (len(asked), facts.lifts.candidates["other"].decisions) == (5, 5)
    played(facts, deciding, {}, PAYS, 1, start=25)  # who has gone is forgotten
    assert (len(asked), facts.lifts.candidates) == (5, {})
    played(facts, evenly(list("abc"), control=Control(0.5, "a")), {}, PAYS, 3, start=26)
    assert (len(asked), facts.lifts.own.decisions) == (8, 3)


def test_nothing_is_promoted_unless_that_is_wanted():
    facts, deciding, candidates = begun(promote=None)
    played(facts, deciding, candidates, PAYS, 400)
    assert facts.status()["candidates"][0]["low"] > 0
    assert facts.verdicts() == []
    strict, deciding, candidates = begun(promote=Gate(margin=0.4))
    played(strict, deciding, candidates, PAYS, 400)
    assert strict.verdicts() == []
    assert strict.status()["candidates"][0]["needed"] is None


def test_one_that_only_knows_more_is_not_better():
    """Rewards come late: the decider has learnt nothing yet when the fold has.

    The same policy as a candidate is as good as the deciding one, and its lift is 0. What was
    earned at the time is less, which is not the deciding policy's fault.
    """
    told = experiment(candidates={"same": "ts"}, policy="ts", promote=Gate())
    early, facts, rng = told.bandit(), Facts(told), np.random.default_rng(1)
    now, same = told.bandit(), told.bandit()
    earned = []
    for number in range(400):
        made = early.decide()
        early.drop(made)
        reward = float(rng.random() < PAYS[made.arm])
        earned.append(reward)
        it = Lesson(f"{number}", float(number), made.arm, made.propensity, made.weight, reward)
        facts.lesson(it, now, {"same": same})
        for bandit in (now, same):
            bandit.learn(arm=it.arm, reward=reward)
    assert facts.lifts.candidates["same"].sequence.value == 0.0
    assert np.mean(earned) < 0.45
    assert facts.verdicts() == []


def test_candidates_are_seldom_promoted_if_nobody_is_better():
    """40 runs of 100 decisions. If a fifth were promoted, 2 or fewer would be with p = 0.008."""
    promoted = 0
    for seed in range(40):
        facts, deciding, candidates = begun(seed, candidates={"ucb": "ucb1"})
        for start in range(0, 100, 10):
            flat = dict.fromkeys(PAYS, 0.3)
            played(facts, deciding, candidates, flat, 10, seed, start)
            if facts.verdicts():
                promoted += 1
                break
    assert promoted <= 2


def test_arms_come_and_go():
    facts, deciding, candidates = begun(arms=("a", "b"))
    bandits = [deciding, *candidates.values()]
    played(facts, deciding, candidates, PAYS, 60)
    for bandit in bandits:
        bandit.add_arm("new")
    facts.event(60.0, "add_arm", {"arm": "new"})
    early = Lesson("early", 59.5, "a", 0.5, 2.0, 0.0)  # decided before, learnt after
    assert facts.arms.open(early) == ("a", "b")
    facts.lesson(early, deciding, candidates)
    played(facts, deciding, candidates, PAYS, 60, start=61)
    for bandit in bandits:
        bandit.retire_arm("b")
    facts.event(121.0, "retire_arm", {"arm": "b"})
    facts.lesson(Lesson("late", 120.0, "b", 1 / 3, 3.0, 1.0), deciding, candidates)
    played(facts, deciding, candidates, PAYS, 40, start=121)
    for bandit in bandits:
        bandit.remove_arm("b")
    facts.lesson(Lesson("gone", 120.5, "b", 1 / 3, 3.0, 1.0), deciding, candidates)
    played(facts, deciding, candidates, PAYS, 40, start=161)
    rows = {row["name"]: row for row in facts.status()["arms"]}
    assert rows["b"]["retired"]
    assert not rows["new"]["retired"]
    assert rows["new"]["lessons"] > 30
    assert not facts.status()["ratio"]["alarm"]
    assert again(facts).to_dict() == facts.to_dict()


def test_the_lift_over_the_control_needs_no_holdout_and_knows_its_share():
    """The policy pays 0.6 in the end, the control 0.1, and the control's share is left out."""
    told = experiment(arms=("a", "c"), policy="ts", control=Control(0.3, arm="a"))
    facts, deciding = Facts(told), told.bandit()
    played(facts, deciding, {}, PAYS, 1500)
    lift = facts.status()["lift"]
    assert lift["over"] == "a"
    assert lift["low"] < 0.48 < lift["high"]
    assert lift["value"] == pytest.approx(0.48, abs=0.06)
    assert facts.status()["candidates"] == []
    bare = experiment(arms=("a", "c"), policy="ts")
    assert Facts(bare).status()["lift"] is None


def test_a_control_by_a_rule_is_one_thing_to_compare_with():
    rule = Control(0.3, rule=lambda context: "a" if context[0, 0] > 0 else "c")
    told = experiment(arms=("a", "c"), candidates={"ts": "ts"})
    deciding = Bandit(LinUCB(), told.arms, seed=1, rewards=told.rewards, control=rule)
    facts, rng = Facts(told), np.random.default_rng(6)
    for number in range(200):
        context = [float(rng.choice([-1.0, 1.0]))]
        made = deciding.decide(context)
        deciding.drop(made)
        it = Lesson(
            f"{number}", 0.0, made.arm, made.propensity, made.weight, PAYS[made.arm],
            context, control=made.control, propensities=made.propensities,
        )  # fmt: skip
        facts.lesson(it, deciding, {"ts": told.bandit("ts")})
        deciding.learn(context=context, arm=made.arm, reward=float(rng.random() < it.reward))
    lift = facts.status()["lift"]
    assert (lift["over"], lift["decisions"]) == ("the control's rule", 200)
    assert lift["low"] < 0.6 - 0.35 < lift["high"]


def test_guardrails_ask_to_stop_but_not_the_control():
    rails = (Guardrail("slow", most=0.8),)
    facts, deciding, candidates = begun(
        control=Control(0.1, arm="a"), guardrails=rails, candidates={}
    )
    pays = {"a": 0.02, "b": 0.02, "c": 0.6}  # slow: one less the reward
    played(facts, deciding, candidates, pays, 400)
    assert facts.verdicts() == [Verdict("stop_arm", "b")]
    assert any(text.startswith("a: a guardrail") for text in facts.warnings())
    facts.event(400.0, "stop_arm", {"arm": "b"})
    assert facts.verdicts() == []
    rows = {row["arm"]: row["stopped"] for row in facts.status()["guardrails"]}
    assert rows == {"a": False, "b": True, "c": False}
    deciding.retire_arm("b")
    played(facts, deciding, candidates, pays, 5, start=400)
    assert facts.arms.stopped == ["b"]
    facts.event(410.0, "reinstate_arm", {"arm": "b"})
    deciding.reinstate_arm("b")
    played(facts, deciding, candidates, pays, 5, start=410)
    assert facts.verdicts() == []


def test_the_last_arm_is_never_stopped():
    rails = (Guardrail("slow", most=0.1),)
    facts, deciding, candidates = begun(guardrails=rails, candidates={})
    played(facts, deciding, candidates, dict.fromkeys(PAYS, 0.0), 200)
    assert len(facts.verdicts()) == 2


@pytest.mark.parametrize("mode", [Mode.SHADOW, Mode.LOGGING])
def test_a_certain_rule_says_nothing_of_others(mode):
    told = experiment(policy="ts", mode=mode, candidates={"ucb": "ucb1"}, promote=Gate())
    facts, policy, candidate = Facts(told), told.bandit(), told.bandit("ucb1")
    for number in range(300):
        arm, paid = "abc"[number % 3], float(number % 3 == 2)
        it = Lesson(f"{number}", float(number), arm, 1.0, 1.0, paid, mode=mode.value)
        facts.lesson(it, policy, {"ucb": candidate})
        for bandit in (policy, candidate):
            bandit.learn(arm=arm, reward=paid)
    assert facts.verdicts() == []
    told = facts.status()
    row = told["lift"] if mode is Mode.SHADOW else told["candidates"][0]
    assert (row["value"], row["low"], row["decisions"]) == (None, None, 300)
    assert any("cannot say" in text for text in facts.warnings())
    assert not facts.ratio.alarm


@pytest.mark.parametrize("mode", [Mode.SHADOW, Mode.LOGGING])
def test_your_rule_is_compared_with_where_it_tells_propensities(mode):
    told = experiment(policy="ts", mode=mode, candidates={"ucb": "ts"})
    facts, policy, candidate = Facts(told), told.bandit(), told.bandit("ts")
    rng = np.random.default_rng(4)
    for number in range(600):
        arm = rng.choice(["a", "b", "c"], p=[0.5, 0.25, 0.25])
        chance = {"a": 0.5, "b": 0.25, "c": 0.25}[arm]
        reward = float(rng.random() < PAYS[arm])
        time = float(number)
        it = Lesson(f"{number}", time, str(arm), chance, 1 / chance, reward, mode=mode.value)
        facts.lesson(it, policy, {"ucb": candidate})
        policy.learn(arm=str(arm), reward=reward)
        candidate.learn(arm=str(arm), reward=reward)
    lift = facts.status()["lift"] if mode is Mode.SHADOW else facts.status()["candidates"][0]
    assert lift["low"] > 0.05
    assert lift["value"] == pytest.approx(0.58 - 0.275, abs=0.1)
    if mode is Mode.SHADOW:
        assert lift["over"] == "your rule"
        assert facts.status()["candidates"][0]["value"] == 0.0


def test_decisions_without_a_reward_are_counted_and_not_judged():
    told = experiment(default_reward=None, candidates={"ts": "ts"})
    facts, deciding = Facts(told), evenly(told.arms)
    candidates = {"ts": told.bandit("ts")}
    for number in range(1000):
        lost = number % 50 == 0 if number < 900 else number % 2 == 0
        it = Lesson(f"{number}", float(number), "a", 1 / 3, 3.0, 1.0, delay=2.0)
        it = replace(it, reward=None, given=False, delay=None) if lost else it
        facts.lesson(replace(it, arm="abc"[number % 3]), deciding, candidates)
    told = facts.status()
    assert told["missing"] == pytest.approx(68 / 1000)
    assert told["decisions"] == 1000
    assert told["candidates"][0]["decisions"] == 932
    assert any("of late" in text for text in told["warnings"])
    assert told["delay"]["median"] == pytest.approx(2.0, rel=0.03)


def test_weights_that_are_not_known_are_not_judged():
    facts, deciding, candidates = begun()
    facts.lesson(Lesson("1", 0.0, "a", None, None, 1.0), deciding, candidates)
    assert facts.status()["decisions"] == 1
    assert {row["value"] for row in facts.status()["candidates"]} == {None}


def test_an_arm_that_is_frozen_out_is_named():
    policy = Bootstrap(Multinomial(), PseudoRewards(0, 0))
    told = experiment(arms=("good", "bad"), rewards=Support.interval())
    facts = Facts(told)
    bandit = Bandit(policy, told.arms, seed=0, propensity=Propensity(floor=0.02))
    bandit.learn(arm="good", reward=0.0)
    for number in range(140):
        it = Lesson(f"{number}", float(number), "bad", 0.99, 1 / 0.99, 0.3 + 0.1 * (number % 2))
        facts.lesson(it, bandit, {})
        bandit.learn(arm="bad", reward=it.reward)
    assert any(text.startswith("good: its draws are the same") for text in facts.warnings())
    bandit.retire_arm("good")
    facts.event(140.0, "retire_arm", {"arm": "good"})
    assert facts.warnings() == []


def test_draws_and_contexts_are_judged_too():
    """Rewards that are no flags: a bootstrap knows no probabilities; and one with contexts."""
    told = experiment(arms=(1, 2), rewards=Support.interval(-1.0, 1.0), candidates={"x": "wb"})
    deciding = Bandit(Bootstrap(), told.arms, seed=1, rewards=told.rewards)
    linear = Bandit(LinUCB(), told.arms, seed=2, rewards=told.rewards)
    facts, rng = Facts(told), np.random.default_rng(5)
    for number in range(250):
        x = float(rng.choice([-1.0, 1.0]))
        arm = int(rng.integers(1, 3))
        reward = float(np.clip((x if arm == 1 else -x) * 0.5 + rng.normal(0, 0.2), -1, 1))
        context = {"x": x, "one": 1.0}
        it = Lesson(f"{number}", float(number), arm, 0.5, 2.0, reward, context=context)
        facts.lesson(it, deciding, {"x": linear})
        if number == 100:
            facts = again(facts)
        for bandit in (deciding, linear):
            bandit.learn(context=context, arm=arm, reward=reward)
    row = facts.status()["candidates"][0]
    assert row["low"] > 0.1
    assert row["value"] == pytest.approx(0.5, abs=0.12)
    assert facts.refused == 0


def test_a_context_that_a_policy_refuses_stops_nothing():
    told = experiment(arms=("a", "b"), candidates={"x": "ts"})
    facts, linear = Facts(told), Bandit(LinUCB(), told.arms, seed=2, rewards=told.rewards)
    linear.learn(context=[1.0, 2.0], arm="a", reward=1.0)
    for number in range(3):
        context = [1.0, 2.0] if number != 1 else [1.0, 2.0, 3.0]
        it = Lesson(f"{number}", float(number), "a", 0.5, 2.0, 1.0, context=context)
        facts.lesson(it, linear, {"x": told.bandit("ts")})
    assert facts.refused == 1
    assert facts.status()["candidates"][0]["decisions"] == 2
    assert "1 decisions were not judged" in " ".join(facts.warnings())


def test_a_level_that_changes_is_that_of_today():
    """What is kept depends on lessons alone, so that a rebuilt fold is the live one."""
    facts, deciding, candidates = begun(candidates={"ts": "ts"})
    played(facts, deciding, candidates, PAYS, 120)
    strict = replace(facts.experiment, promote=Gate(level=0.9999))
    other = Facts.from_dict(strict, facts.to_dict())
    assert other.to_dict() == facts.to_dict()
    assert other.status()["candidates"][0]["low"] < facts.status()["candidates"][0]["low"]


def test_arms_with_features_are_judged_as_they_come():
    policy = SharedBootstrap(Exponential(), Replicas(OnlineLogistic()), EigenExamples())
    features = {"a": [1.0, 0.0], "b": [0.0, 1.0]}
    deciding, other = (Bandit(policy, features, seed=seed) for seed in (1, 2))
    facts, rng = Facts(experiment(("a", "b"), candidates={"x": "ts"})), np.random.default_rng(7)
    for number in range(30):
        if number == 15:
            for bandit in (deciding, other):
                bandit.add_arm("new", [1.0, 1.0])
            facts.event(15.0, "add_arm", {"name": "new", "features": [1.0, 1.0]})
        context = [float(rng.normal())]
        made = deciding.decide(context)
        deciding.drop(made)
        it = Lesson(
            f"{number}", float(number), made.arm, made.propensity, made.weight,
            float(rng.random() < 0.4), context, made.allowed,
        )  # fmt: skip
        facts.lesson(it, deciding, {"x": other})
        for bandit in (deciding, other):
            bandit.learn(context=context, arm=it.arm, reward=it.reward)
    assert facts.refused == 0
    assert facts.lifts.candidates["x"].decisions == 30
    assert [row["name"] for row in facts.status()["arms"]] == ["a", "b", "new"]


def test_draws_that_train_a_policy_train_a_copy():
    """Being judged changes nothing of what is learnt."""
    told = experiment(("a", "b"), policy="eg", candidates={"x": "wb-log-paper"})
    deciding, other, twin = told.bandit(), told.bandit("wb-log-paper"), told.bandit("wb-log-paper")
    facts, rng = Facts(told), np.random.default_rng(8)
    for number in range(12):
        context, arm = [float(rng.normal()), 1.0], "ab"[number % 2]
        it = Lesson(f"{number}", float(number), arm, 0.5, 2.0, float(rng.random() < 0.5), context)
        facts.lesson(it, deciding, {"x": other})
        for bandit in (deciding, other, twin):
            bandit.learn(context=context, arm=arm, reward=it.reward)
    assert facts.lifts.candidates["x"].decisions == 12
    assert everything(other) == everything(twin)


def test_candidates_that_come_later_spend_what_is_left_of_the_level():
    """However many are added, all together are promoted wrongly with the probability 0.05."""
    facts, deciding, candidates = begun(candidates={"ts": "ts", "ucb": "ts"})
    played(facts, deciding, candidates, PAYS, 3)
    for number in range(1, 6):
        candidates[f"later {number}"] = facts.experiment.bandit("ts")
        facts.configured(dict.fromkeys(candidates, "ts"), ())
        played(facts, deciding, candidates, PAYS, 1, start=10 * number)
    lifts = facts.lifts.candidates
    alone = {name: 1 - it.sequence.settings.level for name, it in lifts.items()}
    assert alone["ts"] == alone["ucb"] == pytest.approx(0.05 * 3 / np.pi**2)
    assert alone["later 1"] == pytest.approx(0.05 * 6 / np.pi**2 / 4)
    assert alone["later 5"] < alone["later 4"]
    assert sum(alone.values()) < 0.05
    assert again(facts).to_dict() == facts.to_dict()
    del candidates["ts"]
    played(facts, deciding, candidates, PAYS, 1, start=90)
    candidates["ts"] = facts.experiment.bandit("ts")
    played(facts, deciding, candidates, PAYS, 1, start=100)
    assert lifts["ts"].sequence.settings.level > 1 - alone["later 5"]  # it comes anew


@pytest.mark.parametrize(
    ("told", "trains"),
    [
        (None, True), ("ts", False), ("wb-nn", True), ("own:Mine(rate=1)", True),
        ({"policy": "ucb1", "parameters": {"scale": 1.0}}, False),
    ],
)  # fmt: skip
def test_whose_draws_may_train(told, trains):
    assert draws_train(told) is trains
