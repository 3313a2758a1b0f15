"""What every request passes first: problems, metrics and one line in the log."""

import sys
import traceback
from collections.abc import MutableMapping
from json import dumps
from time import gmtime, perf_counter, strftime, time
from typing import Any, TextIO

from starlette.exceptions import HTTPException

from bandstrap.errors import BandstrapError, InvalidInput, UnknownName
from bandstrap.service.http.answers import App, Left, Receive, Refused, Scope, Send
from bandstrap.service.http.metrics import Metrics

PLAIN, LINES, OFF = LOGS = ("plain", "json", "off")
NO_ROUTE = "(none)"


class AccessLog:
    """One line for a request: its route, not its path, since whoever knows an id can reward it."""

    def __init__(self, form: str = OFF, file: TextIO | None = None) -> None:
        self._form, self._file = form, sys.stderr if file is None else file

    def line(self, method: str, route: str, status: int, seconds: float, caller: str) -> None:
        if self._form == OFF:
            return
        when = strftime("%Y-%m-%dT%H:%M:%SZ", gmtime(time()))
        took = round(1000 * seconds, 2)
        if self._form == LINES:
            told = {"time": when, "method": method, "route": route, "status": status}
            text = dumps({**told, "ms": took, "key": caller})
        else:
            text = f"{when} {method} {route} {status} {took:g} ms {caller}".rstrip()
        print(text, file=self._file)


class Front:
    """The outermost application."""

    def __init__(self, app: App, metrics: Metrics, log: AccessLog, close: Any) -> None:
        self._app, self._metrics, self._log, self._close = app, metrics, log, close

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._http(scope, receive, send)
        elif scope["type"] == "lifespan":
            await self._lifespan(receive, send)

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = perf_counter()
        scope["app"] = self  # then Starlette raises where it would answer in plain text
        status = 0

        async def noted(message: MutableMapping[str, Any]) -> None:
            nonlocal status
            status = status or message["status"]
            await send(message)

        try:
            await self._app(scope, receive, noted)
        except Left:
            return
        except Exception as error:
            if status:  # too late to say anything
                _report(error)
                raise
            await _refusal(error).answer().send(noted)
        seconds = perf_counter() - started
        endpoint = scope.get("endpoint")
        route = NO_ROUTE if endpoint is None else endpoint.route
        method = scope["method"] if endpoint is not None else "*"
        self._metrics.requested(method, route, status, seconds)
        self._log.line(method, route, status, seconds, scope.get("bandstrap.caller", ""))

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        self._close()
        await send({"type": "lifespan.shutdown.complete"})


def _refusal(error: Exception) -> Refused:
    if isinstance(error, Refused):
        return error
    if isinstance(error, HTTPException):
        known = {404: "there is nothing at this path", 405: "this path has other methods"}
        detail = known.get(error.status_code, error.detail)
        return Refused(error.status_code, detail, error.headers)
    if isinstance(error, InvalidInput | UnknownName):
        return Refused(422, str(error))
    if isinstance(error, BandstrapError):  # the store cannot be used now
        return Refused(503, str(error))
    _report(error)
    return Refused(500, "this is a bug in bandstrap: its log says where it happened")


def _report(error: Exception) -> None:
    """Where it happened. Its message could hold contexts, or the address of a store."""
    places = "".join(traceback.format_tb(error.__traceback__))
    print(f"unexpected {type(error).__name__} in a request:\n{places}", file=sys.stderr)
