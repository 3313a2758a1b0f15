"""The ASGI application of one process."""

from typing import Any

from starlette.routing import Route, Router

from bandstrap.service.config import Role, ServiceConfig
from bandstrap.service.http.answers import App
from bandstrap.service.http.cold import Cold, Health, Names, NewArm, Promotion
from bandstrap.service.http.described import EXPORT, STATUS, STORED, TEXT, description
from bandstrap.service.http.front import AccessLog, Front
from bandstrap.service.http.hot import Hot, ManyAnswers, ManyReceipts, OneOrMany
from bandstrap.service.http.keys import callers
from bandstrap.service.http.limits import Limits
from bandstrap.service.http.metrics import Metrics
from bandstrap.service.http.offered import Offered
from bandstrap.service.http.operations import Endpoint, Operation, Run
from bandstrap.service.http.paged import page_operations
from bandstrap.service.messages import (
    DecisionAnswer,
    DecisionRequest,
    ManyDecisions,
    ManyRewards,
    RewardAnswer,
    RewardRequest,
)

ONE = "/v1/experiments/{experiment}"
# An id may have slashes in it, which arrive as such: it goes on up to the last word of the path.
DECISION = "/v1/decisions/{id:path}"
DECIDE, REWARD, READ, ADMIN = Role.DECIDE, Role.REWARD, Role.READ, Role.ADMIN


def make_app(config: ServiceConfig, service: Offered, log: AccessLog | None = None) -> App:
    """The application; it closes the service when its server ends."""
    metrics = Metrics()
    who = callers(config.keys)
    operations = [*_hot(Hot(service, metrics)), *_cold(Cold(service, metrics))]
    operations.append(
        description(operations, [] if config.keys else service.experiments(), bool(config.keys))
    )
    operations += page_operations()
    endpoints = [Endpoint(each, who) for each in operations]
    routes = [Route(it.operation.path, it, methods=[it.operation.method]) for it in endpoints]
    limited = Limits(Router(routes, redirect_slashes=False), config.most_bytes, config.timeout)
    return Front(limited, metrics, log or AccessLog(), service.close)


def _hot(it: Hot) -> list[Operation]:
    return [
        Operation(
            "POST",
            f"{ONE}/decisions",
            DECIDE,
            "Decide: once, or for many contexts",
            it.decide,
            takes=(DecisionRequest, ManyDecisions),
            reads=OneOrMany,
            gives=(DecisionAnswer, ManyAnswers),
            problems=(404, 409, 422, 503),
        ),
        Operation(
            "PUT",
            f"{DECISION}/reward",
            REWARD,
            "Store a decision's reward",
            it.reward,
            takes=RewardRequest,
            gives=RewardAnswer,
            problems=(404, 409, 422, 503),
        ),
        Operation(
            "POST",
            "/v1/rewards",
            REWARD,
            "Store rewards of many decisions, with an answer to each",
            it.rewards,
            takes=ManyRewards,
            gives=ManyReceipts,
            problems=(503,),
        ),
        Operation(
            "POST",
            f"{DECISION}/activate",
            DECIDE,
            "Begin the window of a deferred decision",
            it.activate,
            gives=DecisionAnswer,
            problems=(404, 409, 422, 503),
        ),
    ]


def _cold(it: Cold) -> list[Operation]:
    def reading(path: str, summary: str, run: Run, gives: Any, **more: Any) -> Operation:
        return Operation("GET", path, READ, summary, run, gives=gives, **more)

    def command(path: str, summary: str, run: Run, takes: Any = None) -> Operation:
        problems = (404, 409, 422, 503)
        return Operation(
            "POST",
            path,
            ADMIN,
            summary,
            run,
            takes=takes,
            gives=STORED,
            problems=problems,
        )

    return [
        reading("/v1/experiments", "The names of all experiments", it.names, Names),
        reading(ONE, "How an experiment stands", it.status, STATUS, problems=(404, 503)),
        reading(
            f"{ONE}/export",
            "All decisions with their rewards, for `bandstrap evaluate`: a JSON text in a line",
            it.export,
            EXPORT,
            kind="application/x-ndjson",
            problems=(404, 503),
        ),
        command(f"{ONE}/arms", "Add an arm", it.add_arm, NewArm),
        command(f"{ONE}/arms/{{arm:path}}/retire", "Retire an arm", it.retire_arm),
        command(f"{ONE}/arms/{{arm:path}}/reinstate", "Take an arm back", it.reinstate_arm),
        command(f"{ONE}/promote", "Let a candidate decide", it.promote, Promotion),
        command(f"{ONE}/rollback", "Undo the last promotion", it.rollback),
        Operation("GET", "/health", None, "Whether this process answers", it.health, gives=Health),
        Operation(
            "GET",
            "/ready",
            None,
            "Whether this process can decide",
            it.ready,
            gives=Health,
            problems=(503,),
        ),
        reading(
            "/metrics",
            "Counters for Prometheus",
            it.metrics,
            TEXT,
            kind="text/plain",
            problems=(503,),
        ),
    ]
