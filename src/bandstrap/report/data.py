"""The numbers of a report as one JSON text, from which the page makes its charts."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from itertools import count
from typing import Any

import numpy as np

from bandstrap.arrays import Array
from bandstrap.printable import printable
from bandstrap.report.curves import Curve
from bandstrap.report.report import Figure, Panel


def as_json(figures: Sequence[Figure]) -> str:
    """Every curve once, and for each figure the curves of its panels."""
    panels = [panel for figure in figures for panel in figure.panels]
    curves = {curve.key: curve for panel in panels for curve in panel.curves}
    places = {key: place for place, key in enumerate(curves)}
    look = looks(panels)
    data = {
        "curves": [_curve(curve, look[curve.policy]) for curve in curves.values()],
        "figures": [_figure(figure, places) for figure in figures if figure.panels],
    }
    # "<" would let a name close the script element that holds the text.
    return json.dumps(data, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")


def _figure(figure: Figure, places: dict[tuple[str, str, str], int]) -> dict[str, Any]:
    return {
        "id": figure.id,
        "title": printable(figure.title),
        "measures": [asdict(measure) for measure in figure.measures],
        "panels": [
            {
                "title": printable(panel.title),
                "curves": [places[curve.key] for curve in panel.curves],
            }
            for panel in figure.panels
        ],
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
