"""Figure 1 and its appendix: regret of TS, NPB and WB on four reward distributions."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import ClassVar

from bandstrap.environments import ENVIRONMENTS, Environment
from bandstrap.experiments.base import Claim, Experiment, Settings, Verdict, by_name
from bandstrap.experiments.statements import Statement, regret_difference, tally_of, verdict_of
from bandstrap.experiments.style import figure, regret_axes, save
from bandstrap.policies import POLICIES
from bandstrap.problem import Problem
from bandstrap.simulation import Cell, Runner, Trace

ENVIRONMENT_NAMES = ("bernoulli", "truncated-normal", "beta", "triangular")
POLICY_NAMES = ("wb", "npb", "npb-binomial", "ts")
EQUAL = "wb equals ts"
STATED = 10  # the number of arms that the text speaks of

Found = Mapping[tuple[str, str], Trace]


class Figure1(Experiment):
    """K = 10 arms, 10⁴ rounds, 10³ runs."""

    name: ClassVar[str] = "figure1"
    title: ClassVar[str] = "Figure 1: regret with K = 10 arms"
    claim_id: ClassVar[str] = "C8"
    n_arms: ClassVar[int] = 10
    runs: ClassVar[int] = 1000
    short_runs: ClassVar[int] = 1000
    known: ClassVar[Collection[str]] = POLICIES

    def run(self, settings: Settings, runner: Runner) -> list[Trace]:
        full, short = (self.runs, 10_000), (self.short_runs, 10_000)
        runs, horizon = settings.runs_and_rounds(full, (200, 1000), short)
        chosen = {name: POLICIES[name]() for name in settings.chosen(self.known, POLICY_NAMES)}
        cells = [
            Cell(self.name, env, name, world, policy, horizon, runs)
            for env, world in self._worlds(settings).items()
            for name, policy in {**chosen, **settings.own}.items()
        ]
        return runner.run(cells)

    def problems(self, settings: Settings) -> list[Problem]:
        return [world.problem for world in self._worlds(settings).values()]

    def _worlds(self, settings: Settings) -> dict[str, Environment]:
        arms = settings.arms or self.n_arms
        return {name: ENVIRONMENTS[name](arms) for name in ENVIRONMENT_NAMES}

    def check(self, settings: Settings, traces: list[Trace]) -> list[Claim]:
        found = by_name(traces)
        if not {trace.policy for trace in traces} >= {"wb", "npb", "ts"}:
            return []
        arms = settings.arms or self.n_arms
        claim = (
            f"K = {arms}: Bernoulli: NPB worse than TS = WB; "
            "truncated normal, beta, triangular: WB < NPB < TS with rounding"
        )
        if arms != STATED:
            claim = f"beyond the text, which states this order for K = {STATED}: {claim}"
        statements = {env: _order(found, env, "npb") for env in ENVIRONMENT_NAMES}
        every = [each for some in statements.values() for each in some]
        size = f"{traces[0].runs} runs, {traces[0].rounds[-1]} rounds"
        evidence = [f"{size}: {tally_of(every)}, NPB read as resampling of the rewards"]
        for env, some in statements.items():
            finals = ", ".join(_final(found[env, name]) for name in ("wb", "npb", "ts"))
            evidence.append(f"{env}: {finals}; {'; '.join(map(str, some))}")
        if ("beta", "npb-binomial") in found:
            evidence.append(f"NPB read as the binomial estimator: {_binomial(found)}")
        if arms != STATED:
            evidence += _finding(found)
        counted = tally_of(every)
        return [Claim(self.claim_id, claim, _verdict(every), "\n".join(evidence), counted)]

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
    runs: ClassVar[int] = 5000
    short_runs: ClassVar[int] = 500


class Figure1K2(Figure1):
    """The appendix, K = 2."""

    name: ClassVar[str] = "figure1-k2"
    title: ClassVar[str] = "Figure 1 (appendix): regret with K = 2 arms"
    claim_id: ClassVar[str] = "C8-k2"
    n_arms: ClassVar[int] = 2
    runs: ClassVar[int] = 5000
    short_runs: ClassVar[int] = 500


def _order(found: Found, env: str, npb_name: str) -> list[Statement]:
    wb, npb, ts = (found[env, name] for name in ("wb", npb_name, "ts"))
    if env == "bernoulli":
        equal = regret_difference(wb, ts)
        return [_higher(npb, wb), _higher(npb, ts), Statement(EQUAL, equal.even(), str(equal))]
    return [_higher(npb, wb), _higher(ts, npb)]


def _higher(first: Trace, second: Trace) -> Statement:
    difference = regret_difference(first, second)
    return Statement(f"{first.policy} above {second.policy}", difference.above(), str(difference))


def _verdict(statements: list[Statement]) -> Verdict:
    """Equality holds on any small sample, so alone it decides nothing."""
    orders = [each for each in statements if each.text != EQUAL]
    undecided = verdict_of(orders) is Verdict.UNDECIDED
    return Verdict.UNDECIDED if undecided else verdict_of(statements)


def _binomial(found: Found) -> str:
    """The other reading of NPB on rewards that are not binary, with its own verdict."""
    orders = [_order(found, env, "npb-binomial") for env in ENVIRONMENT_NAMES]
    every = [each for some in orders for each in some]
    shown = "; ".join(
        f"{env} {some[-1]}" for env, some in zip(ENVIRONMENT_NAMES[1:], orders[1:], strict=True)
    )
    return f"{_verdict(every)}, {tally_of(every)}; {shown}"


def _finding(found: Found) -> list[str]:
    """Where NPB beats WB, which the text says of no K."""
    compared = [
        (env, regret_difference(found[env, "npb"], found[env, "wb"])) for env in ENVIRONMENT_NAMES
    ]
    lower = [f"{env} {difference}" for env, difference in compared if difference.sign < 0]
    return [f"Finding: NPB is below WB: {'; '.join(lower)}"] if lower else []


def _final(trace: Trace) -> str:
    return f"{trace.policy} {trace.mean()[-1]:.1f} ± {trace.error()[-1]:.1f}"
