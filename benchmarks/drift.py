"""What forgetting earns in a world that drifts, and what it costs in one that does not.

Five arms pay 0 or 1. In the drifting world the best arm changes every 1,000 rounds; in the still
one it never does. The figure is the mean reward, with standard errors over seeds; forgetting is
compared with none on the same seeds.
"""

from typing import Any

import numpy as np

from bandstrap import Bandit, Bootstrap, GaussianThompson, HalfLife, NoForgetting, Support, Window
from output import Row, arguments, report

MEANS = (0.7, 0.5, 0.5, 0.4, 0.3)
FORGETTING = {
    "none": NoForgetting(),
    "half-life 250": HalfLife(250),
    "half-life 1,000": HalfLife(1000),
    "window 500": Window(500),
    "window 2,000": Window(2000),
}
POLICIES = {"wb": Bootstrap(), "ts-gaussian": GaussianThompson(0.5)}


def played(policy: Any, forgetting: Any, rounds: int, every: int | None, seed: int) -> float:
    """The mean reward of one run; the arms change places after `every` rounds."""
    bandit = Bandit(policy, range(5), seed=seed, rewards=Support.binary(), forgetting=forgetting)
    rng = np.random.default_rng([seed, 1])
    total = 0.0
    for t in range(rounds):
        shift = 0 if every is None else t // every
        decision = bandit.decide()
        reward = float(rng.random() < MEANS[(decision.arm + 2 * shift) % 5])
        bandit.learn(decision, reward)
        total += reward
    return total / rounds


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--rounds", type=int, default=5000)
    parser.add_argument("--seeds", type=int, default=10)
    given = parser.parse_args()
    rows: list[Row] = []
    for name, policy in POLICIES.items():
        for world, every in (("drifting", given.rounds // 5), ("still", None)):
            earned = {
                how: np.array(
                    [played(policy, f, given.rounds, every, seed) for seed in range(given.seeds)]
                )
                for how, f in FORGETTING.items()
            }
            for how, rewards in earned.items():
                gain = rewards - earned["none"]
                root = np.sqrt(given.seeds)
                rows.append(
                    {
                        "policy": name, "world": world, "forgetting": how,
                        "reward": f"{rewards.mean():.4f} ± {rewards.std(ddof=1) / root:.4f}",
                        "against none": f"{gain.mean():+.4f} ± {gain.std(ddof=1) / root:.4f}",
                    }
                )  # fmt: skip
    report(given.out, "drift", vars(given), rows, "mean reward per round")


if __name__ == "__main__":
    main()
