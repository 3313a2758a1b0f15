"""Whole runs in compiled code: choose, draw the reward, observe it, add up."""

from numba import njit

from bandstrap.kernels.lazy.choose import choose_one
from bandstrap.kernels.lazy.observe import observe_one
from bandstrap.kernels.rewards import draw_reward


@njit(cache=True, error_model="numpy", nogil=True, _nrt=False)
def play(stream, rewards, h, scheme, form, owed, allowed, law, scale, arms, best, rounds, totals):
    """Play `rounds` rounds of each run in turn, so that a run's history stays in the cache.

    `owed` counts the forced pulls left of each arm; `arms` are the arms' parameters and means;
    `rewards` is the random stream of the rewards; `totals` are regret and reward so far.
    """
    parameters, means = arms
    regret, reward = totals
    for run in range(best.size):
        for _ in range(rounds):
            arm = owed[run].argmax()
            if owed[run, arm] > 0:
                owed[run, arm] -= 1
            else:
                arm = choose_one(stream, scheme, h, run, allowed[run])
            got = draw_reward(rewards, law, parameters[run, arm], scale)
            observe_one(stream, h, scheme, form, run, arm, got)
            regret[run] += best[run] - means[run, arm]
            reward[run] += got
