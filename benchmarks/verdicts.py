"""How often intervals hold the truth, by the verdict that diagnostics gave.

Logs are those of benchmarks/intervals.py: bandits that learnt as they went, asked what uniformly
random arms earn, what one arm earns, and what the best arm or a rule does. The interval is that of
doubly robust estimates of stabilised variance, as in the answer of `bandstrap evaluate`.

    python benchmarks/verdicts.py [--quick]
"""

import sys
from collections import defaultdict
from typing import Any

import numpy as np

import intervals
from bandstrap.evaluation.diagnostics import Verdict
from bandstrap.evaluation.diagnostics.checks import check_log, check_target
from bandstrap.evaluation.diagnostics.log_summary import summarised
from bandstrap.evaluation.diagnostics.target_summary import TargetSummary
from bandstrap.evaluation.feedback import Feedback
from bandstrap.evaluation.intervals import StabilisedDR
from bandstrap.evaluation.regression import forward_fit, sampled
from bandstrap.evaluation.targets import Shares

SIZES = {"arms": (2000, 400), "contexts": (1500, 100)}  # decisions, logs
QUICK = {"arms": (500, 20), "contexts": (200, 2)}


def judged(log: Feedback, targets: dict[str, Any], truths: dict[str, float]) -> Any:
    """The verdict on each target, and whether its interval holds the truth."""
    n, log_facts, model = len(log), summarised(log), forward_fit(log)
    usual = float(np.median(log.rewards))
    for name, every in targets.items():
        weights = TargetSummary(log, usual, log_facts.chosen)
        weights.add(Shares(slice(0, n), every))
        found = [*check_log(log_facts), *check_target(name, weights, log_facts)]
        tally = StabilisedDR().start()
        tally.add(sampled(log, 0, n, every, model(0, n)))
        yield name, Verdict.of(found).word, truths[name] in tally.interval()


def main() -> None:
    sizes = QUICK if "--quick" in sys.argv else SIZES
    print("| world | verdict | intervals | hold the truth |")
    print("|---|---|---|---|")
    for world, (decisions, logs) in sizes.items():
        held: dict[str, list[bool]] = defaultdict(list)
        for log in (intervals.of_arms if world == "arms" else intervals.of_contexts)(
            decisions, logs, 7
        ):
            targets = intervals.targets(world, log.contexts, decisions)
            for _, word, holds in judged(log, targets, intervals.truths(world)):
                held[word].append(holds)
        for word, every in sorted(held.items()):
            print(f"| {world} | {word} | {len(every)} | {np.mean(every):.1%} |")


if __name__ == "__main__":
    main()
