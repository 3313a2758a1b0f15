"""Stands in for judging until that is there: it counts, and judges nothing."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from bandstrap.bandit.bandit import Bandit
from bandstrap.bandit.decision import Arm
from bandstrap.service.config import Experiment


@dataclass(frozen=True)
class Lesson:
    """A decision and what became of it, when its window has ended."""

    id: str
    time: float
    arm: Arm
    propensity: float | None
    weight: float | None
    reward: float | None = None
    context: Any = None
    allowed: tuple[Arm, ...] | None = None
    mode: str = "online"
    control: bool = False
    version: int = 0
    given: bool = True
    delay: float | None = None
    metrics: Mapping[str, float] = field(default_factory=dict)
    features: Any = None
    propensities: Mapping[Arm, float] | None = None


class Verdict(NamedTuple):
    """What is asked for."""

    kind: str
    name: str | int


class Facts:
    """Counts."""

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self.lessons = self.given = 0
        self.events: list[dict[str, Any]] = []

    def lesson(self, it: Lesson, deciding: Bandit, candidates: Mapping[str, Bandit]) -> None:
        self.lessons += 1
        self.given += it.given

    def event(self, time: float, kind: str, payload: Mapping[str, Any]) -> None:
        self.events.append({"time": time, "kind": kind, "text": str(dict(payload))})

    def verdicts(self) -> list[Verdict]:
        return []

    def status(self) -> dict[str, Any]:
        missing = 1 - self.given / self.lessons if self.lessons else 0.0
        return {
            "experiment": self.experiment.name, "mode": self.experiment.mode.value,
            "rewards": self.given, "missing": missing, "events": self.events,
        }  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        return {"lessons": self.lessons, "given": self.given, "events": self.events}

    @classmethod
    def from_dict(cls, experiment: Experiment, kept: Mapping[str, Any]) -> "Facts":
        made = cls(experiment)
        vars(made).update(kept)
        return made
