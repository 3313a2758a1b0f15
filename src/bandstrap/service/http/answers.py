"""What is sent back: JSON by msgspec, and problems as RFC 9457 has them."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import msgspec

from bandstrap.service.messages import Problem

JSON, PROBLEM = b"application/json", b"application/problem+json"

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = tuple[tuple[bytes, bytes], ...]

encode = msgspec.json.Encoder().encode  # writes null for NaN and infinities
_ALWAYS = ((b"x-content-type-options", b"nosniff"), (b"cache-control", b"no-store"))


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer, or one whose body comes in pieces."""

    body: bytes
    status: int = 200
    kind: bytes = JSON
    headers: Headers = ()
    pieces: AsyncIterator[bytes] | None = None

    async def send(self, send: Send) -> None:
        headers = [(b"content-type", self.kind), *_ALWAYS, *self.headers]
        if self.pieces is None:
            headers.append((b"content-length", b"%d" % len(self.body)))
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        if self.pieces is not None:
            async for piece in self.pieces:
                await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": self.body})


class Refused(Exception):  # noqa: N818 - what happens to a request
    """Raise it anywhere to answer a request with a problem."""

    def __init__(self, status: int, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status, self.detail = status, detail
        self.headers = {} if headers is None else headers

    def answer(self) -> Answer:
        said = {name.lower().encode(): text.encode() for name, text in self.headers.items()}
        return problem(Problem(self.status, title(self.status), self.detail), tuple(said.items()))


class Left(Exception):  # noqa: N818 - not an error of anybody's
    """The client has gone before its request was whole: nobody is there to be answered."""


def json(value: Any) -> Answer:
    return Answer(encode(value))


def problem(it: Problem, headers: Headers = ()) -> Answer:
    soon = ((b"retry-after", b"1"),) if it.status == 503 else ()
    return Answer(encode(it), it.status, PROBLEM, (*headers, *soon))


def title(status: int) -> str:
    """The standard's own words.

    >>> title(413)
    'Request Entity Too Large'
    """
    return HTTPStatus(status).phrase
