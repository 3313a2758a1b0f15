"""How large a request's body may be, and how long it may take to come."""

import asyncio
from collections.abc import MutableMapping
from typing import Any

from bandstrap.service.http.answers import App, Left, Receive, Refused, Scope, Send

_DIGITS = 18  # of a length that is compared; longer ones are too long anyway


class Limits:
    """Refuses bodies that say that they are too large, turn out to be, or come too slowly.

    Nothing is read before the application asks for it, and never more than the limit is kept.
    """

    def __init__(self, app: App, most_bytes: int, seconds: float) -> None:
        self._app, self._most, self._seconds = app, most_bytes, seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        for name, value in scope["headers"]:
            if name == b"content-length" and self._too_long(value):
                raise self._too_large()
        limited = _Limited(receive, self._most, self._seconds, self._too_large)
        await self._app(scope, limited, send)

    def _too_long(self, length: bytes) -> bool:
        return len(length) > _DIGITS or not length.isdigit() or int(length) > self._most

    def _too_large(self) -> Refused:
        return Refused(413, f"a body may have at most {self._most:,} bytes: send several requests")


class _Limited:
    """The body of one request, counted and timed as it comes."""

    __slots__ = ("_deadline", "_left", "_receive", "_seconds", "_too_large")

    def __init__(self, receive: Receive, most: int, seconds: float, too_large: Any) -> None:
        self._receive, self._left, self._seconds = receive, most, seconds
        self._too_large = too_large
        self._deadline: float | None = None

    async def __call__(self) -> MutableMapping[str, Any]:
        if self._deadline is None:
            self._deadline = asyncio.get_running_loop().time() + self._seconds
        try:
            async with asyncio.timeout_at(self._deadline):
                message = await self._receive()
        except TimeoutError:
            late = f"the body did not come within {self._seconds:g} seconds"
            raise Refused(408, late, {"connection": "close"}) from None
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            raise self._too_large()
        return message


async def whole(receive: Receive) -> bytes:
    """The body."""
    message = await receive()
    if message["type"] == "http.request" and not message.get("more_body", False):
        body: bytes = message.get("body", b"")
        return body
    parts = []
    while message["type"] == "http.request":
        parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            return b"".join(parts)
        message = await receive()
    raise Left
