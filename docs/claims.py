"""Writes docs/claims.md from what `bandstrap reproduce` left: python docs/claims.py RESULTS…"""

import json
import shutil
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from bandstrap.experiments import EXPERIMENTS
from bandstrap.experiments.session import PROVENANCE

HERE = Path(__file__).parent
MARKS = {"reproduced": "✓", "reproduced in part": "◐", "not reproduced": "✗"}
INTRODUCTION = """# The paper's claims, checked

*New Insights into Bootstrapping for Bandits* (Vaswani et al., 2018) makes claims that can be
tested. Each is a check in the code, and this page is what the checks said. A claim that fails is a
result too: nothing is tuned until it passes. `docs/claims.py` writes this page; do not edit it.

"""


def main(folders: list[Path]) -> None:
    claims = [claim for folder in folders for claim in _claims(folder)]
    claims.sort(key=lambda claim: int(claim["id"].lstrip("C").partition(".")[0].rstrip("abcdef")))
    sections = [_summary(claims), *map(_run, folders), *map(_claim, claims)]
    sections += [_figures(folders)]
    text = INTRODUCTION + "\n".join(section for section in sections if section)
    (HERE / "claims.md").write_text(text, encoding="utf-8")


def _claims(folder: Path) -> list[dict[str, str]]:
    found: list[dict[str, str]] = json.loads((folder / "claims.json").read_text(encoding="utf-8"))
    return found


def _summary(claims: list[dict[str, str]]) -> str:
    counts = dict.fromkeys(MARKS, 0)
    for claim in claims:
        counts[claim["verdict"]] = counts.get(claim["verdict"], 0) + 1
    told = ", ".join(f"{n} {verdict}" for verdict, n in counts.items() if n)
    rows = [
        f"| [{claim['id']}](#{_anchor(claim)}) | {_cell(claim['claim'])} | {_verdict(claim)} |"
        for claim in claims
    ]
    return "\n".join([f"**{told}.**\n", "| | claim | verdict |", "|---|---|---|", *rows, ""])


def _run(folder: Path) -> str:
    """When a folder was made, and by which commands: its files tell."""
    made = datetime.fromtimestamp((folder / "claims.json").stat().st_mtime, UTC)
    commands: dict[str, list[str]] = {}
    for name in EXPERIMENTS:
        results = folder / name / "results.parquet"
        if results.exists():
            facts = json.loads(pq.read_schema(results).metadata[PROVENANCE])
            commands.setdefault(_options(facts), []).append(name)
    lines = [f"bandstrap reproduce {' '.join(names)}{rest}" for rest, names in commands.items()]
    return f"Run on {made:%d %B %Y} by\n\n```sh\n" + "\n".join(lines) + "\n```\n"


def _options(facts: dict[str, Any]) -> str:
    given = facts["settings"]
    options = [" --quick"] if given["quick"] else []
    numbers = ("runs", "horizon", "arms", "exact_horizon")
    options += [f" --{name.replace('_', '-')} {given[name]}" for name in numbers if given.get(name)]
    if given.get("policies"):
        options.append(f" --policies {','.join(given['policies'])}")
    return "".join(options) + (f" --seed {facts['seed']}" if facts["seed"] else "")


def _claim(claim: dict[str, str]) -> str:
    return (
        f"({_anchor(claim)})=\n## {claim['id']}: {_verdict(claim)}\n\n"
        f"**Claim.** {claim['claim']}\n\n**Found.** {claim['evidence']}\n"
    )


def _figures(folders: list[Path]) -> str:
    kept, shown = HERE / "figures", []
    kept.mkdir(exist_ok=True)
    for folder in folders:
        for name, experiment in EXPERIMENTS.items():
            plot = folder / name / "plot.png"
            if plot.exists():
                shutil.copy(plot, kept / f"{name}.png")
                shown.append(
                    f"### {experiment.title}\n\n![{experiment.title}](figures/{name}.png)\n"
                )
    return "## Figures\n\n" + "\n".join(shown) if shown else ""


def _verdict(claim: dict[str, str]) -> str:
    return f"{MARKS.get(claim['verdict'], '?')} {claim['verdict']}"


def _anchor(claim: dict[str, str]) -> str:
    return f"claim-{claim['id'].lower().replace(' ', '-')}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    main([Path(folder) for folder in sys.argv[1:]])
