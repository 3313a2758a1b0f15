"""The description: every route in it, every reference found, every answer as it says."""

import json
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
from http_asking import DECISIONS, Asking
from http_fake import configured


def _document(**told: Any) -> dict[str, Any]:
    found: dict[str, Any] = Asking(configured(**told))("GET", "/openapi.json").json()
    return found


def _references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        if "$ref" in part:
            yield part["$ref"]
        for each in part.values():
            yield from _references(each)
    elif isinstance(part, list):
        for each in part:
            yield from _references(each)


def test_every_route_is_described() -> None:
    paths = _document()["paths"]
    assert {(method, path) for path, item in paths.items() for method in item} == {
        ("post", "/v1/experiments/{experiment}/decisions"),
        ("post", "/v1/decisions/{id}/activate"),
        ("put", "/v1/decisions/{id}/reward"),
        ("post", "/v1/rewards"),
        ("get", "/v1/experiments"),
        ("get", "/v1/experiments/{experiment}"),
        ("get", "/v1/experiments/{experiment}/export"),
        ("post", "/v1/experiments/{experiment}/arms"),
        ("post", "/v1/experiments/{experiment}/arms/{arm}/retire"),
        ("post", "/v1/experiments/{experiment}/arms/{arm}/reinstate"),
        ("post", "/v1/experiments/{experiment}/promote"),
        ("post", "/v1/experiments/{experiment}/rollback"),
        ("get", "/health"),
        ("get", "/ready"),
        ("get", "/metrics"),
    }


def test_references_are_found_and_schemas_are_valid() -> None:
    document = _document()
    parts = document["components"]
    for each in _references(document):
        _, _, kind, name = each.split("/")
        assert name in parts[kind]
    assert parts["parameters"]["experiment"]["schema"]["enum"] == ["news"]
    for schema in parts["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)


def test_security_is_described_where_there_are_keys() -> None:
    assert "securitySchemes" not in _document()["components"]
    keys = {"web": {"sha256": "0" * 64, "roles": ["read"]}}
    document = _document(keys=keys)
    # Nobody needs a key to read the description: names of experiments are not in it.
    assert "enum" not in document["components"]["parameters"]["experiment"]["schema"]
    paths = document["paths"]
    for path, item in paths.items():
        for operation in item.values():
            free = path in ("/health", "/ready")
            assert ("security" in operation) == ("401" in operation["responses"]) == (not free)


@pytest.mark.parametrize(
    ("method", "path", "told"),
    [
        ("POST", DECISIONS, {"id": "x"}),
        ("POST", DECISIONS, {"decisions": [{}, {"allowed": []}]}),
        ("PUT", "/v1/decisions/x/reward", {"reward": 1}),
        ("POST", "/v1/rewards", {"rewards": [{"id": "x", "reward": 1}]}),
        ("GET", "/v1/experiments", None),
        ("GET", "/v1/experiments/news", None),
        ("GET", "/health", None),
    ],
)
def test_answers_are_as_described(method: str, path: str, told: object) -> None:
    ask = Asking()
    ask("POST", DECISIONS, json={"id": "x"})
    document = _document()
    answer = ask(method, path, json=told)
    shown = path.replace("news", "{experiment}").replace("/x/", "/{id}/")
    described = document["paths"][shown][method.lower()]["responses"][str(answer.status_code)]
    schema = described["content"][answer.headers["content-type"]]["schema"]
    whole = {**json.loads(json.dumps(schema)), "components": document["components"]}
    jsonschema.Draft202012Validator(whole).validate(answer.json())
