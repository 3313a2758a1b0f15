"""What a round costs, beside the paper's figures and beside the paper's own recipe (C11)."""

from collections.abc import Collection
from pathlib import Path
from typing import Any, ClassVar

from bandstrap.experiments.base import Claim, Experiment, Settings, Verdict
from bandstrap.experiments.figure2.lineup import COVTYPE, MNIST, QUICK, Lineup
from bandstrap.experiments.figure2.plot import style
from bandstrap.experiments.runtime import recipe
from bandstrap.experiments.runtime.costs import PAPER, against_paper, against_recipe, curve, table
from bandstrap.experiments.statements import verdict_of
from bandstrap.experiments.style import figure, save
from bandstrap.policies.registry import CONTEXTUAL
from bandstrap.simulation import Runner, Trace
from bandstrap.storage.files import write_text

TIMED = (
    *("ucb-lin", "ts-lin", "eg-lin", "eg-log", "npb-log", "wb-log"),
    *("wb-log-onestep", "wb-log-gaussian", "wb-log-grouped", "wb-log-replicas"),
    *("ts-laplace", "ensemble-log", "tree-heuristic"),
    *("npb-nn-budgeted", "wb-nn-budgeted", "wb-nn-shared", "wb-nn-heads", "ensemble-nn"),
    *("npb-log-paper", "wb-log-paper", "npb-nn", "wb-nn"),
)
LENGTHS = (1000, 5000, 20_000)  # of the history when the recipe is timed
QUICK_LENGTHS = (100, 250)
DRAWS = 3
EARLY = 50  # rounds before this are too few to time
CLOSE = 1.2  # costs within this ratio share a label


class Runtime(Experiment):
    """One timed run of each policy, and the recipe timed at several lengths of history.

    The runs are the first of figure 2, so a folder that holds those does not play them again. They
    may be timed while other cores are busy.
    """

    name: ClassVar[str] = "runtime"
    title: ClassVar[str] = "Cost of a round with contexts"
    known: ClassVar[Collection[str]] = CONTEXTUAL

    def prepare(self, settings: Settings) -> None:
        for lineup in _lineups(settings):
            assert lineup.environment(settings).data  # the error says which file to put where

    def run(self, settings: Settings, runner: Runner) -> list[Trace]:
        size = settings.size(full=(1, 50_000), quick=(1, 300))
        cells = [
            cell for each in _lineups(settings) for cell in each.cells(self.name, settings, size)
        ]
        lengths = [t for t in (QUICK_LENGTHS if settings.quick else LENGTHS) if t < size[1]]
        # Timed first, while nothing else uses the machine.
        recipes = [
            recipe.timed(
                self.name, each.environment(settings), tuple(lengths or [1]), DRAWS, runner.seed
            )
            for each in _lineups(settings)
        ]
        return runner.run(cells) + recipes

    def check(self, settings: Settings, traces: list[Trace]) -> list[Claim]:
        statements = [*against_paper(traces), *against_recipe(traces)]
        claim = (
            "cost per round: CovType logistic NPB 0.15 s, WB 0.16 s; MNIST logistic 1.16 / 1.88 s; "
            "MNIST network 1.16 / 1.69 s: ours costs no more, and less than the recipe"
        )
        verdict = verdict_of(statements)
        evidence = "\n".join(map(str, statements)) or "nothing that the paper timed was played"
        if any(trace.environment == QUICK for trace in traces):
            evidence = f"played on {QUICK}, which decides nothing here\n{evidence}"
            verdict = Verdict.UNDECIDED
        return [Claim("C11", claim, verdict, evidence)]

    def plot(self, settings: Settings, traces: list[Trace], path: Path) -> None:
        names = list(dict.fromkeys(trace.environment for trace in traces))
        drawing, axes = figure(1, len(names), width=8.0 * len(names), height=6.0)
        for axis, name in zip(axes.flat, names, strict=True):
            _panel(axis, name, [trace for trace in traces if trace.environment == name])
        drawing.suptitle("CPU time of a round; stars: the paper's recipe with scikit-learn")
        save(drawing, path)
        write_text(path.with_name("table.md"), table(traces), "choose another --out")


def _lineups(settings: Settings) -> list[Lineup]:
    """Both data sets; a quick run has one in place of both."""
    return [each.of(TIMED) for each in ((COVTYPE,) if settings.quick else (COVTYPE, MNIST))]


def _panel(axis: Any, name: str, traces: list[Trace]) -> None:
    for position, trace in enumerate(traces):
        rounds, seconds = curve(trace, ratio=1.6)
        if trace.policy == recipe.NAME:
            axis.loglog(rounds, 1e3 * seconds, "k*", markersize=11, label=trace.policy)
            continue
        keep = rounds >= EARLY
        look = {**style(trace.policy, position), "markevery": (position % 4, 4)}
        axis.loglog(rounds[keep], 1e3 * seconds[keep], label=trace.policy, markersize=4, **look)
    for names, cost in _papers(name):
        axis.annotate(f"paper: {names}", (1.0, 1e3 * cost), xycoords=("axes fraction", "data"),
                      ha="right", va="bottom", fontsize=7, color="#666666")  # fmt: skip
    for (data, _), cost in PAPER.items():
        if data == name:
            axis.axhline(1e3 * cost, color="#bbbbbb", linewidth=0.8)
    axis.set(title=name, xlabel="round", ylabel="ms a round")
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
