"""`bandstrap reproduce`: runs experiments, writes results and report, and judges the claims."""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from bandstrap.commands.terminal import line
from bandstrap.errors import InvalidInput, UnknownName
from bandstrap.experiments import EXPERIMENTS, Claim, Settings
from bandstrap.experiments.session import Session
from bandstrap.report import Run, write_report
from bandstrap.report.reproduction import reproduction_report
from bandstrap.simulation.engines import Engine
from bandstrap.simulation.progress import Bar
from bandstrap.simulation.store.folder import locked

_COLOURS = {"reproduced": "green", "reproduced in part": "yellow", "not reproduced": "red"}


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
    """Run experiments and write their results and the report."""
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
        report = write_report(reproduction_report(out, names, claims, run), out / "report.html")
    return Reproduced(out, names, claims, report)


def _check(names: list[str], settings: Settings) -> None:
    for name in names:
        if name not in EXPERIMENTS:
            raise UnknownName("experiment", name, EXPERIMENTS)
    for name in names:
        known, asked = EXPERIMENTS[name].known, settings.policies
        if asked and known and not set(asked) & set(known):
            others = ", ".join(list(known)[:5])
            remedy = f"{name} has others, such as {others} (see: bandstrap list)"
            raise InvalidInput("--policies", ",".join(asked), remedy)


def claims_table(claims: Iterable[Claim]) -> Table:
    """The claims, coloured by verdict.

    The evidence stands below the claim and not beside it: it can be long, and a narrow column would
    make a page of it.
    """
    table = Table(title="Claims", show_lines=True)
    table.add_column("id", no_wrap=True)
    table.add_column("verdict", min_width=12)
    table.add_column("claim and evidence")
    for claim in claims:
        verdict = Text(claim.verdict, style=_COLOURS.get(claim.verdict, "cyan"))
        evidence = Text("\n" + claim.evidence, style="dim")
        table.add_row(claim.id, verdict, Text(claim.claim) + evidence)
    return table
