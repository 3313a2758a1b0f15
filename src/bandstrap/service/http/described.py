"""The service's description in OpenAPI, by FastAPI: every operation, status and schema."""

from collections.abc import Sequence
from typing import Any

import msgspec
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from starlette.responses import Response

from bandstrap.service.http.answers import Answer, json, title
from bandstrap.service.http.operations import Call, Operation
from bandstrap.service.messages import LONGEST, Problem
from bandstrap.version import __version__

PLACE = "#/components/schemas/{name}"
TEXT = {"type": "string"}
EXPORT = {"type": "string", "description": "A line for each decision."}
STORED = {"type": "object", "description": "The command as it was stored."}
_NUMBER, _MAYBE = {"type": "number"}, {"type": ["number", "null"]}
_ROWS = {"type": "array", "items": {"type": "object"}}
_SERIES = {"type": ["object", "null"]}
STATUS = {
    "type": "object",
    "description": "What runs, what was learnt, and what is odd about it.",
    "required": ["experiment"],
    "properties": {
        "experiment": TEXT,
        "mode": TEXT,
        "policy": {"type": ["string", "null"]},
        "version": {"type": "integer", "description": "Steps learnt."},
        "time": _MAYBE,
        "started": _MAYBE,
        "decisions": {"type": "integer"},
        "waiting": {"type": "integer", "description": "Decisions whose window is open."},
        "rewards": {"type": "integer"},
        "missing": _MAYBE,
        "late": {"type": "integer"},
        "arms": _ROWS,
        "traffic": _SERIES,
        "reward": _SERIES,
        "lift": _SERIES,
        "propensity": _SERIES,
        "ratio": _SERIES,
        "delay": _SERIES,
        "warnings": {"type": "array", "items": TEXT},
        "candidates": _ROWS,
        "guardrails": _ROWS,
        "events": _ROWS,
        "errors": _ROWS,
    },
}
PARAMETERS: dict[str, dict[str, Any]] = {
    "experiment": {"type": "string"},
    "id": {"type": "string", "minLength": 1, "maxLength": LONGEST, "pattern": "^[!-~]+$"},
    "arm": {"type": "string", "minLength": 1},
}


def description(operations: Sequence[Operation], names: Sequence[str], keys: bool) -> Operation:
    """The operation that gives the description of all of them."""
    told = Answer(json(document(operations, names, keys)).body)

    async def run(call: Call) -> Answer:
        return told

    return Operation("GET", "/openapi.json", None, "This description", run, described=False)


def document(operations: Sequence[Operation], names: Sequence[str], keys: bool) -> dict[str, Any]:
    """OpenAPI 3.1."""
    told = [it for each in operations for it in (each.takes, each.gives)]
    types = {it: None for each in told for it in _structs(each)} | {Problem: None}
    schemas, components = msgspec.json.schema_components(types, ref_template=PLACE)
    known = dict(zip(types, schemas, strict=True))
    found = get_openapi(
        title="bandstrap serve",
        version=__version__,
        description="Decisions over HTTP, acknowledged once they are stored.",
        routes=[_route(each, known, keys) for each in operations if each.described],
    )
    parts = found.setdefault("components", {})
    parts["schemas"] = {name: components[name] for name in sorted(components)}
    parts["parameters"] = {name: _parameter(name, names) for name in PARAMETERS}
    if keys:
        parts["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
    return found


def _structs(it: Any) -> tuple[Any, ...]:
    if it is None or isinstance(it, dict):
        return ()
    return it if isinstance(it, tuple) else (it,)


def _route(it: Operation, known: dict[Any, Any], keys: bool) -> APIRoute:
    """What FastAPI describes; the same operation is served without it."""
    locked = keys and it.role is not None
    # Without keys, pages of other sites are turned away.
    statuses = {*it.statuses, *((401,) if locked else ()), *((403,) if it.role else ())}
    more: dict[str, Any] = {"parameters": _parameters(it)}
    if it.takes is not None:
        body = {"application/json": {"schema": _schema(it.takes, known)}}
        more["requestBody"] = {"required": True, "content": body}
    if locked:
        more["security"] = [{"key": []}]
    return APIRoute(
        it.path,
        _nothing,
        methods=[it.method],
        name=it.run.__name__,
        operation_id=it.run.__name__,
        summary=it.summary,
        description=_needed(it),
        response_class=Response,
        response_description="Done, and stored" if it.method != "GET" else "Found",
        responses={
            200: {"content": {it.kind: {"schema": _schema(it.gives, known)}}},
            **{status: _problem(status, known) for status in sorted(statuses)},
        },
        openapi_extra=more,
    )


async def _nothing() -> None:
    """Described, never called."""


def _needed(it: Operation) -> str:
    return "Needs no key." if it.role is None else f"Needs the role {it.role.value}."


def _schema(it: Any, known: dict[Any, Any]) -> Any:
    either = [known[each] for each in _structs(it)]
    if not either:
        return it
    return either[0] if len(either) == 1 else {"anyOf": either}


def _problem(status: int, known: dict[Any, Any]) -> dict[str, Any]:
    content = {"application/problem+json": {"schema": known[Problem]}}
    return {"description": title(status), "content": content}


def _parameters(it: Operation) -> list[dict[str, Any]]:
    names = [part.strip("{}").partition(":")[0] for part in it.path.split("/") if "{" in part]
    return [{"$ref": f"#/components/parameters/{name}"} for name in names]


def _parameter(name: str, experiments: Sequence[str]) -> dict[str, Any]:
    schema = {
        **PARAMETERS[name],
        **({"enum": [*experiments]} if name == "experiment" and experiments else {}),
    }
    return {"name": name, "in": "path", "required": True, "schema": schema}
