"""Your own resampling scheme and your own policy, checked, and compared with what is there.

The scheme: weights that are 0.5 or 2, with mean 1. The policy: play the bootstrap, but look twice
at whatever it proposes: of two draws the more hopeful one decides.
"""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from bandstrap import BetaThompson, Bootstrap, Policy, Resampling, simulate
from bandstrap.environments import Bernoulli
from bandstrap.testing import check_policy, check_resampling


@dataclass(frozen=True)
class HalfOrDouble(Resampling):
    """2 with probability 1/3, else 1/2."""

    variance: ClassVar[float] = 0.5
    independent: ClassVar[bool] = True

    def weights(self, shape, rng):
        return np.where(rng.random(shape) < 1 / 3, 2.0, 0.5)

    def totals(self, counts, rng):
        """The total of n weights: k doubles and n - k halves, k binomial."""
        doubles = rng.binomial(counts.astype(np.int64), 1 / 3)
        return 2.0 * doubles + 0.5 * (counts - doubles)


@dataclass(frozen=True)
class Hopeful(Policy):
    """The larger of two draws of another policy, arm by arm; the state is the other's."""

    policy: Policy = field(default_factory=Bootstrap)

    def _start(self, problem, runs):
        return self.policy.start(problem, runs)

    def _scores(self, state, contexts, rng):
        draws = [self.policy.scores(state, contexts, rng) for _ in range(2)]
        return np.maximum(*draws)

    def _update(self, state, contexts, arms, rewards, rng, weights=None):
        self.policy.update(state, contexts, arms, rewards, rng, weights)


def main(runs=60, horizon=500):
    check_resampling(HalfOrDouble())
    check_policy(Hopeful(), draws=300)  # both say nothing if all is well
    policies = {
        "half or double": Bootstrap(HalfOrDouble()),
        "hopeful": Hopeful(),
        "weighted bootstrap": Bootstrap(),
        "Thompson sampling": BetaThompson(),
    }
    regrets = {}
    for name, policy in policies.items():
        trace = simulate(policy, Bernoulli(n_arms=5), horizon, runs, seed=1)
        regrets[name] = float(trace.mean()[-1])
        print(f"{name:18} regret {regrets[name]:5.1f} ± {trace.error()[-1]:.1f}")
    return regrets


if __name__ == "__main__":
    main()
