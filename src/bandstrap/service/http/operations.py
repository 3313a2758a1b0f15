"""What can be asked: each operation with its path, its role, what it takes and what it gives."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from bandstrap.service.config import Role
from bandstrap.service.http.answers import Answer, Receive, Refused, Scope, Send
from bandstrap.service.http.keys import Callers
from bandstrap.service.http.limits import whole

FREE = ("context", "features", "metrics")


@dataclass(frozen=True, slots=True)
class Call:
    """One request, read and allowed."""

    path: Mapping[str, str]
    asked: Any
    caller: str


Run = Callable[[Call], Awaitable[Answer]]


@dataclass(frozen=True)
class Operation:
    """A method on a path.

    `takes` and `gives` are structs, tuples of them for either, or schemas as they are; `reads` is
    the type that is decoded, where it is not the one that is described.
    """

    method: str
    path: str
    role: Role | None  # None: nobody needs a key
    summary: str
    run: Run
    takes: Any = None
    reads: Any = None
    gives: Any = None
    kind: str = "application/json"
    problems: tuple[int, ...] = ()
    described: bool = True

    @property
    def route(self) -> str:
        """The path as it is shown."""
        return self.path.replace(":path}", "}")

    @property
    def statuses(self) -> tuple[int, ...]:
        """Of the problems that it may answer with, besides those of keys."""
        return (*self.problems, *((400, 408, 413, 415) if self.takes is not None else ()))


class Endpoint:
    """An operation as an ASGI application, without anything in between: two of them are hot."""

    def __init__(self, operation: Operation, callers: Callers) -> None:
        self.operation, self.route, self._callers = operation, operation.route, callers
        self._role, self._run = operation.role, operation.run
        takes = operation.takes if operation.reads is None else operation.reads
        self._decoder = None if takes is None else msgspec.json.Decoder(takes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = scope["headers"]
        caller = "" if self._role is None else self._callers.name(headers, self._role)
        scope["bandstrap.caller"] = caller
        asked = None
        if self._decoder is not None:
            for name, value in headers:
                if name == b"content-type" and value != b"application/json":
                    _check_kind(value)
            asked = decoded(self._decoder, await whole(receive))
        answer = await self._run(Call(scope["path_params"], asked, caller))
        await answer.send(send)


def decoded(decoder: Any, body: bytes) -> Any:
    """What a body says; msgspec refuses NaN, infinities and numbers too large to be finite."""
    try:
        return _read(decoder, body)
    except msgspec.ValidationError as error:
        raise Refused(400, f"the body is not as described: {error}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Refused(400, f"the body is not JSON: {error}") from None
    except RecursionError:
        raise Refused(400, "the body is nested too deeply") from None


def _read(decoder: Any, body: bytes) -> Any:
    try:
        return decoder.decode(body)
    except msgspec.ValidationError:
        told = msgspec.json.decode(body)
        try:
            return msgspec.convert(_whole_numbers(told), decoder.type)
        except msgspec.ValidationError:
            pass  # then it is something else, which the first error says
        raise


def _whole_numbers(told: Any) -> Any:
    """With 2 for 2.0, which are the same in JSON; what a client may fill as it likes stays."""
    if isinstance(told, float):
        return int(told) if told.is_integer() else told
    if isinstance(told, list):
        return [_whole_numbers(each) for each in told]
    if isinstance(told, dict):
        return {name: each if name in FREE else _whole_numbers(each) for name, each in told.items()}
    return told


def _check_kind(value: bytes) -> None:
    kind = value.partition(b";")[0].strip().lower()
    if kind != b"application/json":
        raise Refused(415, "send JSON, and say so: Content-Type: application/json")
