"""How often intervals hold the truth, by the verdict that diagnostics gave.

Logs are those of benchmarks/intervals.py: bandits that learnt as they went, asked what uniformly
random arms earn, what one arm earns, and what the best arm or a rule does. The interval is that of
doubly robust estimates of stabilised variance, as in the answer of `bandstrap evaluate`. Of the
same logs it says how often that interval holds where weights are worth at least 100 decisions.

Logs are made and judged in batches, each kept in a file, so that a run goes on where it was left.

    python benchmarks/verdicts.py [--quick] [--first 1000]
"""

from argparse import Namespace

import numpy as np

import intervals
from bandstrap.evaluation.diagnostics.checks import check_log, check_target
from bandstrap.evaluation.diagnostics.finding import CANNOT, CARE, TRUST, Verdict
from bandstrap.evaluation.diagnostics.log_summary import summarised
from bandstrap.evaluation.diagnostics.target_summary import TargetSummary
from bandstrap.evaluation.feedback import Feedback
from bandstrap.evaluation.regression import forward_fit, sampled
from bandstrap.evaluation.targets import Shares
from output import Row, arguments, report

WORDS = (TRUST, CARE, CANNOT)


def judged(log: Feedback, world: str, truths: dict[str, float]) -> np.ndarray:
    """The verdict on each target, whether its interval holds the truth, and its sample size."""
    n, log_facts = len(log), summarised(log)
    model, usual = forward_fit(log)(0, n), float(np.median(log.rewards))
    rows = []
    for name, every in intervals.targets(world, log.contexts, n).items():
        weights = TargetSummary(log, usual, log_facts.chosen)
        weights.add(Shares(slice(0, n), every))
        found = [*check_log(log_facts), *check_target(name, weights, log_facts)]
        word = Verdict.of(found).word
        holds, _ = intervals.stabilised(sampled(log, 0, n, every, model), truths[name])
        rows.append([WORDS.index(word), holds, weights.size])
    return np.array(rows, dtype=float)


def rows_of(world: str, decisions: int, found: np.ndarray) -> list[Row]:
    """Of each verdict, and of all targets whose weights are worth enough decisions."""
    word, holds, size = found.reshape(-1, 3).T
    which = {each: word == place for place, each in enumerate(WORDS)}
    which[f"effective sample size ≥ {intervals.ENOUGH}"] = size >= intervals.ENOUGH
    return [
        {
            "world": world,
            "decisions": decisions,
            "logs": len(found),
            "verdict": name,
            "intervals": int(some.sum()),
            "hold the truth": intervals.share(holds[some]),
        }
        for name, some in which.items()
    ]


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--logs", type=int, default=1000)
    parser.add_argument("--decisions", type=int, default=2000, help="of arms alone")
    parser.add_argument("--contextual", type=int, default=1500, help="decisions with contexts")
    intervals.others(parser)
    parser.add_argument("--quick", action="store_true", help="a few short logs")
    given: Namespace = parser.parse_args()
    if given.quick:
        given.logs, given.decisions, given.contextual = 12, 300, 200
    rows: list[Row] = []
    for world, decisions in (("contexts", given.contextual), ("arms", given.decisions)):
        kept = given.out / "verdicts"
        found = intervals.batches(world, given.logs, decisions, kept, judged, given.first)
        rows += rows_of(world, decisions, found)
    report(given.out, "verdicts", vars(given), rows, "95% intervals by the verdict on them")


if __name__ == "__main__":
    main()
