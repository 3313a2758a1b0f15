"""The learner with all of judging: it promotes, stops arms, and is the same after a rebuild."""

import pytest
from worlds import config, decide, reward, same

from bandstrap.service.fold import load
from bandstrap.service.learner import Learner, rebuild
from bandstrap.service.service import Service
from bandstrap.service.store import open_store

GIVEN = {
    "rewards": "binary", "policy": "wb", "candidates": {"other": "eg"},
    "promote": {"margin": -0.4}, "guardrails": {"errors": {"most": 0.3}},
    "control": {"share": 0.1, "arm": "a"},
}  # fmt: skip


@pytest.fixture
def store(tmp_path):
    store = open_store(tmp_path / "store.sqlite")
    yield store
    store.close()


def asked(service, learner, names):
    """Decisions whose rewards come, but for some, and the tick that learns them."""
    for name in names:
        made = decide(service, name)
        if not name.endswith("7"):
            reward(service, name, float(made.arm == "b"), errors=float(made.arm == "c"))
    learner.tick(made.expires + 1)
    service.refresh()
    return learner.pupils["news"].state


def test_a_gate_and_a_guardrail_act_by_themselves(store):
    given = config(**GIVEN)
    service, learner = Service(given, store), Learner(given, store)
    state = asked(service, learner, [f"{i}" for i in range(200)])
    assert state.deciding_name == "other"  # as good, which is all that was asked for
    assert [*state.candidates] == ["news"]
    events = {row["kind"]: row["text"] for row in state.facts.status()["events"]}
    assert events["promote"] == "other was promoted and decides now"
    assert events["stop_arm"] == "c was stopped by a guardrail"
    told = service.status("news")
    assert told["policy"] == "other"
    assert [(row["name"], row["decisions"]) for row in told["candidates"]] == [("news", 0)]  # anew
    assert [row["name"] for row in told["arms"] if row["stopped"]] == ["c"]
    assert told["missing"] == pytest.approx(0.1)
    assert same(rebuild(store, given.experiments["news"]), state)

    state = asked(service, learner, [f"later {i}" for i in range(8)])
    assert {decide(service).arm for _ in range(50)} <= {"a", "b"}
    [row] = service.status("news")["candidates"]
    assert row["name"] == "news"
    assert row["low"] < row["value"] < row["high"]
    assert service.status("news")["lift"]["over"] == "a"
    assert same(rebuild(store, given.experiments["news"]), state)
    assert same(load(store, given.experiments["news"]), state)

    service.command("news", "rollback", {}, "me").result()
    service.command("news", "reinstate_arm", {"arm": "c"}, "me").result()
    learner.tick()
    state = learner.pupils["news"].state
    assert state.deciding_name == "news"
    assert state.facts.arms.stopped == []
    assert same(rebuild(store, given.experiments["news"]), state)
    service.close()
