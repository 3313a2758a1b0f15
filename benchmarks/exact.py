"""Are the probabilities that policies know exact? Beside many draws, and beside quadrature.

Each policy learns 0/1 rewards of five arms and then chooses again and again, by its own draws. The
difference of each arm's share from its probability is given as such and in standard errors: 10⁷
draws have one of 1.6e-4 where the probability is one half, 2·10⁸ of 3.5e-5. Where the law of an
arm's draw is a textbook's, SciPy's quadrature, or the sum over all its values, finds the
probability once more.
"""

from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np
from scipy.integrate import quad
from scipy.stats import beta, binom

from bandstrap import Problem, Support
from bandstrap.policies import POLICIES
from bandstrap.policies.registry import REGISTRY
from output import Row, arguments, report, write

ONES = (5, 7, 2, 0, 12)
ZEROS = (4, 9, 1, 1, 30)
AT_ONCE = 50_000  # choices, each of a run of its own

Law = Callable[[int, int], Any]  # of an arm's draw, after so many ones and zeros


def beta_law(ones: int, zeros: int) -> Any:
    """With the pseudo-rewards, or the prior's, one of each."""
    return beta(ones + 1, zeros + 1)


def binomial_law(ones: int, zeros: int) -> Any:
    """Of the sum of as many rewards as there are, with pseudo-rewards, drawn with replacement."""
    n = ones + zeros + 2
    return binom(n, (ones + 1) / n)


LAWS: dict[str, Law] = {
    "wb": beta_law,
    "ts": beta_law,
    "ts-dirichlet": beta_law,
    "npb": binomial_law,
    "npb-binomial": binomial_law,
}


def learnt(policy: Any, runs: int, rng: np.random.Generator) -> Any:
    """The state of as many runs, all of which have seen the same rewards."""
    state = policy.start(Problem(len(ONES), support=Support.binary()), runs)
    for arm, both in enumerate(zip(ONES, ZEROS, strict=True)):
        for reward, count in zip((1.0, 0.0), both, strict=True):
            for _ in range(count):
                arms, rewards = np.full(runs, arm), np.full(runs, reward)
                policy.update(state, None, arms, rewards, rng)
    return state


def shares(policy: Any, draws: int, rng: np.random.Generator) -> np.ndarray:
    """How often each arm was chosen, of all choices."""
    runs = min(draws, AT_ONCE)
    state, counts = learnt(policy, runs, rng), np.zeros(len(ONES), dtype=int)
    for _ in range(draws // runs):
        counts += np.bincount(policy.select(state, None, rng), minlength=len(ONES))
    return counts / counts.sum()


def integrated(law: Law) -> np.ndarray:
    """The probability of each arm to have the highest draw, from the laws of the draws alone."""
    laws = [law(*both) for both in zip(ONES, ZEROS, strict=True)]
    if hasattr(laws[0], "pdf"):
        return np.array([_highest(laws, arm) for arm in range(len(laws))])
    return _summed([np.arange(each.args[0] + 1) / each.args[0] for each in laws],
                   [each.pmf(np.arange(each.args[0] + 1)) for each in laws])  # fmt: skip


def _highest(laws: list[Any], arm: int) -> float:
    others = [law for place, law in enumerate(laws) if place != arm]

    def density(x: float) -> float:
        return float(laws[arm].pdf(x) * np.prod([law.cdf(x) for law in others]))

    cuts = sorted({float(law.median()) for law in laws})
    return float(quad(density, 0, 1, points=cuts, limit=500, epsabs=1e-12, epsrel=1e-10)[0])


def _summed(values: list[np.ndarray], masses: list[np.ndarray]) -> np.ndarray:
    """Over all values; arms that tie share evenly, a polynomial in how many do."""
    found = np.zeros(len(values))
    for arm, (own, mass) in enumerate(zip(values, masses, strict=True)):
        for x, p in zip(own, mass, strict=True):
            ties = np.ones(1)  # by how many others are equal to x, none being above
            for other, (theirs, weight) in enumerate(zip(values, masses, strict=True)):
                if other != arm:
                    near = np.isclose(theirs, x, rtol=0, atol=1e-12)
                    below = weight[(theirs < x) & ~near].sum()
                    ties = np.convolve(ties, [below, weight[near].sum()])
            found[arm] += p * (ties / np.arange(1, ties.size + 1)).sum()
    return found


def compared(name: str, draws: int) -> Row | None:
    """The row of a policy; None if it knows no probabilities that all runs share."""
    policy, rng, began = POLICIES[name](), np.random.default_rng(1), process_time()
    if REGISTRY[name].learns_at_random:  # each run has other probabilities: see propensities.py
        return None
    one = learnt(policy, 1, rng)
    known = policy.probabilities(one, None, np.ones((1, len(ONES)), dtype=bool))
    if known is None:
        return None
    exact = np.asarray(known() if callable(known) else known).reshape(len(ONES))
    off = np.abs(shares(policy, draws, rng) - exact)
    error = np.sqrt(exact * (1 - exact) / (draws // AT_ONCE * AT_ONCE or draws))
    certain = error < 1e-9
    assert (off[certain] < 1e-6).all()
    away = np.abs(integrated(LAWS[name]) - exact).max() if name in LAWS else None
    return {
        "policy": name,
        "draws": draws,
        "probabilities": " ".join(f"{each:.4f}" for each in exact),
        "largest difference": f"{off.max():.1e}",
        "in standard errors": float((off[~certain] / error[~certain]).max(initial=0.0)),
        "from quadrature": "–" if away is None else f"{away:.1e}",
        "seconds": process_time() - began,
    }


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--draws", type=int, default=10**7)
    parser.add_argument("--policies", help="all if not given, else as in wb,npb")
    given = parser.parse_args()
    names = given.policies.split(",") if given.policies else [*POLICIES]
    rows: list[Row] = []
    note = "shares of draws beside the probabilities that policies know"
    for name in names:
        row = compared(name, given.draws)
        if row is None:
            print(f"{name}: knows no probabilities that all runs share", flush=True)
            continue
        rows.append(row)
        print(f"{name}: {row['in standard errors']:.2f} standard errors", flush=True)
        write(given.out, "exact", vars(given), rows, note)
    report(given.out, "exact", vars(given), rows, note)


if __name__ == "__main__":
    main()
