"""Settings that change under an experiment, and snapshots that nobody can use."""

import pytest
from sqlalchemy import select, update
from worlds import config, decide, reward, same

from bandstrap.errors import InvalidInput, OutputError
from bandstrap.service.fold import load
from bandstrap.service.learner import Learner, rebuild
from bandstrap.service.service import Service
from bandstrap.service.store import open_store
from bandstrap.service.store.steps import newest_snapshots
from bandstrap.service.store.tables import SNAPSHOTS


@pytest.fixture
def store(tmp_path):
    store = open_store(tmp_path / "store.sqlite")
    yield store
    store.close()


def learnt(store, given, names):
    """The learner after some decisions and rewards; what it has learnt can be rebuilt."""
    service, learner = Service(given, store), Learner(given, store)
    for name in names:
        made = decide(service, name)
        reward(service, name, float(made.arm == "b"), errors=float(made.arm == "c"))
    learner.tick(made.expires + 1)
    service.close()
    state = learner.pupils["news"].state
    assert same(state, rebuild(store, given.experiments["news"]))
    learner.close()
    return state


def test_a_candidate_with_another_policy_starts_anew(store):
    before = learnt(store, config(candidates={"other": "ts", "same": "eg"}), "abcdef")
    assert before.facts.lifts.candidates["other"].decisions == 6
    table = {"policy": "ucb1", "parameters": {"scale": 3.0}}
    given = config(candidates={"other": table, "same": "eg"})
    state = learnt(store, given, "gh")
    assert state.candidates["other"].policy == given.experiments["news"].bandit(table).policy
    assert state.candidates["other"].rewards_learnt == 2
    lifts = state.facts.lifts.candidates
    assert {name: it.decisions for name, it in lifts.items()} == {"same": 8, "other": 2}
    assert lifts["other"].among > lifts["same"].among
    policies = {row["name"]: row["policy"] for row in state.facts.status()["candidates"]}
    assert policies["other"] == "ucb1(scale=3.0)"


def test_a_candidate_that_decides_keeps_its_policy(store):
    given = config(candidates={"other": "ts"})
    service, learner = Service(given, store), Learner(given, store)
    learner.tick()
    service.command("news", "promote", {"candidate": "other"}, "me").result()
    learner.tick()
    service.close()
    learner.close()
    with pytest.raises(InvalidInput, match="it decides"):
        Learner(config(candidates={"other": "ucb1"}), store).tick(4e9)
    gone = Learner(config(), store)
    gone.tick(5e9)  # it goes on even where the configuration lacks it
    state = gone.pupils["news"].state
    assert (state.deciding_name, state.described) == ("other", "ts")


def test_a_rebuild_uses_the_guardrails_of_the_time(store):
    """--verify compares the snapshot with a fold by today's configuration."""
    loose = {"errors": {"most": 0.9}}
    learnt(store, config(guardrails=loose), "abcdef")
    given = config(guardrails={"slow": {"most": 0.5}})
    kept = store.read(lambda connection: newest_snapshots(connection, "news"))
    again = rebuild(store, given.experiments["news"], kept[0].number)
    assert again.snapshots()[0].facts == kept[0].facts
    state = learnt(store, given, "gh")
    assert [rail.metric for rail in state.facts.rails.rails] == ["slow"]
    assert same(load(store, given.experiments["news"]), state)


def damage(store, **values):
    store.write(lambda connection: connection.execute(update(SNAPSHOTS).values(**values)))


@pytest.mark.parametrize(
    "values", [{"facts": "{}"}, {"facts": "{"}, {"facts": None}, {"state": b"x"}, {"deciding": 0}]
)
def test_a_damaged_snapshot_only_costs_time(store, values):
    given = config(candidates={"other": "ts"})
    state = learnt(store, given, "abcdef")
    damage(store, **values)
    assert same(load(store, given.experiments["news"]), state)
    learner = Learner(given, store)
    learner.tick(5e9)  # it publishes others in its place
    fresh = store.read(lambda connection: newest_snapshots(connection, "news"))
    assert {each.policy for each in fresh} == {"news", "other"}
    service = Service(given, store)
    assert service.ready() == (True, "ready")
    assert decide(service).version == state.number
    assert "is deleted" in service.status("news")["errors"][0]["text"]
    service.close()


def test_an_older_snapshot_is_used_if_it_can_be(store):
    given = config()
    for names in ("abc", "def", "ghi"):
        state = learnt(store, given, names)
    numbers = store.read(lambda it: [row[0] for row in it.execute(select(SNAPSHOTS.c.number))])
    assert len({*numbers}) == 3
    newest = SNAPSHOTS.c.number == max(numbers)
    store.write(lambda it: it.execute(update(SNAPSHOTS).where(newest).values(facts="[]")))
    assert same(load(store, given.experiments["news"]), state)
    left = store.read(lambda it: [row[0] for row in it.execute(select(SNAPSHOTS.c.number))])
    assert sorted({*left}) == sorted({*numbers})[:2]


def test_contexts_are_declared_once(store):
    Learner(config(), store).tick()
    Learner(config(context=2), store).tick(4e9)
    with pytest.raises(OutputError, match="another setting of context"):
        Learner(config(context={"age": "number"}), store).tick(5e9)
