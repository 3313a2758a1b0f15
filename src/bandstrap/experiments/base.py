"""An experiment is data, a check that ends in verdicts, and a plot."""

import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from bandstrap.errors import InvalidInput, UnknownName
from bandstrap.experiments.figure2.players import PLAYERS
from bandstrap.experiments.ranking import Ranking, by_regret
from bandstrap.policies import Policy
from bandstrap.policies.registry import REGISTRY, current
from bandstrap.problem import Problem
from bandstrap.simulation import Runner, Trace
from bandstrap.simulation.store.fingerprint import fingerprint, is_complete


class Verdict(StrEnum):
    """How a claim of the paper came out."""

    REPRODUCED = "reproduced"
    IN_PART = "reproduced in part"
    NOT_REPRODUCED = "not reproduced"
    UNDECIDED = "not decidable at this size"


@dataclass(frozen=True)
class Statements:
    """How many statements hold, how many fail, and how many are open: those are no failures.

    >>> print(Statements(hold=3, open=1) + Statements(fail=1))
    3 of 5 statements hold, 1 fails, 1 open
    """

    hold: int = 0
    fail: int = 0
    open: int = 0

    @property
    def total(self) -> int:
        return self.hold + self.fail + self.open

    def __add__(self, other: "Statements") -> "Statements":
        return Statements(self.hold + other.hold, self.fail + other.fail, self.open + other.open)

    def __str__(self) -> str:
        parts = [f"{self.hold} of {self.total} statements hold"]
        parts += [f"{self.fail} fail{'s' * (self.fail == 1)}"] if self.fail else []
        parts += [f"{self.open} open"] if self.open else []
        return ", ".join(parts)


_ALONE = {  # what a claim is that has no statements but itself
    Verdict.REPRODUCED: Statements(hold=1),
    Verdict.IN_PART: Statements(fail=1),
    Verdict.NOT_REPRODUCED: Statements(fail=1),
    Verdict.UNDECIDED: Statements(open=1),
}


@dataclass(frozen=True)
class Claim:
    """A claim of the paper, its verdict, the numbers behind it, and how its statements came out.

    A claim that is not cut into statements counts as one.
    """

    id: str
    claim: str
    verdict: Verdict
    evidence: str  # one finding per line
    statements: Statements = Statements()
    stand_in: str = ""  # the data that was played in place of the paper's

    def __post_init__(self) -> None:
        if not self.statements.total:
            object.__setattr__(self, "statements", _ALONE[self.verdict])

    @property
    def number(self) -> int:
        """By which claims are sorted: C8 and C8-k5 before C9, those without a number last."""
        digits = re.search(r"\d+", self.id)
        return int(digits[0]) if digits else sys.maxsize

    def played_on(self, stand_in: str, paper: str) -> "Claim":
        """The claim where other data stood in for the paper's, which leaves all of it open."""
        said = f"{self.verdict}, {self.statements}"
        why = f"{stand_in} in place of {paper} decides nothing; there the rules say: {said}"
        return replace(
            self,
            claim=f"on {stand_in} in place of {paper}: {self.claim}",
            verdict=Verdict.UNDECIDED,
            evidence=f"{why}\n{self.evidence}",
            statements=Statements(open=self.statements.total),
            stand_in=stand_in,
        )

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {**asdict(self), "verdict": str(self.verdict)}

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> "Claim":
        """The inverse of `as_dict`; claims written before statements were counted count as one."""
        statements = Statements(**found.get("statements", {}))
        read = {"verdict": Verdict(found["verdict"]), "statements": statements}
        return cls(**{**found, **read})


def tally(claims: Iterable[Claim]) -> Statements:
    """The statements of all claims together."""
    return sum((claim.statements for claim in claims), Statements())


class RunSize(StrEnum):
    """How much is played."""

    QUICK = "quick"  # a first look, on digits in place of the paper's data
    SHORT = "short"  # every claim, on the paper's data, in minutes
    FULL = "full"  # the paper's runs and rounds

    @classmethod
    def named(cls, name: str) -> "RunSize":
        """The size of a name.

        >>> RunSize.named("short")
        <RunSize.SHORT: 'short'>
        """
        if name not in set(cls):
            raise UnknownName("size", name, map(str, cls))
        return cls(name)


T = TypeVar("T")


@dataclass(frozen=True)
class Settings:
    """The size of a run; None means the experiment's own, at this size."""

    size: RunSize = RunSize.FULL
    runs: int | None = None
    horizon: int | None = None
    arms: int | None = None
    policies: tuple[str, ...] | None = None
    exact_horizon: int | None = None  # rounds of policies whose cost grows with history
    own: Mapping[str, Policy[Any]] = field(default_factory=dict, hash=False)  # the user's, by name

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
        for name in self.own:
            if name in REGISTRY or name in PLAYERS:
                remedy = "another policy has this name; rename the class"
                raise InvalidInput("--policy", name, remedy)
        if len(set(self.policies or ())) < len(self.policies or ()):
            raise InvalidInput("--policies", ",".join(self.policies or ()), "name each once")

    def at(self, full: T, quick: T, short: T | None = None) -> T:
        """What belongs to this size; a short run takes what a full one does unless told."""
        if self.size is RunSize.QUICK:
            return quick
        return full if self.size is RunSize.FULL or short is None else short

    def runs_and_rounds(
        self, full: tuple[int, int], quick: tuple[int, int], short: tuple[int, int] | None = None
    ) -> tuple[int, int]:
        """Runs and horizon: the given ones, else those of this size."""
        runs, horizon = self.at(full, quick, short)
        return self.runs or runs, self.horizon or horizon

    def facts(self) -> dict[str, Any]:
        """What results depend on, as results that are kept already have it."""
        facts = {each.name: getattr(self, each.name) for each in fields(self)}
        size, own = facts.pop("size"), facts.pop("own")
        short = {"size": str(size)} if size is RunSize.SHORT else {}
        mine = {"own": {name: fingerprint(each) for name, each in own.items()}} if own else {}
        return {"quick": size is RunSize.QUICK, **facts, **short, **mine}

    @property
    def complete(self) -> bool:
        """Whether equal facts mean equal results: all of the user's policies can be seen."""
        return all(is_complete(fingerprint(each)) for each in self.own.values())

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> "Settings":
        """The inverse of `facts`, also where JSON has made a list of the policies; those of the
        user's own are gone."""
        given: dict[str, Any] = {**facts, "policies": tuple(facts.get("policies") or ()) or None}
        given.pop("own", None)
        quick, size = given.pop("quick"), given.pop("size", RunSize.FULL)
        return cls(RunSize.QUICK if quick else RunSize(size), **given)

    def chosen(self, known: Container[str], usual: tuple[str, ...]) -> tuple[str, ...]:
        """The given policies that are known, or the usual ones if there are none; not the user's
        own."""
        if self.policies == ():  # the user's own alone
            return ()
        return tuple(name for name in self.policies or () if name in known) or usual


class Experiment(ABC):
    """One figure, theorem or table of the paper."""

    name: ClassVar[str]
    title: ClassVar[str]
    known: ClassVar[Collection[str]] = ()  # policies that `--policies` may name

    def problems(self, settings: Settings) -> list[Problem]:
        """What a policy of the user's own has to play; nothing if the experiment has no place for
        one."""
        return []

    def prepare(self, settings: Settings) -> None:  # noqa: B027 - most have nothing to prepare
        """Fail early, for example on missing data, before any experiment runs."""

    def facts(self, settings: Settings) -> dict[str, Any]:
        """What results depend on besides the settings."""
        return {}

    def titled(self, traces: Sequence[Trace]) -> str:
        """The title, which says so if other data stood in for the paper's."""
        return self.title

    def panels(self, settings: Settings, traces: Sequence[Trace]) -> dict[str, list[Trace]]:
        """The charts of its figure, by title: one for each environment."""
        names = dict.fromkeys(trace.environment for trace in traces)
        return {name: [each for each in traces if each.environment == name] for name in names}

    def rankings(self, settings: Settings, traces: Sequence[Trace]) -> list[Ranking]:
        """Policies by their regret, in each environment."""
        return [by_regret(title, some) for title, some in self.panels(settings, traces).items()]

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
