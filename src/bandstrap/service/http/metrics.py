"""What is counted, for Prometheus; over all processes of a server if it says where to keep it."""

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    generate_latest,
)
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from bandstrap.service.http.offered import Offered

FOLDER = "PROMETHEUS_MULTIPROC_DIR"  # the client's own name for it
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
KIND = b"text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """Counters of one process.

    Labels are names of routes and of the configuration, so that nobody can make more of them.
    """

    def __init__(self) -> None:
        self._own = CollectorRegistry()
        self._requests = Counter(
            "bandstrap_requests",
            "Requests answered",
            ("method", "route", "status"),
            registry=self._own,
        )
        self._seconds = Histogram(
            "bandstrap_request_seconds",
            "From the first byte of a request to the last of its answer",
            ("route",),
            buckets=SECONDS,
            registry=self._own,
        )
        self._decisions = Counter(
            "bandstrap_decisions", "Decisions stored", ("experiment",), registry=self._own
        )
        self._rewards = Counter(
            "bandstrap_rewards", "Rewards stored, by receipt", ("receipt",), registry=self._own
        )
        self._refused = Counter(
            "bandstrap_refused",
            "Decisions and rewards not stored, by status",
            ("status",),
            registry=self._own,
        )
        # Looking labels up takes longer than counting.
        self._children: dict[tuple[str, ...], tuple[Any, Any]] = {}
        self._labelled: dict[tuple[Any, Any], Any] = {}

    def requested(self, method: str, route: str, status: int, seconds: float) -> None:
        key = method, route, str(status)
        found = self._children.get(key)
        if found is None:
            found = self._requests.labels(*key), self._seconds.labels(route)
            self._children[key] = found
        found[0].inc()
        found[1].observe(seconds)

    def decided(self, experiment: str, answers: Sequence[Any]) -> None:
        for it in answers:
            if it.status != 200:
                self._child(self._refused, it.status).inc()
            elif not it.repeated:
                self._child(self._decisions, experiment).inc()

    def rewarded(self, answers: Sequence[Any]) -> None:
        for it in answers:
            if it.status != 200:
                self._child(self._refused, it.status).inc()
            else:
                self._child(self._rewards, it.receipt).inc()

    def _child(self, counter: Counter, label: object) -> Any:
        found = self._labelled.get((counter, label))
        if found is None:
            found = self._labelled[counter, label] = counter.labels(str(label))
        return found

    def text(self, service: Offered) -> bytes:
        """All of it, of all processes, and how far the learner is."""
        shown = self._own
        if FOLDER in os.environ:
            shown = CollectorRegistry()
            MultiProcessCollector(shown)  # type: ignore[no-untyped-call]
        told = CollectorRegistry()
        told.register(_Told(service))
        return generate_latest(shown) + generate_latest(told)


class _Told(Collector):
    """What the learner said last, when it is asked for."""

    def __init__(self, service: Offered) -> None:
        self._service = service

    def describe(self) -> Iterable[Metric]:
        return ()

    def collect(self) -> Iterator[Metric]:
        gauges = [
            ("version", "bandstrap_version", "Steps learnt"),
            ("waiting", "bandstrap_waiting", "Decisions whose window is open"),
            ("time", "bandstrap_learner_time_seconds", "When the learner published last"),
        ]
        states = {name: self._service.status(name) for name in self._service.experiments()}
        for field, name, what in gauges:
            family = GaugeMetricFamily(name, what, labels=("experiment",))
            for experiment, status in states.items():
                if status.get(field) is not None:
                    family.add_metric([experiment], status[field])
            yield family
