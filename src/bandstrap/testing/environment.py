"""What an environment promises."""

from typing import Any, NamedTuple

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.environments import Environment
from bandstrap.environments.base import law_of
from bandstrap.environments.rules import check_look, check_pull, check_rewards
from bandstrap.errors import InvalidInput
from bandstrap.history.compiled import Law
from bandstrap.kernels.rewards import draw_rewards
from bandstrap.seeding import generator, kernel_stream
from bandstrap.simulation.runner import check_world
from bandstrap.storage.unpacking import Loaded, unpack
from bandstrap.testing.rules import has_mean, packed, require

RUNS = 100
DRAWN = range(50)  # pulls of each run that are compared with the law
LATE = 1_000_000  # a round by which arms that drift have moved


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
    rng = generator(seed, "testing", "environment")
    try:
        check_world(environment, rounds)
        world = environment.start(RUNS, rng)
        played = _play(environment, world, rng, range(rounds))
        check_rewards(environment, played.rewards)
    except InvalidInput as error:
        raise AssertionError(f"{type(environment).__name__}: {error}") from error
    _means(environment, played)
    _law(environment, generator(seed, "testing", "law"))
    _same_seed(environment, seed)
    _saving(environment, world, rng, rounds)


def _play(environment: Environment, world: Any, rng: Rng, rounds: range) -> Played:
    """All arms in turn, checked at every step."""
    means, arms, rewards = [], [], []
    for turn in rounds:
        seen = environment.look(world, turn)
        check_look(environment, seen, RUNS)
        means.append(np.array(seen.means))  # now: a pull may change the world
        chosen = (np.arange(RUNS) + turn) % environment.problem.n_arms
        paid = environment.pull(world, chosen, rng)
        check_pull(environment, paid, RUNS)
        arms.append(chosen)
        rewards.append(np.array(paid, dtype=np.float64))
    return Played(np.array(means), np.array(arms), np.array(rewards))


def _means(environment: Environment, played: Played) -> None:
    """Within five standard errors, estimated from runs, whose rewards are independent."""
    for arm in range(environment.problem.n_arms):
        here = played.arms == arm
        stated = np.take_along_axis(played.means, played.arms[..., None], axis=2)[..., 0]
        excess = np.where(here, played.rewards - stated, 0.0).sum(axis=0)
        pulls = here.sum(axis=0)
        rule = f"rewards of arm {arm} must have the means that look returns"
        found = f"{excess.sum() / max(pulls.sum(), 1):.4g} more on average"
        require(has_mean(excess, 0.0), environment, rule, found)


def _law(environment: Environment, rng: Rng) -> None:
    """Kernels that play by the law call neither look nor pull: both must agree with it."""
    law = law_of(environment)
    if law is None:
        return
    world = environment.start(RUNS, rng)
    rule = "law says that arms stay as start drew them, with parameters and means: leave it None"
    stays = hasattr(world, "parameters") and all(
        np.array_equal(environment.look(world, turn).means, world.means) for turn in (0, LATE)
    )
    require(stays, environment, rule, "means that change")
    chosen = world.means.argmax(axis=1)  # of all arms together, differences might cancel
    parameters = world.parameters[np.arange(RUNS), chosen]
    differ = [environment.pull(world, chosen, rng) - _drawn(law, parameters, rng) for _ in DRAWN]
    rule = "pull must draw from the law that law names, or law must be None"
    held = has_mean(np.mean(differ, axis=0), 0.0)
    require(held, environment, rule, f"{np.mean(differ):.4g} more on average")


def _drawn(law: Law, parameters: Array, rng: Rng) -> Array:
    rewards = np.empty(RUNS)
    draw_rewards(kernel_stream(rng), law.code, parameters, law.scale, rewards)
    return rewards


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
