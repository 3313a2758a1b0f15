"""Networks on a labelled data set: one pass over history a round, and fixed budgets."""

import numpy as np
from threadpoolctl import threadpool_limits

from bandstrap.environments.labelled import Labelled
from bandstrap.policies.contextual import CONTEXTUAL
from bandstrap.priors import EigenExamples
from bandstrap.simulation.batch import Batch, BatchResult, recorded_rounds, run_batch
from output import Row, arguments, report

NETWORKS = [name for name in CONTEXTUAL if "nn" in name.split("-")]


def played(name: str, world: Labelled, rounds: int, runs: int, seed: int) -> Row:
    """Some runs of a policy, each from the beginning, one after the other."""
    policy = CONTEXTUAL[name](EigenExamples(world.covariance))
    results = [
        run_batch(Batch(policy, world, rounds, 1, seed, repr(world), name, run))
        for run in range(runs)
    ]
    rewards = np.array([result.reward[0, -1] / rounds for result in results])
    error = float(rewards.std(ddof=1) / np.sqrt(runs)) if runs > 1 else None
    return {
        "policy": name,
        "reward": round(float(rewards.mean()), 4),
        "± s.e.": error,
        "ms a round": np.mean([1e3 * result.seconds[-1] / rounds for result in results]),
        "ms at the end": np.mean([_late(result, rounds) for result in results]),
    }


def _late(result: BatchResult, rounds: int) -> float:
    """What a round cost in the second half."""
    at = recorded_rounds(rounds)
    middle = int(np.searchsorted(at, rounds / 2))
    spent = result.seconds[-1] - result.seconds[middle]
    return float(1e3 * spent / (at[-1] - at[middle]))


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--data", default="digits", help="name of a data set")
    parser.add_argument("--rounds", type=int, default=1500)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--policies", help=f"all if not given, of {','.join(NETWORKS)}")
    given = parser.parse_args()
    names = given.policies.split(",") if given.policies else NETWORKS
    world = Labelled(given.data)
    rows: list[Row] = []
    with threadpool_limits(1):  # one core
        for name in names:
            rows.append(played(name, world, given.rounds, given.runs, given.seed))
            print(f"  {given.data}: {name} played", flush=True)
    note = f"{given.data}, {given.rounds:,} rounds, {given.runs} runs; reward per round, CPU ms"
    report(given.out, f"network-{given.data}", vars(given), rows, note)


if __name__ == "__main__":
    main()
