"""Do decisions follow their propensities? Many decisions of bandits that have stopped learning.

For each policy a bandit learns a little and is then asked again and again. Its choices are
compared with the sums of the probabilities that it reported, by a chi-square statistic; a policy
fails where p is below LEVEL / policies (Bonferroni). "IPS z" is how many standard errors the value
of uniformly random arms, estimated by inverse propensities, is from the truth; the errors are those
that the propensities imply, as rare arms may not have been chosen yet.
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
PAYS = np.array([0.3, 0.4, 0.5, 0.6])
CONTEXT = np.array([0.3, -0.2])
FEW = 5.0  # expected decisions below which the statistic is not chi-square
LEVEL = 0.01  # at which one of all policies together may fail by chance


def frozen(policy: Any, contextual: bool, given: Propensity) -> Bandit:
    """A bandit that has learnt forty rewards."""
    bandit = Bandit(policy, ARMS, seed=8, rewards=Support.binary(), propensity=given)
    rng = np.random.default_rng(2)
    contexts = rng.standard_normal((40, 2))
    for i, x in enumerate(contexts):
        reward = float(rng.random() < PAYS[i % 4])
        bandit.learn(context=x if contextual else None, arm=ARMS[i % 4], reward=reward)
    return bandit


def measured(bandit: Bandit, context: Any, decisions: int, seconds: float) -> Row:
    """Counts against expectations; the counts' covariance is that of their multinomials."""
    counts, expected, covariance = np.zeros(4), np.zeros(4), np.zeros((4, 4))
    rng, smallest, largest, n = np.random.default_rng(4), 1.0, 0.0, 0
    excess, doubt, until = 0.0, 0.0, process_time() + seconds
    while n < decisions and process_time() < until:
        decision = bandit.decide(context)
        p = np.array(list(decision.propensities.values()))
        arm = ARMS.index(decision.arm)
        counts[arm] += 1
        expected += p
        covariance += np.diag(p) - np.outer(p, p)
        smallest, largest = min(smallest, p.min()), max(largest, p.max())
        excess += (rng.random() < PAYS[arm]) / 4 / decision.propensity - PAYS.mean()
        doubt += float((PAYS / 16 / p).sum() - PAYS.mean() ** 2)
        bandit.drop(decision)
        n += 1
    statistic, freedom = chi_square(counts - expected, covariance)
    return {
        "decisions": n,
        "largest gap": float(np.abs(counts - expected).max() / n),
        "chi-square": statistic,
        "p": float(chi2(freedom).sf(statistic)) if freedom else 1.0,
        "IPS z": float(excess / np.sqrt(doubt)),
        "smallest": smallest,
        "largest": largest,
    }


def chi_square(off: np.ndarray, covariance: np.ndarray) -> tuple[float, int]:
    """The statistic and its degrees of freedom; arms of which few are expected count as one."""
    common = np.diag(covariance) >= FEW
    cells = np.vstack([np.eye(len(off))[common], ~common])
    off, covariance = cells @ off, cells @ covariance @ cells.T
    cells = np.diag(covariance) >= FEW
    off, covariance = off[cells], covariance[np.ix_(cells, cells)]
    if not cells.any():
        return 0.0, 0
    inverse = np.linalg.pinv(covariance, rcond=1e-9, hermitian=True)
    return float(off @ inverse @ off), int(np.linalg.matrix_rank(covariance, rtol=1e-9))


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--decisions", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=60.0, help="limit for each policy")
    parser.add_argument("--draws", type=int, default=4, help="that vote")
    parser.add_argument("--floor", type=float, default=0.02, help="probability of any arm")
    parser.add_argument("--policies", help="all if not given, else as in wb,wb-log")
    given = parser.parse_args()
    prior = EigenExamples(np.eye(2))
    made = {name: (make(), None) for name, make in POLICIES.items()}
    made |= {name: (make(prior), CONTEXT) for name, make in CONTEXTUAL.items()}
    names = given.policies.split(",") if given.policies else list(made)
    rows: list[Row] = []
    for name in names:
        policy, context = made[name]
        bandit = frozen(policy, context is not None, Propensity(given.draws, given.floor))
        bandit.drop(bandit.decide(context))  # compiles
        told = measured(bandit, context, given.decisions, given.seconds)
        rows.append({"policy": name, **told, "fails": float(told["p"]) < LEVEL / len(names)})
    report(given.out, "propensities", vars(given), rows, "choices against reported propensities")


if __name__ == "__main__":
    import warnings

    warnings.simplefilter("ignore", LockInWarning)  # what learns no more stays as it is
    main()
