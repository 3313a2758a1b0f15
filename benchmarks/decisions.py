"""What a decision (select and update) of every policy costs, against Thompson sampling in NumPy."""

from typing import Any

from bandstrap.environments import Bernoulli, Beta, Environment
from bandstrap.errors import InvalidInput
from bandstrap.policies import POLICIES, Policy
from bandstrap.simulation.batch import Batch, run_batch
from output import Row, arguments, report
from reference import numpy_thompson_seconds

ENVIRONMENTS = {"bernoulli": Bernoulli, "beta": Beta}
WARM_UP = 100  # rounds that compile what a policy needs


def microseconds(
    policy: Policy[Any], environment: Environment, horizon: int, runs: int
) -> float | None:
    """CPU microseconds per decision, or None where the policy does not take such rewards."""
    try:
        policy.start(environment.problem)
    except InvalidInput:
        return None
    for rounds in (min(WARM_UP, horizon), horizon):
        batch = Batch(policy, environment, rounds, runs, 0, "benchmark", "benchmark", 0)
        seconds = float(run_batch(batch).seconds[-1])
    return 1e6 * seconds / (horizon * runs)


def measure(names: list[str], n_arms: int, horizon: int, runs: int) -> list[Row]:
    """A row per policy; the reference is timed again for each, so that both meet the same noise."""
    rows = []
    for name in names:
        row: Row = {"policy": name}
        reference = 1e6 * numpy_thompson_seconds(n_arms, horizon, runs) / (horizon * runs)
        for world, make in ENVIRONMENTS.items():
            cost = microseconds(POLICIES[name](), make(n_arms), horizon, runs)
            row[f"{world} µs"] = cost
            row[f"{world} / reference"] = None if cost is None else cost / reference
        rows.append(row | {"reference µs": reference})
        print(f"  {name} done", flush=True)
    return rows


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--policies", default=",".join(POLICIES), help="as in wb,npb,ts")
    parser.add_argument("--arms", type=int, default=10)
    parser.add_argument("--horizon", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=500)
    given = parser.parse_args()
    rows = measure(given.policies.split(","), given.arms, given.horizon, given.runs)
    note = (
        f"CPU microseconds per decision, mean over {given.horizon} rounds of {given.runs} runs, "
        f"K = {given.arms}; reference: Beta Thompson sampling in NumPy over as many runs"
    )
    report(given.out, "decisions", vars(given), rows, note)


if __name__ == "__main__":
    main()
