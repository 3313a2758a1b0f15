"""The code for the recommended policy runs as it is."""

import pandas as pd
from shops import shop
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from bandstrap import (
    ContextualBootstrap,
    Exponential,
    LinUCB,
    NoExamples,
    from_sklearn,
)
from bandstrap.comparison.rewards import Label, RewardColumns
from bandstrap.comparison.snippet import snippet
from bandstrap.comparison.table import prepare


def table():
    return pd.DataFrame({"x": [0.1, 0.9, 0.2, 0.8] * 5, "y": ["low", "high"] * 10})


class Tang(LinUCB):
    """Called as one of ours is."""


class Made:
    """Of which nobody knows how it was made."""

    def __init__(self, secret):
        self.hidden = secret


def made(policy):
    prepared = prepare(table(), Label("y"))
    return snippet(policy, prepared.rewards, "encoder.json")


def test_estimators_are_written_with_their_parameters(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    prepared = prepare(table(), Label("y"))
    prepared.encoder.save("encoder.json")
    forest = RandomForestClassifier(max_depth=3, n_estimators=7)
    for model in (forest, Pipeline([("scale", StandardScaler(with_mean=False)), ("last", forest)])):
        policy = ContextualBootstrap(Exponential(), from_sklearn(model), NoExamples())
        space = {}
        exec(snippet(policy, prepared.rewards, "encoder.json"), space)
        assert repr(space["bandit"].policy) == repr(policy)
        assert "'n_estimators': 7" in repr(policy)


def test_code_says_what_it_cannot_know():
    assert f"from {Tang.__module__} import Tang" in made(Tang())
    odd = LinUCB()
    object.__setattr__(odd, "width", Made(3))
    assert "# Made: give your arguments" in made(odd)
    unwritten = snippet(LinUCB(), prepare(table(), Label("y")).rewards, None)
    assert "found.encoder.save('encoder.json')" in unwritten


def test_scales_are_written_in_full():
    rewards = pd.DataFrame({"x": [0.0, 1.0, 0.5], "a": [1234567891.0, 1234567893.5, 1234567892.0]})
    rewards["b"] = rewards.a + 1
    rewards = prepare(rewards, RewardColumns(("a", "b"))).rewards
    assert "# (yours - 1234567891.0) / 3.5" in snippet(LinUCB(), rewards, None)


def test_every_usual_policy_has_code_that_runs(tmp_path, monkeypatch):
    from bandstrap.comparison.candidates import USUAL, Selection
    from bandstrap.comparison.rewards import Label
    from bandstrap.comparison.snippet import snippet
    from bandstrap.comparison.table import prepare

    monkeypatch.chdir(tmp_path)
    prepared = prepare(shop(), Label("bought"))
    prepared.encoder.save("encoder.json")
    for name, policy in Selection().candidates(USUAL).items():
        space = {}
        exec(snippet(policy, prepared.rewards, "encoder.json"), space)
        assert repr(space["bandit"].policy) == repr(policy), name
