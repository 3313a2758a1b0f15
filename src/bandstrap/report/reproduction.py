"""The report of `bandstrap reproduce`: claims with verdicts, then the figures."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from bandstrap.experiments import EXPERIMENTS, Claim, Settings, Verdict
from bandstrap.experiments.base import Statements, tally
from bandstrap.experiments.decisions import DECISIONS
from bandstrap.report.cells import Badge, Folded, NumberCell, TableCell, TextCell
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
from bandstrap.simulation.store.results import Results

_TONES = {
    Verdict.REPRODUCED: "good",
    Verdict.IN_PART: "part",
    Verdict.NOT_REPRODUCED: "bad",
    Verdict.UNDECIDED: "open",
}


@dataclass(frozen=True)
class _Drawn:
    """What the charts of an experiment show, and whether its drawing is shown too."""

    measures: tuple[Measure, ...] = ()
    with_drawing: bool = False


_ARMS, _CONTEXTS = _Drawn((REGRET, REWARD)), _Drawn((REWARD, REGRET))
_DRAWN = {
    **dict.fromkeys(("figure1", "figure1-k5", "figure1-k2"), _ARMS),
    "equivalence": replace(_ARMS, with_drawing=True),
    **dict.fromkeys(("figure2-covtype", "figure2-mnist"), _CONTEXTS),
}
_DRAWING = _Drawn(with_drawing=True)  # of the other experiments: without charts


def reproduction_report(
    out: Path,
    names: list[str],
    claims: list[Claim],
    run: Run,
    settings: Settings,
    kept: Mapping[str, Claim],
) -> Report:
    """A report on experiments from their files in `out`, beside the kept claims."""
    return Report(
        title="New Insights into Bootstrapping for Bandits, reproduced",
        answer=_answer(claims, {claim.id: kept[claim.id] for claim in claims if claim.id in kept}),
        figures=tuple(_figure(out, name, settings) for name in names),
        run=run,
        notes_title="Where the paper has errors or is silent, and what was done",
        notes=tuple(Note(title, text) for title, text in DECISIONS.items()),
    )


def _answer(claims: list[Claim], kept: Mapping[str, Claim]) -> Answer:
    if not claims:
        nothing = "These policies decide no claim of the paper; their curves are below."
        return Answer(nothing, _table(claims, kept))
    found = tally(claims)
    counted = (
        (found.hold, "hold", "good"),
        (found.fail, "fail", "bad"),
        (found.open, "open", "open"),
    )
    sentence = f"{found.hold} of {found.total} statements hold."
    text = (
        "What is open is no failure: a statement about the paper's rounds stays open until all of "
        "them are played."
    )
    if kept:
        judged = f"{len(kept)} of these {len(claims)} claims"
        text += f" Kept runs at full size judge {judged}: {tally(kept.values())}."
    chips = tuple(VerdictCount(*each) for each in counted if each[0])
    return Answer(sentence, _table(claims, kept), chips, text)


_NOW, _KEPT = "This run", "Kept, full size"
_NOT_KEPT = Badge("none kept", "open", len(Verdict), _KEPT)


def _table(claims: list[Claim], kept: Mapping[str, Claim]) -> Table:
    beside = (_KEPT,) if kept else ()
    columns = ("Claim", _NOW, *beside, "Statements", "What the paper says")
    return Table("Claims and verdicts", columns, tuple(_row(claim, kept) for claim in claims))


def _row(claim: Claim, kept: Mapping[str, Claim]) -> tuple[TableCell, ...]:
    full = kept.get(claim.id)
    folds = [("Evidence", claim.evidence)]
    folds += [("Evidence of the kept runs", f"{full.statements}\n{full.evidence}")] if full else []
    found = claim.statements
    beside = [_badge(full, _KEPT) if full else _NOT_KEPT] if kept else []
    return (
        TextCell(claim.id),
        _badge(claim, _NOW),
        *beside,
        NumberCell(found.hold / found.total, _shown(found)),
        Folded(claim.claim, tuple(folds)),
    )


def _shown(found: Statements) -> str:
    """For example: 3 of 5 hold, 1 open."""
    return str(found).replace(" statements hold", " hold")


def _badge(claim: Claim, whose: str) -> Badge:
    verdict = claim.verdict
    return Badge(verdict, _TONES[verdict], list(Verdict).index(verdict), whose)


def _figure(out: Path, name: str, settings: Settings) -> Figure:
    drawn, experiment = _DRAWN.get(name, _DRAWING), EXPERIMENTS[name]()
    traces = Results(out / name).load()
    charts = experiment.panels(settings, traces).items() if drawn.measures else ()
    panels = tuple(Panel(title, tuple(map(Curve.of, some))) for title, some in charts)
    drawing = picture(out / name / "plot.png") if drawn.with_drawing else b""
    return Figure(name, experiment.titled(traces), panels, drawn.measures, drawing)
