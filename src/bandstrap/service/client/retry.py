"""Asking again: pauses that grow at random, within a budget of time."""

from dataclasses import dataclass
from math import inf
from random import uniform
from time import monotonic

import httpx

from bandstrap.errors import ServiceAway
from bandstrap.service.client.steps import Call, Pause, Reply, Send
from bandstrap.validation import require_positive

__all__ = ["AGAIN", "Retry", "Silence", "sent"]

AGAIN = frozenset({429, 502, 503, 504})  # it may answer otherwise soon


@dataclass(frozen=True)
class Retry:
    """How long to go on: pauses are random, up to `first` seconds, twice that and so on up to
    `most`; after `budget` seconds in all the call has failed. `timeout` is for one attempt.

    >>> Retry(budget=2.0).budget
    2.0
    """

    budget: float = 5.0
    timeout: float = 2.0
    first: float = 0.05
    most: float = 1.0

    def __post_init__(self) -> None:
        require_positive(budget=self.budget, timeout=self.timeout, first=self.first, most=self.most)

    def pause(self, attempt: int, asked: str) -> float:
        """Seconds before the next attempt: at random, but no less than the server asked for."""
        drawn = uniform(0.0, min(self.most, self.first * 2 ** min(attempt, 30)))
        return max(drawn, float(asked)) if asked.isascii() and asked.isdigit() else drawn


class Silence:
    """How long the server has not answered: calls that need no answer do not wait meanwhile."""

    def __init__(self, most: float = 30.0) -> None:
        self._most = most
        self._failures = 0
        self._until = -inf

    def broken(self) -> None:
        """There was an answer."""
        self._failures, self._until = 0, -inf

    def goes_on(self) -> None:
        """There was none, once more."""
        self._failures += 1
        longest = min(self._most, 0.5 * 2 ** min(self._failures, 10))
        self._until = monotonic() + uniform(0.5 * longest, longest)

    @property
    def lasts(self) -> bool:
        """Whether it is too early to try again."""
        return monotonic() < self._until


def sent(
    where: str, retry: Retry, method: str, path: str, body: bytes | None, patient: bool = True
) -> Call[Reply]:
    """The server's answer, whatever it is but "not now"; a single attempt if not `patient`."""
    end = monotonic() + retry.budget
    attempt = 0
    while True:
        asked, cause = "", None
        try:
            left = max(end - monotonic(), 0.001)
            reply: Reply = yield Send(method, path, body, min(retry.timeout, left))
            if reply.status not in AGAIN:
                return reply
            problem, asked = f"answers {reply.status}", reply.retry_after
        except httpx.TransportError as error:
            problem, cause = f"does not answer ({type(error).__name__})", error
        pause = retry.pause(attempt, asked)
        if not patient or monotonic() + pause >= end:
            tried = "" if attempt == 0 else f", {attempt + 1} attempts"
            raise ServiceAway(where, problem + tried) from cause
        yield Pause(pause)
        attempt += 1
