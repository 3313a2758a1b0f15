"""The parts of facts that are no lifts, each beside something simpler."""

import json

import numpy as np
import pytest

from bandstrap.evaluation.diagnostics.choices import AllArms, ChosenArm
from bandstrap.evaluation.feedback import Feedback
from bandstrap.evaluation.reward_models import Ridge
from bandstrap.problem import Support
from bandstrap.service.config import Guardrail
from bandstrap.service.judging.delays import Delays
from bandstrap.service.judging.guardrails import Guardrails
from bandstrap.service.judging.health import Health
from bandstrap.service.judging.ratio import ALARM, RatioTest
from bandstrap.service.judging.reward_model import RunningModel
from bandstrap.service.judging.series import MOST, Series


def through_json(told):
    return json.loads(json.dumps(told, allow_nan=False))


def choices(logged, seed, decisions, chosen=None):
    rng = np.random.default_rng(seed)
    return rng.choice(len(logged), decisions, p=logged if chosen is None else chosen)


@pytest.mark.parametrize("every", [True, False])
def test_the_ratio_test_is_that_of_a_log(every):
    logged = np.array([0.5, 0.3, 0.2])
    arms = choices(logged, 1, 400, [0.6, 0.2, 0.2])
    told = {"probabilities": np.tile(logged, (400, 1))} if every else {"weights": 1 / logged[arms]}
    twin = AllArms(3) if every else ChosenArm(3)
    twin.add(Feedback((0, 1, 2), arms, np.zeros(400), **told), slice(0, 400))
    test = RatioTest()
    for number, arm in enumerate(arms.tolist()):
        known = dict(enumerate(logged.tolist())) if every else None
        test.add((0, 1, 2), arm, 1 / logged[arm], known)
        if number == 123:
            test = RatioTest.from_dict(through_json(test.to_dict()))
    assert test.most == pytest.approx(twin.most, abs=1e-9)


def test_the_ratio_test_lets_arms_come():
    test, arms = RatioTest(), ["a", "b"]
    rng = np.random.default_rng(3)
    for number in range(600):
        if number == 300:
            arms.append("new")
        at = int(rng.integers(len(arms)))
        known = dict.fromkeys(arms, 1 / len(arms)) if number % 2 else None
        test.add(arms, arms[at], float(len(arms)), known)
    assert not test.alarm
    assert test.arms == arms


def test_false_alarms_are_rare_and_wrong_propensities_found():
    """100 runs of 3,000 decisions. If 5% were false, 4 or more would be with probability 0.74."""

    def alarms(chosen):
        logged, count = np.array([0.5, 0.5]), 0
        for seed in range(100):
            arms = choices(logged, seed, 3000, chosen)
            feedback = Feedback((0, 1), arms, np.zeros(3000), weights=np.full(3000, 2.0))
            test = ChosenArm(2)
            test.add(feedback, slice(0, 3000))
            count += test.most >= ALARM
        return count

    assert alarms([0.5, 0.5]) <= 3
    assert alarms([0.55, 0.45]) >= 85


def test_the_model_without_contexts_is_drawn_to_the_mean_of_all():
    model = RunningModel()
    assert model.expects(["a"], None).tolist() == [0.5]
    for _ in range(45):
        model.add("a", 1.0, None)
        model.add("b", 0.0, None)
    mean = (45 + 2.5) / 95
    expected = [(45 + 5 * mean) / 50, 5 * mean / 50, mean]
    assert model.expects(["a", "b", "new"], None) == pytest.approx(expected)


def test_the_model_with_contexts_is_the_ridge_that_logs_have():
    rng = np.random.default_rng(5)
    model, twin = RunningModel(), Ridge().start(2, 3)
    rows = rng.normal(size=(122, 3))
    arms, rewards = rng.integers(2, size=122), rng.random(122)
    fits = {50, 62, 77, 96, 120}
    for number in range(122):
        row = rows[number : number + 1]
        model.add(("a", "b")[arms[number]], float(rewards[number]), row)
        if number + 1 == 100:
            model = RunningModel.from_dict(through_json(model.to_dict()))
        some = slice(number, number + 1)
        twin.add(row, arms[some], rewards[some], np.ones(1))
        if number + 1 in fits:
            fit = twin.fit()
    order = ["a", "b"] if arms[0] == 0 else ["b", "a"]
    assert model.arms == order
    assert model.expects(["a", "b"], row) == pytest.approx(fit(row, 1)[0])


def test_the_model_takes_arms_and_contexts_as_they_come():
    rng, model = np.random.default_rng(6), RunningModel()
    for number in range(200):
        row = rng.normal(size=(1, 2)) if number != 150 else rng.normal(size=(1, 5))
        model.add(f"arm {number // 40}", float(rng.random()), row)
    again = RunningModel.from_dict(through_json(model.to_dict()))
    assert again.to_dict() == model.to_dict()
    expected = model.expects([f"arm {n}" for n in range(6)], row)
    assert ((expected >= 0) & (expected <= 1)).all()
    wide = RunningModel()
    for number in range(60):
        wide.add("a", number % 2 * 1.0, rng.normal(size=(1, 100)))
    assert wide.expects(["a"], np.zeros((1, 100))).tolist() == [0.5]
    assert len(json.dumps(wide.to_dict())) < 500


def test_guardrails_stop_what_is_surely_beyond():
    rng = np.random.default_rng(7)
    watch = Guardrails([Guardrail("errors", most=0.2), Guardrail("speed", least=2.0, high=10.0)])
    for number in range(800):
        for arm, errors, speed in (("good", 0.1, 5.0), ("failing", 0.5, 5.0), ("slow", 0.1, 1.0)):
            told = {"errors": float(rng.random() < errors), "speed": float(rng.normal(speed))}
            watch.add(arm, told if number % 3 else {"errors": told["errors"]}, arms=3)
        if number == 300:
            watch = Guardrails.from_dict(through_json(watch.to_dict()))
    assert sorted(watch.broken()) == ["failing", "slow"]
    row = next(it for it in watch.told(["slow"]) if (it["metric"], it["arm"]) == ("speed", "slow"))
    assert row["stopped"]
    assert row["low"] < 1.0 < row["high"] < row["limit"] == 2.0
    watch.forget("slow")
    assert watch.broken() == ["failing"]
    other = watch.watching([Guardrail("speed", least=0.0, high=10.0)])
    assert other.broken() == []
    assert {row["metric"] for row in other.told([])} == {"speed"}
    assert watch.watching([Guardrail("speed", least=0.0, high=9.0)]).told([]) == []


def test_guardrails_seldom_stop_what_is_within():
    """At the limit exactly, 200 runs of 200 values; 2.5% may be stopped.

    Were it a tenth, 12 or fewer would be with probability 0.03.
    """
    stopped = 0
    for seed in range(200):
        values = np.random.default_rng(seed).random(200) < 0.2
        watch = Guardrails([Guardrail("errors", most=0.2)])
        ever = False
        for value in values.tolist():
            watch.add("a", {"errors": float(value)}, arms=1)
            ever = ever or bool(watch.broken())
        stopped += ever
    assert stopped <= 12


def test_series_add_up_however_long_they_are():
    rng, series, rows = np.random.default_rng(8), Series(Support.interval()), []
    for number in range(3000):
        time = 100.0 + 3 * number + float(rng.normal())
        arm = "ab"[int(rng.integers(2))] if number < 2000 else "c"
        reward = None if number % 10 == 0 else float(rng.random())
        rows.append((time, arm, reward))
        series.add(*rows[-1])
        if number == 1500:
            series = Series.from_dict(series.support, through_json(series.to_dict()))
    told = series.told()
    times = told["traffic"]["times"]
    assert MOST / 2 <= len(times) <= MOST
    assert np.allclose(np.diff(times), series.seconds)
    for place, start in enumerate(times):
        inside = [row for row in rows if start <= row[0] < start + series.seconds]
        if place == 0:
            inside = [row for row in rows if row[0] < start + series.seconds]
        paid = [reward for *_, reward in inside if reward is not None]
        assert told["reward"]["mean"][place] == pytest.approx(np.mean(paid))
        for arm in "abc":
            share = np.mean([row[1] == arm for row in inside])
            assert told["traffic"]["shares"][arm][place] == pytest.approx(share)
        assert told["reward"]["low"][place] < np.mean(paid) < told["reward"]["high"][place]
    assert series.dropped(0.1) == pytest.approx((0.1, 0.1), abs=0.02)


def test_series_survive_a_year_without_traffic():
    series = Series(Support.binary())
    for time in (0.0, 3e7, 3e7 + 1):
        series.add(time, "a", 1.0)
    assert len(series.told()["reward"]["mean"]) == 2


def test_quantiles_of_delays_are_near_the_true_ones():
    rng, delays = np.random.default_rng(9), Delays()
    seconds = rng.lognormal(3.0, 1.5, 4000)
    for each in seconds.tolist():
        delays.add(True, each)
    for _ in range(1000):
        delays.add(False, None)
    again = Delays.from_dict(through_json(delays.to_dict()))
    assert again.told() == delays.told()
    assert delays.missing == 0.2
    for share in (0.5, 0.95):
        assert delays.quantile(share) == pytest.approx(np.quantile(seconds, share), rel=0.03)
    delays.add(True, 0.0)
    assert Delays().told() is None


def test_weights_have_the_mean_that_they_should():
    health = Health()
    logged = np.array([0.7, 0.2, 0.1])
    arms = choices(logged, 10, 2000)
    for arm in arms.tolist():
        health.add(logged[arm], 1 / logged[arm], arms=3)
    told, weights = health.told(), 1 / logged[arms]
    assert told["smallest"] == 0.1
    assert told["effective"] == pytest.approx(weights.sum() ** 2 / (weights**2).sum())
    assert abs(told["mean_weight"] - 1) < 4 * told["mean_weight_error"]
    assert Health.from_dict(through_json(health.to_dict())).told() == told


def test_the_model_looks_away_from_contexts_that_are_no_numbers():
    model = RunningModel()
    for number in range(120):
        row = np.array([[number % 2, 1.0]])
        row[0, 1] = (np.nan, 1e200, 1.0)[number % 3]
        model.add("a", float(number % 2), row)
    found = model.expects(["a"], np.array([[1.0, 1.0]]))
    assert np.isfinite(found).all()
    assert found[0] > 0.8
    assert model.expects(["a"], np.array([[1.0, np.nan]])) == pytest.approx(0.5, abs=0.01)
    assert RunningModel.from_dict(through_json(model.to_dict())).to_dict() == model.to_dict()
