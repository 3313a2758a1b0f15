"""What `Auto()` costs in a `Bandit`, data set by data set, and whether it stays flat.

CPU time of `decide`, with its propensity, and of `learn`, in rounds as they come; the first rounds,
in which numbers of all kinds are met for the first time, are left out.
"""

from time import thread_time
from typing import Any

import numpy as np

from bandstrap import Auto, Bandit, Support
from bandstrap.datasets import available
from bandstrap.one_thread import ONE_THREAD
from output import Row, arguments, report
from streams import numbers, stream

WARM_UP = 100  # rounds that are not timed


def spent(name: str, rounds: int, budget: float, seed: int) -> np.ndarray:
    """Microseconds of each round to decide and to learn, (rounds, 2)."""
    rows = stream(name, rounds, seed)
    contexts = numbers(rows.contexts)
    bandit = Bandit(Auto(budget), range(rows.n_arms), seed=seed, rewards=Support.binary())
    times = np.empty((rounds, 3))
    for place, (x, label) in enumerate(zip(contexts, rows.labels.tolist(), strict=True)):
        times[place, 0] = thread_time()
        decision = bandit.decide(x)
        assert decision.propensity > 0
        times[place, 1] = thread_time()
        bandit.learn(decision, float(decision.arm == label))
        times[place, 2] = thread_time()
    return 1e6 * np.diff(times, axis=1)


def row_of(name: str, given: Any) -> Row:
    with ONE_THREAD:
        each = spent(name, given.rounds, given.budget, given.seed)[WARM_UP:]
    rounds = each.sum(axis=1)
    tenth = len(rounds) // 10
    data = stream(name, 1, 0)
    return {
        "data (arms, features)": f"{name} ({data.n_arms}, {data.contexts.shape[1]})",
        "decide, median": float(np.median(each[:, 0])),
        "decide, p95": float(np.percentile(each[:, 0], 95)),
        "decide and learn, median": float(np.median(rounds)),
        "decide and learn, p95": float(np.percentile(rounds, 95)),
        "median of the first tenth": float(np.median(rounds[:tenth])),
        "of the last": float(np.median(rounds[-tenth:])),
    }


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--datasets", help="as in covtype,mnist; by default all that are here")
    parser.add_argument("--rounds", type=int, default=5_000)
    parser.add_argument("--budget", type=float, default=2000.0)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    rows = []
    for name in given.datasets.split(",") if given.datasets else available():
        rows.append(row_of(name, given))
        print(rows[-1], flush=True)
    note = (
        f"`Bandit(Auto({given.budget:g}))`, {given.rounds:,} rounds, CPU microseconds to decide, "
        "with the propensity, and to learn"
    )
    report(given.out, "auto", vars(given), rows, note)


if __name__ == "__main__":
    main()
