"""The cost of a round, from the times in traces, beside the paper's."""

import numpy as np

from bandstrap.arrays import Array
from bandstrap.experiments.runtime import recipe
from bandstrap.experiments.statements import HORIZON, Outcome, Statement, seconds_per_round
from bandstrap.simulation import Trace

PAPER = {  # seconds a round
    ("covtype", "npb-log"): 0.15,
    ("covtype", "wb-log"): 0.16,
    ("mnist", "npb-log"): 1.16,
    ("mnist", "wb-log"): 1.88,
    ("mnist", "npb-nn"): 1.16,
    ("mnist", "wb-nn"): 1.69,
}


def curve(trace: Trace, ratio: float = 1.25) -> tuple[Array, Array]:
    """Seconds of a round over stretches of rounds, each `ratio` times further than the last."""
    if trace.policy == recipe.NAME:
        steps = np.diff(trace.rounds)[::2]
        return trace.rounds[::2], np.diff(trace.seconds)[::2] / steps
    points = [0]
    for point, last in enumerate(trace.rounds):
        if last >= ratio * trace.rounds[points[-1]]:
            points.append(point)
    rounds, seconds = trace.rounds[points], trace.seconds[points]
    return rounds[1:], np.diff(seconds) / np.diff(rounds) / trace.runs


def cost_at(trace: Trace, t: int) -> float | None:
    """Seconds of a round when history is t long; None if it never was."""
    rounds, seconds = curve(trace)
    past = np.flatnonzero(rounds >= t)
    return float(seconds[past[0]]) if past.size else None


def against_paper(traces: list[Trace]) -> list[Statement]:
    """Ours against the paper's figures; fewer rounds are projected as if cost grew like history."""
    return [
        _no_more(trace, PAPER[trace.environment, trace.policy])
        for trace in traces
        if (trace.environment, trace.policy) in PAPER
    ]


def _no_more(trace: Trace, theirs: float) -> Statement:
    rounds = int(trace.rounds[-1])
    ours = seconds_per_round(trace, rounds)
    projected = ours * max(1.0, HORIZON / rounds)
    outcome = Outcome.HOLDS if projected <= theirs else Outcome.OPEN
    if ours > theirs:
        outcome = Outcome.FAILS
    said = f"{1e3 * ours:.3g} ms a round over {rounds} rounds, paper {1e3 * theirs:.0f} ms"
    if rounds < HORIZON:
        said += f", at most {1e3 * projected:.3g} ms over {HORIZON} if cost grows like history"
    return Statement(f"{trace.environment} {trace.policy} at most the paper's", outcome, said)


def against_recipe(traces: list[Trace]) -> list[Statement]:
    """Solved draws against the recipe, at the longest history that both have."""
    return [
        _cheaper(trace, theirs)
        for theirs in traces
        if theirs.policy == recipe.NAME
        for trace in traces
        if trace.policy == "wb-log" and trace.environment == theirs.environment
    ]


def _cheaper(trace: Trace, theirs: Trace) -> Statement:
    pairs = [(t, cost_at(trace, t), cost) for t, cost in zip(*curve(theirs), strict=True)]
    known = [(t, ours, cost) for t, ours, cost in pairs if ours is not None]
    text = f"{trace.environment} {trace.policy} below the recipe"
    if not known:
        return Statement(text, Outcome.OPEN, "no history as long as one it was timed at")
    said = ", ".join(
        f"{1e3 * cost:.3g} / {1e3 * ours:.3g} ms = {cost / ours:.3g} times at t = {t}"
        for t, ours, cost in known
    )
    _, ours, cost = known[-1]
    return Statement(text, Outcome.HOLDS if ours < cost else Outcome.FAILS, said)


def table(traces: list[Trace]) -> str:
    """A row for each policy: cost on average and late, the paper's, reward."""
    rows = [
        "| data | policy | rounds | ms a round | ms at the end | paper's ms | reward a step |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    for trace in sorted(traces, key=lambda each: (each.environment, _shown(each)[0])):
        mean, late = _shown(trace)
        paper = PAPER.get((trace.environment, trace.policy))
        said = f"{1e3 * paper:.0f}" if paper else ""
        rows.append(
            f"| {trace.environment} | {trace.policy} | {trace.rounds[-1]} | {1e3 * mean:.4g} | "
            f"{1e3 * late:.4g} | {said} | {trace.reward_per_step()[-1]:.4f} |"
        )
    return "\n".join(rows) + "\n"


def _shown(trace: Trace) -> tuple[float, float]:
    """Cost on average and late; the recipe is timed at some lengths, averaged over these."""
    _, seconds = curve(trace)
    mean = seconds_per_round(trace, int(trace.rounds[-1]))
    late = float(seconds[-1]) if seconds.size else mean
    return (float(seconds.mean()) if trace.policy == recipe.NAME else mean), late
