"""Networks and their rivals on data with few arms and with many: reward and CPU time per round.

`ensemble-nn-free` and `wb-nn-heads-free` are these policies before heads kept the prior that they
started from.
"""

from dataclasses import dataclass
from functools import cache
from time import thread_time
from typing import Any

import numpy as np

from bandstrap import (
    ContextualBootstrap,
    EigenExamples,
    ExamplePrior,
    Exponential,
    NetworkHeads,
    NoExamples,
    NoResampling,
    Policy,
    Problem,
    Resampling,
    Support,
)
from bandstrap.datasets import load
from bandstrap.models import Learner
from bandstrap.models.network.heads import ManyHeads
from bandstrap.one_thread import ONE_THREAD
from bandstrap.policies.registry import CONTEXTUAL
from bandstrap.seeding import generator
from output import Row, arguments, report
from stand_ins import STAND_INS
from streams import numbers

NAMED = (
    "covtype,mnist,digits,pendigits,optdigits,yeast,segment,shuttle,vehicle,page_blocks,dna,"
    "mushroom,adult,iris,wine,breast_cancer"
)
POLICIES = (
    "ensemble-nn-free,ensemble-nn,wb-nn-heads-free,wb-nn-heads,wb-nn-budgeted,neural-linear,"
    "squarecb-nn,squarecb-log,falcon-log,regcb-log,ucb-lin-fixed"
)


class FreeHeads(ManyHeads):
    """Heads without a prior."""

    @property
    def anchored(self) -> bool:
        return False


@dataclass(frozen=True)
class FreeNetworkHeads(NetworkHeads):
    def learner(self, problem: Problem, resampling: Resampling, prior: ExamplePrior) -> Learner:
        return self.network.headed(problem, prior, FreeHeads(resampling, self.heads, self.spread))


def made(name: str, contexts: np.ndarray) -> Policy[Any]:
    prior = EigenExamples(np.cov(contexts.T))
    if name == "ensemble-nn-free":
        return ContextualBootstrap(NoResampling(), FreeNetworkHeads(), NoExamples())
    if name == "wb-nn-heads-free":
        return ContextualBootstrap(Exponential(), FreeNetworkHeads(), prior)
    return CONTEXTUAL[name](prior)


@cache
def labelled(name: str) -> tuple[np.ndarray, np.ndarray]:
    if name in STAND_INS:
        return STAND_INS[name]()
    data = load(name)
    return data.contexts, data.labels.astype(np.int64)


def played(
    policy: Policy[Any], contexts: np.ndarray, classes: np.ndarray, seed: int, rounds: int
) -> tuple[float, float, int]:
    """Reward and CPU microseconds per round of one run, and the arms that were hardly pulled."""
    count, n_arms = len(classes), int(classes.max()) + 1
    turns = range(-(-rounds // count))
    order = [generator(seed, "many arms", turn).permutation(count) for turn in turns]
    rng = generator(seed, "policy")
    state = policy.start(Problem(n_arms, contexts.shape[1], Support.binary()))
    earned, spent, pulls = 0.0, 0.0, np.zeros(n_arms)
    for row in np.concatenate(order)[:rounds]:
        x, started = contexts[row : row + 1], thread_time()
        arms = policy.select(state, x, rng)
        reward = (arms == classes[row]) * 1.0
        policy.update(state, x, arms, reward, rng)
        spent += thread_time() - started
        earned += float(reward[0])
        pulls[arms] += 1
    return earned / rounds, 1e6 * spent / rounds, int((pulls < 40).sum())


def row_of(data: str, name: str, given: Any) -> Row:
    contexts, classes = labelled(data)
    policy = made(name, numbers(contexts))
    with ONE_THREAD:
        runs = [played(policy, contexts, classes, s, given.rounds) for s in range(given.seeds)]
    rewards, micros, untried = np.array(runs).T
    return {
        "data": data,
        "arms": int(classes.max()) + 1,
        "features": contexts.shape[1],
        "policy": name,
        "reward": float(rewards.mean()),
        "± s.e.": float(rewards.std(ddof=1) / given.seeds**0.5) if given.seeds > 1 else None,
        "arms pulled less than 40 times": float(untried.mean()),
        "µs": float(micros.mean()),
    }


def by_data(rows: list[Row]) -> list[Row]:
    """A row for each data set, with the reward of every policy."""
    wide: dict[str, Row] = {}
    for row in rows:
        own = wide.setdefault(row["data"], {key: row[key] for key in ("data", "arms", "features")})
        error = "" if row["± s.e."] is None else f" ± {row['± s.e.']:.3f}"
        own[row["policy"]] = f"{row['reward']:.3f}{error}"
    return [*wide.values()]


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--data", default=f"{','.join(STAND_INS)},{NAMED}")
    parser.add_argument("--policies", default=POLICIES)
    parser.add_argument("--rounds", type=int, default=10_000)
    parser.add_argument("--seeds", type=int, default=3)
    given = parser.parse_args()
    rows: list[Row] = []
    for data in given.data.split(","):
        for name in given.policies.split(","):
            rows.append(row_of(data, name, given))
            print("  {data}: {policy} {reward:.3f}, {µs:.0f} µs".format(**rows[-1]), flush=True)
        note = f"{given.rounds:,} rounds, {given.seeds} runs; reward and CPU time per round"
        report(given.out, "many-arms-runs", vars(given), rows, note)
    report(given.out, "many-arms", vars(given), by_data(rows), note)


if __name__ == "__main__":
    main()
