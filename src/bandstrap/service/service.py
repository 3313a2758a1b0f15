"""What one process offers: it decides, takes rewards, and answers when they are stored."""

import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha256
from threading import Event, Thread
from time import time
from typing import Any, NamedTuple

import msgspec

from bandstrap.bandit.bandit import Clock
from bandstrap.bandit.inputs import checked_reward
from bandstrap.bandit.pending import new_epoch
from bandstrap.errors import BandstrapError, UnknownName
from bandstrap.service.config import ServiceConfig
from bandstrap.service.decider import Decider
from bandstrap.service.export import records
from bandstrap.service.fold import COMMANDS, begun_with
from bandstrap.service.learner import check_settings
from bandstrap.service.messages import (
    DecisionAnswer,
    DecisionRequest,
    Problem,
    RewardAnswer,
    RewardRequest,
)
from bandstrap.service.store import Store, Unavailable
from bandstrap.service.store.promise import Promise
from bandstrap.service.store.rows import NewDecision, StoredDecision
from bandstrap.service.store.steps import status_of
from bandstrap.service.store.writer import Job, Writer
from bandstrap.service.store.writing import (
    Activated,
    NewActivation,
    NewCommand,
    NewReward,
    Receipt,
)
from bandstrap.service.trust import trusted_classes
from bandstrap.validation import is_finite

__all__ = ["Service"]

LOG = logging.getLogger(__name__)
ENCODER = msgspec.json.Encoder()
FORM = "2:"  # of digests
BODIES = msgspec.json.Encoder(order="deterministic", enc_hook=repr)
ANSWERS = msgspec.json.Decoder(DecisionAnswer)


class Prepared(NamedTuple):
    """One decision of a call: to be stored, or only to be looked up."""

    id: str
    experiment: str
    request: DecisionRequest
    decided: DecisionAnswer | None
    row: NewDecision | None
    problem: Problem | None

    @property
    def given(self) -> bool:
        """Whether the id is the client's, so that it may be stored already."""
        return self.request.id is not None

    def is_of(self, digest: str) -> bool:
        """Whether a stored decision was asked for with the same body."""
        if self.row is not None and self.row.digest == digest:
            return True
        form = _digest if digest.startswith(FORM) else _former_digest
        try:
            return form(self.experiment, self.request) == digest
        except RecursionError:
            return False


class Service:
    """Decisions and rewards of one process; every answer comes when it is stored.

    Methods may be called from any thread. A `Promise` has the answer, or a `Problem`, or a list of
    them, in the order of what was asked.

    >>> from tempfile import mkdtemp
    >>> from bandstrap.service.config import config_from
    >>> from bandstrap.service.store import open_store
    >>> config = config_from({"experiments": {"news": {"arms": ["a", "b"]}}})
    >>> service = Service(config, open_store(mkdtemp() + "/store.sqlite"))
    >>> [answer] = service.decide("news", [DecisionRequest(id="1")]).result()
    >>> [stored] = service.reward([("1", RewardRequest(1.0))]).result()
    >>> answer.arm in ("a", "b"), stored.receipt
    (True, 'stored')
    >>> service.close()
    """

    def __init__(self, config: ServiceConfig, store: Store, clock: Clock = time) -> None:
        self.config, self.store, self._clock = config, store, clock
        self._check_settings()
        trusted = trusted_classes(config)
        self._deciders = {
            name: Decider(each, store, trusted) for name, each in config.experiments.items()
        }
        self._writer = Writer(store, self._refusal)
        self._stop, self._trouble = Event(), ""
        self.refresh()
        self._reloading = Thread(target=self._reload, name="reload", daemon=True)
        self._reloading.start()

    def decide(
        self, experiment: str, requests: Sequence[DecisionRequest]
    ) -> Promise[list[DecisionAnswer | Problem]]:
        """Decide, each by its own draw, and store it together."""
        decider = self._deciders.get(experiment)
        if decider is None:
            return _done([self._unknown(experiment)] * len(requests))
        now, prepared = self._clock(), list[Prepared]()

        def prepare() -> tuple[list[NewDecision], list[str]]:
            prepared.extend(self._prepared(decider, each, now) for each in requests)
            return (
                [each.row for each in prepared if each.row is not None],
                [each.id for each in prepared if each.given],
            )

        job = Job(
            finish=lambda stored: [_answered(each, stored) for each in prepared],
            fail=lambda why: [_unavailable(why)] * len(requests),
        )
        if len(requests) == 1:
            job.prepare = prepare
        else:  # many draws would keep all others waiting
            job.decisions, job.asked = prepare()
        return self._writer.put(job)

    def reward(
        self, rewards: Sequence[tuple[str, RewardRequest]]
    ) -> Promise[list[RewardAnswer | Problem]]:
        """Store rewards; one that comes too late is stored, and not learnt."""
        now, rows = self._clock(), []
        refused: dict[int, Problem] = {}
        for place, (name, told) in enumerate(rewards):
            if not is_finite(told.reward) or not all(map(is_finite, told.metrics.values())):
                refused[place] = _refused("reward and metrics: give finite numbers")
                continue
            rows.append(NewReward(name, now, float(told.reward), _metrics_text(told.metrics)))
        if not rows:
            return _done([*refused.values()])

        def finish(receipts: list[Receipt]) -> list[RewardAnswer | Problem]:
            told = iter(zip(rows, receipts, strict=True))
            return [
                refused[place] if place in refused else _received(*next(told))
                for place in range(len(rewards))
            ]

        fail = lambda why: [_unavailable(why)] * len(rewards)  # noqa: E731
        return self._writer.put(Job(finish, fail, rewards=rows))

    def activate(self, id: str) -> Promise[DecisionAnswer | Problem]:  # noqa: A002 - its name
        """Begin the window of a deferred decision."""

        def finish(found: list[Activated | None]) -> DecisionAnswer | Problem:
            told = found[0]
            if told is None:
                return _no_decision(id)
            answer, expires = ANSWERS.decode(told.answer), told.deadline
            return msgspec.structs.replace(answer, expires=expires, repeated=told.repeated)

        asked = [NewActivation(id, self._clock(), self._window)]
        return self._writer.put(Job(finish, _unavailable, activations=asked))

    def command(
        self, experiment: str, kind: str, payload: Mapping[str, Any], by: str = ""
    ) -> Promise[dict[str, Any] | Problem]:
        """Store what a person wants: the learner does it, or writes down why not."""
        if experiment not in self._deciders:
            return _done(self._unknown(experiment))
        if kind not in COMMANDS:
            return _done(_refused(str(UnknownName("command", kind, COMMANDS))))
        problem = self._deciders[experiment].objection(kind, payload)
        if problem is not None:
            return _done(problem)
        try:
            told = json.dumps(dict(payload), allow_nan=False)
        except (TypeError, ValueError) as error:
            return _done(_refused(f"payload: {error}"))
        now = self._clock()
        finish = lambda positions: {  # noqa: E731
            "experiment": experiment, "kind": kind, "position": positions[0], "time": now,
        }  # fmt: skip
        command = NewCommand(experiment, now, kind, told, by)
        return self._writer.put(Job(finish, _not_done, commands=[command]))

    def status(self, experiment: str) -> dict[str, Any]:
        """How an experiment is doing, as the learner has published it."""
        if experiment not in self._deciders:
            raise UnknownName("experiment", experiment, self._deciders)
        found = self.store.read(lambda connection: status_of(connection, experiment))
        return found or _blank(self._deciders[experiment])

    def export(self, experiment: str) -> Iterator[str]:
        """The journal of an experiment as lines of JSON: see `records`."""
        found = records(self.store, experiment)
        return (json.dumps(each, allow_nan=False) + "\n" for each in found)

    def experiments(self) -> list[str]:
        return [*self._deciders]

    def ready(self) -> tuple[bool, str]:
        """Whether it can decide and store now, and if not, why."""
        why = self._writer.trouble or self._trouble
        return not why, why or "ready"

    def refresh(self) -> None:
        """Take what was learnt by now, without waiting for the next look."""
        try:
            for each in self._deciders.values():
                each.refresh()
            self._trouble = ""
        except (Unavailable, BandstrapError) as error:
            self._trouble = str(error)
            LOG.warning("%s", error)

    def close(self) -> None:
        """Store what waits, and end."""
        self._stop.set()
        self._writer.close()
        self._reloading.join()

    def _reload(self) -> None:
        while not self._stop.wait(self.config.reload):
            self.refresh()
            self._writer.probe()

    def _prepared(self, decider: Decider, request: DecisionRequest, now: float) -> Prepared:
        name = new_epoch() if request.id is None else request.id
        experiment = decider.experiment.name
        answer = row = problem = None
        try:
            answer, record = decider.decide(request, name, now)
            row = NewDecision(
                name, experiment, now, answer.expires, _digest(experiment, request),
                record, ENCODER.encode(answer).decode(),
            )  # fmt: skip
        except BandstrapError as error:
            problem = _refused(str(error))
        except RecursionError:
            problem = _refused("context: it is nested too deeply")
        return Prepared(name, experiment, request, answer, row, problem)

    def _refusal(self, experiment: str, reward: float) -> str | None:
        known = self.config.experiments.get(experiment)
        if known is None:  # it is not served any more
            return None
        try:
            checked_reward(reward, known.rewards)
        except BandstrapError as error:
            return str(error)
        return None

    def _window(self, experiment: str) -> float:
        known = self.config.experiments.get(experiment)
        return 0.0 if known is None else known.window

    def _unknown(self, experiment: str) -> Problem:
        told = str(UnknownName("experiment", experiment, self._deciders))
        return Problem(404, "Unknown experiment", told)

    def _check_settings(self) -> None:
        for name, each in self.config.experiments.items():
            settings = self.store.read(partial(begun_with, experiment=name))
            if settings is not None:
                check_settings(each, settings)


def _digest(experiment: str, it: DecisionRequest) -> str:
    """Equal for equal requests."""
    told = (
        experiment, it.context, it.allowed, it.rank, it.deferred, it.arm, it.propensity
    )  # fmt: skip
    return FORM + sha256(BODIES.encode(told)).hexdigest()


def _former_digest(experiment: str, request: DecisionRequest) -> str:
    """As earlier versions made it: of decisions that they have stored."""
    told = {field: getattr(request, field) for field in request.__struct_fields__ if field != "id"}
    text = json.dumps([experiment, told], sort_keys=True, default=repr)
    return sha256(text.encode()).hexdigest()


def _metrics_text(metrics: Mapping[str, float]) -> str:
    """Equal for equal metrics."""
    return json.dumps({key: metrics[key] for key in sorted(metrics)}) if metrics else "{}"


def _answered(asked: Prepared, stored: dict[str, StoredDecision]) -> DecisionAnswer | Problem:
    """The answer of whoever came first."""
    found = stored.get(asked.id) if asked.given else None
    if found is None:
        answer = asked.problem or asked.decided
        assert answer is not None
        return answer
    if not asked.is_of(found.digest):
        detail = f"decision {asked.id} was asked for with another body: give each its own id"
        return Problem(409, "Conflict", detail)
    if asked.row is not None and asked.decided is not None and found.answer == asked.row.answer:
        return asked.decided
    return msgspec.structs.replace(ANSWERS.decode(found.answer), repeated=True)


def _received(told: NewReward, receipt: Receipt) -> RewardAnswer | Problem:
    if receipt.kind == "unknown":
        return _no_decision(told.id)
    if receipt.kind == "conflict":
        detail = f"decision {told.id} has another reward already: the first one counts"
        return Problem(409, "Conflict", detail)
    if receipt.kind == "refused":
        return _refused(receipt.why)
    return RewardAnswer(told.id, receipt.kind, receipt.time)


def _no_decision(name: str) -> Problem:
    return Problem(404, "Unknown decision", f"no decision {name} is stored")


def _refused(detail: str) -> Problem:
    return Problem(422, "Refused", detail)


def _unavailable(error: Unavailable) -> Problem:
    if error.unsure:
        detail = f"{error}: it may be stored all the same; ask again, with the same id"
        return Problem(503, "Not known", detail)
    return Problem(503, "Not stored", str(error))


def _not_done(error: Unavailable) -> Problem:
    """Of a command, which has no id: a second one would be another."""
    if error.unsure:
        detail = f"{error}: it may be stored all the same; look at the experiment before you repeat"
        return Problem(503, "Not known", detail)
    return _unavailable(error)


def _done(result: Any) -> Promise[Any]:
    promise: Promise[Any] = Promise()
    promise.keep(lambda: result)
    return promise


def _blank(decider: Decider) -> dict[str, Any]:
    """The status of an experiment of which nothing was learnt."""
    experiment = decider.experiment
    return {
        "experiment": experiment.name, "mode": experiment.mode.value, "policy": experiment.name,
        "described": experiment.described(experiment.name),
        "version": 0, "started": None, "time": time(), "decisions": 0, "waiting": 0, "rewards": 0,
        "missing": 0.0, "late": 0, "arms": [], "traffic": {"times": [], "shares": {}},
        "reward": {"times": [], "mean": [], "low": [], "high": []}, "lift": None,
        "propensity": {"smallest": None, "effective": 0.0, "mean_weight": None,
                       "mean_weight_error": None},
        "ratio": {"evidence": 0.0, "alarm": False}, "delay": None, "warnings": [],
        "candidates": [], "guardrails": [], "events": [], "errors": [],
    }  # fmt: skip
