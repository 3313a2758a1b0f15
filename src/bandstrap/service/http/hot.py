"""The two hot paths, decide and reward, and their forms for many at once."""

from asyncio import AbstractEventLoop, get_running_loop, to_thread, wait_for
from collections.abc import Callable
from typing import Annotated, Any, TypeVar
from weakref import WeakKeyDictionary

import msgspec

from bandstrap.service.http.answers import Answer, Refused, json, problem
from bandstrap.service.http.arrivals import Arrivals
from bandstrap.service.http.metrics import Metrics
from bandstrap.service.http.offered import Offered
from bandstrap.service.http.operations import Call
from bandstrap.service.messages import (
    LONGEST,
    MOST,
    DecisionRequest,
    RewardRequest,
)
from bandstrap.service.store.promise import Awaited

DEADLINE = 15.0  # seconds that a thread may wait for the store
T = TypeVar("T")
Several = Annotated[list[DecisionRequest], msgspec.Meta(min_length=1, max_length=MOST)]


class OneOrMany(DecisionRequest, frozen=True, forbid_unknown_fields=True):
    """One decision, or several: read in one go."""

    decisions: Several | msgspec.UnsetType = msgspec.UNSET


def _each(answer: str) -> msgspec.Meta:
    """A list's schema. msgspec writes unions of structs without tags, but does not read them."""
    either = [{"$ref": f"#/components/schemas/{name}"} for name in (answer, "Problem")]
    return msgspec.Meta(extra_json_schema={"items": {"anyOf": either}})


class ManyAnswers(msgspec.Struct, frozen=True):
    """An answer to each request, in their order."""

    decisions: Annotated[list[Any], _each("DecisionAnswer")]


class ManyReceipts(msgspec.Struct, frozen=True):
    """An answer to each reward, in their order."""

    rewards: Annotated[list[Any], _each("RewardAnswer")]


class Hot:
    """Decides, and takes rewards."""

    def __init__(self, service: Offered, metrics: Metrics) -> None:
        self._service, self._metrics = service, metrics

    async def decide(self, call: Call) -> Answer:
        asked: OneOrMany = call.asked
        experiment = call.path["experiment"]
        if asked.decisions is msgspec.UNSET:
            found = await stored(self._service.decide(experiment, [_single(asked)]))
            self._metrics.decided(experiment, found)
            return _one(found[0])
        if msgspec.structs.replace(asked, decisions=msgspec.UNSET) != _NOTHING:
            raise Refused(400, "give decisions alone, or one decision's own fields")
        # Many draws would keep everybody else waiting.
        answers = await in_thread(self._service.decide, experiment, asked.decisions)
        found = await stored(answers)
        self._metrics.decided(experiment, found)
        return _all_failed(found, (404, 503)) or json(ManyAnswers(found))

    async def reward(self, call: Call) -> Answer:
        found = await stored(self._service.reward([(checked_id(call.path["id"]), call.asked)]))
        self._metrics.rewarded(found)
        return _one(found[0])

    async def rewards(self, call: Call) -> Answer:
        given = [(it.id, RewardRequest(it.reward, it.metrics)) for it in call.asked.rewards]
        found = await stored(self._service.reward(given))
        self._metrics.rewarded(found)
        return _all_failed(found, (503,)) or json(ManyReceipts(found))

    async def activate(self, call: Call) -> Answer:
        return _one(await stored(self._service.activate(checked_id(call.path["id"]))))


async def in_thread(work: Callable[..., T], *given: Any) -> T:
    """What a thread finds out, if it does in time."""
    try:
        return await wait_for(to_thread(work, *given), DEADLINE)
    except TimeoutError:
        raise Refused(503, "the store does not answer: ask again") from None


async def stored(answer: Awaited[T]) -> T:
    """What the service answers, once it is stored."""
    return await _arrivals().result(answer)


def _arrivals() -> Arrivals:
    loop = get_running_loop()
    found = _OF_LOOPS.get(loop)
    if found is None:
        found = _OF_LOOPS[loop] = Arrivals(loop)
    return found


_OF_LOOPS: WeakKeyDictionary[AbstractEventLoop, Arrivals] = WeakKeyDictionary()


def checked_id(name: str) -> str:
    """The id in a path; no decision has one with other characters."""
    if not 0 < len(name) <= LONGEST or not _printable(name):
        raise Refused(404, "no decision has such an id")
    return name


_NOTHING = OneOrMany()


def _printable(name: str) -> bool:
    return name.isascii() and name.isprintable() and " " not in name


def _single(it: OneOrMany) -> DecisionRequest:
    return DecisionRequest(
        it.id, it.context, it.allowed, it.rank, it.deferred, it.arm, it.propensity
    )


def _one(found: Any) -> Answer:
    return json(found) if found.status == 200 else problem(found)


def _all_failed(found: list[Any], statuses: tuple[int, ...]) -> Answer | None:
    """One problem instead of many that are the same and concern the request as a whole."""
    first = found[0]
    same = first.status in statuses and all(it.status == first.status for it in found)
    return problem(first) if same else None
