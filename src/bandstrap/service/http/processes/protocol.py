"""Connections of uvicorn's that are cut off when their clients keep them waiting."""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from bandstrap.service.http.answers import Refused, title

MOST_HEAD = 65_536  # bytes of a request line and its headers


class Together:
    """A transport that sends what is written in one turn of the loop in one piece.

    Uvicorn writes the head and the body of an answer one after the other: twice the system calls
    here, and twice the waking up of whoever reads it.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport, self._loop = transport, loop
        self._parts: list[bytes] = []
        self.is_closing = transport.is_closing
        self.pause_reading = transport.pause_reading
        self.resume_reading = transport.resume_reading
        self.get_extra_info = transport.get_extra_info

    def write(self, data: bytes) -> None:
        if not self._parts:
            self._loop.call_soon(self._flush)
        self._parts.append(data)

    def close(self) -> None:
        self._flush()
        self._transport.close()

    def abort(self) -> None:
        self._transport.abort()

    def _flush(self) -> None:
        parts, self._parts = self._parts, []
        if parts and not self._transport.is_closing():
            self._transport.write(b"".join(parts))


class Connection(HttpToolsProtocol):
    """A connection that knows since when it waits for its client.

    Uvicorn itself waits for ever for the first request, for headers, and for a client that does not
    read its answers; and it takes headers of any size.
    """

    most = 1000  # connections of one process at a time

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._asking: float | None = None  # since when a request is on its way
        self._stuck: float | None = None  # since when an answer is not read
        self._head = 0
        self._in_head = True

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        together: Any = Together(transport, self.loop)
        super().connection_made(together)
        self._asking = self.loop.time()
        if len(self.connections) > self.most:
            self._end(503, "too many connections: try again soon")

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        super().data_received(data)
        if self._in_head:
            self._head += len(data)
            if self._head > MOST_HEAD and not self.transport.is_closing():
                self._end(431, f"headers may have at most {MOST_HEAD:,} bytes")

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._asking, self._head, self._in_head = self.loop.time(), 0, True

    def on_headers_complete(self) -> None:
        self._in_head = False
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._asking = None

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stuck = self.loop.time()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stuck = None

    def look(self, now: float, seconds: float) -> None:
        """Cut it off if the client has had its time."""
        if self._stuck is not None and now - self._stuck > seconds:
            self.transport.abort()
        elif self._asking is not None and now - self._asking > seconds:
            if self.transport.is_closing() or not self._in_head:
                # In a body the limit of the application answers first: half a second later
                # the client that still sends is not listening.
                if now - self._asking > seconds + 0.5:
                    self.transport.abort()
            else:
                self._end(408, f"the request did not come within {seconds:g} seconds")

    def _end(self, status: int, detail: str) -> None:
        """An answer without an application, and the end."""
        answer = Refused(status, detail).answer()
        lines = [
            f"HTTP/1.1 {status} {title(status)}".encode(),
            b"content-type: " + answer.kind,
            b"content-length: %d" % len(answer.body),
            b"connection: close",
        ]
        self.transport.write(b"\r\n".join([*lines, b"", answer.body]))
        self.transport.close()
