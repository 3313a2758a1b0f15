"""What a floor costs, and what it does for estimates from logs.

Bandits decide and learn, and their logs say what uniformly random arms are worth, by inverse
propensities. "error" is the root mean square error of that estimate over logs, "covered" how often
its 95% interval holds the truth, "draws" how many an average decision takes besides the one that
decides. Weights are those of decisions: exact, by geometric resampling, or by the shares of 32
draws; arms and rewards are the same. "lost" is how much less the chosen arms pay, on average over
more logs, than with next to no floor.
"""

from argparse import Namespace
from dataclasses import dataclass
from typing import Any

import numpy as np

from bandstrap import Bandit, Bootstrap, Propensity
from bandstrap.bandit.propensity import AFFORDABLE
from output import Row, arguments, report

PAYS = np.array([0.5, 0.45, 0.4, 0.3, 0.2])
NONE = 1e-6  # next to no floor
VOTES = 32


@dataclass(frozen=True)
class Unknowing(Bootstrap, in_kernels=True):
    """The same bandit, as if it did not know its probabilities: as with rewards of any value."""

    def _probabilities(self, state: Any, contexts: Any, allowed: Any) -> None:
        return None


def settings(method: str, floor: float) -> tuple[Bootstrap, Propensity]:
    if method == "exact":
        return Bootstrap(), Propensity(floor=floor)
    return Unknowing(), Propensity(draws=VOTES if method == "shares" else None, floor=floor)


def logged(method: str, floor: float, seed: int, decisions: int) -> tuple[np.ndarray, np.ndarray]:
    """Rewards and weights of one bandit's decisions."""
    policy, propensity = settings(method, floor)
    bandit = Bandit(policy, range(PAYS.size), seed=seed, propensity=propensity)
    paid = np.random.default_rng([seed, 1]).random(decisions)
    rewards, weights = np.empty((2, decisions))
    for t in range(decisions):
        decision = bandit.decide()
        weights[t] = decision.weight
        rewards[t] = paid[t] < PAYS[decision.arm]
        bandit.learn(decision, rewards[t])
    return rewards, weights


def judged(logs: list[tuple[np.ndarray, np.ndarray]]) -> Row:
    """What logs say of uniformly random arms."""
    terms = np.array([rewards * weights / PAYS.size for rewards, weights in logs])
    off = terms.mean(axis=1) - PAYS.mean()
    doubt = terms.std(axis=1, ddof=1) / np.sqrt(terms.shape[1])
    return {
        "error": float(np.sqrt(np.mean(off**2))),
        "covered": f"{np.mean(np.abs(off) <= 1.96 * doubt):.0%}",
        "largest weight": round(max(weights.max() for _, weights in logs)),
    }


def paid(floor: float, seed: int, decisions: int) -> float:
    """What the arms of one bandit pay on average; nobody asks for its propensities."""
    propensity = Propensity(floor=floor)
    bandit = Bandit(Bootstrap(), range(PAYS.size), seed=seed, propensity=propensity)
    luck, total = np.random.default_rng([seed, 1]).random(decisions), 0.0
    for t in range(decisions):
        decision = bandit.decide()
        total += PAYS[decision.arm]
        bandit.learn(decision, float(luck[t] < PAYS[decision.arm]))
    return total / decisions


def earned(floor: float, given: Namespace) -> np.ndarray:
    return np.array([paid(floor, seed, given.decisions) for seed in range(given.earning)])


def draws(method: str, floor: float, logs: list[tuple[np.ndarray, np.ndarray]]) -> float:
    """How many an average decision took."""
    if method != "geometric":
        return VOTES - 1.0 if method == "shares" else 0.0
    kept = 1 - floor + floor / PAYS.size
    return float(AFFORDABLE // PAYS.size * kept * np.mean([weights for _, weights in logs]))


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--logs", type=int, default=120)
    parser.add_argument("--earning", type=int, default=1000, help="logs that tell what is lost")
    parser.add_argument("--decisions", type=int, default=1500)
    parser.add_argument("--floors", default="0.001,0.002,0.005,0.01,0.02,0.05")
    given = parser.parse_args()
    rows: list[Row] = []
    free = earned(NONE, given)
    for floor in map(float, given.floors.split(",")):
        pays = earned(floor, given)
        lost = 1 - pays.mean() / free.mean()
        doubt = np.hypot(pays.std(), free.std()) / np.sqrt(free.size) / free.mean()
        for method in ("exact", "geometric", "shares"):
            logs = [logged(method, floor, seed, given.decisions) for seed in range(given.logs)]
            row: Row = {"floor": f"{floor:g}", "weights": method, **judged(logs)}
            row["draws"] = draws(method, floor, logs)
            row["lost"] = f"{lost:.1%} ± {doubt:.1%}"
            rows.append(row)
            print(row, flush=True)
    report(given.out, "floors", vars(given), rows, "uniformly random arms, from logs of wb")


if __name__ == "__main__":
    main()
