"""A client of the service: it retries, keeps rewards on disk while the server is away, and reports
as stored only what is stored."""

from bandstrap.service.client.asynchronous import AsyncClient
from bandstrap.service.client.protocol import Decided, Request, Reward
from bandstrap.service.client.retry import Retry
from bandstrap.service.client.synchronous import Client

__all__ = ["AsyncClient", "Client", "Decided", "Request", "Retry", "Reward"]
