"""A report as one HTML file with its styles, scripts and numbers inside."""

import json
from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from importlib.resources import files
from itertools import count
from pathlib import Path
from string import Template
from typing import Any

import numpy as np

from bandstrap.arrays import Array
from bandstrap.printable import printable
from bandstrap.report.cells import escaped
from bandstrap.report.curves import Curve
from bandstrap.report.report import Answer, Figure, Note, Panel, Report, Run, Table
from bandstrap.storage.files import write_text

_ASSETS = files("bandstrap.report") / "assets"
_STYLES = ("vendor/uplot.css", "report.css", "print.css")
_SCRIPTS = ("vendor/uplot.js", "numbers.js", "tables.js", "chart.js", "figure.js", "report.js")


def write_report(report: Report, path: Path) -> Path:
    """Write a report to a file."""
    write_text(path, page(report), "choose another --out")
    return path


def page(report: Report) -> str:
    """The report as HTML."""
    return Template(asset("page.html")).substitute(
        title=escaped(report.title),
        styles="\n".join(map(asset, _STYLES)),
        answer=_answer(report.answer),
        figures="".join(map(_figure, report.figures)),
        tables="".join(f"<h3>{escaped(each.title)}</h3>{_table(each)}" for each in report.tables),
        run=_run(report.run),
        notes_title=escaped(report.notes_title),
        notes="".join(map(_note, report.notes)),
        data=as_json(report.figures),
        licence=asset("vendor/LICENSE"),
        scripts="\n".join(map(asset, _SCRIPTS)),
    )


def asset(name: str) -> str:
    """A file that pages are made of."""
    return _ASSETS.joinpath(name).read_text(encoding="utf-8")


def _answer(answer: Answer) -> str:
    chips = "".join(
        f'<li class="{each.tone}" style="flex-grow: {each.count}"><b>{each.count}</b> '
        f"{escaped(each.label)}</li>"
        for each in answer.counts
    )
    parts = [
        f'<p class="sentence">{escaped(answer.sentence)}</p>',
        f'<ul class="tallies">{chips}</ul>' if chips else "",
        _odd(answer),
        f'<p class="why">{escaped(answer.text)}</p>' if answer.text else "",
        f"<pre><code>{escaped(answer.code)}</code></pre>" if answer.code else "",
        _table(answer.table),
    ]
    return "".join(parts)


def _odd(answer: Answer) -> str:
    if not answer.odd:
        return ""
    lines = "".join(f"<li>{escaped(line)}</li>" for line in answer.odd)
    title = escaped(answer.odd_title)
    return f'<div class="odd part"><h2>{title}</h2><ul>{lines}</ul></div>'


def _figure(figure: Figure) -> str:
    title = escaped(figure.title)
    drawing = ""
    if figure.drawing:
        content = b64encode(figure.drawing).decode()
        drawing = f'<img alt="{title}: drawing" src="data:image/png;base64,{content}">'
    charts = '<div class="charts"></div>' if figure.panels else figure.chart
    text = f'<p class="chart-note">{escaped(figure.text)}</p>' if figure.text else ""
    name = escaped(figure.id)
    return f'<section class="figure" id="{name}"><h3>{title}</h3>{text}{charts}{drawing}</section>'


def _table(table: Table) -> str:
    if not table.rows:
        return ""
    title = escaped(table.title)
    heads = "".join(
        f'<th scope="col" class="{cell.kind}"><button type="button">{escaped(column)}</button></th>'
        for column, cell in zip(table.columns, table.rows[0], strict=True)
    )
    rows = "".join(f"<tr>{''.join(cell.html() for cell in row)}</tr>" for row in table.rows)
    return (
        f'<div class="wide" role="region" tabindex="0" aria-label="{title}"><table class="sorts">'
        f'<caption class="unseen">{title}</caption><thead><tr>{heads}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _run(run: Run) -> str:
    facts = "".join(
        f"<dt>{escaped(name)}</dt><dd>{escaped(value)}</dd>" for name, value in run.facts
    )
    return f"<pre><code>{escaped(run.command)}</code></pre><dl>{facts}</dl>"


def _note(note: Note) -> str:
    if not note.title:
        return f'<dd class="alone">{escaped(note.text)}</dd>'
    return f"<dt>{escaped(note.title)}</dt><dd>{escaped(note.text)}</dd>"


def as_json(figures: Sequence[Figure]) -> str:
    """Every curve once, and for each figure the curves of its panels."""
    panels = [panel for figure in figures for panel in figure.panels]
    curves = {curve.key: curve for panel in panels for curve in panel.curves}
    places = {key: place for place, key in enumerate(curves)}
    look = looks(panels)
    data = {
        "curves": [_curve(curve, look[curve.policy]) for curve in curves.values()],
        "figures": [_figure_data(figure, places) for figure in figures if figure.panels],
    }
    # "<" would let a name close the script element that holds the text.
    return json.dumps(data, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")


def _figure_data(figure: Figure, places: dict[tuple[str, str, str], int]) -> dict[str, Any]:
    panels = [
        (printable(each.title), [places[c.key] for c in each.curves]) for each in figure.panels
    ]
    return {
        "id": figure.id,
        "title": printable(figure.title),
        "measures": [asdict(measure) for measure in figure.measures],
        "panels": [{"title": title, "curves": curves} for title, curves in panels],
    }


def _curve(curve: Curve, look: int) -> dict[str, Any]:
    return {
        "experiment": printable(curve.experiment),
        "environment": printable(curve.environment),
        "policy": printable(curve.policy),
        "runs": curve.runs,
        "look": look,
        "rounds": curve.rounds.tolist(),
        "cost": curve.cost,
        **{
            key: {"mean": _numbers(estimate.mean), "error": _numbers(estimate.error)}
            for key, estimate in curve.estimates.items()
        },
    }


def _numbers(values: Array) -> list[float | None]:
    """JSON has neither NaN nor infinity."""
    return [value if np.isfinite(value) else None for value in values.tolist()]


def looks(panels: Iterable[Panel]) -> dict[str, int]:
    """A number for each policy, from which the page makes a colour and dashes: the same in every
    panel, and different from all others in a panel."""
    found: dict[str, int] = {}
    for panel in panels:
        names = [curve.policy for curve in panel.curves]
        taken = {found[name] for name in names if name in found}
        free = (number for number in count() if number not in taken)
        for name in names:
            if name not in found:
                found[name] = next(free)
    return found
