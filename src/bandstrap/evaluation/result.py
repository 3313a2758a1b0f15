"""What an evaluation found."""

from dataclasses import asdict, dataclass
from importlib import import_module
from typing import Any

import numpy as np

from bandstrap.arrays import Array
from bandstrap.bandit.decision import Arm
from bandstrap.errors import UnknownName
from bandstrap.evaluation.diagnostics.finding import Finding, Verdict
from bandstrap.evaluation.intervals import Difference, Interval

__all__ = ["Estimated", "Evaluated", "Evaluation", "Logger", "Paired", "View"]


@dataclass(frozen=True)
class Estimated:
    """What one estimator says of a target."""

    estimator: str
    value: float
    error: float
    interval: Interval
    tuning: str = ""  # what the data chose, where there is something to choose


@dataclass(frozen=True)
class Paired:
    """How much more one target earns a decision than another, by the same decisions.

    Intervals hold for all pairs together.
    """

    one: str
    other: str
    difference: Difference

    @property
    def told_apart(self) -> bool:
        """Whether the difference is surely not nothing."""
        return 0.0 not in self.difference.interval


@dataclass(frozen=True)
class View:
    """What charts show of a target: its weights, its arms, its rewards over time."""

    bins: Array  # how many decisions have a weight in each bin
    wanted: Array  # (arms,), the share of its choices
    rewards: Array  # (blocks,), estimates over time


@dataclass(frozen=True)
class Evaluated:
    """One target: its estimate, whether to trust it, and what else was found."""

    name: str
    answer: str  # "fixed", "frozen", "learnt" or "had it run"
    value: float  # reward per decision
    error: float
    interval: Interval
    estimates: tuple[Estimated, ...]
    always: Interval | None  # valid at every look
    gain: Paired | None  # against the logger
    findings: tuple[Finding, ...]
    verdict: Verdict
    view: View | None = None

    @property
    def label(self) -> str:
        """Its name, and which of the answers it is where that is not plain."""
        return self.name if self.answer == "fixed" else f"{self.name} ({self.answer})"


@dataclass(frozen=True)
class Logger:
    """What the logger itself earned, a decision."""

    value: float
    error: float
    interval: Interval
    arms: tuple[Arm, ...]
    shares: Array  # (arms,), how often each was chosen
    means: Array  # (arms,), what each paid
    least: Array  # (arms,), the smallest propensity
    rewards: Array  # (blocks,), over time
    rows: Array  # (blocks,)


@dataclass(frozen=True)
class Evaluation:
    """The result of `evaluate`: what targets would have earned on a log, and whether to trust it.

    `targets` are in the order that they were given in. `differences` has all pairs of targets that
    were judged on the same rows. `findings` are about the log, `notes` about what was read.

    >>> import pyarrow as pa
    >>> from bandstrap import evaluate
    >>> log = {"arm": ["a", "b"] * 50, "reward": [1.0, 0.0] * 50, "propensity": [0.5] * 100}
    >>> found = evaluate(pa.table(log), "always=a")
    >>> found.decisions, round(found["always a"].value, 2)
    (100, 1.0)
    """

    title: str
    decisions: int
    first: int  # decisions before were for training alone
    level: float
    seed: int
    logger: Logger
    targets: tuple[Evaluated, ...]
    differences: tuple[Paired, ...]
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]

    def __getitem__(self, name: str) -> Evaluated:
        """A target by its name, or by its name and answer."""
        for each in self.targets:
            if name in (each.name, each.label):
                return each
        raise UnknownName("target", name, [each.label for each in self.targets])

    def rows(self) -> list[dict[str, Any]]:
        """A row for each target and estimator, as in estimates.parquet."""
        return [
            {
                "target": target.name, "answer": target.answer, "estimator": each.estimator,
                "value": each.value, "error": each.error, "low": each.interval.low,
                "high": each.interval.high, "level": each.interval.level,
                "method": each.interval.method, "tuning": each.tuning,
                "shown": each is target.estimates[0], "verdict": target.verdict.word,
            }
            for target in self.targets
            for each in target.estimates
        ]  # fmt: skip

    def to_pandas(self) -> Any:
        """The same as a frame of pandas."""
        return import_module("pandas").DataFrame(self.rows())

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain data, as --json prints it."""
        return {
            "log": self.title,
            "decisions": self.decisions,
            "judged_from": self.first,
            "level": self.level,
            "seed": self.seed,
            "findings": [each.as_dict() for each in self.findings],
            "logger": _logger(self.logger),
            "targets": [_target(each) for each in self.targets],
            "differences": [_paired(each) for each in self.differences],
            "notes": [*self.notes],
        }


def _logger(logger: Logger) -> dict[str, Any]:
    arms = zip(logger.arms, logger.shares, logger.means, logger.least, strict=True)
    return {
        "value": logger.value,
        "error": logger.error,
        "interval": asdict(logger.interval),
        "arms": [
            {"arm": arm, "share": share, "mean": mean, "smallest_propensity": least}
            for arm, share, mean, least in arms
        ],
    }


def _target(it: Evaluated) -> dict[str, Any]:
    return {
        "target": it.name,
        "answer": it.answer,
        "verdict": it.verdict.word,
        "why": [*it.verdict.why],
        "value": it.value,
        "error": it.error,
        "interval": asdict(it.interval),
        "interval_at_every_look": None if it.always is None else asdict(it.always),
        "against_logger": None if it.gain is None else _paired(it.gain),
        "estimates": [asdict(each) for each in it.estimates],
        "findings": [each.as_dict() for each in it.findings],
        "choices": None if it.view is None else np.asarray(it.view.wanted),
    }


def _paired(it: Paired) -> dict[str, Any]:
    difference = asdict(it.difference)
    return {"one": it.one, "other": it.other, **difference, "told_apart": it.told_apart}
