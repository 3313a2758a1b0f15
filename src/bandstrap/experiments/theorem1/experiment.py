"""Theorem 1: NPB locks in and loses, exactly computed far past any loop (C4, C5, C6)."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import ClassVar, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from bandstrap.arrays import Array
from bandstrap.experiments.base import Claim, Experiment, Settings, Verdict, by_name
from bandstrap.experiments.statements import Outcome, Statement, tally_of, verdict_of
from bandstrap.experiments.style import figure, save
from bandstrap.experiments.theorem1 import lock_in
from bandstrap.simulation import Runner, Trace
from bandstrap.simulation.curves import look

FIRST_M = 15  # where the paper's lemmas begin
WINDOW = 40.0  # decades
GAMMAS = (0.95, 0.75, 0.5, 0.25, 0.15)  # with the last the theorem asks for log T > 10²³²
PLAYABLE = 1e9  # rounds
FAR = (1e3, 1e4, 1e6, 1e9)  # log10 of horizons where only the bound is computed
TAILS = {"npb": lock_in.npb_pull_log_probability, "wb": lock_in.wb_pull_log_probability}


def lemma_bound(horizons: ArrayLike) -> Array:
    """The lemma's bound at its best m: 2^-m / 8 min(exp(m log m / 20), T / 4), 15 <= m <= T."""
    T, m = _horizons_by_m(horizons)
    logs = np.minimum(m * np.log(m) / 20, np.log(T / 4)) - np.log(8)
    return _best_m(T, m, logs)


def lemma_bound_exact_tail(horizons: ArrayLike) -> Array:
    """What the lemma's proof gives with the exact chance P = P(1, m+1), at the best m.

    Either the bad history is complete by T/2: then step (b) gives min(1/P - 1, T/2 (1-P)) / 8.
    Or arm 2 was pulled floor(T/2) - m times at least. (The paper has floor(T/2) there, as if pulls
    of arm 1 were regret; its conclusion survives where m is below 3T/8 or so.)
    """
    T, m = _horizons_by_m(horizons)
    log_p = lock_in.npb_pull_log_probability(np.ones(m.shape), m + 1)
    log_q = np.log(-np.expm1(log_p))
    late = np.maximum(np.floor(T / 2) - m, 0) * lock_in.GAP
    with np.errstate(divide="ignore"):
        logs = np.minimum(log_q + np.minimum(-log_p, np.log(T / 2)) - np.log(8), np.log(late))
    return _best_m(T, m, logs)


def guaranteed_exponent(log10_horizon: float) -> float:
    """log of the exact-tail bound over log T, for horizons far beyond floating point.

    The best m balances the two sides of the minimum: 1/P(1, m+1) = T/2.
    """
    log_T = log10_horizon * np.log(10)
    low, high = FIRST_M, int(8 * log_T) + FIRST_M
    while high - low > 1:  # 1/P grows with m, but for steps too small to matter here
        middle = (low + high) // 2
        enough = -float(lock_in.npb_pull_log_probability(1.0, middle + 1.0)) >= log_T - np.log(2)
        low, high = (low, middle) if enough else (middle, high)
    bound = -float(lock_in.npb_pull_log_probability(1.0, low + 1.0)) - np.log(8) - low * np.log(2)
    return float(bound / log_T)


def lemma_gives_theorem1(gamma: float) -> bool:
    """Whether the printed lemma gives E[R(T)] > T^(1−γ)/32 where the theorem says so.

    At T = exp((2/γ) exp(80/γ)) and at multiples of its logarithm, with the proof's m; in logarithms
    throughout, and with the terms of the lemma's two sides that are of the order of log T.
    """
    log_T = 2 / gamma * np.exp(80 / gamma) * np.array([1.0, 2.0, 10.0, 1e3, 1e6])
    m = gamma * log_T / 2 + 1  # the proof rounds up
    sides = np.minimum(m * np.log(m) / 20, log_T - np.log(4))
    bound = sides - (m + 3) * np.log(2)
    return bool((bound > (1 - gamma) * log_T - np.log(32)).all())


def _horizons_by_m(horizons: ArrayLike) -> lock_in.Pair:
    """T as a column and m as a row, far enough that T is the smaller side of the minimum."""
    T = np.asarray(horizons, dtype=float).reshape(-1, 1)
    return T, np.arange(FIRST_M, FIRST_M + 2.0 + int(8 * np.log(T.max())))[None, :]


def _best_m(horizons: Array, m: Array, logs: Array) -> Array:
    allowed = np.where(m <= horizons, logs - m * np.log(2), -np.inf)
    return np.asarray(np.exp(allowed.max(axis=1)))


@dataclass(frozen=True)
class BadHistoryCheck:
    """Whether P(1, m+1) < exp(-(m+2) log(m+2)/20) < exp(-m log m/20); margins are in logs."""

    checked: int
    holding: int
    smallest_margin: float
    smallest_margin_at: int
    proof_step_from: int  # step (c) of the proof holds from this m on


def check_bad_history(m_max: int = 5000) -> BadHistoryCheck:
    """C4 at every m from 15 to `m_max`."""
    m = np.arange(FIRST_M, m_max + 1, dtype=float)
    log_p = lock_in.npb_pull_log_probability(np.ones(m.shape), m + 1)
    first, second = -(m + 2) * np.log(m + 2) / 20, -m * np.log(m) / 20
    margin = first - log_p
    at = int(margin.argmin())
    holding = int(np.count_nonzero((margin > 0) & (first < second)))
    step_c = np.exp(5 * (np.log(4) / 4 - 3 / 4 * np.log(3 / 4))) - 2
    return BadHistoryCheck(m.size, holding, float(margin[at]), int(m[at]), int(np.ceil(step_c)))


@dataclass(frozen=True)
class TruncatedGeometricCheck:
    """Whether the mean is as printed, and at least half the minimum; the ratio is to that half."""

    checked: int
    equal: int
    bounded: int
    tightest_ratio: float
    tightest_at: tuple[float, int]


N = TypeVar("N", Fraction, Decimal)


def check_truncated_geometric() -> TruncatedGeometricCheck:
    """C5: in rational numbers for l to 30, with sixty digits for l to 2000."""
    chances = [Fraction(i, 100) for i in range(1, 100)] + [Fraction(1, 10**i) for i in range(3, 7)]
    rows = [_mean_and_half(p, cap) for p, cap in product(chances, range(1, 31))]
    with localcontext(prec=60):
        digits = [Decimal(10) ** -i for i in range(1, 13)] + [Decimal(i) / 10 for i in range(2, 10)]
        for cap in (100, 500, 2000):
            rows += [_mean_and_half(p, cap) for p in (*digits, 1 / Decimal(cap))]
    equal, bounded, ratios, _ = zip(*rows, strict=True)
    _, _, ratio, at = rows[int(np.argmin(ratios))]
    return TruncatedGeometricCheck(len(rows), sum(equal), sum(bounded), ratio, at)


def _mean_and_half(p: N, cap: int) -> tuple[bool, bool, float, tuple[float, int]]:
    """The lemma at p and l = cap: whether both parts hold, and how tight the bound is."""
    mean, by_definition = (1 / p - 1) * (1 - (1 - p) ** cap), _mean_by_definition(p, cap)
    half = min(1 / p - 1, cap * (1 - p)) / 2
    # Fractions must agree exactly; sixty digits lose a few where 1 - (1-p)^l cancels.
    error = 0 if isinstance(p, Fraction) else by_definition / 10**40
    return abs(mean - by_definition) <= error, mean >= half, float(mean / half), (float(p), cap)


def _mean_by_definition(p: N, cap: int) -> N:
    stay, power, total = 1 - p, 1 - p, 0 * p
    for i in range(1, cap):
        total += i * power * p
        power *= stay
    return total + cap * power


class Theorem1(Experiment):
    """Arm 1 is Bernoulli ½, arm 2 is known to pay ¼; NPB beside WB = TS."""

    name: ClassVar[str] = "theorem1"
    title: ClassVar[str] = "Theorem 1: near-linear regret of NPB"

    def run(self, settings: Settings, runner: Runner) -> list[Trace]:
        last, points = settings.at(full=(1e300, 300), quick=(1e60, 60))
        last = float(settings.horizon or last)
        horizons = np.unique(np.geomspace(10.0, max(last, 100.0), points))
        return self.run_at(horizons, [name for name in settings.policies or TAILS if name in TAILS])

    def run_at(self, horizons: Array, names: Iterable[str] = tuple(TAILS)) -> list[Trace]:
        """The expected regret at these horizons."""
        traces, nothing = [], np.zeros(horizons.size)
        for name in names:
            regret = lock_in.expected_regret(horizons, TAILS[name])[None]
            of = (self.name, "two-arm", name, horizons)
            traces.append(Trace(*of, regret, 0.5 * horizons - regret, nothing))
        return traces

    def check(self, settings: Settings, traces: list[Trace]) -> list[Claim]:
        claims = [
            bad_history(check_bad_history(settings.at(full=5000, quick=500))),
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
            exponent.plot(decades, lock_in.local_exponent(trace.rounds, trace.mean()), **style)
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
    counted = tally_of(statements)
    return Claim(
        "C6",
        "NPB's regret on Bernoulli ½ against a known ¼ is near-linear; TS = WB stays flat",
        verdict_of(statements),
        "\n".join([str(counted), *map(str, statements)]),
        counted,
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
    return Claim("C6-numbers", text, verdict_of([statement]), str(statement), tally_of([statement]))


def _outcome(holds: bool) -> Outcome:
    return Outcome.HOLDS if holds else Outcome.FAILS
