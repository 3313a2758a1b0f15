"""A bandit in a Gymnasium loop: each step is one decision, and the observation its context.

Runs with Gymnasium if that is installed, and else with a stand-in of the same interface.
"""

import numpy as np

from bandstrap import Bandit, ContextualBootstrap, EigenExamples, Exponential, Support
from bandstrap.models import GaussianLimit, LogisticRegression

try:
    import gymnasium as gym
except ImportError:
    gym = None

ADVERTS = ["shoes", "books", "tea"]


class Adverts(gym.Env if gym else object):
    """Visitors who are old or young and come early or late; the reward is a click."""

    def __init__(self, visitors=500):
        self.visitors = visitors
        if gym:
            bounds = {"low": -10.0, "high": 10.0, "shape": (1,), "dtype": np.float64}
            names = ("age", "hour")
            self.observation_space = gym.spaces.Dict(
                {name: gym.spaces.Box(**bounds) for name in names}
            )
            self.action_space = gym.spaces.Discrete(len(ADVERTS))

    def reset(self, *, seed=None, options=None):
        if gym:
            super().reset(seed=seed)
        self.rng, self.seen = np.random.default_rng(seed), 0
        return self._observe(), {}

    def step(self, action):
        age, hour = self.visitor
        liked = 0 if age > 0 else (1 if hour > 0 else 2)
        reward = float(self.rng.random() < (0.8 if action == liked else 0.2))
        self.seen += 1
        # Gymnasium's five: observation, reward, terminated, truncated, info
        return self._observe(), reward, False, self.seen == self.visitors, {}

    def _observe(self):
        self.visitor = self.rng.standard_normal(2)
        return {"age": self.visitor[:1], "hour": self.visitor[1:]}


def context_of(observation):
    """A dict of arrays, as Gymnasium's Dict spaces give, as a dict of numbers."""
    return {
        f"{name}{i}": value
        for name, values in observation.items()
        for i, value in enumerate(np.ravel(values).tolist())
    }


def play(env, bandit, seed=0):
    """One episode; the reward of each step."""
    observation, _ = env.reset(seed=seed)
    rewards, over = [], False
    while not over:
        decision = bandit.decide(context_of(observation))
        action = bandit.arms.index(decision.arm)
        observation, reward, terminated, truncated, _ = env.step(action)
        bandit.learn(decision, reward)
        rewards.append(reward)
        over = terminated or truncated
    return rewards


def main():
    model = GaussianLimit(LogisticRegression())
    policy = ContextualBootstrap(Exponential(), model, EigenExamples())
    bandit = Bandit(policy, ADVERTS, seed=0, rewards=Support.binary())
    rewards = play(Adverts(), bandit)
    late = float(np.mean(rewards[-200:]))
    print(f"{np.mean(rewards[:50]):.0%} of the first visitors clicked, {late:.0%} of the last")
    return late


if __name__ == "__main__":
    main()
