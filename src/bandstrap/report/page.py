"""A report as one HTML file; styles, scripts and numbers are inside it."""

from base64 import b64encode
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template

from bandstrap.errors import OutputError
from bandstrap.report.data import as_json
from bandstrap.report.report import Answer, Figure, Note, Report, Table
from bandstrap.report.run import Run

_ASSETS = files("bandstrap.report") / "assets"
_STYLES = ("vendor/uplot.css", "report.css", "print.css")
_SCRIPTS = ("vendor/uplot.js", "numbers.js", "tables.js", "chart.js", "figure.js", "report.js")


def write_report(report: Report, path: Path) -> Path:
    """Write a report to a file."""
    try:
        path.write_text(page(report), encoding="utf-8")
    except OSError as error:
        problem = f"cannot be written ({error.strerror})"
        raise OutputError(path, problem, "choose another --out") from error
    return path


def page(report: Report) -> str:
    """The report as HTML."""
    return Template(_asset("page.html")).substitute(
        title=escape(report.title),
        styles="\n".join(map(_asset, _STYLES)),
        answer=_answer(report.answer),
        figures="".join(map(_figure, report.figures)),
        tables="".join(map(_titled, report.tables)),
        run=_run(report.run),
        notes_title=escape(report.notes_title),
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
        f"{escape(each.label)}</li>"
        for each in answer.tallies
    )
    parts = [
        f'<p class="sentence">{escape(answer.sentence)}</p>',
        f'<ul class="tallies">{chips}</ul>' if chips else "",
        f'<p class="why">{escape(answer.text)}</p>' if answer.text else "",
        f"<pre><code>{escape(answer.code)}</code></pre>" if answer.code else "",
        _table(answer.table),
    ]
    return "".join(parts)


def _figure(figure: Figure) -> str:
    title = escape(figure.title)
    drawing = (
        f'<img alt="{title}: drawing" src="data:image/png;base64,{_base64(figure.drawing)}">'
        if figure.drawing
        else ""
    )
    charts = '<div class="charts"></div>' if figure.panels else ""
    name = escape(figure.id)
    return f'<section class="figure" id="{name}"><h3>{title}</h3>{charts}{drawing}</section>'


def _base64(content: bytes) -> str:
    return b64encode(content).decode()


def _titled(table: Table) -> str:
    return f"<h3>{escape(table.title)}</h3>{_table(table)}"


def _table(table: Table) -> str:
    if not table.rows:
        return ""
    title = escape(table.title)
    heads = "".join(
        f'<th scope="col" class="{cell.kind}"><button type="button">{escape(column)}</button></th>'
        for column, cell in zip(table.columns, table.rows[0], strict=True)
    )
    rows = "".join(f"<tr>{''.join(cell.html() for cell in row)}</tr>" for row in table.rows)
    return (
        f'<div class="wide" role="region" tabindex="0" aria-label="{title}"><table class="sorts">'
        f'<caption class="unseen">{title}</caption><thead><tr>{heads}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _run(run: Run) -> str:
    facts = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in run.facts)
    return f"<pre><code>{escape(run.command)}</code></pre><dl>{facts}</dl>"


def _note(note: Note) -> str:
    if not note.title:
        return f'<dd class="alone">{escape(note.text)}</dd>'
    return f"<dt>{escape(note.title)}</dt><dd>{escape(note.text)}</dd>"
