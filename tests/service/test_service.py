"""What one process answers, on each kind of store."""

import json

import pytest
from worlds import config, decide, reward, same

from bandstrap.errors import OutputError
from bandstrap.service.export import records
from bandstrap.service.learner import Learner, rebuild
from bandstrap.service.messages import DecisionAnswer, DecisionRequest, Problem
from bandstrap.service.service import Service
from bandstrap.service.store import open_store


@pytest.fixture
def service(store):
    service = Service(config(), store)
    yield service
    service.close()


def test_the_same_id_and_body_have_the_same_answer(service, opened):
    first = decide(service, "1")
    again = decide(service, "1")
    assert (again.arm, again.time, again.propensity) == (first.arm, first.time, first.propensity)
    assert (first.repeated, again.repeated) == (False, True)
    other = Service(service.config, opened())
    assert decide(other, "1") == again
    other.close()
    assert decide(service, "1", allowed=["a"]).status == 409
    assert decide(service, "1", allowed=["nobody"]).status == 409  # stored, whatever is refused
    assert decide(service, "2", allowed=["nobody"]).status == 422


def test_many_decisions_have_an_answer_each(service):
    asked = [DecisionRequest(id=f"{i % 3}", rank=1 + i % 3) for i in range(6)]
    answers = service.decide("news", asked).result()
    assert [each.id for each in answers] == ["0", "1", "2", "0", "1", "2"]
    assert answers[:3] == [*answers[3:]] or [each.repeated for each in answers[3:]] == [True] * 3
    assert [len(each.ranking) for each in answers[:3]] == [1, 2, 3]
    assert all(each.ranking[0] == each.arm for each in answers)
    unnamed = service.decide("news", [DecisionRequest()] * 50).result()
    names = [each.id for each in unnamed]
    assert len({*names}) == 50
    assert [each.status for each in service.decide("other", asked).result()] == [404] * 6


def test_rewards_are_stored_once(service):
    decide(service, "1")
    assert reward(service, "1", 0.5, clicks=2.0).receipt == "stored"
    assert reward(service, "1", 0.5, clicks=2.0).receipt == "repeated"
    assert reward(service, "1", 0.5).status == 409
    assert reward(service, "1", 0.6, clicks=2.0).status == 409
    assert reward(service, "nobody").status == 404
    assert reward(service, "1", float("nan")).status == 422
    decide(service, "2")
    assert reward(service, "2", 7.0).status == 422  # beyond [0, 1]


def test_a_deferred_decision_waits_for_its_activation(service, store):
    learner = Learner(service.config, store)
    answer = decide(service, "1", deferred=True)
    assert answer.expires is None
    learner.tick(answer.time + 1000)
    assert learner.pupils["news"].state.number == 1  # it was configured
    activated = service.activate("1").result()
    assert activated.expires > answer.time + 99
    assert not activated.repeated
    assert service.activate("1").result().expires == activated.expires
    assert service.activate("nobody").result().status == 404
    assert reward(service, "1").receipt == "stored"
    assert learner.tick(activated.expires + 1) == 1
    assert learner.pupils["news"].state.deciding.rewards_learnt == 1


def test_what_was_learnt_decides(service, store):
    learner = Learner(service.config, store)
    for i in range(60):
        answer = decide(service, f"{i}")
        reward(service, f"{i}", float(answer.arm == "b"))
    learner.tick(answer.expires + 1)
    service.refresh()
    after = [decide(service) for _ in range(100)]
    assert {each.version for each in after} == {61}
    assert sum(each.arm == "b" for each in after) > 70
    assert service.status("news")["version"] == 61


def test_arms_and_policies_change_while_it_runs(store):
    given = config(candidates={"other": "ts"})
    service, learner = Service(given, store), Learner(given, store)
    learner.tick()
    now = decide(service, "1").time
    assert service.command("news", "add_arm", {"name": "d"}, "me").result()["position"] > 0
    service.command("news", "retire_arm", {"arm": "a"}, "me").result()
    service.command("news", "promote", {"candidate": "other"}, "me").result()
    learner.tick(now + 1)
    service.refresh()
    answers = [decide(service) for _ in range(60)]
    assert {each.arm for each in answers} == {"b", "c", "d"}
    state = learner.pupils["news"].state
    assert (state.deciding_name, [*state.candidates]) == ("other", ["news"])
    assert service.command("news", "retire_arm", {"arm": "a"}, "me").result().status == 409
    assert service.command("news", "retire_arm", {"arm": "x"}, "me").result().status == 404
    assert service.command("news", "explode", {}, "me").result().status == 422
    service.command("news", "rollback", {}, "me").result()
    service.command("news", "rollback", {}, "me").result()  # no more to go back to
    learner.tick(now + 2)
    assert learner.pupils["news"].state.deciding_name == "news"
    assert same(learner.pupils["news"].state, rebuild(store, given.experiments["news"]))
    learner.tick(now + 3)
    assert "no other policy" in service.status("news")["errors"][0]["text"]
    service.close()


@pytest.mark.parametrize("kind", ["wal"])
def test_modes(store):
    shadow = Service(config(mode="shadow"), store)
    answer = decide(shadow, "1", arm="b", propensity=0.25)
    assert (answer.arm, answer.propensity, answer.weight, answer.mode) == ("b", 0.25, 4.0, "shadow")
    assert answer.would in ("a", "b", "c")
    assert decide(shadow, "2").status == 422
    assert decide(shadow, "3", arm="x").status == 422
    assert decide(shadow, "4", arm="b", propensity=0.0).status == 422
    shadow.close()
    logging = Service(config(mode="logging"), store)
    answer = decide(logging, "5", arm="c", context={"age": 3})
    assert (answer.arm, answer.propensity, answer.would) == ("c", 1.0, None)
    assert isinstance(decide(logging, "1", arm="b", propensity=0.25), DecisionAnswer)
    logging.close()
    online = Service(config(), store)
    assert decide(online, "6", arm="b").status == 422
    online.close()


@pytest.mark.parametrize("kind", ["wal"])
def test_other_settings_are_refused(store):
    Learner(config(), store).tick()
    with pytest.raises(OutputError, match="another setting of policy"):
        Service(config(policy="ts"), store)
    with pytest.raises(OutputError, match="another setting of arms"):
        Learner(config(arms=["a", "b"]), store).tick(4e9)
    more = config(candidates={"other": "ts"}, window=5.0, default_reward="none")
    learner = Learner(more, store)
    learner.tick(5e9)
    assert [*learner.pupils["news"].state.candidates] == ["other"]


def test_the_journal_is_a_log(service, store, tmp_path):
    from bandstrap.evaluation.logs import read_log

    learner = Learner(service.config, store)
    for i in range(30):
        answer = decide(service, f"{i}")
        if i % 3:
            reward(service, f"{i}", 1.0)
    learner.tick(answer.expires + 1)
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in records(store, "news")))
    log = read_log(path)
    assert len(log.rewards) == 30
    assert log.rewards.sum() == 20


def test_a_newer_store_is_refused(opened):
    from sqlalchemy import text

    store = opened()
    store.write(
        lambda connection: connection.execute(text("UPDATE alembic_version SET version_num = '9'"))
    )
    store.close()
    with pytest.raises(OutputError, match="version 9"):
        opened()


def test_a_store_of_another_kind_is_refused(tmp_path):
    from bandstrap.bandit.log.store import DecisionStore

    DecisionStore(tmp_path / "store.sqlite")
    with pytest.raises(OutputError):
        open_store(tmp_path / "store.sqlite", "truncate")


def test_answers_are_data(service):
    assert isinstance(decide(service, "1", rank=9), Problem)
    assert service.ready() == (True, "ready")
    assert service.experiments() == ["news"]
