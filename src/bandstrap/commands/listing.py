"""`bandstrap list`: every name that the command line knows."""

from dataclasses import dataclass
from inspect import isabstract, isclass

from rich.console import RenderableType
from rich.text import Text

from bandstrap.printable import printable


@dataclass(frozen=True)
class Names:
    """Every name, by what it names."""

    groups: dict[str, list[str]]

    def as_dict(self) -> dict[str, list[str]]:
        return self.groups

    def __rich__(self) -> RenderableType:
        lines = Text()
        for title, members in self.groups.items():
            lines.append(f"{title}\n", style="bold")
            lines.append("".join(f"  {printable(name)}\n" for name in members))
        lines.right_crop(1)  # printing ends the last line
        return lines


def registered() -> Names:
    """The names in all registries. This imports everything; `names` remembers what it finds."""
    from bandstrap.comparison.candidates import Known
    from bandstrap.comparison.offers import installed
    from bandstrap.datasets import DATASETS
    from bandstrap.environments import ENVIRONMENTS
    from bandstrap.experiments import EXPERIMENTS
    from bandstrap.models import Model
    from bandstrap.policies import POLICIES
    from bandstrap.policies.names import CONTEXTUAL
    from bandstrap.resampling import RESAMPLING

    return Names(
        {
            "policies": list(POLICIES),
            "policies with contexts": [*CONTEXTUAL, *Known.here().others],
            "resampling schemes": list(RESAMPLING),
            "models": [*_models(), *installed(Model).found],
            "environments": list(ENVIRONMENTS),
            "data sets": list(DATASETS),
            "experiments": list(EXPERIMENTS),
        }
    )


def _models() -> list[str]:
    """The models that can be made, by the names of their classes."""
    from bandstrap import models

    found = {name: getattr(models, name) for name in models.__all__}
    kinds = {name: kind for name, kind in found.items() if isclass(kind)}
    named = [
        name
        for name, kind in kinds.items()
        if issubclass(kind, models.Model) and not isabstract(kind)
    ]
    return [*named, *(name for name in found if name.startswith("from_"))]
