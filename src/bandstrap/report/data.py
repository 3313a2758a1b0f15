"""The numbers of a report as one JSON text; charts and tables of the page are made from it."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from bandstrap.arrays import Array
from bandstrap.printable import printable
from bandstrap.report.curves import Curve, Estimate, Measure
from bandstrap.report.looks import looks
from bandstrap.report.report import Figure, Panel


def as_json(figures: Sequence[Figure]) -> str:
    """Every curve once, and for each figure which curves its panels show."""
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
        "measures": [_measure(measure) for measure in figure.measures],
        "panels": [_panel(panel, places) for panel in figure.panels],
    }


def _measure(measure: Measure) -> dict[str, Any]:
    return {
        "key": measure.key,
        "label": measure.label,
        "best": measure.best,
        "start": measure.start,
    }


def _panel(panel: Panel, places: dict[tuple[str, str, str], int]) -> dict[str, Any]:
    return {
        "title": printable(panel.title),
        "curves": [places[curve.key] for curve in panel.curves],
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
        **{key: _estimate(estimate) for key, estimate in curve.estimates.items()},
    }


def _estimate(estimate: Estimate) -> dict[str, Any]:
    return {"mean": _numbers(estimate.mean), "error": _numbers(estimate.error)}


def _numbers(values: Array) -> list[float | None]:
    """Numbers that JSON knows; it has neither NaN nor infinity."""
    return [value if np.isfinite(value) else None for value in values.tolist()]
