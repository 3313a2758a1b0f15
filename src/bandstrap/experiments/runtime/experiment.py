"""What a round costs, beside the paper's figures and beside the paper's own recipe (C11, C13)."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from bandstrap.arrays import Array
from bandstrap.environments import Labelled
from bandstrap.experiments.base import Claim, Experiment, Settings
from bandstrap.experiments.figure2.players import KNOWN, TREES, policy_of
from bandstrap.experiments.figure2.plot import style
from bandstrap.experiments.figure2.readings import Reading, judged
from bandstrap.experiments.ranking import Ranking, Standing, ranked
from bandstrap.experiments.runtime.history import RECIPE, History, timed, timed_recipe
from bandstrap.experiments.runtime.measured import Measured
from bandstrap.experiments.stand_in import STAND_IN, world_of
from bandstrap.experiments.statements import HORIZON, Outcome, Statement, tally_of, verdict_of
from bandstrap.experiments.style import figure, plain_log, save
from bandstrap.problem import Problem
from bandstrap.simulation import Runner, Trace
from bandstrap.storage.files import write_text

PAPER = {  # seconds a round, on average over HORIZON rounds
    ("covtype", "npb-log"): 0.15,
    ("covtype", "wb-log"): 0.16,
    ("mnist", "npb-log"): 1.16,
    ("mnist", "wb-log"): 1.88,
    ("mnist", "npb-nn"): 1.16,
    ("mnist", "wb-nn"): 1.69,
}
LOADING = 100  # the first of this many parts of a run is not timed
TIMED = (
    *("ucb-lin", "ts-lin", "eg-lin", "eg-log", "npb-log", "wb-log"),
    *("wb-log-onestep", "wb-log-gaussian", "wb-log-grouped", "wb-log-replicas"),
    *("ts-laplace", "ensemble-log", *TREES, "tree-heuristic-30", "npb-tree-30"),
    *("npb-nn-budgeted", "wb-nn-budgeted", "wb-nn-shared", "wb-nn-heads", "ensemble-nn"),
    *("npb-log-paper", "wb-log-paper", "npb-log-paper-first", "wb-log-paper-first"),
    *("npb-nn", "wb-nn"),
)
DATA = ("covtype", "mnist")
LENGTHS = (1000, 5000, 20_000, HORIZON)  # of the history when rounds are timed
QUICK_LENGTHS = (100, 250)
SHORT_LENGTHS = (200, 1000)
SHORT_TIMED = ("npb-log", "wb-log", *TREES, "npb-nn", "wb-nn")  # those that statements are about
DRAWS = 10
AT_MOST, BELOW = "at most the paper's", "below the recipe"
CLOSE = 1.2  # costs within this ratio share a label


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
    statements = []
    for trace in traces:
        if theirs := PAPER.get((trace.environment, trace.policy)):
            text = f"{trace.environment} {trace.policy} {AT_MOST}"
            numbers = f"{_shown(trace)}; paper {1e3 * theirs:.0f} ms"
            statements.append(Statement(text, _lower(mean_cost(trace), theirs), numbers))
    return statements


def against_recipe(traces: Sequence[Trace]) -> list[Statement]:
    """Solved draws against the recipe, at the longest history that both were timed at."""
    return [
        _cheaper(trace, theirs)
        for theirs, trace in product(traces, traces)
        if theirs.policy == RECIPE
        and trace.policy == "wb-log"
        and trace.environment == theirs.environment
    ]


def _cheaper(trace: Trace, theirs: Trace) -> Statement:
    ours, others = (dict(zip(*curve(each), strict=True)) for each in (trace, theirs))
    common = [t for t in ours if t in others]
    text = f"{trace.environment} {trace.policy} {BELOW}"
    if not common:
        return Statement(text, Outcome.OPEN, "timed at different lengths of history")
    ratios = {t: others[t] / ours[t] for t in common}
    numbers = ", ".join(
        f"{1e3 * others[t]:.3g} / {1e3 * ours[t]:.3g} ms = {ratio:.3g} times at t = {t}"
        for t, ratio in ratios.items()
    )
    return Statement(text, _lower(ours[common[-1]], others[common[-1]]), numbers)


def costs_judged(traces: Sequence[Trace]) -> list[Statement]:
    """C11 on the paper's data, all of it: what was not timed is open."""
    said = {each.text: each for each in (*against_paper(traces), *against_recipe(traces))}
    paper = [f"{data} {policy} {AT_MOST}" for data, policy in PAPER]
    recipe = [f"{data} wb-log {BELOW}" for data in DATA]
    open_ = partial(Statement, outcome=Outcome.OPEN, numbers="not timed")
    return [said.get(text) or open_(text) for text in (*paper, *recipe)]


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


class Runtime(Experiment):
    """Rounds of every policy and of the recipe, timed on one history at several lengths of it."""

    name: ClassVar[str] = "runtime"
    title: ClassVar[str] = "Cost of a round with contexts"
    known: ClassVar[Collection[str]] = KNOWN

    def prepare(self, settings: Settings) -> None:
        for world in _worlds(settings):
            assert world.data  # the error says which file to put where

    def problems(self, settings: Settings) -> list[Problem]:
        return [world.problem for world in _worlds(settings)]

    def facts(self, settings: Settings) -> dict[str, Any]:
        return settings.at({}, {}, short={"data": [world.name for world in _worlds(settings)]})

    def run(self, settings: Settings, runner: Runner) -> list[Trace]:
        usual = settings.at(LENGTHS, QUICK_LENGTHS, SHORT_LENGTHS)
        most = settings.horizon or usual[-1]
        lengths = [t for t in usual if t <= most] or [most]
        return [
            trace
            for world in _worlds(settings)
            for trace in self._timed(world, lengths, settings, runner)
        ]

    def _timed(
        self, world: Labelled, lengths: list[int], settings: Settings, runner: Runner
    ) -> list[Trace]:
        """One after the other: at once they would slow each other down."""
        history = History(world, lengths[-1] + DRAWS, runner.seed)
        folder = runner.checkpoint.directory if runner.checkpoint else None
        measured = Measured(folder, (world, lengths, DRAWS, runner.seed))
        recipe = partial(timed_recipe, history, lengths, DRAWS)
        costs = {RECIPE: measured.costs(RECIPE, None, recipe)}
        names = settings.chosen(KNOWN, settings.at(TIMED, TIMED, SHORT_TIMED))
        chosen = {name: policy_of(name, world) for name in names}
        for name, policy in {**chosen, **settings.own}.items():
            time = partial(timed, policy, history, lengths, DRAWS)
            costs[name] = measured.costs(name, policy, time)
        return [history.trace(self.name, name, each, DRAWS) for name, each in costs.items()]

    def check(self, settings: Settings, traces: list[Trace]) -> list[Claim]:
        return costs(self.panels(settings, traces))

    def titled(self, traces: Sequence[Trace]) -> str:
        absent = _absent({trace.environment for trace in traces})
        return f"{self.title}, on {STAND_IN} in place of {absent}" if absent else self.title

    def rankings(self, settings: Settings, traces: Sequence[Trace]) -> list[Ranking]:
        """By the cost of a round after the longest history."""
        return [
            ranked(name, "ms a round", list(map(_standing, some)))
            for name, some in self.panels(settings, traces).items()
        ]

    def plot(self, settings: Settings, traces: list[Trace], path: Path) -> None:
        names = list(dict.fromkeys(trace.environment for trace in traces))
        drawing, axes = figure(1, len(names), width=8.0 * len(names), height=6.0)
        for axis, name in zip(axes.flat, names, strict=True):
            _panel(axis, name, [trace for trace in traces if trace.environment == name])
        drawing.suptitle(f"{self.titled(traces)}; stars: the paper's recipe with scikit-learn")
        save(drawing, path)
        write_text(path.with_name("table.md"), table(traces), "choose another --out")


def costs(by_world: Mapping[str, list[Trace]], every: bool = False) -> list[Claim]:
    """The claims on costs: those that something was timed for, or `every` one."""
    claims = [_costs(by_world)]
    for dataset in DATA:
        played = STAND_IN if dataset not in by_world and STAND_IN in by_world else dataset
        some = by_world.get(played, [])
        names = {trace.policy for trace in some}
        if every or names & {*TREES, "tree-heuristic-30", "npb-tree-30"}:
            claim = _trees(dataset, some)
            claims.append(claim if played == dataset else claim.played_on(played, dataset))
    return claims


def _worlds(settings: Settings) -> list[Labelled]:
    """Both data sets; one in place of both where it stands in for them."""
    return list(dict.fromkeys(world_of(name, settings) for name in DATA))


def _absent(worlds: Collection[str]) -> str:
    """The paper's data that other data stood in for."""
    return " and ".join(name for name in DATA if STAND_IN in worlds and name not in worlds)


def _costs(by_world: Mapping[str, list[Trace]]) -> Claim:
    """C11; data that stood in for the paper's decide nothing."""
    text = (
        "cost per round: CovType logistic NPB 0.15 s, WB 0.16 s; MNIST logistic 1.16 / 1.88 s; "
        "MNIST network 1.16 / 1.69 s: ours costs no more, and less than the recipe"
    )
    statements = costs_judged([trace for some in by_world.values() for trace in some])
    found = tally_of(statements)
    lines = [str(found), *map(str, statements)]
    absent = _absent(by_world)
    if not absent:
        return Claim("C11", text, verdict_of(statements), "\n".join(lines), found)
    lines += map(str, against_recipe(by_world[STAND_IN]))
    text = f"with {STAND_IN} in place of {absent}, which decides nothing: {text}"
    return Claim("C11", text, verdict_of(statements), "\n".join(lines), found, STAND_IN)


def _standing(trace: Trace) -> Standing:
    lengths, seconds = curve(trace)
    return Standing(trace.policy, 1e3 * float(seconds[-1]), float("nan"), float(lengths[-1]))


def _trees(dataset: str, traces: list[Trace]) -> Claim:
    verdict, found, lines = judged("C13-cost", partial(against_trees, traces))
    faster = "bootstrapping by warm-started optimisation is faster than the tree bootstrap"
    text = f"{dataset}: {faster} of Elmachtoub et al."
    id_ = "C13-cost" if dataset != "mnist" else "C13-cost-mnist"
    return Claim(id_, text, verdict, "\n".join(lines), found)


def _panel(axis: Any, name: str, traces: list[Trace]) -> None:
    for position, trace in enumerate(traces):
        lengths, seconds = curve(trace)
        if trace.policy == RECIPE:
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
    plain_log(axis)
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
