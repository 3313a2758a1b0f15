"""What an environment promises."""

from typing import Any, NamedTuple

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.environments import Environment, Round
from bandstrap.problem import Problem
from bandstrap.seeding import generator
from bandstrap.storage.unpacking import Loaded, unpack
from bandstrap.testing.rules import has_mean, packed, require, require_shape

RUNS = 100


class Played(NamedTuple):
    """What some rounds held, by round and run."""

    means: Array  # (rounds, runs, arms)
    arms: Array  # (rounds, runs)
    rewards: Array  # (rounds, runs)


def check_environment(environment: Environment, *, seed: int = 0, rounds: int = 200) -> None:
    """Try an environment: shapes, support, seeds, and whether rewards have the means it states.

    >>> from bandstrap.environments import Bernoulli
    >>> check_environment(Bernoulli(n_arms=3))
    """
    problem = environment.problem
    isproblem = hasattr(problem, "n_arms") and hasattr(problem, "support")
    require(isproblem, environment, "problem must be a Problem", problem)
    features = problem.n_features
    rule = f"contextual must be {features > 0}, as there are {features} features"
    require(environment.contextual == (features > 0), environment, rule, environment.contextual)
    rng = generator(seed, "testing", "environment")
    world = environment.start(RUNS, rng)
    played = _play(environment, world, rng, range(rounds))
    _support(environment, problem, played.rewards)
    _means(environment, problem, played)
    _same_seed(environment, seed)
    _saving(environment, world, rng, rounds)


def _play(environment: Environment, world: Any, rng: Rng, rounds: range) -> Played:
    """All arms in turn, checked at every step."""
    problem = environment.problem
    means, arms, rewards = [], [], []
    for turn in rounds:
        seen = environment.look(world, turn)
        _look(environment, problem, seen)
        chosen = (np.arange(RUNS) + turn) % problem.n_arms
        paid = environment.pull(world, chosen, rng)
        require_shape(paid, (RUNS,), environment, "what pull returns")
        means.append(np.array(seen.means))
        arms.append(chosen)
        rewards.append(np.array(paid, dtype=np.float64))
    played = Played(np.array(means), np.array(arms), np.array(rewards))
    if not environment.contextual:
        rule = "without contexts all rounds must look alike: the simulation looks once"
        require(bool((played.means == played.means[0]).all()), environment, rule, "other means")
    return played


def _look(environment: Environment, problem: Problem, seen: Round) -> None:
    if problem.n_features == 0:
        rule = "without features the contexts of a round must be None"
        require(seen.contexts is None, environment, rule, seen.contexts)
    else:
        shape = (RUNS, problem.n_features)
        require_shape(seen.contexts, shape, environment, "the contexts of a round")
    require_shape(seen.means, (RUNS, problem.n_arms), environment, "the means of a round")
    require_shape(seen.best, (RUNS,), environment, "the best of a round")
    largest = seen.means.max(axis=1)
    rule = f"best must be the largest of means, {largest[:3]}…"
    require(bool(np.allclose(seen.best, largest, rtol=1e-12)), environment, rule, seen.best[:3])


def _support(environment: Environment, problem: Problem, rewards: Array) -> None:
    support = problem.support
    outside = rewards[~((rewards >= support.low) & (rewards <= support.high))]
    rule = f"rewards must lie in the declared support, [{support.low:g}, {support.high:g}]"
    require(outside.size == 0, environment, rule, outside[:3])
    require(bool(np.isfinite(rewards).all()), environment, "rewards must be finite")
    if support.values is not None:
        other = rewards[~np.isin(rewards, support.values)]
        rule = f"rewards must be among the declared values, {support.values}"
        require(other.size == 0, environment, rule, other[:3])


def _means(environment: Environment, problem: Problem, played: Played) -> None:
    """Within five standard errors, estimated from runs, whose rewards are independent."""
    for arm in range(problem.n_arms):
        here = played.arms == arm
        stated = np.take_along_axis(played.means, played.arms[..., None], axis=2)[..., 0]
        excess = np.where(here, played.rewards - stated, 0.0).sum(axis=0)
        pulls = here.sum(axis=0)
        rule = f"rewards of arm {arm} must have the means that look returns"
        found = f"{excess.sum() / max(pulls.sum(), 1):.4g} more on average"
        require(has_mean(excess, 0.0), environment, rule, found)


def _same_seed(environment: Environment, seed: int) -> None:
    results = []
    for _ in range(2):
        rng = generator(seed, "testing", "seed")
        results.append(_play(environment, environment.start(RUNS, rng), rng, range(5)))
    one, other = results
    rule = "the same generator must give the same world and rewards: draw all from it"
    require(_print_of(one) == _print_of(other), environment, rule, "others")


def _saving(environment: Environment, world: Any, rng: Rng, rounds: int) -> None:
    loaded, same_rng = unpack(packed((world, rng), environment, "a world"), Loaded())
    turns = range(rounds, rounds + 5)
    one = _play(environment, world, rng, turns)
    other = _play(environment, loaded, same_rng, turns)
    rule = "a world that was saved and loaded must go on as if it had not been"
    require(_print_of(one) == _print_of(other), environment, rule, "other rounds")


def _print_of(played: Played) -> tuple[bytes, bytes]:
    return played.means.tobytes(), played.rewards.tobytes()
