"""Curves of reward per step: the paper's figure, and a panel for each question that we add."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bandstrap.experiments.figure2.players import BARE, GAUSSIAN, GAUSSIANS, OPTIMISED
from bandstrap.experiments.figure2.readings import PLOTTED
from bandstrap.experiments.style import figure, plain_log, save
from bandstrap.policies.registry import REGISTRY, SCHEDULES
from bandstrap.simulation import Trace

EARLY = 20  # rounds before this are mostly chance
# Colour says how arms are explored, and differs in grey; dashes say which model.
_COLOURS = {"wb": "#1b1e5a", "npb": "#b3372b", "eg": "#d98a2b", "ucb": "#3f9d8c", "ts": "#8a8a8a"}
_SPARE = ("#444444", "#7a4fa3", "#5b8fd6", "#c06c9b", "#2f6f4f", "#a8792b", "#000000", "#999999")
_DASHES: tuple[Any, ...] = ("-", (0, (6, 2)), (0, (1, 1.5)), (0, (4, 1.5, 1, 1.5)), (0, (8, 3)))
_MARKS = "osD^vPX*<>"
_OF_MODEL = {"logistic": 0, "network": 1, "linear": 2}  # places in _DASHES
AS_DRAWN = "as the paper drew it"
_PANELS: dict[str, tuple[str, ...]] = {  # with curves of the paper's figure that are shown again
    AS_DRAWN: (),
    "logistic: solved and approximated": ("wb-log", "npb-log"),
    "networks": ("wb-log", "wb-nn"),
    "schedules of ε-greedy": ("eg-log-bare",),
    "schedules, with pseudo-examples": (),
    "widths of linear UCB and TS": ("ucb-lin-fixed", "ts-lin-fixed"),
    "pseudo-examples": ("wb-log", "eg-log-bare", "eg-lin-bare"),
    "the paper's optimiser": ("wb-log", "wb-lin"),
    "trees and other rivals": ("wb-log",),
}


def draw(title: str, panels: Mapping[str, list[Trace]], path: Path) -> None:
    """One chart for each panel."""
    columns = min(len(panels), 2)
    rows = -(-len(panels) // columns)
    drawing, axes = figure(rows, columns, width=6.8 * columns, height=4.6 * rows)
    for axis, (name, some) in zip(axes.flat, panels.items(), strict=False):
        _panel(axis, name, some)
    for axis in list(axes.flat)[len(panels) :]:
        axis.set_visible(False)
    trace = next(iter(panels.values()))[0]
    drawing.suptitle(f"{title}\n{trace.environment}, {trace.runs} runs, ± standard error")
    save(drawing, path)


def panels_of(traces: Sequence[Trace]) -> dict[str, list[Trace]]:
    """The paper's figure with its policies alone, then what we add to it, by question."""
    found = {trace.policy: trace for trace in traces}
    own: dict[str, list[Trace]] = {title: [] for title in _PANELS}
    own[AS_DRAWN] = [found[name] for name in PLOTTED if name in found]
    for trace in traces:
        if trace.policy not in PLOTTED:
            own[_panel_of(trace.policy)].append(trace)
    guests = {
        title: [found[name] for name in names if own[title] and name in found]
        for title, names in _PANELS.items()
    }
    return {title: [*guests[title], *own[title]] for title in _PANELS if own[title]}


def _panel_of(policy: str) -> str:
    """The question that a policy answers which the paper did not plot."""
    if policy in (*SCHEDULES, "eg-log"):
        return "schedules, with pseudo-examples"
    if policy in BARE:
        return "schedules of ε-greedy"
    if policy in OPTIMISED:
        return "the paper's optimiser"
    if policy in (*GAUSSIANS, GAUSSIAN, "eg-lin", "eg-nn"):
        return "pseudo-examples"
    entry = REGISTRY.get(policy)
    model, family = (entry.model, entry.family) if entry else ("", "")
    if model == "linear":
        return "widths of linear UCB and TS"
    if model == "network":
        return "networks"
    solved = model == "logistic" and family in ("npb", "wb")
    return "logistic: solved and approximated" if solved else "trees and other rivals"


def _panel(axis: Any, title: str, traces: list[Trace]) -> None:
    for position, trace in enumerate(traces):
        keep = trace.rounds >= min(EARLY, trace.rounds[-1])
        rounds = trace.rounds[keep]
        runs = trace.reward[:, keep] / rounds
        mean, look = runs.mean(axis=0), style(trace.policy, position)
        axis.plot(rounds, mean, label=trace.policy, linewidth=1.3, markersize=4, **look)
        if trace.runs > 1:
            half = runs.std(axis=0, ddof=1) / np.sqrt(trace.runs)
            low, high = mean - half, mean + half
            axis.fill_between(rounds, low, high, color=look["color"], alpha=0.12, linewidth=0)
    axis.set(title=title, xlabel="round", ylabel="reward per step", xscale="log")
    plain_log(axis)
    axis.set_ylim(bottom=0)
    axis.legend(frameon=False, fontsize=7, ncols=2)


def style(policy: str, position: int) -> dict[str, Any]:
    """Colour, dashes and marks of a curve; those of the paper's figure have fixed ones."""
    entry = REGISTRY.get(PLOTTED.get(policy, ""))
    return {
        "color": _COLOURS[entry.family] if entry else _SPARE[position % len(_SPARE)],
        "linestyle": _DASHES[(_OF_MODEL[entry.model] if entry else position) % len(_DASHES)],
        "marker": _MARKS[position % len(_MARKS)],
        "markevery": (position % 7, 9),
    }
