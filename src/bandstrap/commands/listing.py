"""`bandstrap list`: every name of the command line, and what each policy is."""

from dataclasses import dataclass, field
from inspect import isabstract, isclass

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from bandstrap.printable import printable

ANSWERS = ("what", "paper", "exact", "cost")
KEY = "cost of a decision: n rewards seen, d features"
ELSEWHERE = dict.fromkeys(("paper", "exact", "cost"), "not stated") | {
    "what": "Offered by an installed package."
}


@dataclass(frozen=True)
class Names:
    """Every name by group, and the facts about each policy."""

    groups: dict[str, list[str]]
    about: dict[str, dict[str, str]] = field(default_factory=dict)

    def as_dict(self) -> dict[str, object]:
        return {**self.groups, "about": self.about}

    def __rich__(self) -> RenderableType:
        parts: list[RenderableType] = []
        for title, members in self.groups.items():
            explained = any(name in self.about for name in members)
            parts.append(Text(f"{title} ({KEY})" if explained else title, style="bold"))
            parts += [self._table(members)] if explained else [_indented(name) for name in members]
        return Group(*parts)

    def _table(self, members: list[str]) -> Table:
        table = Table.grid(padding=(0, 2, 0, 0))
        table.add_column(no_wrap=True, overflow="ignore")
        table.add_column()
        for name in members:
            table.add_row(_indented(name), _answers(self.about.get(name)))
        return table


def _indented(name: str) -> Text:
    return Text(f"  {printable(name)}", no_wrap=True, overflow="ignore")


def _answers(about: dict[str, str] | None) -> Text:
    if about is None:
        return Text()
    what, *facts, cost = (about[answer] for answer in ANSWERS)
    text = Text(printable(what))
    return text.append(f"\n{' · '.join(facts)} · cost {cost}", style="dim")


def registered() -> Names:
    """The names in all registries. This imports everything; `names.known` caches the result."""
    from bandstrap.comparison.candidates import Candidates, plugins
    from bandstrap.datasets import DATASETS
    from bandstrap.environments import ENVIRONMENTS
    from bandstrap.experiments import EXPERIMENTS
    from bandstrap.models import Model
    from bandstrap.policies.registry import CONTEXTUAL, POLICIES, REGISTRY
    from bandstrap.resampling import RESAMPLING

    others = Candidates.available().others
    groups = {
        "policies": list(POLICIES),
        "policies with contexts": [*CONTEXTUAL, *others],
        "resampling schemes": list(RESAMPLING),
        "models": [*_models(), *plugins(Model).found],
        "environments": list(ENVIRONMENTS),
        "data sets": list(DATASETS),
        "experiments": list(EXPERIMENTS),
    }
    ours = {entry.name: entry.facts() for entry in REGISTRY.values()}
    return Names(groups, dict.fromkeys(others, ELSEWHERE) | ours)


def _models() -> list[str]:
    """The models that can be constructed, by class name."""
    from bandstrap import models

    found = {name: getattr(models, name) for name in models.__all__}
    named = [
        name
        for name, kind in found.items()
        if isclass(kind) and issubclass(kind, models.Model) and not isabstract(kind)
    ]
    return [*named, *(name for name in found if name.startswith("from_"))]
