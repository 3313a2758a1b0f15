"""Writes the tables of docs/papers.md from the registry of policies: python docs/papers.py."""

import re
from dataclasses import MISSING, Field, fields, is_dataclass
from pathlib import Path
from typing import Any

from bandstrap.policies.entry import Entry
from bandstrap.policies.registry import REGISTRY
from bandstrap.priors import EigenExamples
from bandstrap.resampling import Resampling

PAGE = Path(__file__).parent / "papers.md"
PRIOR = EigenExamples()
HEAD = ("name", "object", "what it is", "paper", "exact?", "cost")
TITLES = {"Without contexts": False, "With contexts": True}


def main() -> None:
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


def renewed(page: str) -> str:
    """The page with its two tables written anew; all other text stays."""
    for title, contextual in TITLES.items():
        entries = [entry for entry in REGISTRY.values() if entry.contextual == contextual]
        table = "\n".join([_row(HEAD), _row(["---"] * len(HEAD)), *map(row, entries)]) + "\n"
        pattern = rf"(?<=^## {title}\n)(.*?)(?:^\|.*?\n)+"
        page = re.sub(pattern, lambda found, new=table: found[1] + new, page, flags=re.M | re.S)
    return page


def row(entry: Entry) -> str:
    made = entry.make(PRIOR) if entry.contextual else entry.make()
    exact = f"{entry.exact}; {entry.note}" if entry.note else entry.exact
    code = f"`{written(made)}`"
    return _row([f"`{entry.name}`", code, entry.sentence, entry.paper, exact, entry.cost])


def _row(cells: list[str] | tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"


def written(thing: Any) -> str:
    """The code that makes an object: no defaults, but always the resampling scheme."""
    if thing is PRIOR:
        return "prior"
    if not is_dataclass(thing):
        return f"{thing:g}" if isinstance(thing, float) else repr(thing)
    given: list[str] = []
    skipped = False
    for field in fields(thing):
        value = getattr(thing, field.name)
        if not field.init or (_default(field) == value and not isinstance(value, Resampling)):
            skipped = True
        else:
            given.append(f"{field.name}={written(value)}" if skipped else written(value))
    return f"{type(thing).__name__}({', '.join(given)})"


def _default(field: Field[Any]) -> Any:
    return field.default if field.default_factory is MISSING else field.default_factory()


if __name__ == "__main__":
    main()
