"""The Open Bandit sample: each log says what the other policy earns, and the other log knows.

    python benchmarks/open_bandit.py            # needs open_bandit_small.npz in BANDSTRAP_DATA

Prints a table of all six directed pairs: the estimate with its interval, what the other log has
earned, and the verdict.
"""

import os
import sys
from pathlib import Path

import numpy as np

from bandstrap import evaluate
from bandstrap.arrays import Array
from bandstrap.evaluation.feedback import Feedback
from bandstrap.evaluation.targets import Rule, Target, Uniform

CAMPAIGNS = ("all", "men", "women")
OTHER = {"random": "bts", "bts": "random"}


def sample() -> dict[str, Array]:
    """The arrays of the file."""
    path = Path(os.environ.get("BANDSTRAP_DATA", ".")) / "open_bandit_small.npz"
    if not path.exists():
        sys.exit(f"{path} is missing: set BANDSTRAP_DATA to its folder")
    with np.load(path, allow_pickle=False) as arrays:
        return dict(arrays)


def log_of(data: dict[str, Array], policy: str, campaign: str) -> Feedback:
    """One log; the position at which an item was shown is the context."""
    named = {name: data[f"{policy}_{campaign}_{name}"] for name in ("item_id", "position", "click")}
    return Feedback(
        tuple(range(len(data[f"{campaign}_item_id"]))),
        named["item_id"].astype(np.int64),
        named["click"].astype(np.float64),
        contexts=named["position"].astype(np.float64)[:, None],
        propensities=data[f"{policy}_{campaign}_propensity_score"],
    )


def target_of(data: dict[str, Array], policy: str, campaign: str) -> Target:
    """The other policy: how often bts showed each item at a position, by its own log."""
    if policy == "random":
        return Uniform("random")
    log = log_of(data, policy, campaign)
    assert log.contexts is not None
    shown = np.zeros((4, len(log.arms)))
    np.add.at(shown, (log.contexts[:, 0].astype(int), log.chosen), 1)
    shares = shown / np.maximum(shown.sum(axis=1, keepdims=True), 1)
    return Rule(lambda context: shares[int(context[0])], "bts")


def main() -> None:
    data = sample()
    print("| log | for | estimate | 95 % interval | the other log | verdict |")
    print("|---|---|---|---|---|---|")
    for campaign in CAMPAIGNS:
        for policy, other in OTHER.items():
            log, truth = log_of(data, policy, campaign), log_of(data, other, campaign).rewards
            found = evaluate(log, target_of(data, other, campaign)).targets[0]
            low, high = found.interval.low, found.interval.high
            spread = 1.96 * truth.std() / np.sqrt(len(truth))
            apart = abs(found.value - truth.mean()) / np.hypot(found.error, spread / 1.96)
            print(
                f"| {policy}/{campaign} | {other} | {1000 * found.value:.1f} | "
                f"{1000 * low:.1f} to {1000 * high:.1f} | "
                f"{1000 * truth.mean():.1f} ± {1000 * spread:.1f} | {found.verdict.word} |"
                + (f" ({apart:.1f} standard errors apart)" if "--apart" in sys.argv else "")
            )


if __name__ == "__main__":
    main()
