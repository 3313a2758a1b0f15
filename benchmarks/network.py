"""Networks on a labelled data set: one pass over history a round, and fixed budgets."""

import numpy as np

from bandstrap import simulate
from bandstrap.environments.labelled import Labelled
from bandstrap.experiments.runtime.experiment import seconds_per_round
from bandstrap.policies.registry import CONTEXTUAL, named
from bandstrap.priors import EigenExamples
from output import Row, arguments, report

NETWORKS = named(model="network")


def played(name: str, world: Labelled, rounds: int, runs: int, seed: int) -> Row:
    """Runs of a policy: reward, and the cost of a round on average and at the end."""
    policy = CONTEXTUAL[name](EigenExamples(world.covariance))
    trace = simulate(policy, world, rounds, runs, seed, name=name)
    before = float(np.interp(0.8 * rounds, trace.rounds, trace.seconds))
    late = (float(trace.seconds[-1]) - before) / (0.2 * rounds) / runs
    return {
        "policy": name,
        "reward": float(trace.reward_per_step()[-1]),
        "± s.e.": float(trace.error()[-1] / rounds),  # regret is what reward is short of rounds
        "ms a round": 1e3 * seconds_per_round(trace, rounds),
        "ms at the end": 1e3 * late,
    }


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
    for name in names:
        rows.append(played(name, world, given.rounds, given.runs, given.seed))
        print(f"  {given.data}: {name} played", flush=True)
    note = f"{given.data}, {given.rounds:,} rounds, {given.runs} runs; reward per round, CPU ms"
    report(given.out, f"network-{given.data}", vars(given), rows, note)


if __name__ == "__main__":
    main()
