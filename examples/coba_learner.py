"""A policy as a learner of coba, next to coba's own: `pip install coba`."""

import numpy as np

from bandstrap import Bandit, FixedSpread, LinThompson, Support


class BandstrapLearner:
    """What coba asks of a learner: `predict` gives an action and its probability, `learn` a reward.

    `policy` is any policy for contexts; actions are told apart by their text.
    """

    def __init__(self, policy, rewards=None, seed=0):
        self.policy, self.rewards, self.seed = policy, rewards, seed
        self.bandit = None  # made when actions are known

    @property
    def params(self):
        return {"family": "bandstrap", "policy": type(self.policy).__name__, "seed": self.seed}

    def predict(self, context, actions):
        names = [str(action) for action in actions]
        if self.bandit is None:
            self.bandit = Bandit(self.policy, names, rewards=self.rewards, seed=self.seed)
        for name in names:
            if name not in self.bandit.arms:
                self.bandit.add_arm(name)
        decision = self.bandit.decide(self._context(context), allowed=names)
        action = actions[names.index(decision.arm)]
        return action, decision.propensity, {"decision": decision.id}  # what learn gets besides

    def learn(self, context, action, reward, probability, decision):
        self.bandit.learn(decision, reward)

    @staticmethod
    def _context(context):
        return context if context is None or hasattr(context, "keys") else np.array(list(context))


def main(interactions=500):
    import coba as cb

    ours = BandstrapLearner(LinThompson(FixedSpread(0.3)), rewards=Support.real())
    learners = [ours, cb.RandomLearner()]
    environments = cb.Environments.from_linear_synthetic(
        interactions, n_actions=3, n_context_features=3, n_action_features=0, seed=4
    )
    result = cb.Experiment(environments, learners).run(quiet=True)
    rewards = {}
    for row in result.interactions.to_dicts():
        rewards.setdefault(row["learner_id"], []).append(row["reward"])
    ours, random = (float(np.mean(rewards[i][-interactions // 2 :])) for i in (0, 1))
    print(f"mean reward in the second half: {ours:.3f}, at random {random:.3f}")
    return ours, random


if __name__ == "__main__":
    main()
