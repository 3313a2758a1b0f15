"""Is a draw solved? Its objective beside an independent solver's; contenders beside all arms.

`gaps` gives one arm a history of n rows, one class against all, and compares the objective that its
draw reaches with that of scikit-learn's solution for the same weights. `agreement`
counts the rounds in which refining contenders alone finds the arm that solving all arms finds.
Exits with 1 where a draw is not within its tolerance or fewer than 999 of 1,000 rounds agree.
All that is promised: --datasets covtype,mnist --lengths 100,10000,50000 --rounds 1000.
"""

import signal
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import thread_time
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression as Reference

from bandstrap.models import LogisticRegression
from bandstrap.models.base import draw_scores
from bandstrap.models.features import as_numbers
from bandstrap.problem import Problem
from convex import MODES, World
from output import Row, arguments, report

SOLVED = "wb-log", "npb-log"
AGREE = 0.999


class OutOfTimeError(Exception):
    pass


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Limit CPU time; it is checked between calls of compiled code."""

    def stop(*_: Any) -> None:
        raise OutOfTimeError

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        signal.signal(signal.SIGVTALRM, before)


@dataclass(frozen=True, eq=False)
class Weighted:
    """The problem that a draw solves: entries, their weights, and the part that pays 1."""

    contexts: np.ndarray
    weight: np.ndarray
    total: np.ndarray
    strength: float

    @classmethod
    def of(cls, arm: Any) -> "Weighted":
        e, entries = arm.examples, arm.draw.entries[:2, : arm.examples.n_entries].copy()
        parts = [e.axes, -e.axes, e.plain, as_numbers(e.rows.contexts)]
        return cls(np.concatenate(parts, dtype=np.float64), *entries, arm.draw.strength)

    def objective(self, theta: np.ndarray) -> float:
        """Per unit of weight."""
        margins = self.contexts @ theta[:-1] + theta[-1]
        losses = self.weight @ np.logaddexp(0, margins) - self.total @ margins
        penalty = self.strength / 2 * theta[:-1] @ theta[:-1]
        return float((losses + penalty) / self.weight.sum())

    def reference(self) -> np.ndarray:
        """scikit-learn's parameters: each entry as a 1 and as a 0, where either weighs anything."""
        ones, zeros = self.total > 0, self.weight > self.total
        solver = Reference(C=1 / self.strength, solver="newton-cholesky", tol=1e-12, max_iter=200)
        solver.fit(
            np.concatenate([self.contexts[ones], self.contexts[zeros]]),
            np.repeat([1, 0], [ones.sum(), zeros.sum()]),
            sample_weight=np.append(self.total[ones], (self.weight - self.total)[zeros]),
        )
        return np.append(solver.coef_[0], solver.intercept_)


def one_arm(world: World, mode: str, n: int, tolerance: float) -> Any:
    """A learner of one arm that was played in the first n rows and pays in one class."""
    model, problem = LogisticRegression(tolerance=tolerance), Problem(1, world.x.shape[1])
    learner = model.learner(problem, MODES[mode][0], world.prior)
    paid = np.bincount(world.y).argmax()
    for x, y in zip(world.x[:n], world.y[:n], strict=True):
        learner.learn(x, 0, float(y == paid), None)
    return learner


def gaps(world: World, mode: str, n: int, tolerances: list[float], seconds: float) -> list[Row]:
    """How far a draw's objective is above the reference's, per unit of weight.

    Where time runs out, how far it came.
    """
    problem, rows = None, []
    for tolerance in sorted(tolerances, reverse=True):
        learner = one_arm(world, mode, n, tolerance)
        in_time, spent = drawn(learner, world.x[world.row(n)], seconds)
        if problem is None:  # weights do not depend on the tolerance
            began = thread_time()
            problem = Weighted.of(learner.arms[0])
            best = problem.objective(problem.reference())
            reference_seconds = thread_time() - began
        gap = problem.objective(learner.arms[0].draw.theta) - best
        row = {"data": world.name, "mode": mode, "rows": n, "tolerance": f"{tolerance:g}"}
        row |= {"gap": f"{gap:.1e}", "solved": in_time and gap <= tolerance}
        rows.append(row | {"s": spent, "reference s": reference_seconds})
        print(f"  {row}", flush=True)
    return rows


def drawn(learner: Any, context: np.ndarray, seconds: float) -> tuple[bool, float]:
    """Draw once, always with the same weights; whether it finished in time, and CPU seconds."""
    began = thread_time()
    try:
        with limited(seconds):
            draw_scores(learner, context, np.random.default_rng(0))
    except OutOfTimeError:
        return False, thread_time() - began
    return True, thread_time() - began


def agreement(world: World, mode: str, n: int, rounds: int, seconds: float) -> Row:
    """How often solving the contenders finds the same arm as solving all, after n rows."""
    learner = world.taught(mode, n)
    same, played, spent = 0, 0, np.zeros(2)
    while played < rounds and spent.sum() < seconds:
        context, times = world.x[world.row(n + played)], [thread_time()]
        chosen = learner.best(context, np.random.default_rng(played), world.all_arms)
        times.append(thread_time())
        scores = draw_scores(learner, context, np.random.default_rng(played))
        times.append(thread_time())
        same += int(scores[chosen] == scores.max())
        world.teach(learner, n + played, n + played + 1)
        played += 1
        spent += np.diff(times)
    contenders, every = 1e3 * spent / played
    row = {"data": world.name, "mode": mode, "rows": n, "rounds": played, "same": same}
    row["agrees"] = same >= AGREE * played
    return row | {"contenders ms": float(contenders), "all ms": float(every)}


def report_gaps(world: World, given: Namespace) -> bool:
    tolerances = [float(text) for text in given.tolerances.split(",")]
    rows = [row for cell in cells(given) for row in gaps(world, *cell, tolerances, given.seconds)]
    note = f"{world.name}: objective of a draw of one arm above the reference's, per unit of weight"
    report(given.out, f"solved-gaps-{world.name}", vars(given), rows, note)
    return all(row["solved"] for row in rows)


def report_agreement(world: World, given: Namespace) -> bool:
    rows = [agreement(world, *cell, given.rounds, given.seconds) for cell in cells(given)]
    note = f"{world.name}: rounds in which contenders alone lead to the arm of all arms solved"
    report(given.out, f"solved-agreement-{world.name}", vars(given), rows, note)
    return all(row["agrees"] for row in rows)


def cells(given: Namespace) -> list[tuple[str, int]]:
    lengths = [int(text) for text in given.lengths.split(",")]
    return [(mode, n) for mode in given.modes.split(",") for n in lengths]


PARTS = {"gaps": report_gaps, "agreement": report_agreement}


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--datasets", default="digits")
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--modes", default=",".join(SOLVED))
    parser.add_argument("--lengths", default="100,1000", help="rows of history")
    parser.add_argument("--tolerances", default="1e-3,1e-6,1e-10")
    parser.add_argument("--rounds", type=int, default=100, help="to agree in")
    parser.add_argument("--seconds", type=float, default=600.0, help="CPU limit of one figure")
    given = parser.parse_args()
    worlds = [World(name, seed=0) for name in given.datasets.split(",")]
    good = [PARTS[part](world, given) for world in worlds for part in given.parts.split(",")]
    if not all(good):
        raise SystemExit("some draws are not solved as promised")


if __name__ == "__main__":
    main()
