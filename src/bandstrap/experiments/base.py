"""An experiment is data, a check that ends in verdicts, and a plot."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Container, Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import ClassVar

from bandstrap.errors import InvalidInput, UnknownName
from bandstrap.experiments.figure2.players import PLAYERS
from bandstrap.policies.registry import REGISTRY, current
from bandstrap.simulation import Runner, Trace


class Verdict(StrEnum):
    """How a claim of the paper came out."""

    REPRODUCED = "reproduced"
    IN_PART = "reproduced in part"
    NOT_REPRODUCED = "not reproduced"
    UNDECIDED = "not decidable at this size"


@dataclass(frozen=True)
class Claim:
    """A claim of the paper, its verdict, and the numbers behind it."""

    id: str
    claim: str
    verdict: Verdict
    evidence: str  # one finding per line

    def as_dict(self) -> dict[str, str]:
        return {key: str(value) for key, value in asdict(self).items()}


@dataclass(frozen=True)
class Settings:
    """The size of a run; None means the experiment's own."""

    quick: bool = False
    runs: int | None = None
    horizon: int | None = None
    arms: int | None = None
    policies: tuple[str, ...] | None = None
    exact_horizon: int | None = None  # rounds of policies whose cost grows with history

    def __post_init__(self) -> None:
        for name in ("runs", "horizon", "arms", "exact_horizon"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise InvalidInput(f"--{name.replace('_', '-')}", value, "give at least 1")
        if self.policies is not None:
            object.__setattr__(self, "policies", tuple(map(current, self.policies)))
        for name in self.policies or ():
            if name not in REGISTRY and name not in PLAYERS:
                raise UnknownName("policy", name, REGISTRY)
        if len(set(self.policies or ())) < len(self.policies or ()):
            raise InvalidInput("--policies", ",".join(self.policies or ()), "name each once")

    def size(self, full: tuple[int, int], quick: tuple[int, int]) -> tuple[int, int]:
        """Runs and horizon: the given ones, else the quick or the full ones."""
        runs, horizon = quick if self.quick else full
        return self.runs or runs, self.horizon or horizon

    def chosen(self, known: Container[str], usual: tuple[str, ...]) -> tuple[str, ...]:
        """The given policies that are known, or the usual ones if there are none."""
        return tuple(name for name in self.policies or () if name in known) or usual


class Experiment(ABC):
    """One figure, theorem or table of the paper."""

    name: ClassVar[str]
    title: ClassVar[str]
    known: ClassVar[Collection[str]] = ()  # policies that `--policies` may name

    def prepare(self, settings: Settings) -> None:  # noqa: B027 - most have nothing to prepare
        """Fail early, for example on missing data, before any experiment runs."""

    @abstractmethod
    def run(self, settings: Settings, runner: Runner) -> list[Trace]:
        """Play or compute its traces."""

    @abstractmethod
    def check(self, settings: Settings, traces: list[Trace]) -> list[Claim]:
        """Judge the claims that the traces decide."""

    @abstractmethod
    def plot(self, settings: Settings, traces: list[Trace], path: Path) -> None:
        """Draw its figure."""


def by_name(traces: Iterable[Trace]) -> dict[tuple[str, str], Trace]:
    """Traces by environment and policy."""
    return {(trace.environment, trace.policy): trace for trace in traces}
