"""Cost of a round against the length of history."""

from pathlib import Path
from typing import Any

from bandstrap.experiments.figure2.plot import style
from bandstrap.experiments.runtime import recipe
from bandstrap.experiments.runtime.costs import PAPER, curve
from bandstrap.experiments.style import figure, save
from bandstrap.simulation import Trace

EARLY = 50  # rounds before this are too few to time
CLOSE = 1.2


def draw(traces: list[Trace], path: Path) -> None:
    """A panel for each data set."""
    names = list(dict.fromkeys(trace.environment for trace in traces))
    drawing, axes = figure(1, len(names), width=8.0 * len(names), height=6.0)
    for axis, name in zip(axes.flat, names, strict=True):
        _panel(axis, name, [trace for trace in traces if trace.environment == name])
    drawing.suptitle("CPU time of a round; stars: the paper's recipe with scikit-learn")
    save(drawing, path)


def _panel(axis: Any, name: str, traces: list[Trace]) -> None:
    for position, trace in enumerate(traces):
        rounds, seconds = curve(trace, ratio=1.6)
        if trace.policy == recipe.NAME:
            axis.loglog(rounds, 1e3 * seconds, "k*", markersize=11, label=trace.policy)
            continue
        keep = rounds >= EARLY
        look = {**style(trace.policy, position), "markevery": (position % 4, 4)}
        axis.loglog(rounds[keep], 1e3 * seconds[keep], label=trace.policy, markersize=4, **look)
    for names, cost in _papers(name):
        axis.annotate(f"paper: {names}", (1.0, 1e3 * cost), xycoords=("axes fraction", "data"),
                      ha="right", va="bottom", fontsize=7, color="#666666")  # fmt: skip
    for (data, _), cost in PAPER.items():
        if data == name:
            axis.axhline(1e3 * cost, color="#bbbbbb", linewidth=0.8)
    axis.set(title=name, xlabel="round", ylabel="ms a round")
    axis.legend(frameon=False, fontsize=7, loc="center left", bbox_to_anchor=(1.0, 0.5))


def _papers(name: str) -> list[tuple[str, float]]:
    """The paper's costs, those that lie too close for words between them under one name."""
    groups: list[tuple[str, float]] = []
    costs = [(cost, policy) for (data, policy), cost in PAPER.items() if data == name]
    for cost, policy in sorted(costs):
        if groups and cost < CLOSE * groups[-1][1]:
            groups[-1] = (f"{groups[-1][0]}, {policy}", cost)
        else:
            groups.append((policy, cost))
    return groups
