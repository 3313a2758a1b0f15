"""Writes docs/performance.md from what benchmarks left: python docs/performance.py [FOLDER]."""

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "benchmarks"))

from output import rows_as_markdown

HERE = Path(__file__).parent
INTRODUCTION = """# Performance

What decisions cost, measured. Each table stands beside the command that made it, so that you can
repeat it on your machine. `make bench`, `make bench-contextual` and `make bench-bandit` each
rewrite their own tables. Do not edit this page by hand.

Times are CPU time on one core unless a table says otherwise. Whatever else runs on the same machine
slows them down a little.

"""
# A file in bench-results/, or several that begin so; a title; what to look at.
SECTIONS = (
    ("decisions", "What a decision costs", "Choosing and learning together, without contexts."),
    (
        "lazy",
        "An exact choice does not walk the history",
        "The weighted (wb) and the multinomial bootstrap (npb), against drawing every weight.",
    ),
    ("playing", "Long runs stay cheap", "Choosing, drawing the reward and learning, run by run."),
    ("figure1", "Figure 1 and its appendix", "The whole command, from start to report."),
    ("contextual", "With contexts", "A round of every policy as its history grows."),
    (
        "network",
        "Networks on a budget",
        "One pass over all of history a round (`nn`), as in the paper, and fixed numbers of steps.",
    ),
    (
        "pass",
        "Refits in the eigenbasis",
        "The paper's network and its stochastic optimiser: in the eigenbasis of the contexts a "
        "pseudo-example is one coordinate.",
    ),
    (
        "solved",
        "Draws are solved",
        "Beside an independent solver with the same weights, and contenders beside all arms.",
    ),
    (
        "precision",
        "How precisely to solve a draw",
        "How many choices agree with those of a draw that is solved to the end.",
    ),
    ("bandit", "A Bandit in a product", "`decide` and `learn`, with names, propensities and all."),
    ("drift", "What forgetting earns", "Worlds that stay and worlds that change."),
    ("threads", "Many threads, one bandit", "Each call holds the bandit's lock."),
    (
        "propensities",
        "Do decisions follow their propensities?",
        "Choices of bandits that learn no more, counted against the probabilities that they "
        "reported: a policy fails where p is below 0.01 over the number of policies.",
    ),
    ("verdict", "Other libraries, data set by data set", "10,000 rounds of each, several seeds."),
    ("peers", "Other libraries on the same stream", "The same rows, in the same order."),
)


def main(folder: Path, out: Path = HERE) -> None:
    """Write the page; sections without new measurements stay."""
    page = out / "performance.md"
    sections = _sections(page.read_text(encoding="utf-8")) if page.exists() else {}
    new = {}
    for name, title, words in SECTIONS:
        found = sorted({*folder.glob(f"{name}.json"), *folder.glob(f"{name}-*.json")})
        if found:
            tables = [_table(json.loads(path.read_text(encoding="utf-8"))) for path in found]
            new[title] = "\n".join([f"{words}\n", *tables])
    if not new:
        raise SystemExit(f"{folder} holds no results: run make bench first")
    sections |= new
    parts = [f"## {title}\n\n{sections[title]}" for _, title, _ in SECTIONS if title in sections]
    page.write_text("\n".join([INTRODUCTION, *parts]), encoding="utf-8")


def _sections(page: str) -> dict[str, str]:
    """What stands below each title of a page."""
    parts = (part.partition("\n\n") for part in page.split("\n## ")[1:])
    return {title: text for title, _, text in parts}


def _table(page: dict[str, Any]) -> str:
    machine = page["machine"]
    with_what = f"Python {machine['python']}, NumPy {machine['numpy']}, Numba {machine['numba']}"
    when = f"{page['date']}, {machine['cores']} cores, {with_what}"
    command = f"```sh\n{page['command']}\n```"
    return f"{command}\n\n{page['note']}. ({when})\n\n{rows_as_markdown(page['rows'])}\n"


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "bench-results"))
