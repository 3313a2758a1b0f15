"""Theorem 2: NPB after enough forced pulls has regret O(T^⅔) (C7).

The bound is the proof's, with m = ⌈16 log T / D²⌉ pulls of each arm; the theorem prints m = ⌈D⌉,
which is 1 for T ≥ 68. D = (16 log T / T)^⅓ balances the two terms in T at gap 1; the best D is
(32 gap log T / T)^⅓. Either way the bound grows as T^⅔ (log T)^⅓: the theorem's O(T^⅔) leaves the
logarithm out.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from bandstrap.arrays import Array
from bandstrap.environments import Bernoulli
from bandstrap.errors import InvalidInput
from bandstrap.experiments.base import Claim, Experiment, Settings, Verdict
from bandstrap.experiments.ranking import Ranking
from bandstrap.experiments.style import figure, save
from bandstrap.policies import ForcedPulls
from bandstrap.simulation import Cell, Runner, Trace

GAPS = (0.05, 0.1, 0.2, 0.4)
SLACK = 0.03  # the exponent is fitted after dividing by (log T)^⅓; this much is left to chance


class Theorem2(Experiment):
    """Two Bernoulli arms around 1/2, several gaps, horizons 10³ to 10⁶."""

    name: ClassVar[str] = "theorem2"
    title: ClassVar[str] = "Theorem 2: NPB with forced exploration"

    def run(self, settings: Settings, runner: Runner) -> list[Trace]:
        runs, last = settings.runs_and_rounds(full=(100, 1_000_000), quick=(50, 20_000))
        exponents = np.linspace(min(3.0, np.log10(last)), np.log10(last), 4)
        horizons = sorted({round(10**exponent) for exponent in exponents})
        worlds = {gap: Bernoulli(means=(0.5 + gap / 2, 0.5 - gap / 2)) for gap in GAPS}
        policies = {T: ForcedPulls.for_horizon(T) for T in horizons}
        cells = [
            Cell(
                self.name, f"bernoulli-gap-{gap:g}", f"npb-forced-{T}", world, policies[T], T, runs
            )
            for gap, world in worlds.items()
            for T in horizons
        ]
        return runner.run(cells)

    def check(self, settings: Settings, traces: list[Trace]) -> list[Claim]:
        horizons, regret = _final_regret(traces)
        bounds = np.array([[theorem2_bound(T, gap) for T in horizons] for gap in GAPS])
        below = bool((regret <= bounds).all())
        worst = regret.max(axis=0)
        claim = "NPB after m forced pulls of each arm has O(T^⅔) regret (m as in the proof)"
        if len(horizons) < 3:
            evidence = f"regret {worst[-1]:.0f} at T = {horizons[-1]:.0f}: too few horizons to fit"
            return [Claim("C7", claim, Verdict.UNDECIDED, evidence)]
        raw, raw_error = fitted_exponent(horizons, worst)
        slope, error = fitted_exponent(horizons, worst / np.log(horizons) ** (1 / 3))
        shown = below and slope - 2 * error <= 2 / 3 + SLACK
        verdict = Verdict.REPRODUCED if shown else Verdict.NOT_REPRODUCED
        evidence = (
            f"{traces[0].runs} runs, T = {horizons[0]:.0f} … {horizons[-1]:.0f}, gaps {GAPS}: "
            f"worst regret {', '.join(f'{r:.0f}' for r in worst)}\nfitted exponent {raw:.3f} ± "
            f"{raw_error:.3f}, {slope:.3f} ± {error:.3f} after dividing by (log T)^⅓\nlargest "
            f"share of the appendix's bound {(regret / bounds).max():.2f}"
        )
        return [Claim("C7", claim, verdict, evidence)]

    def rankings(self, settings: Settings, traces: Sequence[Trace]) -> list[Ranking]:
        return []  # one policy

    def plot(self, settings: Settings, traces: list[Trace], path: Path) -> None:
        horizons, regret = _final_regret(traces)
        drawing, axes = figure(1, 1, width=5.6, height=4.2)
        axis = axes[0, 0]
        shades = np.linspace(0.0, 0.65, len(GAPS))
        for gap, curve, shade, mark in zip(GAPS, regret, shades, "osD^", strict=True):
            axis.loglog(horizons, curve, marker=mark, color=str(shade), label=f"gap {gap:g}")
        bound = [max(theorem2_bound(T, gap) for gap in GAPS) for T in horizons]
        axis.loglog(horizons, bound, color="#b3372b", linestyle="--", label="bound of the appendix")
        guide = regret.max() * (horizons / horizons[-1]) ** (2 / 3)
        axis.loglog(horizons, guide, color="#3f9d8c", linestyle=":", label="slope ⅔")
        axis.set(xlabel="horizon T", ylabel="regret at T", title="NPB after forced pulls")
        axis.legend(frameon=False)
        save(drawing, path)


def _final_regret(traces: list[Trace]) -> tuple[Array, Array]:
    """Horizons, and the mean regret at each of them, (gaps, horizons)."""
    horizons = np.array(sorted({int(trace.rounds[-1]) for trace in traces}), dtype=np.float64)
    final = np.array([trace.mean()[-1] for trace in traces])
    return horizons, final.reshape(len(GAPS), horizons.size)


def theorem2_bound(horizon: float, gap: float) -> float:
    """16 gap / D² log T + D T + gap + 4: the most that two arms `gap` apart can cost by T.

    >>> round(theorem2_bound(10**6, 0.1))
    66514
    """
    if not horizon > 1:
        raise InvalidInput("horizon", horizon, "give a horizon above 1, where log T is positive")
    if not 0 <= gap <= 1:
        raise InvalidInput("gap", gap, "give a gap from 0 to 1")
    log_T = float(np.log(horizon))
    D = (16 * log_T / horizon) ** (1 / 3)
    return float(16 * gap / D**2 * log_T + D * horizon + gap + 4)


def fitted_exponent(horizons: ArrayLike, regrets: ArrayLike) -> tuple[float, float]:
    """The least-squares slope of log R on log T and its standard error (NaN from two points)."""
    x, y = np.log(np.asarray(horizons, dtype=float)), np.log(np.asarray(regrets, dtype=float))
    if x.shape != y.shape or np.unique(x).size < 2:
        raise InvalidInput("horizons", horizons, "give two horizons or more, and a regret for each")
    x = x - x.mean()
    spread = float(x @ x)
    slope = float(x @ y) / spread
    residual = y - y.mean() - slope * x
    free = x.size - 2
    error = float(np.sqrt(residual @ residual / free / spread)) if free else float("nan")
    return slope, error
