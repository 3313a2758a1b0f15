"""Two threads decide and learn through one bandit: nothing fails, no reward is lost."""

import threading
from time import monotonic
from typing import Any

import numpy as np

from bandstrap import (
    Bandit,
    Bootstrap,
    ContextualBootstrap,
    EigenExamples,
    Exponential,
    GaussianLimit,
    LogisticRegression,
    Support,
)
from output import Row, arguments, report

ARMS = ("red", "green", "blue")


class Worker(threading.Thread):
    """Decides, and learns rewards of earlier decisions."""

    def __init__(self, bandit: Bandit, contextual: bool, until: float, seed: int) -> None:
        super().__init__()
        self.bandit, self.contextual, self.until = bandit, contextual, until
        self.rng = np.random.default_rng(seed)
        self.made, self.errors = 0, 0

    def run(self) -> None:
        late: list[Any] = []
        try:
            while monotonic() < self.until:
                context = self.rng.standard_normal(5) if self.contextual else None
                late.append(self.bandit.decide(context))
                if len(late) > 20:
                    decision = late.pop(int(self.rng.integers(20)))
                    self.bandit.learn(decision, float(decision.arm == "green"))
                    self.made += 1
            self.bandit.learn(late, [0.0] * len(late))
            self.made += len(late)
        except Exception:
            self.errors += 1
            raise


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    model = GaussianLimit(LogisticRegression())
    policies = {
        "wb": (Bootstrap(), False),
        "wb-log-gaussian": (ContextualBootstrap(Exponential(), model, EigenExamples()), True),
    }
    rows: list[Row] = []
    for name, (policy, contextual) in policies.items():
        bandit = Bandit(policy, ARMS, seed=0, rewards=Support.binary())
        until = monotonic() + given.seconds
        workers = [Worker(bandit, contextual, until, seed) for seed in range(given.threads)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        told = sum(worker.made for worker in workers)
        rows.append(
            {
                "policy": name, "rewards told": told, "rewards learnt": bandit.rewards_learnt,
                "waiting": bandit.decisions_waiting, "errors": sum(w.errors for w in workers),
            }
        )  # fmt: skip
    report(given.out, "threads", vars(given), rows, f"{given.threads} threads, one bandit")
    if any(row["errors"] or row["rewards told"] != row["rewards learnt"] for row in rows):
        raise SystemExit("a reward was lost, or a thread failed")


if __name__ == "__main__":
    main()
