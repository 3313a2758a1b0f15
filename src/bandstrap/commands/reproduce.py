"""`bandstrap reproduce`: experiments, their results, the report, and the claims."""

import time
from dataclasses import dataclass
from pathlib import Path

from rich.console import Group, RenderableType

from bandstrap.commands.claims import claims_table
from bandstrap.commands.lines import line
from bandstrap.errors import InvalidInput, UnknownName
from bandstrap.experiments import EXPERIMENTS, Claim, Settings
from bandstrap.experiments.session import Session
from bandstrap.report import Run, write_report
from bandstrap.report.of_experiments import reproduction
from bandstrap.simulation.engines import Engine
from bandstrap.simulation.progress import Bar
from bandstrap.simulation.store.folder import locked


@dataclass(frozen=True)
class Reproduced:
    """The claims with their verdicts, and where everything was written."""

    out: Path
    names: list[str]
    claims: list[Claim]
    report: Path

    def as_dict(self) -> dict[str, object]:
        return {
            "claims": [claim.as_dict() for claim in self.claims],
            "paths": {
                "report": self.report,
                "claims": self.out / "claims.json",
                "experiments": {name: self.out / name for name in self.names},
            },
        }

    def __rich__(self) -> RenderableType:
        return Group(claims_table(self.claims), line(f"report: {self.report}"))


def reproduce(
    names: list[str], settings: Settings, out: Path, engine: Engine, seed: int, command: str
) -> Reproduced:
    """Run experiments, and write their results and the report."""
    started = time.perf_counter()
    _check(names, settings)
    names = names or list(EXPERIMENTS)
    for name in names:
        EXPERIMENTS[name]().prepare(settings)
    with locked(out):
        session = Session(out, settings, seed, engine=engine)
        claims: list[Claim] = []
        for name in names:
            with Bar(name) as bar:
                claims += session.run(EXPERIMENTS[name](), bar)
        session.write_claims(claims)
        run = Run.here(command, seed, time.perf_counter() - started)
        report = write_report(reproduction(out, names, claims, run), out / "report.html")
    return Reproduced(out, names, claims, report)


def _check(names: list[str], settings: Settings) -> None:
    for name in names:
        if name not in EXPERIMENTS:
            raise UnknownName("experiment", name, EXPERIMENTS)
    for name in names:
        _check_policies(name, settings)


def _check_policies(name: str, settings: Settings) -> None:
    """Refuse policies of which an experiment that was asked for by name knows none."""
    known = EXPERIMENTS[name].known
    if settings.policies and known and not set(settings.policies) & set(known):
        remedy = f"{name} knows others, such as {', '.join(list(known)[:5])} (see: bandstrap list)"
        raise InvalidInput("--policies", ",".join(settings.policies), remedy)
