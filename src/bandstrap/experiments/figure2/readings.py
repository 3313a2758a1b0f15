"""Where the paper is silent: how its sentences can be read, listed before any verdict is computed.

Claims are about the curves of the paper, by its own names ("ucb-lin", "eg-log" …). A reading says
which policy plays which curve. The headline is the answer under which the paper's sentences can be
true; every other reading departs from it in one question and has its own verdict. Reasons, measured
before these rules (reward per step):

- Widths of linear UCB and TS: 1. The paper finds linear UCB like the other linear methods. On
  CovType these earn .695 to .700; UCB earns .702 at width 1, .7065 at .3 and .56 as published.
- ε-greedy has no pseudo-examples: the paper adds them for bootstrapping. With them greedy itself
  explores and no schedule matters; without, greedy earns .665 on CovType and 50 / (50 + t) .695.
- O(d) Gaussian pseudo-examples: d of width 1. Against .682 with eigenvectors: d of width 1 +.001,
  d of the contexts' root mean square −.003, 4d of that −.019, 4d of width 1 −.029.
- Draws are solved. The paper stops its optimiser early; how early depends on the version of
  scikit-learn: since 0.20 after five passes in vain, before it after the first, as far as we know.
  Whether a resample weights its rows or repeats them makes no difference to a solved draw.
- Trees start after one pull of every arm, as pseudo-examples replace forced pulls in the paper.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from bandstrap.experiments.base import Statements, Verdict
from bandstrap.experiments.figure2.players import GAUSSIAN, LOGISTIC, NETWORKS, SOLVED, TREES
from bandstrap.experiments.statements import Outcome, Statement, tally_of, verdict_of
from bandstrap.policies.registry import SCHEDULES


@dataclass(frozen=True)
class Reading:
    """An answer to a question that the paper leaves open: the policies that play its curves."""

    question: str
    answer: str
    claims: tuple[str, ...]
    players: Mapping[str, str]
    headline: bool = False

    def player(self, curve: str) -> str:
        """The policy that plays a curve: this reading's, else the headline's."""
        return self.players.get(curve, _HEADLINE.get(curve, curve))

    def __str__(self) -> str:
        return f"{self.question}: {self.answer}"


_ORDERS, _COST = ("C9", "C10"), "C13-cost"
_WIDTHS = partial(Reading, "widths of UCB and linear TS", claims=_ORDERS)
_EXAMPLES = partial(Reading, "pseudo-examples of ε-greedy", claims=(*_ORDERS, "C14"))
_GAUSSIAN = partial(Reading, "O(d) Gaussian pseudo-examples", claims=("C12",))
_DRAWS = partial(Reading, "draws", claims=(*_ORDERS, "C13", _COST))
_PULLS = partial(Reading, "pulls of every arm before trees", claims=(_COST,))

_BARE = {name: f"{name}-bare" for name in (*SOLVED, "eg-nn", *SCHEDULES)}


def _optimised(word: str) -> dict[str, str]:
    return {name: f"{name}-{word}" for name in ("eg-lin", "npb-lin", "wb-lin", *LOGISTIC)}


def _repeated(word: str) -> dict[str, str]:
    return _optimised(word) | {name: f"{name}-{word}-repeated" for name in ("npb-lin", "npb-log")}


READINGS = (
    _WIDTHS("1", players={"ucb-lin": "ucb-lin-fixed", "ts-lin": "ts-lin-fixed"}, headline=True),
    _WIDTHS("as published", players={"ucb-lin": "ucb-lin", "ts-lin": "ts-lin"}),
    _WIDTHS(".3", players={"ucb-lin": "ucb-lin-fixed-0.3", "ts-lin": "ts-lin-fixed-0.3"}),
    _WIDTHS("1, TS .5", players={"ts-lin": "ts-lin-fixed-0.5"}),
    _EXAMPLES("none", players=_BARE, headline=True),
    _EXAMPLES("those of the bootstraps", players={name: name for name in _BARE}),
    _GAUSSIAN("d of width 1", players={GAUSSIAN: f"{GAUSSIAN}-d"}, headline=True),
    _GAUSSIAN("4d of width 1", players={GAUSSIAN: GAUSSIAN}),
    _GAUSSIAN("d of the root mean square", players={GAUSSIAN: f"{GAUSSIAN}-d-rms"}),
    _GAUSSIAN("4d of the root mean square", players={GAUSSIAN: f"{GAUSSIAN}-4d-rms"}),
    _DRAWS("solved", players={}, headline=True),
    _DRAWS(
        "the paper's optimiser, stopped after five passes in vain",
        players=_optimised("paper"),
    ),
    _DRAWS(
        "the paper's optimiser, stopped after the first pass in vain",
        players=_optimised("paper-first"),
    ),
    _DRAWS(
        "the paper's optimiser, stopped after five passes in vain, NPB by repeated rows",
        claims=_ORDERS,
        players=_repeated("paper"),
    ),
    _DRAWS(
        "the paper's optimiser, stopped after the first pass in vain, NPB by repeated rows",
        claims=_ORDERS,
        players=_repeated("paper-first"),
    ),
    _PULLS("1", players={}, headline=True),
    _PULLS("30", players={TREES[0]: "tree-heuristic-30"}),
    _PULLS("30, also of the tree bootstrap", players={name: f"{name}-30" for name in TREES}),
)
_HEADLINE = {
    curve: player
    for reading in READINGS
    if reading.headline
    for curve, player in reading.players.items()
}

_DRAWN = ("ucb-lin", "ts-lin", "eg-lin", "npb-lin", "wb-lin", *LOGISTIC, *NETWORKS)
# The policies of the paper's figure 2, and the curves that they play.
PLOTTED = {_HEADLINE.get(curve, curve): curve for curve in _DRAWN}


def readings_of(claim: str) -> tuple[list[Reading], list[Reading]]:
    """The headline readings of a claim, one for each question, and the others."""
    every = [reading for reading in READINGS if claim in reading.claims]
    return [each for each in every if each.headline], [each for each in every if not each.headline]


def judged(
    claim: str,
    statements: Callable[[Reading], list[Statement]],
    verdict: Callable[[list[Statement]], Verdict] = verdict_of,
) -> tuple[Verdict, Statements, list[str]]:
    """The headline's verdict and tally; a line for each of its statements and each other reading.

    Of another reading the line has its own verdict and what it decides otherwise.
    """
    headline, others = readings_of(claim)
    found = statements(headline[0])
    lines = [f"{tally_of(found)} ({'; '.join(map(str, headline))})", *map(str, found)]
    for reading in others:
        own = statements(reading)
        new = [str(each) for each in own if each not in found and each.outcome is not Outcome.OPEN]
        lines.append("; ".join([f"{reading}: {verdict(own)}, {tally_of(own)}", *new]))
    return verdict(found), tally_of(found), lines
