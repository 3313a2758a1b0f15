"""What a round costs as history grows, for every policy with contexts, against the paper's recipe.

Histories are fed, not played: arms come from a log that is right seven times of ten, the same for
all. A round is one decision and one reward learnt. Policies that keep sums now and then go through
the whole history again, so those whose cost should not grow are timed while history doubles.
"""

from argparse import Namespace
from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np

from bandstrap.models import GaussianLimit, Grouped, LinearRegression, OneStep
from bandstrap.models.online.stochastic import StochasticLinearRegression
from bandstrap.policies import ContextualBootstrap
from bandstrap.policies.base import Policy
from bandstrap.policies.contextual.learners import LearnerState
from bandstrap.policies.registry import CONTEXTUAL, REGISTRY, SCHEDULES
from bandstrap.priors import EigenExamples, ExamplePrior
from bandstrap.resampling import Exponential
from bandstrap.seeding import generator
from output import Row, arguments, report
from recipe import Recipe
from streams import Stream, stream

ALLOWED = 1.2  # times its cost in a history a hundred times shorter
LEAST = 3  # rounds
Maker = Callable[[ExamplePrior], Policy[Any]]


def weighted(model: Any) -> Maker:
    return lambda prior: ContextualBootstrap(Exponential(), model, prior)


OTHERS: dict[str, Maker] = {
    "wb-lin-onestep": weighted(OneStep(LinearRegression())),
    "wb-lin-gaussian": weighted(GaussianLimit(LinearRegression())),
    "wb-lin-grouped": weighted(Grouped(LinearRegression())),
    "wb-lin-paper": weighted(StochasticLinearRegression()),
}
# Other schedules of epsilon-greedy cost the same.
NAMED = {name: CONTEXTUAL[name] for name in CONTEXTUAL if name not in SCHEDULES}
MODES = {**OTHERS, **NAMED}
STEADY = {
    "wb-lin-gaussian",
    "wb-lin-grouped",
    *(name for name in NAMED if "n" not in REGISTRY[name].cost),
}


class Log:
    """A stream with logged arms and rewards."""

    def __init__(self, rows: Stream, seed: int) -> None:
        self.rows = rows
        rng = generator(seed, "log")
        others = rng.integers(rows.n_arms, size=rows.rounds)
        self.arms = np.where(rng.random(rows.rounds) < 0.7, rows.labels, others)
        self.rewards = (self.arms == rows.labels).astype(np.float64)


class Timed:
    """One policy in one run, fed with a log."""

    def __init__(self, make: Maker, log: Log, seed: int) -> None:
        self.log = log
        self.policy = make(EigenExamples(log.rows.covariance))
        self.state: LearnerState = self.policy.start(log.rows.problem)
        self.rng = generator(seed, "rounds")
        self.known = 0

    def feed(self, until: int) -> None:
        """Learn without deciding and without validation."""
        learner, log = self.state.learners[0], self.log
        for row in range(self.known, until):
            context = log.rows.contexts[row]
            learner.learn(context, int(log.arms[row]), float(log.rewards[row]), self.rng)
        self.state.rounds += until - self.known
        self.known = until

    def round(self) -> None:
        """Decide, and learn what the log says."""
        rows = slice(self.known, self.known + 1)
        contexts = self.log.rows.contexts[rows]
        self.policy.select(self.state, contexts, self.rng)
        self.policy.update(
            self.state, contexts, self.log.arms[rows], self.log.rewards[rows], self.rng
        )
        self.known += 1

    def cost(self, rounds: int, seconds: float) -> tuple[float, int]:
        """CPU seconds per round, for `rounds` rounds or until `seconds`, and the rounds played."""
        self.round()  # brings fits up to date, which would not have fallen behind in play
        started, played = process_time(), 0
        while played < rounds and (played < LEAST or process_time() - started < seconds):
            self.round()
            played += 1
        return (process_time() - started) / played, played


def recipe_costs(log: Log, lengths: list[int], seed: int) -> dict[int, float]:
    """CPU seconds per round of the paper's recipe."""
    recipe = Recipe(log.rows.problem, log.rows.covariance, seed)
    costs = {}
    for n in lengths:
        recipe.set_history(log.rows.contexts[:n], log.arms[:n], log.rewards[:n])
        recipe.seconds()  # so that the next starts warm
        costs[n] = min(recipe.seconds() for _ in range(2))
    return costs


def measured(name: str, log: Log, lengths: list[int], given: Namespace) -> Row:
    """Costs of one policy by length of history; its practice run compiles."""
    for practice in (True, False):
        timed = Timed(MODES[name], log, given.seed)
        row: Row = {"policy": name}
        for n in lengths[:1] if practice else lengths:
            timed.feed(n)
            limit = given.steady_seconds if name in STEADY else given.seconds
            cost, rounds = timed.cost(n - 1 if name in STEADY else 1000, 1.0 if practice else limit)
            row |= {f"µs at {n:,}": 1e6 * cost, f"rounds at {n:,}": rounds}
    return row


def growth(row: Row, lengths: list[int]) -> float | None:
    """Cost in the longest history over that in one a hundred times shorter, if measured."""
    if (short := lengths[-1] // 100) not in lengths:
        return None
    return float(row[f"µs at {lengths[-1]:,}"] / row[f"µs at {short:,}"])


def bench(dataset: str, lengths: list[int], given: Namespace) -> None:
    log = Log(stream(dataset, 2 * lengths[-1] + LEAST, given.seed), given.seed)
    costs = recipe_costs(log, lengths, given.seed)
    recipe: Row = {"policy": "paper's recipe"} | {f"µs at {n:,}": 1e6 * c for n, c in costs.items()}
    rows = [recipe]
    for name in given.policies.split(",") if given.policies else MODES:
        rows.append(measured(name, log, lengths, given))
        print(f"  {dataset}: {name} done", flush=True)
    rounds = [
        {key: row.pop(key, None) for key in [f"rounds at {n:,}" for n in lengths]} for row in rows
    ]
    last = f"µs at {lengths[-1]:,}"
    for row in rows:
        row["recipe / it"] = recipe[last] / row[last]
        row["growth"] = growth(row, lengths)
    note = (
        f"CPU µs per round of {dataset} by length of history; the recipe's cost over it in the "
        "longest; growth: cost in the longest over cost in one a hundred times shorter"
    )
    report(given.out, f"contextual-{dataset}", vars(given) | {"rounds": rounds}, rows, note)
    judge([row for row in rows if row["policy"] in STEADY])


def judge(rows: list[Row]) -> None:
    """Print which policies grow although they should not."""
    known = {row["policy"]: row["growth"] for row in rows if row["growth"] is not None}
    growing = [f"{name} {value:.2f}" for name, value in known.items() if value > ALLOWED]
    if known:
        print(
            f"{len(known) - len(growing)} of {len(known)} fast modes cost at most {ALLOWED} times"
        )
        print(f"  as much in a history 100 times longer; others: {', '.join(growing) or 'none'}")


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--datasets", default="covtype,mnist")
    parser.add_argument("--lengths", default="500,5000,50000,500000", help="rows of history")
    parser.add_argument("--wide", type=int, default=50_000, help="longest if features are many")
    parser.add_argument("--policies", help="all if not given, else as in wb-log,ucb-lin")
    parser.add_argument("--seconds", type=float, default=5.0, help="for each length")
    parser.add_argument("--steady-seconds", type=float, default=120.0, help="of fast modes")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    lengths = [int(n) for n in given.lengths.split(",")]
    for dataset in given.datasets.split(","):
        wide = stream(dataset, 1, 0).problem.n_features > 200
        bench(dataset, [n for n in lengths if not wide or n <= given.wide], given)


if __name__ == "__main__":
    main()
