"""What an experiment is: data, a check that ends in verdicts, and a plot."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Container, Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar

from bandstrap.errors import InvalidInput, UnknownName
from bandstrap.policies import POLICIES, Policy
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
    """A claim of the paper with what was found, always with the numbers."""

    id: str
    claim: str
    verdict: Verdict
    evidence: str  # a finding a line

    def as_dict(self) -> dict[str, str]:
        return {key: str(value) for key, value in asdict(self).items()}


@dataclass(frozen=True)
class Settings:
    """How large to run; None leaves the experiment's own size."""

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
            if name not in REGISTRY:
                raise UnknownName("policy", name, REGISTRY)
        if len(set(self.policies or ())) < len(self.policies or ()):
            raise InvalidInput("--policies", ",".join(self.policies or ()), "name each once")

    def size(self, full: tuple[int, int], quick: tuple[int, int]) -> tuple[int, int]:
        """Runs and horizon: the given ones, else those of the quick or the full size."""
        runs, horizon = quick if self.quick else full
        return self.runs or runs, self.horizon or horizon

    def chosen(self, known: Container[str], usual: tuple[str, ...]) -> tuple[str, ...]:
        """The given policies that are known here; the usual ones where there are none of them."""
        return tuple(name for name in self.policies or () if name in known) or usual


class Experiment(ABC):
    """One figure, theorem or table of the paper."""

    name: ClassVar[str]
    title: ClassVar[str]
    known: ClassVar[Collection[str]] = ()  # policies that can be asked of it

    def prepare(self, settings: Settings) -> None:  # noqa: B027 - most have nothing to prepare
        """Refuse early what cannot be run, before anything else takes its time."""

    @abstractmethod
    def run(self, settings: Settings, runner: Runner) -> list[Trace]:
        """The experiment's data, as traces."""

    @abstractmethod
    def check(self, settings: Settings, traces: list[Trace]) -> list[Claim]:
        """The claims it decides."""

    @abstractmethod
    def plot(self, settings: Settings, traces: list[Trace], path: Path) -> None:
        """Draw its figure."""


def policy_named(name: str) -> Policy[Any]:
    """A registered policy, or an error that names the nearest one."""
    if name not in POLICIES:
        raise UnknownName("policy", name, POLICIES)
    return POLICIES[name]()


def by_name(traces: Iterable[Trace]) -> dict[tuple[str, str], Trace]:
    """Traces by environment and policy."""
    return {(trace.environment, trace.policy): trace for trace in traces}
