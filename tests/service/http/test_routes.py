"""Every route and every status, over a service without a store."""

import asyncio
from concurrent.futures import Future
from typing import Any
from urllib.parse import quote

import pytest
from http_asking import DECISIONS, Asking, problem


@pytest.fixture(scope="module")
def ask() -> Asking:
    return Asking()


def test_a_decision_is_made_repeated_and_refused_with_another_body(ask: Asking) -> None:
    told = {"id": "one", "context": {"age": 3}}
    first, again = ask("POST", DECISIONS, json=told), ask("POST", DECISIONS, json=told)
    assert first.status_code == again.status_code == 200
    assert "repeated" not in first.json()
    assert again.json() == {**first.json(), "repeated": True}
    assert problem(ask("POST", DECISIONS, json={"id": "one"}))[0] == 409


def test_without_an_id_the_server_makes_one(ask: Asking) -> None:
    ids = {ask("POST", DECISIONS, json={}).json()["id"] for _ in range(2)}
    assert len(ids) == 2


def test_many_decisions_have_an_answer_each(ask: Asking) -> None:
    told = {"decisions": [{"id": "many-1"}, {"id": "many-2", "allowed": []}, {"id": "many-3"}]}
    found = ask("POST", DECISIONS, json=told)
    assert found.status_code == 200
    assert [it.get("id", it.get("status")) for it in found.json()["decisions"]] == [
        "many-1",
        422,
        "many-3",
    ]


def test_a_thousand_are_taken_and_no_more(ask: Asking) -> None:
    assert ask("POST", DECISIONS, json={"decisions": [{}] * 1000}).status_code == 200
    assert problem(ask("POST", DECISIONS, json={"decisions": [{}] * 1001}))[0] == 400
    rewards = {"rewards": [{"id": "x", "reward": 1}] * 1001}
    assert problem(ask("POST", "/v1/rewards", json=rewards))[0] == 400


def test_an_unknown_experiment_is_not_found(ask: Asking) -> None:
    assert problem(ask("POST", "/v1/experiments/no/decisions", json={}))[0] == 404
    told = {"decisions": [{}, {}]}
    assert problem(ask("POST", "/v1/experiments/no/decisions", json=told))[0] == 404
    for path in ("", "/export"):
        assert problem(ask("GET", f"/v1/experiments/no{path}"))[0] == 404
    for path in ("/arms/a/retire", "/arms/a/reinstate", "/rollback"):
        assert problem(ask("POST", f"/v1/experiments/no{path}"))[0] == 404


def test_a_reward_is_stored_repeated_refused_and_unknown(ask: Asking) -> None:
    ask("POST", DECISIONS, json={"id": "paid"})
    path = "/v1/decisions/paid/reward"
    told = {"reward": 1, "metrics": {"seconds": 0.5}}
    assert ask("PUT", path, json=told).json()["receipt"] == "stored"
    assert ask("PUT", path, json=told).json()["receipt"] == "repeated"
    assert problem(ask("PUT", path, json={"reward": 0}))[0] == 409
    assert problem(ask("PUT", "/v1/decisions/nobody/reward", json=told))[0] == 404


def test_many_rewards_have_a_status_each(ask: Asking) -> None:
    ask("POST", DECISIONS, json={"id": "r1"})
    told = {"rewards": [{"id": "r1", "reward": 0.5}, {"id": "nobody", "reward": 1}]}
    found = ask("POST", "/v1/rewards", json=told).json()["rewards"]
    assert found[0] == {"id": "r1", "receipt": "stored", "time": 1.0}
    assert found[1]["status"] == 404


@pytest.mark.parametrize("name", ["with/slash", "a/reward", "%", "ques?tion", "x" * 200, "~!#&+"])
def test_an_id_may_have_any_printable_character(ask: Asking, name: str) -> None:
    ask("POST", DECISIONS, json={"id": name})
    found = ask("PUT", f"/v1/decisions/{quote(name, safe='')}/reward", json={"reward": 1})
    assert found.json()["id"] == name
    assert ask("POST", f"/v1/decisions/{quote(name, safe='')}/activate").json()["id"] == name


@pytest.mark.parametrize("name", ["", "a b", "ü", "a\n", "x" * 201, "\x00"])
def test_other_ids_are_refused(ask: Asking, name: str) -> None:
    assert problem(ask("POST", DECISIONS, json={"id": name}))[0] == 400
    found = ask("PUT", f"/v1/decisions/{quote(name, safe='')}/reward", json={"reward": 1})
    assert problem(found)[0] == 404


def test_an_unknown_decision_is_not_activated(ask: Asking) -> None:
    assert problem(ask("POST", "/v1/decisions/nobody/activate"))[0] == 404


def test_what_runs_can_be_looked_at(ask: Asking) -> None:
    assert ask("GET", "/v1/experiments").json() == {"experiments": ["news"]}
    found = ask("GET", "/v1/experiments/news")
    assert found.json()["experiment"] == "news"
    assert "NaN" not in found.text
    assert found.json()["arms"][0]["mean"] is None
    lines = ask("GET", "/v1/experiments/news/export").text.splitlines()
    assert len(lines) == len(ask.service.decisions)
    assert ask("GET", "/health").json()["status"] == "ok"
    assert ask("GET", "/ready").json()["status"] == "ready"
    assert ask("GET", "/").headers["content-type"].startswith("text/html")


def test_commands_are_stored_with_their_sender() -> None:
    ask = Asking()
    base = "/v1/experiments/news"
    assert ask("POST", f"{base}/arms", json={"name": "d"}).status_code == 200
    ask("POST", f"{base}/arms/2/retire")  # a number among the arms
    ask("POST", f"{base}/arms/a/reinstate")
    ask("POST", f"{base}/promote", json={"candidate": "new"})
    ask("POST", f"{base}/rollback")
    assert ask.service.commands == [
        ("news", "add_arm", {"name": "d", "features": None}, "local"),
        ("news", "retire_arm", {"name": 2}, "local"),
        ("news", "reinstate_arm", {"name": "a"}, "local"),
        ("news", "promote", {"candidate": "new"}, "local"),
        ("news", "rollback", {}, "local"),
    ]


BAD = [
    b"",
    b"{",
    b"[]",
    b"null",
    b'{"id": 3}',
    b'{"odd": 1}',
    b'{"decisions": []}',
    b'{"decisions": null}',
    b'{"decisions": [{}], "id": "x"}',
    b'{"rank": 0}',
    b'{"context": [1, NaN]}',
    b'{"context": {"x": Infinity}}',
    b'{"context": {"x": 1e999}}',
    b'{"propensity": -1e999}',
    b'{"context": ' + b"[" * 100_000,
    b'{"id": "\xff"}',
    b'{"id": "\\ud800"}',
]


@pytest.mark.parametrize("body", BAD, ids=lambda it: repr(it)[:30])
def test_a_body_that_is_not_as_described_is_refused(ask: Asking, body: bytes) -> None:
    answer = ask("POST", DECISIONS, content=body, headers={"content-type": "application/json"})
    assert problem(answer)[0] == 400
    assert not any(word in answer.text for word in ("NaN", "Infinity", "1e999"))


@pytest.mark.parametrize("body", ['{"reward": NaN}', '{"reward": 1e999}', '{"reward": "1"}', "{}"])
def test_a_reward_is_a_finite_number(ask: Asking, body: str) -> None:
    headers = {"content-type": "application/json"}
    answer = ask("PUT", "/v1/decisions/x/reward", content=body, headers=headers)
    assert problem(answer)[0] == 400


def test_numbers_are_whole_however_they_are_written(ask: Asking) -> None:
    told = b'{"rank": 2.0, "allowed": [2.0, "a"], "context": [2.0]}'
    headers = {"content-type": "application/json"}
    found = ask("POST", DECISIONS, content=told, headers=headers).json()
    asked, _ = ask.service.decisions[found["id"]]
    assert (asked.rank, asked.allowed, asked.context) == (2, [2, "a"], [2.0])
    assert isinstance(asked.allowed[0], int)  # type: ignore[index]


def test_only_json_is_read(ask: Asking) -> None:
    form = {"content-type": "application/x-www-form-urlencoded"}
    assert problem(ask("POST", DECISIONS, content="{}", headers=form))[0] == 415
    also = {"content-type": "Application/JSON; charset=utf-8"}
    assert ask("POST", DECISIONS, content="{}", headers=also).status_code == 200


def test_other_paths_and_methods_are_problems_too(ask: Asking) -> None:
    assert problem(ask("GET", "/nothing"))[0] == 404
    wrong = ask("DELETE", "/v1/experiments/news")
    assert problem(wrong)[0] == 405
    assert "GET" in wrong.headers["allow"]


def test_a_store_that_is_away_is_said_and_nothing_acknowledged() -> None:
    ask = Asking()
    ask.service.away = True
    for method, path, told in [
        ("POST", DECISIONS, {}),
        ("POST", DECISIONS, {"decisions": [{}, {}]}),
        ("PUT", "/v1/decisions/x/reward", {"reward": 1}),
        ("POST", "/v1/rewards", {"rewards": [{"id": "x", "reward": 1}]}),
        ("POST", "/v1/decisions/x/activate", None),
        ("POST", "/v1/experiments/news/rollback", None),
        ("GET", "/ready", None),
        ("GET", "/v1/experiments/news", None),
        ("GET", "/v1/experiments/news/export", None),
        ("GET", "/metrics", None),
    ]:
        answer = ask(method, path, json=told)
        assert problem(answer)[0] == 503
        assert answer.headers["retry-after"] == "1"
    assert ask("GET", "/health").status_code == 200


def test_an_answer_waits_for_the_commit() -> None:
    ask = Asking()
    ask.service.held = []

    async def both() -> Any:
        waiting = asyncio.create_task(ask.ask("POST", DECISIONS, json={}))
        await asyncio.sleep(0.1)
        assert not waiting.done()
        commit: Future[Any] = ask.service.held[0]  # type: ignore[index]
        ask.service.held = None
        commit.set_result(ask.service.decide("news", []).result() or [_answer()])
        return await waiting

    assert asyncio.run(both()).status_code == 200


def _answer() -> Any:
    from bandstrap.service.messages import DecisionAnswer

    return DecisionAnswer("x", "news", "a", 0.5, 2.0, "exact", "online", 3, 1.0)


def test_a_bug_is_a_problem_and_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    ask = Asking()
    ask.service.odd = True
    answer = ask("GET", "/v1/experiments/news")
    assert problem(answer)[0] == 500
    said = capsys.readouterr().err
    assert "ZeroDivisionError" in said
    assert "secret" not in answer.text + said
