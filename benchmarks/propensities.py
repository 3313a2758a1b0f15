"""Do decisions follow their propensities? Many decisions of bandits that have stopped learning.

For each policy a bandit learns a little and is then asked again and again. Its choices are
compared with the sums of the probabilities that it reported, by a chi-square statistic.
"""

from time import process_time
from typing import Any

import numpy as np
from scipy.stats import chi2

from bandstrap import Bandit, EigenExamples, LockInWarning, Propensity, Support
from bandstrap.policies import POLICIES
from bandstrap.policies.contextual import CONTEXTUAL
from output import Row, arguments, report

ARMS = "abcd"
CONTEXT = np.array([0.3, -0.2])


def frozen(policy: Any, contextual: bool, draws: int) -> Bandit:
    """A bandit that has learnt forty rewards."""
    given = Propensity(draws=draws)
    bandit = Bandit(policy, ARMS, seed=8, rewards=Support.binary(), propensity=given)
    rng = np.random.default_rng(2)
    contexts = rng.standard_normal((40, 2))
    for i, x in enumerate(contexts):
        reward = float(rng.random() < 0.3 + 0.1 * (i % 4))
        bandit.learn(context=x if contextual else None, arm=ARMS[i % 4], reward=reward)
    return bandit


def measured(bandit: Bandit, context: Any, decisions: int, seconds: float) -> Row:
    """Counts against expectations; the counts' covariance is that of their multinomials."""
    counts, expected, covariance = np.zeros(4), np.zeros(4), np.zeros((4, 4))
    smallest, n, until = 1.0, 0, process_time() + seconds
    while n < decisions and process_time() < until:
        decision = bandit.decide(context)
        p = np.array(list(decision.propensities.values()))
        counts[ARMS.index(decision.arm)] += 1
        expected += p
        covariance += np.diag(p) - np.outer(p, p)
        smallest = min(smallest, p.min())
        bandit.drop(decision)
        n += 1
    off = counts - expected
    statistic = float(off @ np.linalg.pinv(covariance, rcond=1e-9, hermitian=True) @ off)
    return {
        "decisions": n,
        "largest gap": float(np.abs(off).max() / n),
        "chi-square": statistic,
        "p": float(chi2(3).sf(statistic)),
        "smallest propensity": smallest,
    }


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--decisions", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=60.0, help="limit for each policy")
    parser.add_argument("--draws", type=int, default=4, help="that vote")
    parser.add_argument("--policies", help="all if not given, else as in wb,wb-log")
    given = parser.parse_args()
    prior = EigenExamples(np.eye(2))
    made = {name: (make(), None) for name, make in POLICIES.items()}
    made |= {name: (make(prior), CONTEXT) for name, make in CONTEXTUAL.items()}
    names = given.policies.split(",") if given.policies else list(made)
    rows: list[Row] = []
    for name in names:
        policy, context = made[name]
        bandit = frozen(policy, context is not None, given.draws)
        told = measured(bandit, context, given.decisions, given.seconds)
        rows.append({"policy": name, **told})
    report(given.out, "propensities", vars(given), rows, "choices against reported propensities")


if __name__ == "__main__":
    import warnings

    warnings.simplefilter("ignore", LockInWarning)  # what learns no more stays as it is
    main()
