"""Asks an application without a network."""

import asyncio
from collections.abc import Mapping
from typing import Any

import httpx
from http_fake import Fake, configured

from bandstrap.service.config import ServiceConfig
from bandstrap.service.http.answers import App
from bandstrap.service.http.app import make_app
from bandstrap.service.http.front import AccessLog


class Asking:
    """A client of an application over a fake service."""

    def __init__(
        self, config: ServiceConfig | None = None, log: AccessLog | None = None, **headers: str
    ) -> None:
        self.service = Fake()
        self.config = configured() if config is None else config
        self.app: App = make_app(self.config, self.service, log)
        self.headers = headers

    def __call__(self, method: str, path: str, **told: Any) -> httpx.Response:
        return asyncio.run(self.ask(method, path, **told))

    async def ask(self, method: str, path: str, **told: Any) -> httpx.Response:
        headers: Mapping[str, str] = {**self.headers, **told.pop("headers", {})}
        transport = httpx.ASGITransport(self.app)  # type: ignore[arg-type]
        base = "http://127.0.0.1:8000"
        async with httpx.AsyncClient(transport=transport, base_url=base) as client:
            return await client.request(method, path, headers=headers, **told)


DECISIONS = "/v1/experiments/news/decisions"


def problem(answer: httpx.Response) -> tuple[int, str]:
    """A problem's status and detail, as it must be told."""
    assert answer.headers["content-type"] == "application/problem+json"
    told = answer.json()
    assert set(told) == {"status", "title", "detail"}
    assert told["status"] == answer.status_code
    return told["status"], told["detail"]
