"""The comparison as a figure: reward over time, and final rewards with costs."""

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

from bandstrap.comparison.ranking import Standing
from bandstrap.experiments.figure2.plot import EARLY, style
from bandstrap.experiments.style import figure, save
from bandstrap.printable import called
from bandstrap.simulation import Trace

CURVES = 8  # more could not be told apart


def draw(
    title: str,
    ranking: tuple[Standing, ...],
    baselines: dict[str, float],
    traces: tuple[Trace, ...],
    path: Path,
) -> None:
    """Curves of the best on the left, all with their intervals on the right."""
    height = max(4.6, 1.4 + 0.28 * (len(ranking) + len(baselines)))
    drawing, axes = figure(1, 2, width=12.5, height=height)
    by_name = {trace.policy: trace for trace in traces}
    shown = [by_name[standing.policy] for standing in ranking[:CURVES]]
    _curves(axes[0, 0], shown, baselines)
    _places(axes[0, 1], ranking, baselines)
    drawing.suptitle(plain(title, most=120))
    save(drawing, path)


def plain(text: str, most: int = 60) -> str:
    """A user's name for matplotlib: a dollar would start a formula."""
    return called(text, most).replace("$", r"\$")


def plain_log(axis: Any) -> None:
    """A few whole numbers on a logarithmic axis."""
    axis.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axis.xaxis.set_minor_formatter(NullFormatter())


def _curves(axis: Any, traces: list[Trace], baselines: dict[str, float]) -> None:
    for position, trace in enumerate(traces):
        keep = trace.rounds >= min(EARLY, trace.rounds[-1])
        rounds = trace.rounds[keep]
        look = style(trace.policy, position)
        mean = trace.reward[:, keep].mean(axis=0) / rounds
        axis.plot(rounds, mean, label=plain(trace.policy), linewidth=1.4, markersize=4, **look)
    for name, value in baselines.items():
        axis.axhline(value, color="#8a8a8a", linewidth=0.9, linestyle=":")
        look = {"xycoords": ("axes fraction", "data"), "fontsize": 7, "color": "#555555"}
        axis.annotate(plain(name), (0.005, value), ha="left", va="bottom", **look)
    best = " (the best eight)" if len(traces) == CURVES else ""
    axis.set(title=f"reward per round so far{best}", xlabel="round", xscale="log")
    plain_log(axis)
    axis.legend(frameon=False, fontsize=8)


def _places(axis: Any, ranking: tuple[Standing, ...], baselines: dict[str, float]) -> None:
    names = [standing.policy for standing in ranking] + [*baselines]
    for row, standing in enumerate(ranking):
        look = style(standing.policy, row)
        mean, low, high = standing.reward.mean, standing.reward.low, standing.reward.high
        axis.plot([low, high], [row, row], color=look["color"], linewidth=2)
        axis.plot(mean, row, look["marker"], color=look["color"], markersize=6)
        axis.annotate(f"{standing.cost:,.0f} µs", (1.01, row), xycoords=("axes fraction", "data"),
                      fontsize=8, va="center", annotation_clip=False)  # fmt: skip
    for row, value in enumerate(baselines.values(), start=len(ranking)):
        axis.plot(value, row, "|", color="#555555", markersize=10)
    axis.set_yticks(np.arange(len(names)), map(plain, names), fontsize=8)
    axis.set_ylim(len(names) - 0.5, -0.5)
    axis.set(
        title="over the whole run, 95% intervals over runs; CPU time per decision",
        xlabel="reward per round",
    )
