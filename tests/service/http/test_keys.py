"""Keys and roles, and what is said of them."""

import io
import re
from hashlib import sha256

import pytest
from http_asking import DECISIONS, Asking, problem
from http_fake import configured

from bandstrap.errors import InvalidInput
from bandstrap.service.config import config_from
from bandstrap.service.http.front import AccessLog
from bandstrap.service.http.keys import check_host, new_key

ROLES = ("decide", "reward", "read", "admin")
ASKED = [
    ("decide", "POST", DECISIONS, {}),
    ("decide", "POST", "/v1/decisions/x/activate", None),
    ("reward", "PUT", "/v1/decisions/x/reward", {"reward": 1}),
    ("reward", "POST", "/v1/rewards", {"rewards": [{"id": "x", "reward": 1}]}),
    ("read", "GET", "/v1/experiments", None),
    ("read", "GET", "/v1/experiments/news", None),
    ("read", "GET", "/v1/experiments/news/export", None),
    ("read", "GET", "/metrics", None),
    ("admin", "POST", "/v1/experiments/news/arms", {"name": "d"}),
    ("admin", "POST", "/v1/experiments/news/arms/a/retire", None),
    ("admin", "POST", "/v1/experiments/news/arms/a/reinstate", None),
    ("admin", "POST", "/v1/experiments/news/promote", {"candidate": "x"}),
    ("admin", "POST", "/v1/experiments/news/rollback", None),
]


def _asking(log: AccessLog | None = None) -> Asking:
    keys = {
        role: {"sha256": sha256(f"key of {role}".encode()).hexdigest(), "roles": [role]}
        for role in ROLES
    }
    return Asking(configured(keys=keys, host="0.0.0.0"), log)


def _bearer(key: str) -> dict[str, str]:
    return {"authorization": f"Bearer {key}"}


@pytest.mark.parametrize(("needed", "method", "path", "told"), ASKED)
def test_each_role_opens_its_own_doors(needed: str, method: str, path: str, told: object) -> None:
    ask = _asking()
    for role in ROLES:
        answer = ask(method, path, json=told, headers=_bearer(f"key of {role}"))
        if role == needed:
            assert answer.status_code in (200, 404)  # the fake knows no decision x
        else:
            assert problem(answer) == (403, f"the key {role} has not the role {needed}")


@pytest.mark.parametrize(
    "shown",
    ["", "Bearer", "Bearer ", "Bearer wrong", "Basic key of read", "key of read", "Bearer ü"],
)
def test_no_other_key_does(shown: str) -> None:
    headers = {"authorization": shown.encode("latin-1")} if shown else {}
    answer = _asking()("GET", "/v1/experiments", headers=headers)  # type: ignore[arg-type]
    assert problem(answer)[0] == 401
    assert answer.headers["www-authenticate"] == "Bearer"


def test_a_caller_without_a_key_is_refused_before_its_body_is_read() -> None:
    answer = _asking()("POST", DECISIONS, content=b"{" * 1000)
    assert answer.status_code == 401


def test_some_doors_need_no_key() -> None:
    ask = _asking()
    for path in ("/health", "/ready", "/openapi.json", "/"):
        assert ask("GET", path).status_code == 200


def test_logs_and_metrics_hold_neither_keys_nor_ids() -> None:
    file = io.StringIO()
    ask = _asking(AccessLog("plain", file))
    headers = _bearer("key of reward")
    ask("PUT", "/v1/decisions/private/reward?token=hidden", json={"reward": 1}, headers=headers)
    ask("GET", "/hidden/path", headers=_bearer("hidden"))
    told = file.getvalue() + ask("GET", "/metrics", headers=_bearer("key of read")).text
    assert re.search(r"PUT /v1/decisions/\{id\}/reward 404 [\d.]+ ms reward\n", told)
    assert "* (none) 404" in told
    assert not any(word in told for word in ("key of", "private", "hidden"))


def test_without_keys_only_this_machine_is_served() -> None:
    for host in ("127.0.0.1", "localhost", "::1"):
        check_host(configured(host=host))
    for host in ("0.0.0.0", "::", "", "192.0.2.1", "no such name"):
        with pytest.raises(InvalidInput, match="--new-key"):
            check_host(configured(host=host))


def test_without_keys_pages_of_other_sites_are_turned_away() -> None:
    ask = Asking()
    for headers in ({"origin": "https://evil.example"}, {"host": "evil.example:8000"}):
        assert problem(ask("POST", DECISIONS, json={}, headers=headers))[0] == 403
    for headers in ({"origin": "http://127.0.0.1:8000"}, {"host": "localhost"}):
        assert ask("POST", DECISIONS, json={}, headers=headers).status_code == 200


def test_a_new_key_opens_by_the_lines_that_come_with_it() -> None:
    import tomllib

    key, lines = new_key()
    told = tomllib.loads(f'{lines}\n[experiments.news]\narms = ["a", "b"]\npolicy = "ts"')
    ask = Asking(config_from(told))
    assert ask("GET", "/v1/experiments", headers=_bearer(key)).status_code == 200
    assert ask("GET", "/v1/experiments", headers=_bearer(key[:-1])).status_code == 401
