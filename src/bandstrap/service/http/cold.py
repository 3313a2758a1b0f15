"""Everything that is not hot: looking, exporting, changing arms, promoting."""

from collections.abc import AsyncIterator, Iterator, Mapping
from itertools import islice
from typing import Any

import msgspec

from bandstrap.bandit.decision import Arm
from bandstrap.service.http.answers import Answer, Refused, json, problem
from bandstrap.service.http.hot import in_thread, stored
from bandstrap.service.http.metrics import KIND, Metrics
from bandstrap.service.http.offered import Offered
from bandstrap.service.http.operations import Call
from bandstrap.service.messages import Context

LINES = 500  # of an export in one piece


class Names(msgspec.Struct, frozen=True):
    """The experiments of this service."""

    experiments: list[str]


class NewArm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An arm to be added; `features` where the experiment's other arms have some."""

    name: Arm
    features: Context = None


class Promotion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The candidate that is to decide from now on."""

    candidate: str


class Health(msgspec.Struct, frozen=True):
    """Whether this process answers, or could decide."""

    status: str
    detail: str = ""


class Cold:
    """Answers what is asked now and then."""

    def __init__(self, service: Offered, metrics: Metrics) -> None:
        self._service, self._metrics = service, metrics

    async def names(self, call: Call) -> Answer:
        return json(Names(self._service.experiments()))

    async def status(self, call: Call) -> Answer:
        return json(await in_thread(self._service.status, self._known(call)))

    async def export(self, call: Call) -> Answer:
        lines = await in_thread(self._service.export, self._known(call))
        first = await _some(lines)  # before anything is said: the store may be away
        return Answer(b"", kind=b"application/x-ndjson", pieces=_pieces(first, lines))

    async def add_arm(self, call: Call) -> Answer:
        told = {"name": call.asked.name, "features": call.asked.features}
        return await self._command(call, "add_arm", told)

    async def retire_arm(self, call: Call) -> Answer:
        return await self._command(call, "retire_arm", {"name": await self._arm(call)})

    async def reinstate_arm(self, call: Call) -> Answer:
        return await self._command(call, "reinstate_arm", {"name": await self._arm(call)})

    async def promote(self, call: Call) -> Answer:
        return await self._command(call, "promote", {"candidate": call.asked.candidate})

    async def rollback(self, call: Call) -> Answer:
        return await self._command(call, "rollback", {})

    async def health(self, call: Call) -> Answer:
        return json(Health("ok"))

    async def ready(self, call: Call) -> Answer:
        able, _ = self._service.ready()
        if not able:  # why concerns nobody without a key
            raise Refused(503, "it cannot decide or store now: its log says why")
        return json(Health("ready", "ready"))

    async def metrics(self, call: Call) -> Answer:
        return Answer(await in_thread(self._metrics.text, self._service), kind=KIND)

    async def _command(self, call: Call, kind: str, told: Mapping[str, Any]) -> Answer:
        asked = self._service.command(self._known(call), kind, told, call.caller)
        found = await stored(asked)
        return json(found) if isinstance(found, dict) else problem(found)

    def _known(self, call: Call) -> str:
        name = call.path["experiment"]
        if name not in self._service.experiments():
            raise Refused(404, "there is no such experiment: GET /v1/experiments lists them")
        return name

    async def _arm(self, call: Call) -> Arm:
        """The arm in a path, where numbers look like texts."""
        text = call.path["arm"]
        status = await in_thread(self._service.status, self._known(call))
        names = [arm["name"] for arm in status.get("arms", ())]
        return next((it for it in names if str(it) == text), text)


async def _pieces(first: bytes, lines: Iterator[str]) -> AsyncIterator[bytes]:
    some = first
    while some:
        yield some
        some = await _some(lines)


async def _some(lines: Iterator[str]) -> bytes:
    """Lines; a thread waits for the store."""
    return await in_thread(lambda: "".join(islice(lines, LINES)).encode())
