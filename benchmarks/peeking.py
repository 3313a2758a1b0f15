"""False alarms of those who look after every decision.

Two arms pay the same, a coin decides between them, and after every decision somebody looks whether
the difference is significant at 5%. "false alarms" is the share of comparisons in which it ever
is: by a normal interval, made for one look, and by sequences, made for all. "power" is the same
where one arm pays 0.1 more.
"""

from argparse import Namespace
from functools import cache

import numpy as np

from bandstrap.evaluation.intervals import (
    Betting,
    EmpiricalBernstein,
    asymptotic_sequence,
    difference_terms,
    ips_terms,
)
from bandstrap.evaluation.sample import Sample
from output import Row, arguments, report

PAYS, MORE, FIRST = 0.3, 0.1, 30  # nobody believes fewer decisions than the last


def compared(decisions: int, more: float, seed: int) -> tuple[Sample, Sample]:
    """The same decisions as the two arms see them."""
    rng = np.random.default_rng([seed, int(1000 * more)])
    arms = rng.integers(2, size=decisions)
    rewards = (rng.random(decisions) < PAYS + more * arms) + 0.0
    weights = np.full(decisions, 2.0)
    return Sample(rewards, weights, (arms == 1) + 0.0), Sample(rewards, weights, (arms == 0) + 0.0)


@cache
def widths(decisions: int) -> np.ndarray:
    """How many standard errors the asymptotic sequence allows after each decision."""
    return np.array([asymptotic_sequence(0.0, 1.0, n + 1).high for n in range(decisions)])


def alarms(one: Sample, other: Sample) -> dict[str, bool]:
    """Whether each method ever sees a difference."""
    off = one.ratios * one.rewards - other.ratios * other.rewards
    n = np.arange(1, len(off) + 1)
    means = off.cumsum() / n
    errors = np.sqrt(np.maximum((off**2).cumsum() / n - means**2, 1e-300) / n)
    late = n >= FIRST
    terms = difference_terms(ips_terms(one), ips_terms(other))
    found = {
        "normal, looked at once": abs(means[-1]) > 1.96 * errors[-1],
        "normal, at every look": (abs(means) > 1.96 * errors)[late].any(),
        "asymptotic sequence": (abs(means) > widths(len(off)) * errors)[late].any(),
    }
    for name, method in (("empirical Bernstein", EmpiricalBernstein), ("betting", Betting)):
        tally = method(low=-1.0, high=1.0).start()
        found[name] = (tally.evidence(terms, 0.0) >= tally.threshold).any()
    return {name: bool(alarm) for name, alarm in found.items()}


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--comparisons", type=int, default=1000)
    parser.add_argument("--decisions", type=int, default=1000)
    parser.add_argument("--quick", action="store_true", help="a tenth of both")
    given: Namespace = parser.parse_args()
    if given.quick:
        given.comparisons, given.decisions = 100, 500
    seeds = range(given.comparisons)
    null = [alarms(*compared(given.decisions, 0.0, seed)) for seed in seeds]
    real = [alarms(*compared(given.decisions, MORE, seed)) for seed in seeds]
    rows: list[Row] = [
        {
            "method": name,
            "false alarms": float(np.mean([each[name] for each in null])),
            "power": float(np.mean([each[name] for each in real])),
        }
        for name in null[0]
    ]
    note = f"{given.comparisons:,} comparisons, a look after each of {given.decisions:,} decisions"
    report(given.out, "peeking", vars(given), rows, note)


if __name__ == "__main__":
    main()
