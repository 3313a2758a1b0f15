"""Curves of reward per step, a panel for each question."""

from pathlib import Path
from typing import Any

import numpy as np

from bandstrap.experiments.figure2.players import PLAYERS
from bandstrap.experiments.style import figure, plain_log, save
from bandstrap.policies.registry import REGISTRY, SCHEDULES
from bandstrap.simulation import Trace

EARLY = 20  # rounds before this are mostly chance
# Colour says how arms are explored, and differs in grey; dashes say which model.
_COLOURS = {"wb": "#1b1e5a", "npb": "#b3372b", "eg": "#d98a2b", "ucb": "#3f9d8c", "ts": "#8a8a8a"}
_SPARE = ("#444444", "#7a4fa3", "#5b8fd6", "#c06c9b", "#2f6f4f", "#a8792b", "#000000", "#999999")
_DASHES: tuple[Any, ...] = ("-", (0, (6, 2)), (0, (1, 1.5)), (0, (4, 1.5, 1, 1.5)), (0, (8, 3)))
_MARKS = "osD^vPX*<>"
_OF_MODEL = {"logistic": 0, "network": 1, "linear": 2, "tree": 3}  # places in _DASHES
_PANELS: dict[str, tuple[str, ...]] = {  # with curves of the first panel that are shown again
    "linear and logistic": (),
    "logistic: solved and approximated": ("wb-log", "npb-log"),
    "networks": ("wb-log",),
    "schedules": ("eg-log",),
    "readings": ("wb-log", "eg-log"),
}


def draw(title: str, traces: list[Trace], path: Path) -> None:
    """One panel for each group of policies that was played."""
    panels = [(name, some) for name, some in panels_of(traces).items() if some]
    columns = min(len(panels), 2)
    rows = -(-len(panels) // columns)
    drawing, axes = figure(rows, columns, width=6.8 * columns, height=4.6 * rows)
    for axis, (name, some) in zip(axes.flat, panels, strict=False):
        _panel(axis, name, some)
    for axis in list(axes.flat)[len(panels) :]:
        axis.set_visible(False)
    drawing.suptitle(f"{title} ({traces[0].environment}, {traces[0].runs} runs, ± standard error)")
    save(drawing, path)


def panels_of(traces: list[Trace]) -> dict[str, list[Trace]]:
    """The paper's figure, then approximations, networks, schedules of ε-greedy, and readings."""
    by_name = {trace.policy: trace for trace in traces}
    panels = {}
    for place, (title, guests) in enumerate(_PANELS.items()):
        own = [trace for trace in traces if _panel_of(trace.policy) == place]
        panels[title] = [by_name[name] for name in guests if own and name in by_name] + own
    return panels


def _panel_of(policy: str) -> int:
    if policy in PLAYERS:
        return 4
    entry = REGISTRY[policy]
    if entry.model == "network":
        return 2
    if policy in SCHEDULES:
        return 3
    plain = entry.model == "logistic" and not entry.variant
    return 0 if plain or entry.model == "linear" else 1


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
    """Colour, dashes and marks of a curve; only policies that the paper plays have fixed ones."""
    entry = REGISTRY.get(policy)
    plain = entry is not None and entry.contextual and not entry.variant
    colour = _COLOURS.get(entry.family) if entry and plain else None
    dashes = _OF_MODEL[entry.model] if entry and plain else position
    return {
        "color": colour or _SPARE[position % len(_SPARE)],
        "linestyle": _DASHES[dashes % len(_DASHES)],
        "marker": _MARKS[position % len(_MARKS)],
        "markevery": (position % 7, 9),
    }
