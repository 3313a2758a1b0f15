"""A report as one HTML file with its styles, scripts and numbers inside."""

from base64 import b64encode
from importlib.resources import files
from pathlib import Path
from string import Template

from bandstrap.report.cells import escaped
from bandstrap.report.data import as_json
from bandstrap.report.report import Answer, Figure, Note, Report, Table
from bandstrap.report.run import Run
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
    return Template(_asset("page.html")).substitute(
        title=escaped(report.title),
        styles="\n".join(map(_asset, _STYLES)),
        answer=_answer(report.answer),
        figures="".join(map(_figure, report.figures)),
        tables="".join(map(_titled, report.tables)),
        run=_run(report.run),
        notes_title=escaped(report.notes_title),
        notes="".join(map(_note, report.notes)),
        data=as_json(report.figures),
        licence=_asset("vendor/LICENSE"),
        scripts="\n".join(map(_asset, _SCRIPTS)),
    )


def _asset(name: str) -> str:
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
        f'<p class="why">{escaped(answer.text)}</p>' if answer.text else "",
        f"<pre><code>{escaped(answer.code)}</code></pre>" if answer.code else "",
        _table(answer.table),
    ]
    return "".join(parts)


def _figure(figure: Figure) -> str:
    title = escaped(figure.title)
    drawing = ""
    if figure.drawing:
        content = b64encode(figure.drawing).decode()
        drawing = f'<img alt="{title}: drawing" src="data:image/png;base64,{content}">'
    charts = '<div class="charts"></div>' if figure.panels else ""
    name = escaped(figure.id)
    return f'<section class="figure" id="{name}"><h3>{title}</h3>{charts}{drawing}</section>'


def _titled(table: Table) -> str:
    return f"<h3>{escaped(table.title)}</h3>{_table(table)}"


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
