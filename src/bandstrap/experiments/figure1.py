"""Figure 1 and its appendix: regret of TS, NPB and WB on four reward distributions."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from bandstrap.environments import ENVIRONMENTS
from bandstrap.experiments.base import Claim, Experiment, Settings, Verdict, by_name, policy_named
from bandstrap.experiments.compare import THRESHOLD, Difference, difference, final
from bandstrap.experiments.style import figure, regret_axes, save
from bandstrap.policies import POLICIES
from bandstrap.simulation import Cell, Runner, Trace

ENVIRONMENT_NAMES = ("bernoulli", "truncated-normal", "beta", "triangular")
POLICY_NAMES = ("wb", "npb", "npb-binomial", "ts")


@dataclass(frozen=True)
class _Orders:
    """What the paper says of one environment, as differences that should be positive or zero."""

    positive: list[Difference]
    zero: list[Difference]

    @property
    def shown(self) -> int:
        equal = [d for d in self.zero if not (d.above or d.below)]
        return sum(d.above for d in self.positive) + len(equal)

    @property
    def contradicted(self) -> int:
        unequal = [d for d in self.zero if d.above or d.below]
        return sum(d.below for d in self.positive) + len(unequal)

    @property
    def total(self) -> int:
        return len(self.positive) + len(self.zero)


class Figure1(Experiment):
    """K = 10 arms, 10⁴ rounds, 10³ runs."""

    name: ClassVar[str] = "figure1"
    title: ClassVar[str] = "Figure 1: regret with K = 10 arms"
    claim_id: ClassVar[str] = "C8"
    n_arms: ClassVar[int] = 10
    known: ClassVar[Collection[str]] = POLICIES

    def run(self, settings: Settings, runner: Runner) -> list[Trace]:
        runs, horizon = settings.size(full=(1000, 10_000), quick=(200, 1000))
        arms = settings.arms or self.n_arms
        cells = [
            Cell(self.name, env, name, ENVIRONMENTS[env](arms), policy_named(name), horizon, runs)
            for env in ENVIRONMENT_NAMES
            for name in settings.chosen(self.known, POLICY_NAMES)
        ]
        return runner.run(cells)

    def check(self, settings: Settings, traces: list[Trace]) -> list[Claim]:
        found = by_name(traces)
        names = {trace.policy for trace in traces}
        if not names.issuperset({"wb", "npb", "ts"}):
            return []
        orders = {env: self._order(found, env) for env in ENVIRONMENT_NAMES}
        evidence = "\n".join(
            f"{env}: {', '.join(final(found[env, name]) for name in ('wb', 'npb', 'ts'))}; "
            f"{', '.join(map(str, o.positive + o.zero))}"
            for env, o in orders.items()
        )
        claim = (
            f"K = {settings.arms or self.n_arms}: Bernoulli: NPB worse than TS = WB; "
            "truncated normal, beta, triangular: WB < NPB < TS with rounding"
        )
        verdict, tally = _verdict(list(orders.values()))
        sizes = f"{traces[0].runs} runs, {traces[0].rounds[-1]} rounds, paired: {tally}\n"
        return [Claim(self.claim_id, claim, verdict, sizes + evidence + self._binomial(found))]

    def _order(self, found: dict[tuple[str, str], Trace], env: str) -> _Orders:
        wb, npb, ts = (found[env, name] for name in ("wb", "npb", "ts"))
        if env == "bernoulli":
            return _Orders([difference(npb, wb), difference(npb, ts)], [difference(wb, ts)])
        return _Orders([difference(npb, wb), difference(ts, npb)], [])

    def _binomial(self, found: dict[tuple[str, str], Trace]) -> str:
        """What the other reading of NPB gives: the binomial estimator on real rewards."""
        if ("beta", "npb-binomial") not in found:
            return ""
        parts = [
            f"{env} {difference(found[env, 'npb-binomial'], found[env, 'ts'])}"
            for env in ENVIRONMENT_NAMES[1:]
        ]
        return f"\nRead as the binomial estimator instead: {'; '.join(parts)}"

    def plot(self, settings: Settings, traces: list[Trace], path: Path) -> None:
        drawing, axes = figure(1, len(ENVIRONMENT_NAMES), width=13.0, height=3.7)
        for axis, env in zip(axes.flat, ENVIRONMENT_NAMES, strict=True):
            regret_axes(axis, [trace for trace in traces if trace.environment == env], env)
        axes.flat[0].set_ylabel("cumulative regret")
        handles, labels = axes.flat[0].get_legend_handles_labels()
        drawing.legend(
            handles, labels, loc="outside lower center", ncols=len(labels), frameon=False
        )
        drawing.suptitle(f"K = {settings.arms or self.n_arms} arms, {traces[0].runs} runs")
        save(drawing, path)


class Figure1K5(Figure1):
    """The appendix, K = 5."""

    name: ClassVar[str] = "figure1-k5"
    title: ClassVar[str] = "Figure 1 (appendix): regret with K = 5 arms"
    claim_id: ClassVar[str] = "C8-k5"
    n_arms: ClassVar[int] = 5


class Figure1K2(Figure1):
    """The appendix, K = 2."""

    name: ClassVar[str] = "figure1-k2"
    title: ClassVar[str] = "Figure 1 (appendix): regret with K = 2 arms"
    claim_id: ClassVar[str] = "C8-k2"
    n_arms: ClassVar[int] = 2


def _verdict(orders: list[_Orders]) -> tuple[Verdict, str]:
    """The verdict, and how many of the paper's comparisons came out which way."""
    total, shown, contradicted = (
        sum(getattr(order, name) for order in orders) for name in ("total", "shown", "contradicted")
    )
    tally = (
        f"{shown} of {total} comparisons hold, {total - shown - contradicted} are within "
        f"{THRESHOLD} standard errors of none, {contradicted} come out the other way"
    )
    if shown == total:
        return Verdict.REPRODUCED, tally
    if contradicted > shown:
        return Verdict.NOT_REPRODUCED, tally
    # The zero differences alone hold on any small sample.
    if not any(d.above or d.below for order in orders for d in order.positive):
        return Verdict.UNDECIDED, tally
    return Verdict.IN_PART, tally
