"""A bandit behind an endpoint: any number of workers decide, one process learns.

    python examples/endpoint.py learn                          # one process
    uvicorn --app-dir examples endpoint:app --workers 4        # and these

They share one SQLite file. See docs/howto/endpoint.md.
"""

import os
import sys
import time

from fastapi import FastAPI, HTTPException

from bandstrap import Bandit, Expiry, LinThompson, Support
from bandstrap.bandit.log.store import DecisionStore, Receipt
from bandstrap.errors import BandstrapError

RELOAD = 1.0  # seconds, at most, until a worker decides with what was learnt
SILENCE = Expiry(seconds=3600, reward=0.0)  # no click within an hour is a reward of 0

store = DecisionStore(os.environ.get("STORE", "offers.sqlite"))
if store.bandit() is None:
    try:
        store.publish(Bandit(LinThompson(), ["red", "green"], rewards=Support.binary()))
    except BandstrapError:  # another worker was first
        assert store.bandit() is not None


class Worker:
    """Decides with a copy of the published bandit."""

    def __init__(self) -> None:
        self.version = store.bandit()
        self.looked = time.monotonic()

    def decide(self, context: dict[str, float]) -> dict[str, object]:
        if time.monotonic() - self.looked > RELOAD:
            self.version = store.bandit(after=self.version.number) or self.version
            self.looked = time.monotonic()
        bandit = self.version.bandit  # other threads may replace it
        decision = bandit.decide(context)
        bandit.drop(decision)  # its reward goes to the store
        store.add(decision)  # first stored, then told
        return {"id": decision.id, "arm": decision.arm}


app, worker = FastAPI(), Worker()


@app.post("/decide")
def decide(context: dict[str, float]) -> dict[str, object]:
    try:
        return worker.decide(context)
    except ValueError as error:
        raise HTTPException(422, str(error)) from error


@app.post("/reward/{decision}")
def reward(decision: str, reward: float) -> dict[str, str]:
    if reward not in (0.0, 1.0):
        raise HTTPException(422, "a reward is 0 or 1")
    receipt = store.reward(decision, reward)
    if receipt is Receipt.UNKNOWN:
        raise HTTPException(404, "there is no such decision")
    return {"receipt": receipt.value}  # a duplicate is said, and does no harm


@app.get("/stats")
def stats() -> dict[str, int]:
    return {"process": os.getpid(), "version": worker.version.number, **store.counts()}


def learn(pause: float = 0.2) -> None:
    while True:
        store.expire(SILENCE)
        store.learn()
        time.sleep(pause)


if __name__ == "__main__" and sys.argv[1:] == ["learn"]:
    learn()
