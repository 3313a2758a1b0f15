"""What the parts of an environment must return; what is broken is named in one error."""

from itertools import islice
from typing import Any

import numpy as np

from bandstrap.arrays import Array
from bandstrap.environments.base import Environment, Round
from bandstrap.errors import InvalidInput
from bandstrap.kernels.rewards import pay_round, state_round
from bandstrap.problem import Problem
from bandstrap.seeding import generator

CHANCE = 1e-12  # at each of about a hundred looks, for each arm
RUNS, ROUNDS = 2, 20  # enough to meet wrong shapes; `check_environment` tries more


def check_rounds(environment: Environment, rounds: int) -> None:
    """Try the first rounds of a world of its own, each arm in turn.

    >>> from bandstrap.environments import Bernoulli
    >>> check_rounds(Bernoulli(), rounds=100)
    """
    check_problem(environment)
    rng = generator(0, "rules")
    world = environment.start(RUNS, rng)
    for turn in islice(range(rounds), ROUNDS):
        seen = environment.look(world, turn)
        check_look(environment, seen, RUNS)
        chosen = (np.arange(RUNS) + turn) % environment.problem.n_arms
        check_pull(environment, environment.pull(world, chosen, rng), RUNS)


def check_problem(environment: Environment) -> None:
    """`problem` is one, and `contextual` says whether it has contexts."""
    problem: Any = environment.problem
    if not isinstance(problem, Problem):
        raise _broken(environment, "problem", problem, "problem must be a Problem")
    features = problem.n_features
    if environment.contextual != (features > 0):
        rule = f"contextual must be {features > 0}, as there are {features} features"
        raise _broken(environment, "contextual", environment.contextual, rule)


def check_look(environment: Environment, seen: Round, runs: int) -> None:
    """Contexts, means and best have their shapes, and best is what it is called."""
    problem = environment.problem
    if not (isinstance(seen, tuple) and len(seen) == 3):
        raise _broken(environment, "look", seen, "give a Round of contexts, means and best")
    contexts, means, best = seen
    if problem.n_features:
        arms = (problem.n_arms,) if problem.per_arm else ()
        _shaped(environment, "look", contexts, (runs, *arms, problem.n_features), "the contexts")
    elif contexts is not None:
        rule = "without features the contexts of a round must be None"
        raise _broken(environment, "look", contexts, rule)
    _shaped(environment, "look", means, (runs, problem.n_arms), "the means")
    _shaped(environment, "look", best, (runs,), "the best")
    if not np.isfinite(means).all():
        raise _broken(environment, "look", means, "the means of a round must be finite")
    largest = means.max(axis=1)
    if not np.allclose(best, largest, rtol=1e-12, atol=1e-15):
        rule = f"best must be the largest of means, {largest[:3]}…"
        raise _broken(environment, "look", best[:3], rule)


def check_pull(environment: Environment, rewards: Any, runs: int) -> None:
    """A finite reward for each run, in the support."""
    _shaped(environment, "pull", rewards, (runs,), "what pull returns")
    check_rewards(environment, rewards)


def check_rewards(environment: Environment, rewards: Array) -> None:
    """Of any shape."""
    support = environment.problem.support
    if not np.isfinite(rewards).all():
        raise _broken(environment, "pull", rewards, "rewards must be finite")
    outside = rewards[(rewards < support.low) | (rewards > support.high)]
    if outside.size:
        rule = f"rewards must lie in the declared support, [{support.low:g}, {support.high:g}]"
        raise _broken(environment, "pull", outside[:3], rule)
    other = rewards[~np.isin(rewards, support.values)] if support.values is not None else outside
    if other.size:
        rule = f"rewards must be among the declared values, {support.values}"
        raise _broken(environment, "pull", other[:3], rule)


class Truth:
    """Adds up regret and rewards, and checks that rewards have the means that `look` states.

    By how much rewards exceed these is summed for each arm. Whatever the policy, the sums are
    martingales: by Hoeffding's and Azuma's inequality a right environment is refused with a
    probability below `CHANCE`, where rewards are bounded.
    """

    def __init__(self, environment: Environment, runs: int) -> None:
        problem = environment.problem
        self._environment = environment
        self._runs = runs
        self._shape = runs, problem.n_arms
        self._width = problem.support.high - problem.support.low
        self._rounds = 0
        self._stated = np.zeros(runs)
        self._excess = np.zeros(problem.n_arms)

    def look(self, seen: Round, chosen: Array, regret: Array) -> None:
        """Add the regret of this round: before the pull, which may change the world."""
        means, best = seen.means, seen.best
        if np.shape(means) != self._shape or np.shape(best) != self._shape[:1]:
            check_look(self._environment, seen, self._runs)
        if not state_round(means, best, chosen, self._stated, regret):
            check_look(self._environment, seen, self._runs)

    def pay(self, chosen: Array, rewards: Array, reward: Array) -> None:
        """Add the rewards of this round."""
        self._rounds += 1
        pay_round(chosen, rewards, self._stated, reward, self._excess)

    def check(self) -> None:
        """Refuse rewards of other means, as far as chance does not explain them."""
        pulls = self._rounds * self._runs
        most = self._width * np.sqrt(pulls * np.log(2 / CHANCE) / 2)
        arm = int(np.abs(self._excess).argmax())
        if abs(self._excess[arm]) > most:
            found = f"{self._excess[arm]:+,.4g} in {pulls:,} pulls"
            rule = f"rewards of arm {arm} must have the means that look returns"
            raise _broken(self._environment, "pull", found, rule)


def _shaped(
    environment: Environment, method: str, array: Any, shape: tuple[int, ...], what: str
) -> None:
    if getattr(getattr(array, "dtype", None), "kind", "") in (*"fiub",) and array.shape == shape:
        return
    found = f"shape {np.shape(array)}" if isinstance(array, np.ndarray) else array
    rule = f"{what} must be an array of numbers of shape {shape}, by run first"
    raise _broken(environment, method, found, rule)


def _broken(environment: Environment, part: str, value: object, rule: str) -> InvalidInput:
    return InvalidInput(f"{type(environment).__name__}.{part}", value, rule)
