"""Writes docs/claims.md from what `bandstrap reproduce` left: python docs/claims.py RESULTS…"""

import json
import re
import shutil
import sys
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from bandstrap.experiments import EXPERIMENTS
from bandstrap.experiments.decisions import DECISIONS
from bandstrap.experiments.statements import ALIKE, CONFIDENCE, HORIZON, SLIGHTLY, THRESHOLD
from bandstrap.simulation.store.results import PROVENANCE

Claim = dict[str, str]
HERE = Path(__file__).parent
MARKS = {"reproduced": "✓", "reproduced in part": "◐", "not reproduced": "✗"}
INTRODUCTION = """# The paper's claims, checked

*New Insights into Bootstrapping for Bandits* (Vaswani et al., 2018) makes claims that can be
tested. Each is a check in the code, and this page is what the checks said. A claim that fails is a
result too: nothing is tuned until it passes. `docs/claims.py` writes this page; do not edit it.

"""
LEGEND = f"""## How to read it

- A claim is a list of **statements**. Each holds, fails or is open, and its line shows the
  comparison that decided it. A claim is reproduced if all its statements hold, not reproduced if
  more fail than hold, not decidable if all are open, and otherwise reproduced in part: an open
  statement is no failure. One better schedule refutes C14.
- **±** after a difference is half of an interval by Student's t, at the confidence that
  {THRESHOLD:g} standard errors have with many runs ({CONFIDENCE:.1%}); after a regret it is one
  standard error.
- Rewards per step lie between 0 and 1. A comparison of two ends as **alike** if its whole interval
  is within {ALIKE:g} of zero, else as **better** or **worse** if the interval is on one side of
  zero, and else it is open. **Slightly** worse means worse by at most {SLIGHTLY:g}, **far** above
  means above by more than {SLIGHTLY:g}, and **best** that no other is better.
- A statement about the paper's {HORIZON:,} rounds is open until all are played: at first those are
  ahead that explore least. Costs are CPU times at given lengths of one history, the same for all,
  and the mean over {HORIZON:,} rounds follows from them.
- Where the paper leaves a question open, its sentences can be **read** in several ways. The first
  line of a claim says how its own verdict reads them: so that they can be true, judged by first
  results and before the full runs. Each other reading has a line and a verdict of its own.
  `experiments/figure2/readings.py` lists them all, with reasons.
"""


def main(folders: list[Path], out: Path = HERE) -> None:
    claims = sorted((claim for folder in folders for claim in _claims(folder)), key=_number)
    numbered = [(f"claim-{place}", claim) for place, claim in enumerate(claims, 1)]
    parts = [_summary(numbered), LEGEND, "## Runs\n", *map(_run, folders)]
    parts += [*(_section(*each) for each in numbered), _decisions()]
    parts.append(_figures(folders, out / "figures"))
    (out / "claims.md").write_text(INTRODUCTION + "\n".join(filter(None, parts)), encoding="utf-8")


def _claims(folder: Path) -> list[Claim]:
    found: list[Claim] = json.loads((folder / "claims.json").read_text(encoding="utf-8"))
    return found


def _number(claim: Claim) -> int:
    """By which claims are sorted: C8 and C8-k5 before C9."""
    digits = re.search(r"\d+", claim["id"])
    return int(digits[0]) if digits else sys.maxsize


def _summary(numbered: list[tuple[str, Claim]]) -> str:
    counts = Counter(claim["verdict"] for _, claim in numbered)
    told = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
    rows = [
        f"| [{claim['id']}](#{anchor}) | {_plain(claim['claim'])} | {_verdict(claim)} |"
        for anchor, claim in numbered
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
    lines = [
        " ".join(["bandstrap reproduce", *([] if names == [*EXPERIMENTS] else names)]) + rest
        for rest, names in commands.items()
    ]
    return f"Run on {made:%d %B %Y} by\n\n```sh\n" + "\n".join(lines) + "\n```\n"


def _options(facts: dict[str, Any]) -> str:
    given = facts["settings"]
    options = [" --quick"] if given["quick"] else []
    numbers = ("runs", "horizon", "arms", "exact_horizon")
    options += [f" --{name.replace('_', '-')} {given[name]}" for name in numbers if given.get(name)]
    if given.get("policies"):
        options.append(f" --policies {','.join(given['policies'])}")
    return "".join(options) + (f" --seed {facts['seed']}" if facts["seed"] else "")


def _section(anchor: str, claim: Claim) -> str:
    return (
        f"({anchor})=\n## {claim['id']}: {_verdict(claim)}\n\n"
        f"**Claim.** {_plain(claim['claim'])}\n\n**Found.**{_found(claim['evidence'])}\n"
    )


def _found(evidence: str) -> str:
    """As a list where several things were found."""
    parts = _plain(evidence).splitlines()
    return f" {parts[0]}" if len(parts) == 1 else "\n\n- " + "\n- ".join(parts)


def _decisions() -> str:
    """What was chosen where the paper leaves it open."""
    rows = [f"| {_plain(what)} | {_plain(chosen)} |" for what, chosen in DECISIONS.items()]
    words = "## What we decided\n\nWhere the paper slips or leaves a choice open:\n"
    return "\n".join([words, "| | our choice |", "|---|---|", *rows, ""])


def _figures(folders: list[Path], kept: Path) -> str:
    shown = []
    kept.mkdir(exist_ok=True)
    for folder in folders:
        for name, experiment in EXPERIMENTS.items():
            plot = folder / name / "plot.png"
            if plot.exists():
                shutil.copy(plot, kept / f"{name}.png")
                title = experiment.title
                shown.append(f"### {title}\n\n![{title}](figures/{name}.png)\n")
    return "## Figures\n\n" + "\n".join(shown) if shown else ""


def _verdict(claim: Claim) -> str:
    return f"{MARKS.get(claim['verdict'], '?')} {claim['verdict']}"


def _plain(text: str) -> str:
    """Text that Markdown is to leave alone."""
    return re.sub(r"([*_<\[\]|`])", r"\\\1", text)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    main([Path(folder) for folder in sys.argv[1:]])
