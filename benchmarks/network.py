"""Network policies on a labelled data set: reward and microseconds a round, as rounds go by."""

from time import process_time
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from bandstrap.environments.labelled import Labelled
from bandstrap.models import Budgeted, NetworkHeads, NeuralNetwork, SharedNetwork
from bandstrap.policies import ContextualBootstrap, ContextualEpsilonGreedy, Langevin, Policy
from bandstrap.priors import EigenExamples, ExamplePrior, NoExamples
from bandstrap.resampling import Exponential, Multinomial, NoResampling
from bandstrap.seeding import generator
from output import Row, arguments, report

MODELS = {
    "nn": NeuralNetwork(),
    "nn-budgeted": Budgeted(),
    "nn-budgeted-heads": NetworkHeads(Budgeted()),
    "nn-shared": SharedNetwork(),
    "nn-heads": NetworkHeads(),
}
SCHEMES = {"wb": Exponential(), "npb": Multinomial(), "greedy": NoResampling()}


def policies(world: Labelled) -> dict[str, Policy[Any]]:
    """Every network with every way to explore; the paper's prior is for the paper's network."""
    found: dict[str, Policy[Any]] = {}
    for name, model in MODELS.items():
        paper = name == "nn"
        prior: ExamplePrior = EigenExamples(world.covariance) if paper else NoExamples()
        found[f"eg-{name}"] = ContextualEpsilonGreedy(model)
        for scheme, resampling in SCHEMES.items():
            found[f"{scheme}-{name}"] = ContextualBootstrap(resampling, model, prior)
    found["ts-nn-langevin"] = Langevin()
    return found


def play(name: str, policy: Policy[Any], world: Labelled, rounds: int, seed: int) -> list[Row]:
    """Rows at about five points of one run; the time is that of select and update."""
    rng, state = generator(seed, "policy", name), policy.start(world.problem)
    rows = world.start(1, generator(seed, "rows"))
    points = {int(p) for p in np.geomspace(rounds / 16, rounds, 5).round()}
    total, late, seconds, found = 0.0, 0.0, 0.0, []
    for t in range(1, rounds + 1):
        contexts = world.look(rows, t - 1).contexts
        started = process_time()
        arms = policy.select(state, contexts, rng)
        seconds += process_time() - started
        reward = world.pull(rows, arms, rng)
        started = process_time()
        policy.update(state, contexts, arms, reward, rng)
        seconds += process_time() - started
        total += float(reward[0])
        late += float(reward[0]) if t > rounds * 0.9 else 0.0
        if t in points:
            found.append(row(name, t, total, seconds))
    found[-1]["last tenth"] = late / (rounds - int(rounds * 0.9))
    return found


def row(name: str, rounds: int, total: float, seconds: float) -> Row:
    return {
        "policy": name,
        "rounds": rounds,
        "reward": round(total / rounds, 4),
        "µs a round": round(1e6 * seconds / rounds),
        "last tenth": None,
    }


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--data", default="digits", help="name of a data set")
    parser.add_argument("--rounds", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--policies", help="names, by commas; all if left out")
    given = parser.parse_args()
    world = Labelled(given.data)
    known = policies(world)
    names = given.policies.split(",") if given.policies else list(known)
    rows: list[Row] = []
    with threadpool_limits(1):  # one core
        for name in names:
            rows += play(name, known[name], world, given.rounds, given.seed)
    report(given.out, f"network-{given.data}", vars(given), rows, "one core, cost averaged so far")


if __name__ == "__main__":
    main()
