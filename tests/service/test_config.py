"""Mistakes in app.toml: one clear error each. Contexts that are declared. Candidates."""

import os
import sys

import pytest

from bandstrap.commands.serve import tries, undeclared
from bandstrap.errors import BandstrapError, InvalidInput, OutputError
from bandstrap.service.config import Experiment, config_from, read_config
from bandstrap.service.messages import DecisionRequest
from bandstrap.service.service import Service
from bandstrap.service.store import open_store
from bandstrap.service.trust import trusted_classes

NEWS = {"arms": ["a", "b"]}


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"arms": "abc"}, "arms = 'abc'"),
        ({"arms": 5}, "arms = 5"),
        ({"control": {"shar": 0.1, "arm": "a"}}, "setting of control 'shar'"),
        ({"control": {"arm": "a"}}, "control = "),
        ({"control": {"share": 0.1, "rule": "a"}}, "setting of control 'rule'"),
        ({"promote": {"margins": 0.1}}, "setting of promote 'margins'"),
        ({"promote": 5}, "promote = 5"),
        ({"guardrails": {"slow": {"mots": 0.1}}}, "setting of guardrails.slow 'mots'"),
        ({"guardrails": {"slow": {"metric": "x", "most": 1}}}, "setting of guardrails.slow"),
        ({"policy": 5}, "policy = 5"),
        ({"parameters": [1]}, "parameters = [1]"),
        ({"candidates": ["ts"]}, "candidates = ['ts']"),
        ({"candidates": {"x": 5}}, "candidates = 5"),
        ({"candidates": {"x": {"policy": "ts", "scale": 1}}}, "setting of candidates 'scale'"),
        ({"candidates": {"x": {"policy": "ts", "parameters": {"z": 1}}}}, "no such parameter"),
        ({"candidates": {"x": {"policy": "ts", "parameters": {"z": float("inf")}}}}, "finite"),
        ({"default_reward": 7.0}, "default_reward = 7.0"),
        ({"context": {"age": "numeral"}}, "kind of context 'numeral'"),
        ({"context": -1}, "context = -1"),
        ({"context": {}}, "context = {}"),
        ({"context": {"age": ["number"]}}, "kind of context"),
    ],
)
def test_mistakes_in_an_experiment(more, said):
    with pytest.raises(BandstrapError) as told:
        config_from({"experiments": {"news": {**NEWS, **more}}})
    assert said in str(told.value)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"keys": ["a"]}, "keys = ['a']"),
        ({"keys": {"web": {"sha256": 5, "roles": []}}}, "keys.web.sha256 = 5"),
        ({"keys": {"web": {"sha256": "0" * 64, "roles": 5}}}, "keys.web.roles = 5"),
        ({"keys": {"web": {"sha256": "0" * 64, "roles": "read"}}}, "keys.web.roles = 'read'"),
        ({"service": 5}, "service = 5"),
        ({"service": {"trusted": "abc"}}, "service.trusted = 'abc'"),
        ({"service": {"store": 5}}, "service.store = 5"),
    ],
)
def test_mistakes_beside_experiments(more, said):
    with pytest.raises(BandstrapError) as told:
        config_from({"experiments": {"news": NEWS}, **more})
    assert said in str(told.value)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_is_no_configuration(tmp_path):
    os.mkfifo(tmp_path / "app.toml")
    with pytest.raises(OutputError, match="pipe"):
        read_config(tmp_path / "app.toml")


def test_candidates_have_parameters_of_their_own():
    table = {"policy": "ucb1", "parameters": {"scale": 3.0}}
    news = Experiment("news", ("a", "b"), "ucb1", {"scale": 1.0}, candidates={"x": table})
    assert news.bandit(table).policy.scale == 3.0
    assert news.bandit().policy.scale == 1.0
    assert news.bandit("ucb1").policy.scale == 2.0
    assert news.described("x") == "ucb1(scale=3.0)"


TYPED = {"age": "number", "city": "text", "member": "flag"}
OSLO = {"city": "Oslo", "age": 31, "member": True}


@pytest.mark.parametrize(
    ("declared", "sound", "refused"),
    [
        (TYPED, [OSLO], [None, [1.0], {}, {**OSLO, "x": 1}, {**OSLO, "age": "31"},
                         {**OSLO, "age": True}, {**OSLO, "city": 5}, {**OSLO, "member": 1},
                         {**OSLO, "age": float("inf")}]),
        (2, [[1.0, 2]], [None, [1.0], [1.0, 2.0, 3.0], {"a": 1, "b": 2}, [1.0, float("nan")],
                         [1.0, "2"], [True, 1.0]]),
        (0, [None], [[1.0], {"a": 1}]),
        (None, [None, [1.0] * 1000, OSLO, {"age": None}], [[0.0] * 1001, {"a": [1.0]},
               {"a": float("inf")}, {str(k): k for k in range(1001)}]),
    ],
)  # fmt: skip
def test_contexts_are_as_they_are_declared(declared, sound, refused):
    news = Experiment("news", ("a", "b"), context=declared)
    for context in sound:
        news.check_context(context)
    for context in refused:
        with pytest.raises(InvalidInput):
            news.check_context(context)


@pytest.mark.parametrize("mode", ["online", "shadow", "logging"])
def test_contexts_are_checked_in_every_mode(tmp_path, mode):
    news = {**NEWS, "policy": "ts-lin", "mode": mode, "context": 2}
    store = open_store(tmp_path / "store.sqlite")
    service = Service(config_from({"experiments": {"news": news}}), store)
    arm = None if mode == "online" else "a"
    asked = [DecisionRequest(context=each, arm=arm) for each in (None, [1.0], [1.0, 2.0])]
    statuses = [getattr(each, "status", 200) for each in service.decide("news", asked).result()]
    assert statuses == [422, 422, 200]
    service.close()
    store.close()


@pytest.mark.parametrize(("context", "noted"), [(None, True), (3, False), (TYPED, False)])
def test_what_the_server_prints_fits_the_configuration(context, noted):
    news = {**NEWS, "policy": "ts-lin", **({} if context is None else {"context": context})}
    config = config_from({"experiments": {"news": news}})
    assert bool(undeclared(config)) is noted
    assert ("context" in tries(config, "http://x")[0]) is not noted
    free = config_from({"experiments": {"news": {**NEWS, "policy": "ts"}}})
    assert undeclared(free) == []


OWN = """
from dataclasses import dataclass
from bandstrap import UCB1

@dataclass(frozen=True)
class Mine(UCB1):
    pass

def make(scale=1.0):
    return Mine(scale)
"""


def test_the_class_of_what_a_function_returns_is_trusted(tmp_path, monkeypatch):
    (tmp_path / "own_made.py").write_text(OWN)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "own_made", raising=False)
    news = {**NEWS, "policy": "own_made:make(scale=2.0)"}
    config = config_from({"experiments": {"news": {**news, "candidates": {"x": "own_made:make"}}}})
    from bandstrap import Bandit

    trusted = trusted_classes(config)
    assert {each.__name__ for each in trusted} == {"Mine"}
    bandit = config.experiments["news"].bandit()
    assert Bandit.from_bytes(bandit.to_bytes(), trusted).policy.scale == 2.0
