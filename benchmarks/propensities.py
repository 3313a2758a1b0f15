"""Do decisions follow their propensities? Many decisions of bandits that have stopped learning.

For each policy a bandit learns a little and is then asked again and again. Its choices are
compared with the sums of the probabilities that it reported, by a chi-square statistic; a policy
fails where p is below LEVEL / policies (Bonferroni, of all that there are). "notices" is how far
the probability of an arm may be off before that is more likely than not to happen. "IPS z" is how
many standard errors the value of uniformly random arms, estimated by inverse propensities, is from
the truth; the errors are those that the propensities imply, as rare arms may not have been chosen
yet.

Two draws vote where only draws can tell. More would cost more and notice less: given the draws,
which of them came first is all that is left to chance, and among few that is little.

Rows are written as they come, beside those of other policies that the same settings gave before:
`--policies` adds some, or does them again.

With `--repeats` weights are tried instead, where only draws can tell by geometric resampling. The
weights of an arm's decisions must add up to all decisions, so "reported" is the mean over decisions
of an arm's weights, 1 of each arm.
"""

import warnings
from argparse import Namespace
from time import process_time
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import chi2

from bandstrap import Bandit, EigenExamples, LockInWarning, Propensity, Support
from bandstrap.policies import POLICIES
from bandstrap.policies.registry import CONTEXTUAL
from output import Row, arguments, report, rows_of, write

ARMS = ["a", "b", "c"]
PAYS = np.array([0.4, 0.5, 0.6])
HISTORY = 24  # rewards; few, so that no arm is nearly certain to win
CONTEXT = np.array([0.3, -0.2])
FEW = 5.0  # expected decisions below which the statistic is not chi-square
OTHERWISE = ("out", "policies", "workers")  # settings that change no row
LEVEL = 0.01  # at which one of all policies together may fail by chance


def frozen(policy: Any, contextual: bool, given: Propensity) -> Bandit:
    """A bandit that has learnt a few rewards."""
    bandit = Bandit(policy, ARMS, seed=8, rewards=Support.binary(), propensity=given)
    rng = np.random.default_rng(2)
    for i in range(HISTORY):
        x, arm = rng.standard_normal(CONTEXT.size), i % PAYS.size
        reward = float(rng.random() < PAYS[arm])
        bandit.learn(context=x if contextual else None, arm=ARMS[arm], reward=reward)
    return bandit


def asked(bandit: Bandit, context: Any, decisions: int) -> tuple[np.ndarray, np.ndarray]:
    """The arms chosen, (decisions,), and the probabilities reported, (decisions, arms)."""
    chosen, reported = np.empty(decisions, dtype=int), np.empty((decisions, PAYS.size))
    for i in range(decisions):
        decision = bandit.decide(context)
        chosen[i] = ARMS.index(decision.arm)
        reported[i] = list(decision.propensities.values())
        bandit.drop(decision)
    return chosen, reported


def weighed(bandit: Bandit, context: Any, decisions: int) -> tuple[np.ndarray, str]:
    """Each decision's weight in the column of its arm, (decisions, arms), and how it was found."""
    terms = np.zeros((decisions, PAYS.size))
    for i in range(decisions):
        decision = bandit.decide(context)
        terms[i, ARMS.index(decision.arm)] = decision.weight
        bandit.drop(decision)
    return terms, decision.method


def added_up(terms: np.ndarray, method: str, level: float) -> Row:
    """Whether the weights of each arm add up to all decisions."""
    n, chosen = len(terms), terms.argmax(axis=1)
    statistic, freedom = chi_square((terms - 1).sum(axis=0), n * np.cov(terms.T))
    p = float(chi2(max(freedom, 1)).sf(statistic)) if freedom else 1.0
    rewards = np.random.default_rng(4).random(n) < PAYS[chosen]
    worth = rewards * terms.sum(axis=1) / PAYS.size - PAYS.mean()
    return {
        "decisions": n,
        "weights": method,
        "chosen": " ".join(f"{share:.3f}" for share in (terms > 0).mean(axis=0)),
        "reported": " ".join(f"{mean:.3f}" for mean in terms.mean(axis=0)),
        "chi-square": statistic,
        "p": p,
        "fails": "yes" if p < level else "no",
        "IPS z": float(worth.sum() / (worth.std() * np.sqrt(n))),
        "largest": float(terms.max()),
    }


def compared(chosen: np.ndarray, reported: np.ndarray, level: float) -> Row:
    """Counts against expectations; the counts' covariance is that of their multinomials."""
    n = chosen.size
    counts, expected = np.bincount(chosen, minlength=PAYS.size), reported.sum(axis=0)
    covariance = np.diag(expected) - reported.T @ reported
    statistic, freedom = chi_square(counts - expected, covariance)
    law = chi2(max(freedom, 1))
    p = float(law.sf(statistic)) if freedom else 1.0
    return {
        "decisions": n,
        "chosen": " ".join(f"{share:.3f}" for share in counts / n),
        "reported": " ".join(f"{share:.3f}" for share in expected / n),
        "chi-square": statistic,
        "p": p,
        "fails": "yes" if p < level else "no",
        "notices": float(np.sqrt(law.isf(level) * np.diag(covariance).max()) / n),
        "IPS z": ips_z(chosen, reported),
        "smallest": float(reported.min()),
        "largest": float(reported.max()),
    }


def ips_z(chosen: np.ndarray, reported: np.ndarray) -> float:
    """How far the value of uniformly random arms is from its estimate, in standard errors."""
    rewards = np.random.default_rng(4).random(chosen.size) < PAYS[chosen]
    propensities = reported[np.arange(chosen.size), chosen]
    excess = rewards / PAYS.size / propensities - PAYS.mean()
    doubt = (PAYS / PAYS.size**2 / reported).sum(axis=1) - PAYS.mean() ** 2
    return float(excess.sum() / np.sqrt(doubt.sum()))


def chi_square(off: np.ndarray, covariance: np.ndarray) -> tuple[float, int]:
    """The statistic and its degrees of freedom; arms with small expected counts are pooled."""
    common = np.diag(covariance) >= FEW
    cells = np.vstack([np.eye(len(off))[common], ~common])
    off, covariance = cells @ off, cells @ covariance @ cells.T
    cells = np.diag(covariance) >= FEW
    off, covariance = off[cells], covariance[np.ix_(cells, cells)]
    if not cells.any():
        return 0.0, 0
    inverse = np.linalg.pinv(covariance, rcond=1e-9, hermitian=True)
    return float(off @ inverse @ off), int(np.linalg.matrix_rank(covariance, rtol=1e-9))


def tested(name: str, given: Namespace, level: float) -> Row:
    """The row of one policy, by name: the task of one process."""
    warnings.simplefilter("ignore", LockInWarning)  # what learns no more stays as it is
    without = name in POLICIES
    prior = EigenExamples(np.eye(CONTEXT.size))
    policy, context = (POLICIES[name](), None) if without else (CONTEXTUAL[name](prior), CONTEXT)
    draws = None if given.repeats else given.draws
    propensity = Propensity(draws=draws, floor=given.floor, repeats=given.repeats)
    bandit = frozen(policy, not without, propensity)
    bandit.drop(bandit.decide(context))  # compiles
    began = process_time()
    if given.repeats:
        row = added_up(*weighed(bandit, context, given.decisions), level)
    else:
        row = compared(*asked(bandit, context, given.decisions), level)
    return {"policy": name, **row, "seconds": process_time() - began}


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--decisions", type=int, default=100_000)
    parser.add_argument("--draws", type=int, default=2, help="that vote")
    parser.add_argument("--repeats", type=int, help="try weights, by so many repeats")
    parser.add_argument("--floor", type=float, default=0.02, help="probability of any arm")
    parser.add_argument("--policies", help="all if not given, else as in wb,wb-log")
    parser.add_argument("--workers", type=int, default=2, help="processes")
    given = parser.parse_args()
    every = [*POLICIES, *CONTEXTUAL]
    names = given.policies.split(",") if given.policies else every
    name, what = (
        ("propensities-weights", "weights") if given.repeats else ("propensities", "choices")
    )
    note = f"{what} against reported propensities"
    before = rows_of(given.out, name, vars(given), but=OTHERWISE)
    rows = {row["policy"]: row for row in before if row["policy"] in every}
    tasks = (delayed(tested)(name, given, LEVEL / len(every)) for name in names)
    for done, row in enumerate(Parallel(given.workers, return_as="generator")(tasks), 1):
        rows[row["policy"]] = row
        table = [rows[each] for each in every if each in rows]
        write(given.out, name, vars(given), table, note)
        print(f"{done} of {len(names)}: {row['policy']}, p = {row['p']:.3g}", flush=True)
    report(given.out, name, vars(given), table, note)


if __name__ == "__main__":
    main()
