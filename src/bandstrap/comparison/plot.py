"""Figures of a comparison (reward over time, costs) and of a benchmark (mean ranks, costs)."""

from pathlib import Path
from typing import Any

import numpy as np

from bandstrap.arrays import Array
from bandstrap.comparison.benchmark.ranks import Ranks
from bandstrap.comparison.ranking import Standing
from bandstrap.experiments.figure2.plot import EARLY, style
from bandstrap.experiments.style import figure, plain_log, save
from bandstrap.simulation import Trace
from bandstrap.simulation.curves import plain

CURVES = 8  # more could not be told apart
ROW = 0.24  # inches per name


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


def draw_ranks(found: Ranks, path: Path) -> None:
    """A critical-difference diagram: mean ranks on an axis, bars over those that do not differ."""
    count, bars = len(found.policies), len(found.groups)
    half = -(-count // 2)
    drawing, axes = figure(1, 1, width=9.5, height=1.6 + ROW * (half + 0.6 * bars))
    axis = axes[0, 0]
    low, high = 1, max(count, 2)
    top = -0.6 * bars - 0.8
    _scale(axis, low, high)
    for row, group in enumerate(found.groups):
        places = [found.mean[found.policies.index(name)] for name in group]
        ends = (min(places) - 0.06, max(places) + 0.06)
        axis.plot(ends, [-0.6 * (row + 1)] * 2, color="#1b1e5a", linewidth=3.5)
    for place, (name, mean) in enumerate(zip(found.policies, found.mean, strict=True)):
        left = place < half
        down = top - (place if left else count - 1 - place)
        end, side = (low - 0.3, "right") if left else (high + 0.3, "left")
        axis.plot([mean, mean, end], [0, down, down], color="#444444", linewidth=0.8)
        text = f"{plain(name)}  {mean:.2f}" if left else f"{mean:.2f}  {plain(name)}"
        axis.text(end + (-0.1 if left else 0.1), down, text, ha=side, va="center", fontsize=9)
    share = 0.38 * (high - low)
    axis.set(xlim=(low - share - 1, high + share + 1), ylim=(top - half, 1.6))
    axis.set_title(
        f"Mean rank over {found.datasets} data sets (1 is best; Friedman p = {found.friedman:.2g})"
        "\nbars join those that do not differ (Wilcoxon with Holm's correction, 5 %)",
        fontsize=10,
    )
    save(drawing, path)


def _scale(axis: Any, low: int, high: int) -> None:
    axis.axis("off")
    axis.plot([low, high], [0, 0], color="black", linewidth=1)
    for rank in range(low, high + 1):
        axis.plot([rank, rank], [0, 0.25], color="black", linewidth=1)
        axis.text(rank, 0.4, str(rank), ha="center", va="bottom", fontsize=8)


def draw_frontier(policies: list[str], shares: Array, costs: Array, path: Path) -> None:
    """Reward against cost; the line joins policies that none beats in both."""
    drawing, axes = figure(1, 1, width=8.5, height=5.6)
    axis = axes[0, 0]
    for position, name in enumerate(policies):
        look = style(name, position)
        axis.plot(costs[position], shares[position], look["marker"], color=look["color"])
    edge = frontier(shares, costs)
    axis.plot(costs[edge], shares[edge], color="#8a8a8a", linewidth=1, linestyle="--", zorder=0)
    _names(axis, policies, shares, costs)
    axis.set(
        xscale="log",
        xlabel="CPU time per decision, µs (median over data sets)",
        ylabel="reward, as a share of the best policy's (mean over data sets)",
        title="Reward against cost; the line joins policies that none beats in both",
    )
    axis.margins(x=0.12)
    plain_log(axis)
    save(drawing, path)


def frontier(shares: Array, costs: Array) -> Array:
    """The indices of those that earn more than everyone cheaper, by cost."""
    edge, best = [], -np.inf
    for place in np.lexsort((-shares, costs)):
        if shares[place] > best:
            edge.append(place)
            best = shares[place]
    return np.array(edge)


def _names(axis: Any, policies: list[str], shares: Array, costs: Array) -> None:
    """Names beside their points, on the side that is still free."""
    span = float(np.ptp(shares)) or 1.0
    taken: list[tuple[float, float]] = []
    for place in np.argsort(-shares):
        x, y = float(np.log10(costs[place])), float(shares[place])
        near = sum(abs(x - a) < 0.35 and abs(y - b) < 0.03 * span for a, b in taken)
        taken.append((x, y))
        offset = ((6, 3), (-6, -9), (6, -9), (-6, 4))[near % 4]
        side = "left" if offset[0] > 0 else "right"
        look = {"textcoords": "offset points", "ha": side, "fontsize": 8}
        axis.annotate(plain(policies[place]), (costs[place], y), xytext=offset, **look)
