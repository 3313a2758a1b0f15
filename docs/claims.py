"""Writes docs/claims.md, its figures and the package's kept verdicts from evidence/: `make claims`.

python docs/claims.py                  from what is kept
python docs/claims.py take RESULTS...  first keep what `bandstrap reproduce` left in folders
"""

import json
import re
import shutil
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bandstrap.experiments import EXPERIMENTS, Claim, Settings
from bandstrap.experiments.base import Verdict, by_name, tally
from bandstrap.experiments.decisions import DECISIONS
from bandstrap.experiments.figure2.claims import verdicts
from bandstrap.experiments.reasons import REASONS
from bandstrap.experiments.runtime.experiment import Runtime, costs, table
from bandstrap.experiments.statements import ALIKE, CONFIDENCE, HORIZON, SLIGHTLY, THRESHOLD
from bandstrap.simulation import Trace
from bandstrap.simulation.store.evidence import Evidence, Source
from bandstrap.simulation.store.results import PROVENANCE, Results
from bandstrap.simulation.store.tables import facts_of

HERE = Path(__file__).parent
KEPT = Path("src/bandstrap/experiments/kept.json")
CLAIMS = 14
BEYOND = {"C6-numbers", "C8-k5", "C8-k2"}  # what the text does not state
WITH_RUNS = {"figure2-covtype": "covtype", "figure2-mnist": "mnist"}  # kept run by run
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
  statement is no failure. One better schedule refutes C14; "in all rounds" is refuted by a round
  only if the interval there holds at all recorded rounds of all pairs together.
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


@dataclass(frozen=True)
class Found:
    """What is kept of one experiment."""

    name: str
    claims: list[Claim]
    sources: Counter[Source]  # with the number of runs, if they are kept one by one
    traces: list[Trace] = field(default_factory=list)  # of what is kept in numbers
    shorter: list[Trace] = field(default_factory=list)  # more runs of fewer rounds


def main(evidence: Path, out: Path = HERE, kept: Path | None = None) -> None:
    """Write the page, the figures, and the verdicts that the package shows beside a run's own."""
    (out / "figures").mkdir(exist_ok=True)
    every = found_in(evidence)
    for each in every:
        if each.traces:
            _draw(each, out / "figures" / f"{each.name}.png")
    (out / "claims.md").write_text(page(every, out / "figures"), encoding="utf-8")
    if kept is not None:
        kept.write_text(decided(every), encoding="utf-8")


def found_in(evidence: Path) -> list[Found]:
    """What is kept of every experiment."""
    return [each for name in EXPERIMENTS if (each := _kept(evidence, name))]


def decided(every: list[Found]) -> str:
    """The verdicts that the package shows beside a run's own, as JSON."""
    claims = [claim for claim in _claims(every) if claim.verdict is not Verdict.UNDECIDED]
    said = [claim.as_dict() for claim in claims]
    return json.dumps(said, ensure_ascii=False, indent=1) + "\n"


def _claims(every: list[Found]) -> list[Claim]:
    return sorted((claim for each in every for claim in each.claims), key=attrgetter("number"))


def page(every: list[Found], figures: Path) -> str:
    """The page, with those figures that exist."""
    claims = _claims(every)
    numbered = [(f"claim-{place}", claim) for place, claim in enumerate(claims, 1)]
    parts = [_summary(numbered), LEGEND, _sources(every)]
    parts += [*(_section(*each) for each in numbered), *map(_numbers, every), _decisions()]
    parts.append(_figures(every, figures))
    return INTRODUCTION + "\n".join(filter(None, parts))


def take(folders: Iterable[Path], evidence: Path, out: Path = HERE) -> None:
    """Keep the verdicts of experiments that play in minutes, and the numbers of `runtime`."""
    known = _said(evidence)
    for folder in folders:
        for name in EXPERIMENTS.keys() - WITH_RUNS:
            results = Results(folder / name)
            if not results.table.exists():
                continue
            facts = json.loads(facts_of(results.table)[PROVENANCE])
            made = datetime.fromtimestamp(results.table.stat().st_mtime, UTC)
            source = Source.here(f"bandstrap reproduce {name}{_options(facts)}")
            settings = Settings.from_facts(facts["settings"])
            claims = EXPERIMENTS[name]().check(settings, results.load())
            dated = {**asdict(source), "date": f"{made:%Y-%m-%d}"}
            earlier = known.get(name, {}).get("earlier", [])
            if name == Runtime.name and name in known:
                earlier = [each for each in (*earlier, known[name]["source"]) if each != dated]
            known[name] = {"source": dated, "claims": [claim.as_dict() for claim in claims]}
            if name == Runtime.name:
                known[name]["earlier"] = earlier
                _add(Results(evidence / name), results.load(), facts_of(results.table)[PROVENANCE])
            else:
                (out / "figures").mkdir(exist_ok=True)
                shutil.copy(folder / name / "plot.png", out / "figures" / f"{name}.png")
    ordered = {name: known[name] for name in EXPERIMENTS if name in known}
    text = json.dumps(ordered, ensure_ascii=False, indent=1)
    evidence.mkdir(exist_ok=True)
    (evidence / "claims.json").write_text(text + "\n", encoding="utf-8")


def _add(kept: Results, fresh: list[Trace], facts: bytes) -> None:
    """Add costs to those kept: of other policies or data, or in place of the same."""
    earlier = kept.load() if kept.table.exists() else []
    kept.table.parent.mkdir(parents=True, exist_ok=True)
    kept.keep(list({**by_name(earlier), **by_name(fresh)}.values()), facts)


def _said(evidence: Path) -> dict[str, Any]:
    path = evidence / "claims.json"
    said: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return said


def _kept(evidence: Path, name: str) -> Found | None:
    """What is kept of an experiment; verdicts follow from numbers where these are kept."""
    if name in WITH_RUNS:
        runs = Evidence(evidence / "runs").runs(WITH_RUNS[name])
        traces = Evidence(evidence / "runs").traces(name, WITH_RUNS[name])
        sources = Counter(run.source for each in runs.values() for run in each)
        found = {trace.policy: trace for trace in traces}
        shorter = Evidence(evidence / "runs").shorter(name, WITH_RUNS[name])
        claims = verdicts(WITH_RUNS[name], found, every=True)
        return Found(name, claims, sources, traces, shorter)
    if name in _said(evidence):
        said = _said(evidence)[name]
        traces = Results(evidence / name).load() if name == Runtime.name else []
        sources = Counter(
            {Source(**each): 0 for each in (*said.get("earlier", ()), said["source"])}
        )
        if not traces:
            return Found(name, list(map(Claim.from_dict, said["claims"])), sources)
        panels = Runtime().panels(Settings(), traces)
        return Found(name, costs(panels, every=True), sources, traces)
    if name == Runtime.name:
        return Found(name, costs({}, every=True), Counter())
    return None


def _draw(found: Found, path: Path) -> None:
    with TemporaryDirectory() as folder:
        drawn = Path(folder) / "plot.png"
        EXPERIMENTS[found.name]().plot(Settings(), found.traces, drawn)
        shutil.copy(drawn, path)


def _summary(numbered: list[tuple[str, Claim]]) -> str:
    paper = [claim for _, claim in numbered if claim.id not in BEYOND]
    counts = Counter(claim.verdict for claim in paper)
    shown = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
    apart = tally(claim for _, claim in numbered if claim.id in BEYOND)
    rows = [
        f"| [{claim.id}](#{anchor}) | {_plain(claim.claim)} | {_verdict(claim)} |"
        for anchor, claim in numbered
    ]
    opening = f"**{tally(paper)}.** Claims: {shown}.\n"
    if apart.total:
        opening += f"\nBeyond the paper's text: {apart}.\n"
    decided = {claim.id.partition("-")[0] for _, claim in numbered}
    every = [f"C{number}" for number in range(1, CLAIMS + 1)]
    waiting = [name for name in every if name not in decided]
    if waiting:
        opening += f"\nOpen until their runs are played: {', '.join(waiting)}.\n"
    return "\n".join([opening, "| | claim | verdict |", "|---|---|---|", *rows, ""])


def _options(facts: dict[str, Any]) -> str:
    given = facts["settings"]
    options = [" --quick"] if given["quick"] else []
    options += [f" --size {given['size']}"] if given.get("size") else []
    numbers = ("runs", "horizon", "arms", "exact_horizon")
    options += [f" --{name.replace('_', '-')} {given[name]}" for name in numbers if given.get(name)]
    if given.get("policies"):
        options.append(f" --policies {','.join(given['policies'])}")
    return "".join(options) + (f" --seed {facts['seed']}" if facts["seed"] else "")


def _section(anchor: str, claim: Claim) -> str:
    return (
        f"({anchor})=\n## {claim.id}: {_verdict(claim)}\n\n"
        f"**Claim.** {_plain(claim.claim)}\n\n**Found.**{_found(claim.evidence)}\n{_why(claim)}"
    )


def _why(claim: Claim) -> str:
    """Why, where not everything was reproduced."""
    missed = claim.verdict in (Verdict.IN_PART, Verdict.NOT_REPRODUCED)
    return f"\n**Why.** {_plain(REASONS[claim.id])}\n" if missed and claim.id in REASONS else ""


def _found(evidence: str) -> str:
    """As a list where several things were found."""
    parts = _plain(evidence).splitlines()
    return f" {parts[0]}" if len(parts) == 1 else "\n\n- " + "\n- ".join(parts)


def _decisions() -> str:
    """What was chosen where the paper leaves it open."""
    rows = [f"| {_plain(what)} | {_plain(chosen)} |" for what, chosen in DECISIONS.items()]
    words = "## What we decided\n\nWhere the paper slips or leaves a choice open:\n"
    return "\n".join([words, "| | our choice |", "|---|---|", *rows, ""])


def _sources(every: list[Found]) -> str:
    """Where everything was played."""
    rows, commands = [], dict[str, None]()
    for found in every:
        commands |= dict.fromkeys(sorted(source.command for source in found.sources))
        merged: Counter[tuple[str, str, str, str]] = Counter()
        for source, runs in found.sources.items():
            merged[source.date, source.commit, source.tree, source.machine] += runs
        for origin, runs in sorted(merged.items()):
            rows.append(f"| {found.name} | {runs or 'all'} | {' | '.join(origin)} |")
    shown = "\n".join(commands)
    head = f"| experiment | runs | date | commit | its src/bandstrap | machine |\n{'|---' * 6}|"
    return f"## Runs\n\nBy\n\n```sh\n{shown}\n```\n\n" + "\n".join([head, *rows, ""])


def _numbers(found: Found) -> str:
    """The numbers behind the verdicts of experiments that are kept in numbers."""
    if not found.traces or found.name not in {Runtime.name, *WITH_RUNS}:
        return ""
    if found.name == Runtime.name:
        return f"## Cost of a round\n\n{table(found.traces)}"
    ranked = sorted([*found.traces, *found.shorter], key=lambda trace: -trace.reward_per_step()[-1])
    rows = [_row(trace) for trace in ranked]
    head = "| policy | runs | rounds | reward per step | ± | ms a round |"
    return "\n".join(
        [f"## {EXPERIMENTS[found.name].title}\n", head, "|---|" + "---:|" * 5, *rows, ""]
    )


def _row(trace: Trace) -> str:
    last = trace.rounds[-1]
    spread = (trace.reward[:, -1] / last).std(ddof=1) / trace.runs**0.5 if trace.runs > 1 else None
    error = "" if spread is None else f"{spread:.4f}"
    reward, cost = trace.reward_per_step()[-1], 1e3 * trace.seconds[-1] / last / trace.runs
    return f"| {trace.policy} | {trace.runs} | {last:,} | {reward:.4f} | {error} | {cost:.3g} |"


def _figures(every: list[Found], folder: Path) -> str:
    shown = []
    for found in every:
        if (folder / f"{found.name}.png").exists():
            title = EXPERIMENTS[found.name].title
            shown.append(f"### {title}\n\n![{title}](figures/{found.name}.png)\n")
    return "## Figures\n\n" + "\n".join(shown) if shown else ""


def _verdict(claim: Claim) -> str:
    return f"{MARKS.get(claim.verdict, '?')} {claim.verdict}"


def _plain(text: str) -> str:
    """Text that Markdown is to leave alone."""
    return re.sub(r"([*_<\[\]|`])", r"\\\1", text)


if __name__ == "__main__":
    kept = HERE.parent / "evidence"
    if sys.argv[1:2] == ["take"]:
        take(map(Path, sys.argv[2:]), kept)
    main(kept, HERE, HERE.parent / KEPT)
