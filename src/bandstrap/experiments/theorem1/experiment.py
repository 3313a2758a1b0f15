"""Theorem 1: NPB locks in and loses, exactly computed far past any loop (C4, C5, C6)."""

from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar

import numpy as np

from bandstrap.arrays import Array
from bandstrap.experiments.base import Claim, Experiment, Settings, Verdict, by_name
from bandstrap.experiments.statements import Outcome, Statement, count_of, verdict_of
from bandstrap.experiments.style import figure, look, save
from bandstrap.experiments.theorem1.lemmas import (
    FIRST_M,
    BadHistoryCheck,
    TruncatedGeometricCheck,
    check_bad_history,
    check_truncated_geometric,
    guaranteed_exponent,
    lemma_bound,
    lemma_bound_exact_tail,
    lemma_gives_theorem1,
)
from bandstrap.experiments.theorem1.lock_in import (
    expected_regret,
    local_exponent,
    npb_pull_log_probability,
    wb_pull_log_probability,
)
from bandstrap.simulation import Runner, Trace

WINDOW = 40.0  # decades
GAMMAS = (0.95, 0.75, 0.5, 0.25, 0.15)  # with the last the theorem asks for log T > 10²³²
PLAYABLE = 1e9  # rounds
FAR = (1e3, 1e4, 1e6, 1e9)  # log10 of horizons where only the bound is computed
TAILS = {"npb": npb_pull_log_probability, "wb": wb_pull_log_probability}


class Theorem1(Experiment):
    """Arm 1 is Bernoulli ½, arm 2 is known to pay ¼; NPB beside WB = TS."""

    name: ClassVar[str] = "theorem1"
    title: ClassVar[str] = "Theorem 1: near-linear regret of NPB"

    def run(self, settings: Settings, runner: Runner) -> list[Trace]:
        last = float(settings.horizon) if settings.horizon else (1e60 if settings.quick else 1e300)
        points = 60 if settings.quick else 300
        horizons = np.unique(np.geomspace(10.0, max(last, 100.0), points))
        return self.run_at(horizons, [name for name in settings.policies or TAILS if name in TAILS])

    def run_at(self, horizons: Array, names: Iterable[str] = tuple(TAILS)) -> list[Trace]:
        """The expected regret at these horizons."""
        return [_trace(name, horizons, expected_regret(horizons, TAILS[name])) for name in names]

    def check(self, settings: Settings, traces: list[Trace]) -> list[Claim]:
        claims = [
            bad_history(check_bad_history(500 if settings.quick else 5000)),
            truncated_geometric(check_truncated_geometric()),
        ]
        found = by_name(traces)
        if {("two-arm", "npb"), ("two-arm", "wb")} <= set(found):
            both = found["two-arm", "npb"], found["two-arm", "wb"]
            claims += [near_linear(*both), in_numbers(*both)]
        return claims

    def plot(self, settings: Settings, traces: list[Trace], path: Path) -> None:
        # Axes in log10: a log axis with margins would leave the range of floats.
        drawing, axes = figure(2, 1, width=6.4, height=7.0)
        regret, exponent = axes[0, 0], axes[1, 0]
        for position, trace in enumerate(traces):
            style = {**look(trace.policy, position), "linewidth": 1.8}
            style["label"] = {"npb": "NPB", "wb": "WB = TS"}.get(trace.policy, trace.policy)
            decades = np.log10(trace.rounds)
            regret.plot(decades, np.log10(trace.mean()), **style)
            exponent.plot(decades, local_exponent(trace.rounds, trace.mean()), **style)
        decades = np.log10(traces[0].rounds)
        for bound, dashes, label in (
            (lemma_bound_exact_tail(traces[0].rounds), "-.", "lemma with the exact tail"),
            (lemma_bound(traces[0].rounds), ":", "lemma's bound"),
        ):
            with np.errstate(divide="ignore"):
                regret.plot(
                    decades, np.log10(bound), color="#777777", linestyle=dashes, label=label
                )
        regret.set(ylabel="expected regret", title="Bernoulli ½ against a known ¼")
        exponent.set(xlabel="horizon T", ylabel="d log R / d log T", ylim=(-0.02, 1.0))
        for axis in (regret.xaxis, regret.yaxis, exponent.xaxis):
            axis.set_major_formatter(lambda x, _: f"$10^{{{x:.0f}}}$")
        regret.legend(frameon=False)
        save(drawing, path)


def _trace(name: str, horizons: Array, regret: Array) -> Trace:
    reward = 0.5 * horizons - regret
    nothing = np.zeros(horizons.size)
    return Trace("theorem1", "two-arm", name, horizons, regret[None], reward[None], nothing)


def bad_history(found: BadHistoryCheck) -> Claim:
    return Claim(
        "C4",
        "after m zeros, P(1, m+1) < exp(−(m+2) log(m+2)/20) < exp(−m log m/20) for m ≥ 15",
        Verdict.REPRODUCED if found.holding == found.checked else Verdict.IN_PART,
        f"holds for {found.holding} of {found.checked} values of m from {FIRST_M} on, by the exact "
        f"binomial tail\nsmallest margin {found.smallest_margin:.3f} in the logarithm, at m = "
        f"{found.smallest_margin_at}",
    )


def truncated_geometric(found: TruncatedGeometricCheck) -> Claim:
    holds = found.equal == found.checked and found.bounded == found.checked
    return Claim(
        "C5",
        "E[Z] = (1/p − 1)(1 − (1−p)^l) ≥ ½ min{1/p − 1, l(1−p)} for the truncated geometric",
        Verdict.REPRODUCED if holds else Verdict.NOT_REPRODUCED,
        f"mean equal at {found.equal} and bound valid at {found.bounded} of {found.checked} points "
        "(p, l), in rational numbers or sixty digits\ntightest ratio "
        f"{found.tightest_ratio:.4f} at p = {found.tightest_at[0]:g}, l = {found.tightest_at[1]}",
    )


def _window_exponents(trace: Trace) -> tuple[list[float], Array]:
    """Growth exponents over windows of WINDOW decades from 10²⁰ on, and where these end.

    P(1, m+1) falls in steps, whenever ⌈(m+2)/4⌉ changes, so the local exponent swings with a
    period of some two decades; over wide windows the swing averages out.
    """
    edges = np.arange(20.0, np.log10(trace.rounds[-1]) + 1e-9, WINDOW)
    logs = np.interp(edges, np.log10(trace.rounds), np.log10(trace.mean()))
    return list(np.diff(logs) / WINDOW), edges[1:]


def near_linear(npb: Trace, wb: Trace) -> Claim:
    """The theorem, which is about horizons beyond all computation, and what is seen on the way."""
    regret, flat = npb.mean(), wb.mean()
    exponents, ends = _window_exponents(npb)
    windows = ", ".join(f"{e:.3f} up to 10^{x:.0f}" for e, x in zip(exponents, ends, strict=True))
    rising = _outcome(bool((np.diff(exponents) > 0).all())) if len(ends) > 1 else Outcome.OPEN
    far = ", ".join(f"{guaranteed_exponent(x):.3f} at T = 10^{x:.0e}" for x in FAR)
    stated = sum(map(lemma_gives_theorem1, GAMMAS))
    early = np.interp(4.0, np.log10(wb.rounds), flat)
    statements = [
        Statement(
            "the lemma gives more than T^(1−γ)/32 at the theorem's own T ≥ exp((2/γ) exp(80/γ))",
            _outcome(stated == len(GAMMAS)),
            f"for {stated} of {len(GAMMAS)} values of γ, {GAMMAS[0]} … {GAMMAS[-1]}",
        ),
        Statement(
            "regret above the lemma's exact-tail bound at every T",
            _outcome(bool((regret >= lemma_bound_exact_tail(npb.rounds)).all())),
            f"{regret[-1]:.3g} at T = {npb.rounds[-1]:.0e}; exponent that the bound guarantees "
            f"further out: {far}",
        ),
        Statement(
            "the exponent rises",
            rising,
            f"over windows of {WINDOW:.0f} decades: {windows or 'too short'}",
        ),
        Statement(
            "TS = WB stays flat",
            _outcome(bool(flat[-1] < 1.001 * early)),
            f"{flat[-1]:.4f} at the last T and {early:.4f} at 10⁴",
        ),
    ]
    return Claim(
        "C6",
        "NPB's regret on Bernoulli ½ against a known ¼ is near-linear; TS = WB stays flat",
        verdict_of(statements),
        "\n".join([count_of(statements), *map(str, statements)]),
    )


def in_numbers(npb: Trace, wb: Trace) -> Claim:
    """What the theorem means for horizons that can be played."""
    ratio, decades = np.log(npb.mean() / wb.mean()), np.log10(npb.rounds)
    worse = ratio > 0
    around = slice(max(int(worse.argmax()) - 1, 0), int(worse.argmax()) + 1)
    crossing = f"T ≈ 10^{np.interp(0.0, ratio[around], decades[around]):.1f}"
    exponents, ends = _window_exponents(npb)
    outcome = Outcome.OPEN
    if npb.rounds[-1] >= PLAYABLE:
        outcome = _outcome(bool(worse[npb.rounds <= PLAYABLE][-1]))
    numbers = f"NPB is the better of the two until {crossing if worse.any() else 'the last T'}"
    if exponents:
        numbers += f"; its regret has exponent {exponents[-1]:.3f} by T = 10^{ends[-1]:.0f}"
    statement = Statement(f"NPB worse than WB at T = {PLAYABLE:.0e}", outcome, numbers)
    text = "C6 in numbers, beyond the text: NPB loses to TS = WB at horizons that can be played"
    return Claim("C6-numbers", text, verdict_of([statement]), str(statement))


def _outcome(holds: bool) -> Outcome:
    return Outcome.HOLDS if holds else Outcome.FAILS
