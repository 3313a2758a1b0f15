"""What a round costs, beside the paper's figures and beside the paper's own recipe (C11, C13)."""

from collections.abc import Collection
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from bandstrap.environments import Labelled
from bandstrap.experiments.base import Claim, Experiment, Settings, Verdict
from bandstrap.experiments.figure2.lineup import QUICK
from bandstrap.experiments.figure2.players import KNOWN, TREES, policy_of
from bandstrap.experiments.figure2.plot import style
from bandstrap.experiments.figure2.readings import judged
from bandstrap.experiments.runtime import recipe
from bandstrap.experiments.runtime.costs import (
    PAPER,
    against_paper,
    against_recipe,
    against_trees,
    curve,
    table,
)
from bandstrap.experiments.runtime.history import History, timed
from bandstrap.experiments.statements import HORIZON, count_of, verdict_of
from bandstrap.experiments.style import figure, save
from bandstrap.simulation import Runner, Trace
from bandstrap.storage.files import write_text

TIMED = (
    *("ucb-lin", "ts-lin", "eg-lin", "eg-log", "npb-log", "wb-log"),
    *("wb-log-onestep", "wb-log-gaussian", "wb-log-grouped", "wb-log-replicas"),
    *("ts-laplace", "ensemble-log", *TREES, "tree-heuristic-30"),
    *("npb-nn-budgeted", "wb-nn-budgeted", "wb-nn-shared", "wb-nn-heads", "ensemble-nn"),
    *("npb-log-paper", "wb-log-paper", "npb-log-paper-first", "wb-log-paper-first"),
    *("npb-nn", "wb-nn"),
)
DATA = ("covtype", "mnist")
LENGTHS = (1000, 5000, 20_000, HORIZON)  # of the history when rounds are timed
QUICK_LENGTHS = (100, 250)
DRAWS = 10
CLOSE = 1.2  # costs within this ratio share a label


class Runtime(Experiment):
    """Rounds of every policy and of the recipe, timed on one history at several lengths of it."""

    name: ClassVar[str] = "runtime"
    title: ClassVar[str] = "Cost of a round with contexts"
    known: ClassVar[Collection[str]] = KNOWN

    def prepare(self, settings: Settings) -> None:
        for world in _worlds(settings):
            assert world.data  # the error says which file to put where

    def run(self, settings: Settings, runner: Runner) -> list[Trace]:
        usual = QUICK_LENGTHS if settings.quick else LENGTHS
        most = settings.horizon or usual[-1]
        lengths = [t for t in usual if t <= most] or [most]
        return [
            trace
            for world in _worlds(settings)
            for trace in self._timed(world, lengths, settings, runner.seed)
        ]

    def _timed(
        self, world: Labelled, lengths: list[int], settings: Settings, seed: int
    ) -> list[Trace]:
        """One after the other: at once they would slow each other down."""
        history = History(world, lengths[-1] + DRAWS, seed)
        costs = {recipe.NAME: recipe.timed(history, lengths, DRAWS)}
        for name in settings.chosen(KNOWN, TIMED):
            costs[name] = timed(policy_of(name, world), history, lengths, DRAWS)
        return [history.trace(self.name, name, each, DRAWS) for name, each in costs.items()]

    def check(self, settings: Settings, traces: list[Trace]) -> list[Claim]:
        statements = [*against_paper(traces), *against_recipe(traces)]
        claim = (
            "cost per round: CovType logistic NPB 0.15 s, WB 0.16 s; MNIST logistic 1.16 / 1.88 s; "
            "MNIST network 1.16 / 1.69 s: ours costs no more, and less than the recipe"
        )
        evidence = "\n".join([count_of(statements), *map(str, statements)])
        claims = [_on(settings, Claim("C11", claim, verdict_of(statements), evidence))]
        for name in dict.fromkeys(trace.environment for trace in traces):
            some = [trace for trace in traces if trace.environment == name]
            if {trace.policy for trace in some} & {*TREES, "tree-heuristic-30"}:
                claims.append(_on(settings, _trees(name, some)))
        return claims

    def plot(self, settings: Settings, traces: list[Trace], path: Path) -> None:
        names = list(dict.fromkeys(trace.environment for trace in traces))
        drawing, axes = figure(1, len(names), width=8.0 * len(names), height=6.0)
        for axis, name in zip(axes.flat, names, strict=True):
            _panel(axis, name, [trace for trace in traces if trace.environment == name])
        drawing.suptitle("CPU time of a round; stars: the paper's recipe with scikit-learn")
        save(drawing, path)
        write_text(path.with_name("table.md"), table(traces), "choose another --out")


def _worlds(settings: Settings) -> list[Labelled]:
    """Both data sets; a quick run has one in place of both."""
    return [Labelled(name) for name in ((QUICK,) if settings.quick else DATA)]


def _trees(dataset: str, traces: list[Trace]) -> Claim:
    verdict, lines = judged("C13-cost", partial(against_trees, traces))
    return Claim(
        "C13-cost" if dataset != "mnist" else "C13-cost-mnist",
        f"{dataset}: bootstrapping by warm-started optimisation is faster than the tree bootstrap "
        "of Elmachtoub et al.",
        verdict,
        "\n".join(lines),
    )


def _on(settings: Settings, claim: Claim) -> Claim:
    """The claim, undecided if a quick run's data stood in for the paper's."""
    if not settings.quick:
        return claim
    evidence = f"timed on {QUICK}, which decides nothing here\n{claim.evidence}"
    return Claim(claim.id, claim.claim, Verdict.UNDECIDED, evidence)


def _panel(axis: Any, name: str, traces: list[Trace]) -> None:
    for position, trace in enumerate(traces):
        lengths, seconds = curve(trace)
        if trace.policy == recipe.NAME:
            axis.loglog(lengths, 1e3 * seconds, "k*", markersize=11, label=trace.policy)
            continue
        look = {**style(trace.policy, position), "markevery": 1}
        axis.loglog(lengths, 1e3 * seconds, label=trace.policy, markersize=4, **look)
    for names, cost in _papers(name):
        axis.annotate(f"paper: {names}", (1.0, 1e3 * cost), xycoords=("axes fraction", "data"),
                      ha="right", va="bottom", fontsize=7, color="#666666")  # fmt: skip
    for (data, _), cost in PAPER.items():
        if data == name:
            axis.axhline(1e3 * cost, color="#bbbbbb", linewidth=0.8)
    axis.set(title=name, xlabel="length of history", ylabel="ms a round")
    axis.legend(frameon=False, fontsize=7, loc="center left", bbox_to_anchor=(1.0, 0.5))


def _papers(name: str) -> list[tuple[str, float]]:
    """The paper's costs with their policies; costs too close to label apart share a label."""
    groups: list[tuple[str, float]] = []
    costs = [(cost, policy) for (data, policy), cost in PAPER.items() if data == name]
    for cost, policy in sorted(costs):
        if groups and cost < CLOSE * groups[-1][1]:
            groups[-1] = (f"{groups[-1][0]}, {policy}", cost)
        else:
            groups.append((policy, cost))
    return groups
