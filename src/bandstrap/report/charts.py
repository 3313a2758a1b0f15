"""Small charts without scripts: intervals, bars and lines, in the page's own colours.

They are plain elements with positions in percent, so that text keeps its size on a phone and
colours follow the theme.
"""

from collections.abc import Sequence
from math import isfinite
from typing import NamedTuple

from bandstrap.report.cells import escaped

__all__ = ["Bars", "Line", "Range", "bars", "lines", "ranges"]

LOOKS = 7  # colours of the page
TALL = 100.0  # the height of a drawing of lines, in its own units


class Range(NamedTuple):
    """An interval with a value in it; `tone` is good, part, bad or open."""

    name: str
    value: float
    low: float
    high: float
    shown: str
    tone: str


class Bars(NamedTuple):
    """Bars of one name and colour, a number for each label."""

    name: str
    values: Sequence[float]
    look: int


class Line(NamedTuple):
    """Values at equal distances; what is not a number interrupts it."""

    name: str
    values: Sequence[float]
    look: int


def ranges(rows: Sequence[Range], mark: float, mark_name: str) -> str:
    """Intervals one below the other, and a line through all of them at `mark`."""
    finite = [each for row in rows for each in (row.low, row.high, row.value) if isfinite(each)]
    low, high = min([mark, *finite]), max([mark, *finite])
    span = (high - low) or 1.0
    low, span = low - 0.04 * span, 1.08 * span

    def at(value: float) -> float:
        return 100 * (value - low) / span

    made = "".join(_range(row, at(row.low), at(row.high), at(row.value), at(mark)) for row in rows)
    key = f'<p class="caption">The line is {escaped(mark_name)}.</p>'
    return f'<div class="panel ranges">{made}</div>{key}'


def _range(row: Range, low: float, high: float, value: float, mark: float) -> str:
    low, high = (low if isfinite(low) else 0.0), (high if isfinite(high) else 100.0)
    wide = f"left:{low:.2f}%;width:{max(high - low, 0.3):.2f}%"
    track = f'<i class="mark" style="left:{mark:.2f}%"></i>'
    if isfinite(value):
        track += f'<i class="range {row.tone}" style="{wide}"></i>'
        track += f'<i class="point" style="left:{value:.2f}%"></i>'
    return (
        f'<div class="row"><span class="name">{escaped(row.name)}</span>'
        f'<span class="track" aria-hidden="true">{track}</span>'
        f'<span class="shown">{escaped(row.shown)}</span></div>'
    )


def bars(labels: Sequence[str], series: Sequence[Bars], shown: str = "{:.1%}") -> str:
    """Groups of bars, a group for each label; the longest is as wide as there is room."""
    most = max((value for each in series for value in each.values if isfinite(value)), default=0.0)
    rows = ""
    for place, label in enumerate(labels):
        inside = "".join(_bar(each.look, each.values[place], most or 1.0, shown) for each in series)
        name = f'<span class="name">{escaped(label)}</span>'
        rows += f'<div class="row">{name}<span>{inside}</span></div>'
    return f'{_legend(series)}<div class="panel bars">{rows}</div>'


def _bar(look: int, value: float, most: float, shown: str) -> str:
    share = 100 * value / most if isfinite(value) else 0.0
    text = shown.format(value) if isfinite(value) else "?"
    return (
        f'<span class="one"><i class="look{look % LOOKS}" style="width:{share:.2f}%"></i>'
        f"<small>{escaped(text)}</small></span>"
    )


def lines(series: Sequence[Line], ends: tuple[str, str]) -> str:
    """Lines over time, from the first to the last of `ends`."""
    finite = [value for each in series for value in each.values if isfinite(value)]
    low, high = (min(finite), max(finite)) if finite else (0.0, 1.0)
    span = (high - low) or 1.0
    drawn = "".join(_line(each.look, each.values, low, span) for each in series)
    axis = f'<span class="high">{high:.4g}</span><span class="low">{low:.4g}</span>'
    below = f"<span>{escaped(ends[0])}</span><span>{escaped(ends[1])}</span>"
    return (
        f'{_legend(series)}<div class="panel lines"><div class="area">{axis}'
        f'<svg viewBox="0 0 100 {TALL:g}" preserveAspectRatio="none" aria-hidden="true">{drawn}'
        f'</svg></div><div class="ends">{below}</div></div>'
    )


def _line(look: int, values: Sequence[float], low: float, span: float) -> str:
    steps = max(len(values) - 1, 1)
    paths: list[str] = []
    path = ""
    for place, value in enumerate(values):
        if not isfinite(value):
            paths, path = [*paths, path], ""
            continue
        x, y = 100 * place / steps, TALL * (1 - (value - low) / span)
        path += f"{'L' if path else 'M'}{x:.2f} {y:.2f}"
    whole = "".join(filter(None, [*paths, path]))
    return f'<path class="look{look % LOOKS}" d="{whole}"/>' if whole else ""


def _legend(series: Sequence[Bars] | Sequence[Line]) -> str:
    items = "".join(
        f'<li><i class="look{each.look % LOOKS}"></i>{escaped(each.name)}</li>' for each in series
    )
    return f'<ul class="legend">{items}</ul>'
