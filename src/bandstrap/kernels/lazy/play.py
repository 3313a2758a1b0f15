"""Whole runs in compiled code: choose, draw the reward, observe it, keep the accounts."""

from numba import njit

from bandstrap.kernels.laws import draw_reward
from bandstrap.kernels.lazy.choose import choose_one
from bandstrap.kernels.lazy.observe import observe_one


@njit(cache=True, error_model="numpy", nogil=True, _nrt=False)
def play(
    stream, chance, h, scheme, keeping, owed, allowed, law, scale, arms, best, rounds, accounts
):
    """Play `rounds` rounds of each run in turn, so that a run's history stays in the cache.

    `owed` are pulls that an arm is still to get before anything is chosen; `arms` are the arms'
    parameters and means; `accounts` regret and reward so far.
    """
    parameters, means = arms
    regret, reward = accounts
    for run in range(best.size):
        for _ in range(rounds):
            arm = owed[run].argmax()
            if owed[run, arm] > 0:
                owed[run, arm] -= 1
            else:
                arm = choose_one(stream, scheme, h, run, allowed[run])
            got = draw_reward(chance, law, parameters[run, arm], scale)
            observe_one(stream, h, scheme, keeping, run, arm, got)
            regret[run] += best[run] - means[run, arm]
            reward[run] += got
