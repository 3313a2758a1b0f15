"""What is left out, weights in the place of propensities, and declared rewards."""

import json

import numpy as np
import pandas as pd
import pytest

from bandstrap import Bandit, EpsilonGreedy, Support, evaluate
from bandstrap.errors import InvalidInput, UnknownName
from bandstrap.evaluation.logs import read_log
from bandstrap.tables.reading import Reading

AGE_DROPPED = Reading(dropped=("age",))


def dsjson(path):
    lines = [
        {"_label_cost": -1.0, "_label_Action": arm, "a": [arm, 3 - arm], "p": [0.5, 0.5],
         "c": {"age": 30 + row % 7, "city": "OR"[row % 2], "_multi": [{}, {}]}}
        for row, arm in enumerate((1, 2) * 15)
    ]  # fmt: skip
    path.write_text("\n".join(map(json.dumps, lines)) + "\n")
    return path


def own(path):
    bandit = Bandit(EpsilonGreedy(), ["a", "b"], seed=1, log=str(path))
    for row in range(3):
        bandit.learn(bandit.decide({"age": 30 + row, "city": "Oslo"}), reward=1.0)
    return path


@pytest.mark.parametrize("made", [dsjson, own])
def test_columns_are_dropped_from_every_format(made, tmp_path):
    path = made(tmp_path / "log")
    whole, some = read_log(path), read_log(path, reading=AGE_DROPPED)
    assert [each for each in map(str, whole.columns.names) if each == "age"] == ["age"]
    assert "age" not in [*map(str, some.columns.names)]
    with pytest.raises(UnknownName, match="did you mean 'age'"):
        read_log(path, reading=Reading(dropped=("agee",)))


def test_nothing_can_be_dropped_from_feedback_of_obp():
    feedback = {"action": np.array([0, 1]), "reward": np.array([0.0, 1.0])}
    with pytest.raises(UnknownName):
        read_log(feedback, reading=AGE_DROPPED)


def test_a_column_is_text_by_its_title(tmp_path):
    found = read_log(dsjson(tmp_path / "log"), reading=Reading(kinds={"age": "text"}))
    assert found.context(0)["age"] == "30"


def weighted(weights):
    return pd.DataFrame({"arm": ["a", "b"] * 3, "reward": [0, 1] * 3, "weight": weights})


def test_a_weight_is_above_nothing():
    with pytest.raises(InvalidInput, match="above 0"):
        read_log(weighted([2.0, 0.0] * 3), weight="weight")


def test_every_decision_has_a_weight_or_a_propensity():
    holes = weighted([2.0, None] * 3)
    with pytest.raises(InvalidInput, match=r"weight, row 2 = None: is missing.*3 of 6 rows"):
        read_log(holes, weight="weight")
    both = read_log(holes.assign(propensity=0.25), weight="weight")
    assert both.weights.tolist() == [2.0, 4.0] * 3


def test_weights_do_without_propensities():
    found = read_log(weighted([2.0] * 6), weight="weight")
    assert "The log has no propensities." not in found.notes
    assert any("weights, but no propensities" in note for note in found.notes)
    result = evaluate(found, "uniform")
    assert result.logger.value == 0.5
    assert [each.estimator for each in result.targets[0].estimates][:2] == ["dr", "stabilised-dr"]


def rewarded(scale):
    rng = np.random.default_rng(0)
    arms = rng.integers(2, size=600)
    paid = scale * rng.random(600) * (1 + arms)
    return pd.DataFrame({"arm": arms, "reward": paid, "propensity": 0.5})


def test_intervals_are_of_the_range_that_is_declared():
    log = rewarded(10)
    seen, wide = (
        evaluate(log, ["uniform", "wb"], rewards=each) for each in (None, Support.interval(0, 100))
    )
    said = "Nobody has declared where rewards lie"
    assert [any(said in note for note in each.notes) for each in (seen, wide)] == [True, False]
    assert not any(said in note for note in evaluate(rewarded(0.5), "uniform").notes)
    narrow, broad = (each.targets[0].always for each in (seen, wide))
    assert broad.high - broad.low > 1.5 * (narrow.high - narrow.low)
    assert 15 / 2 in broad
