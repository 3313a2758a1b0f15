"""How much a prior can give: the bootstrap by both priors, and the same model in easier games.

`greedy` resamples nothing, so it pays for no exploration. `told` is greedy too, and told what every
arm would have paid, so that nothing is left for a prior to do. `regcb-log` is the best rival with
logistic regressions. Streams are those of benchmarks/peers.py.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from bandstrap import (
    AdaptiveExamples,
    ContextualBootstrap,
    EigenExamples,
    GaussianLimit,
    LogisticRegression,
    NoResampling,
    Policy,
)
from bandstrap.datasets import available
from bandstrap.one_thread import ONE_THREAD
from bandstrap.policies.registry import CONTEXTUAL
from output import Row, arguments, report
from streams import Stream, numbers, stream

PAPER = "wb-log-gaussian"
NAMED = (PAPER, "wb-log-gaussian-adaptive", "regcb-log")
WIDE = 200  # features from which on a game takes minutes


def greedy(penalty: float) -> Policy[Any]:
    """The adaptive prior without resampling."""
    model = GaussianLimit(LogisticRegression(penalty))
    return ContextualBootstrap(NoResampling(), model, AdaptiveExamples())


def played(policy: Policy[Any], rows: Stream, seed: int, told: bool = False) -> float:
    """Reward per step; of what all arms pay is learnt, or only of the arm that was chosen."""
    rng, state, earned = np.random.default_rng(seed), policy.start(rows.problem), 0.0
    every = np.arange(rows.n_arms)
    for x, label in zip(numbers(rows.contexts)[:, None], rows.labels, strict=True):
        arm = policy.select(state, x, rng)
        earned += float(arm[0] == label)
        for each in every[:, None] if told else (arm,):
            policy.update(state, x, each, (each == label) * 1.0, rng)
    return earned / rows.rounds


def players() -> dict[str, Callable[[Stream, int], float]]:
    """Every game by its name."""
    found = {
        name: lambda rows, seed, name=name: played(CONTEXTUAL[name](EigenExamples()), rows, seed)
        for name in NAMED
    }
    found["greedy"] = lambda rows, seed: played(greedy(1e-3), rows, seed)
    for penalty in (1e-4, 1e-5):  # the paper's, and less: labels are many
        found[f"told, {penalty:g}"] = lambda rows, seed, penalty=penalty: played(
            greedy(penalty), rows, seed, told=True
        )
    return found


def row_of(name: str, rounds: int, seeds: int) -> Row:
    streams = [stream(name, rounds, seed) for seed in range(seeds)]
    with ONE_THREAD:
        return {"data": name} | {
            who: float(np.mean([game(rows, seed) for seed, rows in enumerate(streams)]))
            for who, game in players().items()
        }


def over_all(rows: list[Row]) -> list[Row]:
    """The means over data sets, and what each earns more than the paper's prior."""
    mean = {who: float(np.mean([row[who] for row in rows])) for who in players()}
    more = {who: mean[who] - mean[PAPER] for who in mean}
    return [{"data": f"mean of {len(rows)}"} | mean, {"data": "more than the paper's"} | more]


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--datasets", help="as in covtype,iris; by default all that are not wide")
    parser.add_argument("--rounds", type=int, default=10_000)
    parser.add_argument("--seeds", type=int, default=3)
    given = parser.parse_args()
    rows: list[Row] = []
    for name in given.datasets.split(",") if given.datasets else available():
        if given.datasets or stream(name, 1, 0).contexts.shape[1] < WIDE:
            rows.append(row_of(name, given.rounds, given.seeds))
            print(rows[-1], flush=True)
    note = f"{given.rounds:,} rounds, {given.seeds} seeds; reward per step"
    report(given.out, "prior-ceiling", vars(given), rows + over_all(rows), note)


if __name__ == "__main__":
    main()
