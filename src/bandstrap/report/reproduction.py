"""The report of `bandstrap reproduce`: claims with verdicts, then the figures."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from bandstrap.experiments import EXPERIMENTS, Claim, Verdict
from bandstrap.experiments.decisions import DECISIONS
from bandstrap.experiments.figure2.plot import panels_of
from bandstrap.report.cells import Badge, Folded, TextCell
from bandstrap.report.curves import REGRET, REWARD, Curve, Measure
from bandstrap.report.report import (
    Answer,
    Figure,
    Note,
    Panel,
    Report,
    Run,
    Table,
    VerdictCount,
    picture,
)
from bandstrap.simulation import Trace
from bandstrap.simulation.store.results import Results

_TONES = {
    Verdict.REPRODUCED: "good",
    Verdict.IN_PART: "part",
    Verdict.NOT_REPRODUCED: "bad",
    Verdict.UNDECIDED: "open",
}


def _by_environment(traces: list[Trace]) -> dict[str, list[Trace]]:
    names = dict.fromkeys(trace.environment for trace in traces)
    return {name: [each for each in traces if each.environment == name] for name in names}


@dataclass(frozen=True)
class _Drawn:
    """How an experiment's traces become panels, and whether its drawing is shown too."""

    panels: Callable[[list[Trace]], Mapping[str, list[Trace]]]
    measures: tuple[Measure, ...]
    with_drawing: bool = False


_ARMS = _Drawn(_by_environment, (REGRET, REWARD))
_DRAWN = {  # the other experiments show their drawing alone
    **dict.fromkeys(("figure1", "figure1-k5", "figure1-k2"), _ARMS),
    "equivalence": replace(_ARMS, with_drawing=True),
    **dict.fromkeys(("figure2-covtype", "figure2-mnist"), _Drawn(panels_of, (REWARD, REGRET))),
}
_DRAWING = _Drawn(lambda _: {}, (), with_drawing=True)


def reproduction_report(out: Path, names: list[str], claims: list[Claim], run: Run) -> Report:
    """A report on experiments from their files in `out`."""
    return Report(
        title="New Insights into Bootstrapping for Bandits, reproduced",
        answer=_answer(claims),
        figures=tuple(_figure(out, name) for name in names),
        run=run,
        notes_title="Where the paper has errors or is silent, and what was done",
        notes=tuple(Note(title, text) for title, text in DECISIONS.items()),
    )


def _answer(claims: list[Claim]) -> Answer:
    counts = Counter(claim.verdict for claim in claims)
    counted = [VerdictCount(counts[each], each, _TONES[each]) for each in Verdict if counts[each]]
    sentence = f"{counts[Verdict.REPRODUCED]} of {len(claims)} claims of the paper are reproduced."
    if not claims:
        sentence = "These policies decide no claim of the paper; their curves are below."
    elif len(claims) == 1:
        sentence = f"The claim is {claims[0].verdict}."
    return Answer(sentence, _table(claims), tuple(counted))


def _table(claims: list[Claim]) -> Table:
    rank = {verdict: place for place, verdict in enumerate(Verdict)}
    rows = [
        (
            TextCell(claim.id),
            Badge(claim.verdict, _TONES[claim.verdict], rank[claim.verdict]),
            Folded(claim.claim, "Evidence", claim.evidence),
        )
        for claim in claims
    ]
    return Table("Claims and verdicts", ("Claim", "Verdict", "What the paper says"), tuple(rows))


def _figure(out: Path, name: str) -> Figure:
    drawn = _DRAWN.get(name, _DRAWING)
    panels = tuple(
        Panel(title, tuple(Curve.of(trace) for trace in traces))
        for title, traces in drawn.panels(Results(out / name).load()).items()
        if traces
    )
    drawing = picture(out / name / "plot.png") if drawn.with_drawing else b""
    return Figure(name, EXPERIMENTS[name].title, panels, drawn.measures, drawing)
