"""The client of a service: it retries, keeps rewards on disk while nobody answers, and never says
that something is stored that is not."""

from bandstrap.service.client.asynchronous import AsyncClient
from bandstrap.service.client.protocol import Decided, Request, Reward
from bandstrap.service.client.retry import Retry
from bandstrap.service.client.synchronous import Client

__all__ = ["AsyncClient", "Client", "Decided", "Request", "Retry", "Reward"]
