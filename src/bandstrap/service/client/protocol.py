"""What a client says and understands: decisions, rewards, the buffer and the fallback."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import takewhile
from math import isfinite
from pathlib import Path
from secrets import token_hex
from time import time
from typing import Any, TypeVar
from urllib.parse import quote

import msgspec

from bandstrap.bandit.decision import Arm
from bandstrap.errors import InvalidInput, ServiceAway, ServiceError, ServiceRefused
from bandstrap.service.client.buffer import DAMAGED, Batch, Buffer, Line
from bandstrap.service.client.retry import Retry, Silence, sent
from bandstrap.service.client.steps import Call, Reply, Work
from bandstrap.service.messages import (
    LONGEST,
    MOST,
    DecisionAnswer,
    DecisionRequest,
    NamedReward,
    Problem,
    RewardAnswer,
)

__all__ = ["Decided", "Protocol", "Request", "Reward", "new_id"]

Request = DecisionRequest
Reward = NamedReward
T = TypeVar("T")

UNSTORED = "unstored-"  # how ids begin of decisions that no server has
BATCH, BATCH_BYTES = 200, 250_000  # of buffered rewards in one request
LATER = frozenset({401, 403, 408, 425, 429})  # of the client errors: no fault of the reward
PARTS = frozenset({400, 413, 422})  # of a whole request: perhaps the fault of one reward in it


class Decided(DecisionAnswer, frozen=True, omit_defaults=True):
    """A decision. If it is not `stored` nobody could be reached and the arm is your fallback:
    its id is known to no server, and a reward for it goes nowhere."""

    stored: bool = True


def new_id() -> str:
    """An id that no other decision has; later ones sort after earlier ones.

    >>> len(new_id()), new_id() != new_id()
    (32, True)
    """
    return f"{int(1000 * time()):012x}{token_hex(10)}"


class Protocol:
    """The calls of a client as steps, which somebody else takes."""

    def __init__(self, url: str, retry: Retry, buffer: str | Path | None) -> None:
        if not url.startswith(("http://", "https://")):
            raise InvalidInput("url", url, "give the address of the service, http://…")
        self.url = url.rstrip("/")
        self.retry = retry
        self.buffer = None if buffer is None else Buffer(buffer)
        self.silence = Silence()

    def decide(self, experiment: str, request: Request, fallback: Arm | None) -> Call[Decided]:
        """One decision; its id is made here, so that asking again is harmless."""
        request = _named(request)
        path = f"/v1/experiments/{quote(experiment, safe='')}/decisions"
        try:
            reply = yield from self._answer("POST", path, request, quick=fallback is not None)
        except ServiceAway:
            if fallback is None:
                raise
            return _fallback(experiment, request, fallback)
        return self._read(reply, Decided)

    def decide_many(
        self, experiment: str, requests: Iterable[Request], fallback: Arm | None
    ) -> Call[list[Decided | Problem]]:
        """Several decisions; each has an answer or a problem of its own."""
        path = f"/v1/experiments/{quote(experiment, safe='')}/decisions"
        found: list[Decided | Problem] = []
        for some in _parts([_named(each) for each in requests], MOST):
            try:
                body = {"decisions": some}
                reply = yield from self._answer("POST", path, body, quick=fallback is not None)
            except ServiceAway:
                if fallback is None:
                    raise
                found += [_fallback(experiment, each, fallback) for each in some]
                continue
            found += self._each(reply, "decisions", Decided, len(some))
        return found

    def activate(self, id: str) -> Call[Decided]:  # noqa: A002 - as the API calls it
        """A deferred decision was shown: its window begins."""
        if id.startswith(UNSTORED):
            raise InvalidInput("id", id, "the decision is your fallback: nobody can activate it")
        reply = yield from self._answer(
            "POST", f"/v1/decisions/{quote(id, safe='')}/activate", None
        )
        return self._read(reply, Decided)

    def status(self, experiment: str) -> Call[dict[str, Any]]:
        """What the page shows."""
        reply = yield from self._answer(
            "GET", f"/v1/experiments/{quote(experiment, safe='')}", None
        )
        return self._read(reply, dict[str, Any])

    def reward(self, given: Reward) -> Call[RewardAnswer]:
        """One reward: stored by the server, or on this disk, or an error."""
        _check(given)
        if given.id.startswith(UNSTORED):
            return RewardAnswer(given.id, "unstored", time())
        if self.buffer is not None and not (yield from self._is_empty()):
            return (yield from self._keep([given]))[0]
        path = f"/v1/decisions/{quote(given.id, safe='')}/reward"
        body = {"reward": given.reward, "metrics": given.metrics}
        try:
            reply = yield from self._answer("PUT", path, body, quick=self.buffer is not None)
        except ServiceAway:
            if self.buffer is None:
                raise
            return (yield from self._keep([given]))[0]
        return self._read(reply, RewardAnswer)

    def reward_many(self, given: Iterable[Reward]) -> Call[list[RewardAnswer | Problem]]:
        """Several rewards; each has a receipt or a problem of its own, in the order given."""
        rewards = [*given]
        for each in rewards:
            _check(each)
        found: list[RewardAnswer | Problem] = []
        for some in _parts(rewards, MOST):
            known = [each for each in some if not each.id.startswith(UNSTORED)]
            answers = iter((yield from self._reward_some(known)) if known else [])
            found += [
                RewardAnswer(each.id, "unstored", time())
                if each.id.startswith(UNSTORED)
                else next(answers)
                for each in some
            ]
        return found

    def flush(self, patient: bool = True) -> Call[int]:
        """Send what is in the buffer, oldest first; how many rewards are left there."""
        if self.buffer is None:
            return 0
        with ExitStack() as stack:
            if (yield Work(lambda: stack.enter_context(_ours(self.buffer)))):
                yield from self._flush(self.buffer, patient)
        left: int = yield Work(self.buffer.waiting)
        return left

    def _reward_some(self, some: Sequence[Reward]) -> Call[list[RewardAnswer | Problem]]:
        if self.buffer is not None and not (yield from self._is_empty()):
            return [*(yield from self._keep(some))]
        try:
            quick = self.buffer is not None
            reply = yield from self._answer("POST", "/v1/rewards", {"rewards": some}, quick=quick)
        except ServiceAway:
            if self.buffer is None:
                raise
            return [*(yield from self._keep(some))]
        return self._each(reply, "rewards", RewardAnswer, len(some))

    def _answer(self, method: str, path: str, body: Any, quick: bool = False) -> Call[Reply]:
        """The answer to a request, 2xx; `quick` does not wait where nobody answered just now."""
        if quick and self.silence.lasts:
            raise ServiceAway(self.url, "has not answered a moment ago")
        content = None if body is None else _encoded(body)
        return self._succeeded((yield from self._sent(method, path, content)))

    def _sent(
        self, method: str, path: str, content: bytes | None, patient: bool = True
    ) -> Call[Reply]:
        try:
            reply = yield from sent(self.url, self.retry, method, path, content, patient)
        except ServiceAway:
            self.silence.goes_on()
            raise
        self.silence.broken()
        return reply

    def _succeeded(self, reply: Reply) -> Reply:
        if 200 <= reply.status < 300:
            return reply
        problem = _problem(reply)
        if reply.status >= 500:  # its fault, not that of what was asked
            raise ServiceAway(self.url, f"answers {reply.status} ({problem.detail})")
        raise ServiceRefused(self.url, problem.status, problem.title, problem.detail)

    def _read(self, reply: Reply, kind: type[T]) -> T:
        try:
            return msgspec.json.decode(reply.content, type=kind)
        except msgspec.MsgspecError as error:
            raise ServiceError(self.url, f"answered what is no answer ({error})") from error

    def _each(self, reply: Reply, name: str, kind: type[T], count: int) -> list[T | Problem]:
        """The answers in one reply, each an answer or a problem."""
        told = self._read(reply, dict[str, list[dict[str, Any]]]).get(name, [])
        if len(told) != count:
            raise ServiceError(self.url, f"answered {len(told)} of {count}")
        kinds: list[Any] = [Problem if "title" in each else kind for each in told]
        try:
            return [msgspec.convert(*pair) for pair in zip(told, kinds, strict=True)]
        except msgspec.MsgspecError as error:
            raise ServiceError(self.url, f"answered what is no answer ({error})") from error

    def _is_empty(self) -> Call[bool]:
        """Whether nothing waits in the buffer, after an attempt to send it."""
        assert self.buffer is not None
        buffer = self.buffer
        batch: Batch = yield Work(lambda: buffer.first(1, BATCH_BYTES))
        if batch.lines and not self.silence.lasts:
            return (yield from self.flush(patient=False)) == 0
        return not batch.lines

    def _keep(self, given: Sequence[Reward]) -> Call[list[RewardAnswer]]:
        assert self.buffer is not None
        buffer, now = self.buffer, time()
        lines = [{"id": r.id, "reward": r.reward, "metrics": r.metrics, "time": now} for r in given]
        yield Work(lambda: buffer.append(lines))
        return [RewardAnswer(each.id, "buffered", now) for each in given]

    def _flush(self, buffer: Buffer, patient: bool) -> Call[None]:
        while True:
            batch: Batch = yield Work(lambda: buffer.first(BATCH, BATCH_BYTES))
            if not batch.lines:
                return
            sound = [*takewhile(lambda line: DAMAGED not in line, batch.lines)]
            try:
                if sound:
                    finished = yield from self._send_lines(buffer, sound, patient)
                else:
                    finished = yield from self._put_aside(buffer, batch.lines[:1])
            except ServiceError:  # they stay where they are
                return
            if finished:
                end = batch.ends[finished - 1]
                yield Work(lambda end=end: buffer.done(end))  # type: ignore[misc]
            if finished < len(sound):
                return

    def _put_aside(self, buffer: Buffer, lines: Sequence[Line]) -> Call[int]:
        yield Work(lambda: buffer.refuse(lines))
        return len(lines)

    def _send_lines(self, buffer: Buffer, lines: Sequence[Line], patient: bool) -> Call[int]:
        """Send rewards; of how many, from the first on, it is settled what becomes of them."""
        body = {"rewards": [_sendable(line) for line in lines]}
        reply: Reply = yield from self._sent("POST", "/v1/rewards", _encoded(body), patient)
        if reply.status in PARTS and len(lines) > 1:  # one of them may spoil all
            half = len(lines) // 2
            finished: int = yield from self._send_lines(buffer, lines[:half], patient)
            if finished == half:
                finished += yield from self._send_lines(buffer, lines[half:], patient)
            return finished
        answers: Sequence[Any] = (
            [_problem(reply)]
            if reply.status in PARTS
            else self._each(self._succeeded(reply), "rewards", RewardAnswer, len(lines))
        )
        return (yield from self._settle(buffer, lines, answers))

    def _settle(self, buffer: Buffer, lines: Sequence[Line], answers: Sequence[Any]) -> Call[int]:
        """Up to the first that has to be sent again; what is refused for good is put aside."""
        refused: list[Line] = []
        finished = 0
        for line, answer in zip(lines, answers, strict=True):
            status = getattr(answer, "status", 200)  # a receipt has none
            if status >= 500 or status in LATER:
                break
            if status >= 400:
                refused.append({**line, "status": status, "detail": answer.detail})
            finished += 1
        if refused:
            yield from self._put_aside(buffer, refused)
        return finished


def _ours(buffer: Buffer | None) -> Any:
    assert buffer is not None
    return buffer.sending()


def _named(request: Request) -> Request:
    """With an id."""
    if request.id is None:
        return msgspec.structs.replace(request, id=new_id())
    _check_id(request.id)
    return request


def _check(given: Reward) -> None:
    """Refuse now what the server would refuse after the call has returned."""
    _check_id(given.id)
    for name, value in (("reward", given.reward), *given.metrics.items()):
        if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
            raise InvalidInput(name, value, "give a finite number")


def _check_id(id: Any) -> None:  # noqa: A002
    fits = isinstance(id, str) and 0 < len(id) <= LONGEST
    if not fits or not all("!" <= each <= "~" for each in id):
        remedy = f"give 1 to {LONGEST} printable ASCII characters without spaces"
        raise InvalidInput("id", id, remedy)


def _fallback(experiment: str, request: Request, arm: Arm) -> Decided:
    """A decision that nobody has stored. Under the id that was asked with the server may have
    stored another arm, if only its answer was lost: so this one gets another."""
    return Decided(
        id=f"{UNSTORED}{request.id}"[:LONGEST],
        experiment=experiment,
        arm=arm,
        propensity=1.0,
        weight=1.0,
        method="fallback",
        mode="fallback",
        version=-1,
        time=time(),
        stored=False,
    )


def _sendable(line: Line) -> Line:
    return {name: line[name] for name in ("id", "reward", "metrics") if name in line}


def _problem(reply: Reply) -> Problem:
    """The problem in an answer that is not 2xx; a proxy's may have another form."""
    try:
        told = msgspec.json.decode(reply.content, type=dict[str, Any])
    except msgspec.MsgspecError:
        told = {}
    title, detail = told.get("title", "refused"), told.get("detail", "")
    return Problem(reply.status, str(title), str(detail))


def _encoded(body: Any) -> bytes:
    """JSON; msgspec would write null for what is not a number, and that is something else."""
    try:
        return json.dumps(body, default=_plain, allow_nan=False, separators=(",", ":")).encode()
    except (TypeError, ValueError) as error:
        raise InvalidInput("context", None, f"give what JSON can hold ({error})") from error


def _plain(value: Any) -> Any:
    """Our messages without what is left at its default, and arrays as lists."""
    if isinstance(value, msgspec.Struct):
        told = {name: getattr(value, name) for name in value.__struct_fields__}
        return {name: each for name, each in told.items() if each is not None and each is not False}
    if isinstance(value, Mapping):
        return dict(value)
    unfold: Callable[[], Any] | None = getattr(value, "tolist", None)
    if unfold is None:
        raise TypeError(f"no {type(value).__name__}")
    return unfold()


def _parts(items: Sequence[T], most: int) -> Iterator[Sequence[T]]:
    return (items[start : start + most] for start in range(0, len(items), most))
