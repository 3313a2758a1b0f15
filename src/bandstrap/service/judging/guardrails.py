"""Metrics that come with rewards: an arm whose mean is surely beyond a limit is stopped."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bandstrap.bandit.decision import Arm
from bandstrap.evaluation.intervals import EmpiricalBernstein
from bandstrap.service.config import Guardrail
from bandstrap.service.forms import Fields, Listed, check
from bandstrap.service.judging.sequence import Sequence as Bounds
from bandstrap.storage.schema import Anything, ListOf, Maybe, Name, Real, Text, require

__all__ = ["Guardrails", "rails_from", "rails_told"]

LEVEL = 0.95  # for all arms together, of each metric
RAIL = Listed(Text(), Maybe(Real()), Maybe(Real()), Real(), Real())
SEQUENCE = Listed(Text(), Name(), Real(), Anything())
FORM = Fields(rails=ListOf(RAIL), sequences=ListOf(SEQUENCE))


class Guardrails:
    """An always-valid interval of every metric's mean, by arm.

    The level is shared by the arms that there are when an arm's first value comes. A value beyond
    the bounds that the configuration names counts as the nearer bound.

    >>> watch = Guardrails([Guardrail("errors", most=0.1)])
    >>> for _ in range(100):
    ...     watch.add("red", {"errors": 1.0}, arms=2)
    >>> watch.broken()
    ['red']
    """

    def __init__(self, rails: Sequence[Guardrail]) -> None:
        self.rails = tuple(rails)
        self._sequences: dict[tuple[str, Arm], Bounds] = {}

    def add(self, arm: Arm, metrics: Mapping[str, float], arms: int) -> None:
        """Take in what came with a reward of an arm, one of so many."""
        for rail in self.rails:
            value = metrics.get(rail.metric)
            if value is None or value != value:
                continue
            key = rail.metric, arm
            if key not in self._sequences:
                self._sequences[key] = Bounds(_settings(rail, 1 - (1 - LEVEL) / max(arms, 1)))
            self._sequences[key].add_value(float(value))

    def broken(self) -> list[Arm]:
        """The arms that are surely beyond a limit."""
        found = [arm for rail, arm, bounds in self._each() if _beyond(rail, bounds)]
        return [*dict.fromkeys(found)]

    def forget(self, arm: Arm) -> None:
        """Start anew with an arm, which was reinstated."""
        self._sequences = {key: it for key, it in self._sequences.items() if key[1] != arm}

    def watching(self, rails: Sequence[Guardrail]) -> "Guardrails":
        """With other limits; what is no longer watched, or by other bounds, is forgotten."""
        made, known = Guardrails(rails), {rail.metric: rail for rail in rails}
        for (metric, arm), it in self._sequences.items():
            ends = it.settings.low, it.settings.high
            if metric in known and (known[metric].low, known[metric].high) == ends:
                made._sequences[metric, arm] = it
        return made

    def told(self, stopped: Sequence[Arm]) -> list[dict[str, Any]]:
        rows = []
        for rail, arm, bounds in self._each():
            ends = bounds.interval()
            limit = rail.least if rail.most is None else rail.most
            rows.append(
                {
                    "metric": rail.metric,
                    "arm": arm,
                    "mean": bounds.value,
                    "low": ends.low,
                    "high": ends.high,
                    "limit": limit,
                    "stopped": arm in stopped,
                }
            )
        return rows

    def to_dict(self) -> dict[str, Any]:
        rows = [
            [metric, arm, it.settings.level, it.to_dict()]
            for (metric, arm), it in self._sequences.items()
        ]
        return {"rails": rails_told(self.rails), "sequences": rows}

    @classmethod
    def from_dict(cls, kept: Mapping[str, Any]) -> "Guardrails":
        check(FORM, kept)
        made = cls(rails_from(kept["rails"]))
        known = {rail.metric: rail for rail in made.rails}
        for metric, arm, level, numbers in kept["sequences"]:
            require(metric in known, f"nothing watches {metric}")
            settings = _settings(known[metric], level)
            made._sequences[metric, arm] = Bounds.from_dict(settings, numbers)
        return made

    def _each(self) -> Iterator[tuple[Guardrail, Arm, Bounds]]:
        for rail in self.rails:
            for (metric, arm), bounds in self._sequences.items():
                if metric == rail.metric:
                    yield rail, arm, bounds


def rails_told(rails: Sequence[Guardrail]) -> list[list[Any]]:
    """As JSON holds them."""
    return [[it.metric, it.most, it.least, it.low, it.high] for it in rails]


def rails_from(told: Sequence[Sequence[Any]]) -> list[Guardrail]:
    return [Guardrail(*row) for row in told]


def _settings(rail: Guardrail, level: float) -> EmpiricalBernstein:
    return EmpiricalBernstein(rail.low, rail.high, level)


def _beyond(rail: Guardrail, bounds: Bounds) -> bool:
    if rail.most is not None:
        return bounds.above(rail.most)
    return rail.least is not None and bounds.below(rail.least)
