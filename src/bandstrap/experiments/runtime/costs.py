"""The cost of a round at given lengths of history, beside the paper's and the recipe's."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product

import numpy as np

from bandstrap.arrays import Array
from bandstrap.experiments.figure2.players import TREES
from bandstrap.experiments.figure2.readings import Reading
from bandstrap.experiments.runtime import recipe
from bandstrap.experiments.statements import HORIZON, Outcome, Statement
from bandstrap.simulation import Trace

PAPER = {  # seconds a round, on average over HORIZON rounds
    ("covtype", "npb-log"): 0.15,
    ("covtype", "wb-log"): 0.16,
    ("mnist", "npb-log"): 1.16,
    ("mnist", "wb-log"): 1.88,
    ("mnist", "npb-nn"): 1.16,
    ("mnist", "wb-nn"): 1.69,
}
LOADING = 100  # the first of this many parts of a run is not timed


def seconds_per_round(trace: Trace, last: int) -> float:
    """CPU seconds of a round of one played run, on average up to `last`, interpolated.

    The first hundredth of the rounds is left out: it loads or compiles kernels.
    """
    before = trace.rounds[trace.rounds < last]
    late = before[before >= last / LOADING]
    start = (late if late.size else before[-1:])[:1]
    if not start.size:
        return float(trace.seconds[0] / last / trace.runs)
    begun, spent = np.interp([start[0], last], trace.rounds, trace.seconds)
    return float((spent - begun) / (last - start[0]) / trace.runs)


def curve(trace: Trace) -> tuple[Array, Array]:
    """Lengths of history, and seconds of a round there."""
    return trace.rounds[::2], np.diff(trace.seconds)[::2] / np.diff(trace.rounds)[::2]


def mean_cost(trace: Trace) -> float | None:
    """Seconds of a round on average over HORIZON rounds; None if no history was as long.

    Between lengths the cost is taken to be affine, before the first constant.
    """
    lengths, seconds = curve(trace)
    if lengths[-1] < HORIZON:
        return None
    points = np.unique([0, *lengths[lengths < HORIZON], HORIZON])
    costs = np.interp(points, lengths, seconds)
    return float(((costs[1:] + costs[:-1]) / 2 * np.diff(points)).sum() / HORIZON)


def against_paper(traces: Iterable[Trace]) -> list[Statement]:
    """Ours on average over the paper's rounds against its figures."""
    return [
        _no_more(trace, PAPER[trace.environment, trace.policy])
        for trace in traces
        if (trace.environment, trace.policy) in PAPER
    ]


def _no_more(trace: Trace, theirs: float) -> Statement:
    text = f"{trace.environment} {trace.policy} at most the paper's"
    numbers = f"{_shown(trace)}; paper {1e3 * theirs:.0f} ms"
    return Statement(text, _lower(mean_cost(trace), theirs), numbers)


def against_recipe(traces: Sequence[Trace]) -> list[Statement]:
    """Solved draws against the recipe, at the longest history that both were timed at."""
    return [
        _cheaper(trace, theirs)
        for theirs, trace in product(traces, traces)
        if theirs.policy == recipe.NAME
        and trace.policy == "wb-log"
        and trace.environment == theirs.environment
    ]


def _cheaper(trace: Trace, theirs: Trace) -> Statement:
    ours, others = (dict(zip(*curve(each), strict=True)) for each in (trace, theirs))
    common = [t for t in ours if t in others]
    text = f"{trace.environment} {trace.policy} below the recipe"
    if not common:
        return Statement(text, Outcome.OPEN, "timed at different lengths of history")
    ratios = {t: others[t] / ours[t] for t in common}
    numbers = ", ".join(
        f"{1e3 * others[t]:.3g} / {1e3 * ours[t]:.3g} ms = {ratio:.3g} times at t = {t}"
        for t, ratio in ratios.items()
    )
    return Statement(text, _lower(ours[common[-1]], others[common[-1]]), numbers)


def against_trees(traces: Iterable[Trace], reading: Reading) -> list[Statement]:
    """C13: Elmachtoub et al. resample trees every round; their heuristic refits one tree."""
    found = {trace.policy: trace for trace in traces}
    ours = reading.player("wb-log")
    return [_faster(found, ours, reading.player(tree)) for tree in TREES]


def _faster(found: Mapping[str, Trace], ours: str, theirs: str) -> Statement:
    text = f"{ours} faster than {theirs}"
    absent = [name for name in (ours, theirs) if name not in found]
    if absent:
        return Statement(text, Outcome.OPEN, f"not timed: {', '.join(absent)}")
    pair = found[ours], found[theirs]
    outcome = _lower(*(mean_cost(trace) for trace in pair))
    return Statement(text, outcome, " against ".join(map(_shown, pair)))


def _lower(first: float | None, second: float | None) -> Outcome:
    if first is None or second is None:
        return Outcome.OPEN
    return Outcome.HOLDS if first <= second else Outcome.FAILS


def _shown(trace: Trace) -> str:
    """The mean cost, if histories were long enough, and the cost at each length."""
    lengths, seconds = curve(trace)
    costs = ", ".join(f"{1e3 * cost:.3g}" for cost in seconds)
    points = f"{costs} ms at t = {', '.join(map(str, lengths))}"
    mean = mean_cost(trace)
    return points if mean is None else f"{1e3 * mean:.3g} ms on average, {points}"


def table(traces: Sequence[Trace]) -> str:
    """A row for each policy: its cost at each length and on average, and the paper's."""
    lengths = sorted({int(t) for trace in traces for t in curve(trace)[0]})
    head = ["data", "policy", *(f"ms at {t}" for t in lengths), f"mean of {HORIZON}", "paper's ms"]
    rows = [head, ["---", "---", *["---:"] * (len(lengths) + 2)]]
    for trace in sorted(traces, key=lambda each: (each.environment, curve(each)[1][-1])):
        costs = dict(zip(*curve(trace), strict=True))
        paper, mean = PAPER.get((trace.environment, trace.policy)), mean_cost(trace)
        cells = [*(costs.get(t) for t in lengths), mean]
        shown = [f"{1e3 * cost:.4g}" if cost is not None else "" for cost in cells]
        shown.append(f"{1e3 * paper:.0f}" if paper else "")
        rows.append([trace.environment, trace.policy, *shown])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)
