"""Regret and reward, summed as they come."""

from bandstrap.kernels.compile import kernel


@kernel
def account(means, best, arms, rewards, regret, reward):
    for run in range(arms.size):
        regret[run] += best[run] - means[run, arms[run]]
        reward[run] += rewards[run]
