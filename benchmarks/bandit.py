"""What a decision and its reward cost through `Bandit`: one context at a time, one core.

The reference is a plain Python function call, timed in the same run: figures of other machines
compare by their multiples of it.
"""

from collections.abc import Callable
from statistics import median
from time import thread_time
from typing import Any

import numpy as np

from bandstrap import (
    Bandit,
    BetaThompson,
    Bootstrap,
    ContextualBootstrap,
    EigenExamples,
    Exponential,
    GaussianLimit,
    LogisticRegression,
    OnlineLogistic,
    Replicas,
    SharedBootstrap,
    Support,
)
from output import Row, arguments, report

Play = Callable[[int], None]
BLOCKS = 15  # each beside its own reference, as the machine's speed changes from one to the next


def without_context(policy: Any, support: Support, arms: int = 10) -> Play:
    bandit = Bandit(policy, range(arms), seed=0, rewards=support)
    rng = np.random.default_rng(0)

    def play(rounds: int) -> None:
        for _ in range(rounds):
            decision = bandit.decide()
            bandit.learn(decision, float(rng.random() < 0.3 + 0.04 * decision.arm))

    return play


def with_context(policy: Any, arms: int = 7, features: int = 54) -> Play:
    """Contexts like CovType's: ten numbers, and two of many indicators."""
    bandit = Bandit(policy, range(arms), seed=0, rewards=Support.binary())
    rng = np.random.default_rng(0)
    truth = rng.standard_normal((arms, 10))

    def play(rounds: int) -> None:
        contexts = np.zeros((rounds, features))
        contexts[:, :10] = rng.standard_normal((rounds, 10))
        contexts[np.arange(rounds), rng.integers(10, features, rounds)] = 1.0
        best = (contexts[:, :10] @ truth.T).argmax(axis=1).tolist()
        for x, right in zip(contexts, best, strict=True):
            decision = bandit.decide(x)
            bandit.learn(decision, float(decision.arm == right))

    return play


def with_features(arms: int = 10_000, own: int = 8, features: int = 8) -> Play:
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((arms, own))
    policy = SharedBootstrap(Exponential(), Replicas(OnlineLogistic()), EigenExamples())
    bandit = Bandit(policy, dict(enumerate(rows)), seed=0, rewards=Support.binary())

    def play(rounds: int) -> None:
        for x in rng.standard_normal((rounds, features)):
            decision = bandit.decide(x)
            bandit.learn(decision, float(rows[decision.arm] @ x > 2))

    return play


def timed(play: Play, rounds: int) -> float:
    """Seconds for a round."""
    started = thread_time()
    play(rounds)
    return (thread_time() - started) / rounds


def reference(times: int = 20_000) -> float:
    """Seconds for a call of a Python function that does nothing."""

    def nothing() -> None:
        pass

    started = thread_time()
    for _ in range(times):
        nothing()
    return (thread_time() - started) / times


def cases() -> dict[str, tuple[Play, int]]:
    def fast(model: Any) -> ContextualBootstrap:
        return ContextualBootstrap(Exponential(), model, EigenExamples(np.eye(54)))

    return {
        "wb, 10 arms, 0/1 rewards": (without_context(Bootstrap(), Support.binary()), 6000),
        "ts, 10 arms, 0/1 rewards": (without_context(BetaThompson(), Support.binary()), 6000),
        "wb, 10 arms, real rewards": (without_context(Bootstrap(), Support.interval()), 6000),
        "wb-log-gaussian, 7 arms, 54 features": (
            with_context(fast(GaussianLimit(LogisticRegression()))), 3000,
        ),
        "wb-log-replicas, 7 arms, 54 features": (
            with_context(fast(Replicas(OnlineLogistic()))), 3000,
        ),
        "wb-log-replicas, 10,000 arms with features": (with_features(), 60),
    }  # fmt: skip


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="of the rounds")
    given = parser.parse_args()
    rows: list[Row] = []
    for name, (play, rounds) in cases().items():
        rounds = max(10, int(given.share * rounds))
        play(max(5, rounds // 3))  # compiles, and leaves the first rounds behind
        blocks = [(timed(play, max(1, rounds // BLOCKS)), reference()) for _ in range(BLOCKS)]
        cost = median(block for block, _ in blocks)
        calls = median(block / call for block, call in blocks)
        rows.append({"bandit": name, "µs": 1e6 * cost, "calls": calls})
    note = (
        f"decide and learn for one context, median of {BLOCKS} blocks of rounds: "
        "µs of CPU and multiples of an empty Python call"
    )
    report(given.out, "bandit", vars(given), rows, note)


if __name__ == "__main__":
    main()
