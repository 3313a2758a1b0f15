"""What a round costs, beside the paper's figures and beside the paper's own recipe (C11)."""

from collections.abc import Collection
from pathlib import Path
from typing import ClassVar

from bandstrap.experiments.base import Claim, Experiment, Settings, Verdict
from bandstrap.experiments.figure2.lineups import COVTYPE, MNIST
from bandstrap.experiments.lineup import QUICK, Lineup
from bandstrap.experiments.runtime import recipe
from bandstrap.experiments.runtime.costs import against_paper, against_recipe, table
from bandstrap.experiments.runtime.plot import draw
from bandstrap.experiments.statements import verdict_of
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


class Runtime(Experiment):
    """One run of each policy, timed; the recipe timed at several lengths of history.

    The runs are the first of figure 2, so that those which a folder already holds are not played
    again; their seconds are of a core whose neighbours were at work as well.
    """

    name: ClassVar[str] = "runtime"
    title: ClassVar[str] = "Cost of a round with contexts"
    known: ClassVar[Collection[str]] = CONTEXTUAL

    def prepare(self, settings: Settings) -> None:
        for lineup in _lineups(settings):
            assert lineup.environment(settings).data  # or it says where to put which file

    def run(self, settings: Settings, runner: Runner) -> list[Trace]:
        size = settings.size(full=(1, 50_000), quick=(1, 300))
        cells = [
            cell for each in _lineups(settings) for cell in each.cells(self.name, settings, size)
        ]
        lengths = [t for t in (QUICK_LENGTHS if settings.quick else LENGTHS) if t < size[1]]
        # Before the others, while nothing else takes the machine's memory away from it.
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
            evidence = f"played on {QUICK} alone, of which the paper says nothing\n{evidence}"
            verdict = Verdict.UNDECIDED
        return [Claim("C11", claim, verdict, evidence)]

    def plot(self, settings: Settings, traces: list[Trace], path: Path) -> None:
        draw(traces, path)
        write_text(path.with_name("table.md"), table(traces), "choose another --out")


def _lineups(settings: Settings) -> list[Lineup]:
    """Both data sets; a quick run has one that stands for both."""
    return [each.of(TIMED) for each in ((COVTYPE,) if settings.quick else (COVTYPE, MNIST))]
