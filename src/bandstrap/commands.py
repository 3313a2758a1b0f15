"""What the commands do."""

import os
from collections.abc import Iterable
from inspect import isabstract, isclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bandstrap import models
from bandstrap.datasets import DATASETS
from bandstrap.environments import ENVIRONMENTS
from bandstrap.errors import InvalidInput, UnknownName
from bandstrap.experiments import EXPERIMENTS, Claim, Settings
from bandstrap.experiments.session import Session
from bandstrap.models import Model
from bandstrap.policies import POLICIES
from bandstrap.policies.contextual import CONTEXTUAL
from bandstrap.report import write_report
from bandstrap.resampling import RESAMPLING
from bandstrap.simulation.progress import Bar

_COLOURS = {"reproduced": "green", "reproduced in part": "yellow", "not reproduced": "red"}


def reproduce_command(
    names: list[str],
    quick: bool,
    out: Path,
    workers: int,
    seed: int,
    runs: int | None,
    horizon: int | None,
    arms: int | None,
    policies: tuple[str, ...] | None,
    exact_horizon: int | None,
    command: str,
) -> None:
    """Run experiments, write their results and the report, and show the claims."""
    for name in names:
        if name not in EXPERIMENTS:
            raise UnknownName("experiment", name, EXPERIMENTS)
    settings = Settings(quick, runs, horizon, arms, policies, exact_horizon)
    for name in names:
        _check_policies(name, settings)
    names = names or list(EXPERIMENTS)
    for name in names:
        EXPERIMENTS[name]().prepare(settings)
    session = Session(out, settings, seed, workers or os.cpu_count() or 1)
    claims: list[Claim] = []
    for name in names:
        with Bar(name) as bar:
            claims += session.run(EXPERIMENTS[name](), bar)
    session.write_claims(claims)
    report = write_report(out, names, claims, command)
    console = Console()
    console.print(claims_table(claims))
    console.print(f"report: {report}", soft_wrap=True)


def _check_policies(name: str, settings: Settings) -> None:
    """Refuse policies of which an experiment that was asked for by name knows none."""
    known = EXPERIMENTS[name].known
    if settings.policies and known and not set(settings.policies) & set(known):
        remedy = f"{name} knows others, such as {', '.join(list(known)[:5])} (see: bandstrap list)"
        raise InvalidInput("--policies", ",".join(settings.policies), remedy)


def claims_table(claims: Iterable[Claim]) -> Table:
    """The claims as a table for the terminal."""
    table = Table(title="Claims", show_lines=True)
    table.add_column("id", no_wrap=True)
    for column in ("claim", "verdict", "evidence"):
        table.add_column(column, overflow="fold")
    for claim in claims:
        colour = _COLOURS.get(claim.verdict, "cyan")
        table.add_row(claim.id, claim.claim, f"[{colour}]{claim.verdict}[/]", claim.evidence)
    return table


def list_command() -> None:
    """Show every name that the command line knows."""
    console = Console()
    groups: dict[str, Iterable[str]] = {
        "policies": POLICIES,
        "policies with contexts": CONTEXTUAL,
        "resampling schemes": RESAMPLING,
        "models": _models(),
        "environments": ENVIRONMENTS,
        "data sets": DATASETS,
        "experiments": EXPERIMENTS,
    }
    for title, members in groups.items():
        console.print(f"[bold]{title}[/]")
        for name in members:
            console.print(f"  {name}")


def _models() -> list[str]:
    """The models that can be made, by the names of their classes."""
    found = {name: getattr(models, name) for name in models.__all__}
    kinds = {name: kind for name, kind in found.items() if isclass(kind)}
    named = [
        name for name, kind in kinds.items() if issubclass(kind, Model) and not isabstract(kind)
    ]
    return [*named, *(name for name in found if name.startswith("from_"))]
