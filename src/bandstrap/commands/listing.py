"""`bandstrap list`: every name that the command line knows."""

from inspect import isabstract, isclass

from rich.console import Console

from bandstrap import models
from bandstrap.datasets import DATASETS
from bandstrap.environments import ENVIRONMENTS
from bandstrap.experiments import EXPERIMENTS
from bandstrap.models import Model
from bandstrap.policies import POLICIES
from bandstrap.policies.contextual import CONTEXTUAL
from bandstrap.resampling import RESAMPLING


def names_by_group() -> dict[str, list[str]]:
    """Every name, by what it names."""
    return {
        "policies": list(POLICIES),
        "policies with contexts": list(CONTEXTUAL),
        "resampling schemes": list(RESAMPLING),
        "models": _models(),
        "environments": list(ENVIRONMENTS),
        "data sets": list(DATASETS),
        "experiments": list(EXPERIMENTS),
    }


def list_names() -> None:
    """Show every name that the command line knows."""
    console = Console()
    for title, members in names_by_group().items():
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
