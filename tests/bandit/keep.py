"""Write the files that later versions must still read: python tests/bandit/keep.py."""

import json
from pathlib import Path

import numpy as np

from bandstrap import (
    Bandit,
    Bootstrap,
    ContextualBootstrap,
    EigenExamples,
    Exponential,
    LogisticRegression,
    Support,
)
from bandstrap.bandit import saving

KEPT = Path(__file__).parent / "kept"


def keep(name: str, bandit: Bandit, contexts: list[list[float] | None]) -> None:
    for i, context in enumerate(contexts):
        decision = bandit.decide(context)
        bandit.learn(decision, float(i % 2))
    path = KEPT / f"format{saving.FORMAT}-{name}.bandit"
    bandit.save(path)
    told = []
    for context in contexts[:5]:
        decision = bandit.decide(context)
        told.append({"context": context, "arm": decision.arm, "scores": decision.scores})
    path.with_suffix(".json").write_text(json.dumps(told, indent=1) + "\n")


if __name__ == "__main__":
    rows = np.random.default_rng(0).standard_normal((20, 2)).round(3).tolist()
    keep("plain", Bandit(Bootstrap(), ["a", "b"], seed=1), [None] * 20)
    policy = ContextualBootstrap(Exponential(), LogisticRegression(), EigenExamples())
    keep("contexts", Bandit(policy, ["a", "b"], seed=1, rewards=Support.binary()), rows)
