"""What models earn that are told every arm's reward in every row: a ceiling for most bandits.

Not for all: a model that is too simple for a table may do worse if it is told everything, since it
then has to fit arms where they would never be chosen.
"""

from collections.abc import Iterable, Mapping
from time import process_time
from typing import Any, NamedTuple

import numpy as np

from bandstrap.comparison.table import PreparedTable
from bandstrap.policies import Policy
from bandstrap.policies.registry import REGISTRY
from bandstrap.seeding import generator

RUNS = 2
TOLD = "told all"  # what a ceiling is called
CEILING = (
    "the cheapest policy with such a model, if it learnt every arm's reward after each round "
    "(progressive: a row is decided before it is learnt)"
)
SECONDS = 15.0  # of CPU; a kind of model that takes longer has no ceiling


class Ceiling(NamedTuple):
    """The mean reward per round of a policy that is told all, and that of its second half."""

    whole: float
    late: float


def representatives(policies: Iterable[str], costs: Mapping[str, float]) -> dict[str, str]:
    """The cheapest policy of each kind of model."""
    found: dict[str, str] = {}
    for name in sorted(policies, key=lambda each: (costs[each], each)):
        found.setdefault(kind_of(name), name)
    found.pop("", None)  # without a model there is nothing to be told
    return found


def kind_of(name: str) -> str:
    """What a policy fits to contexts; one of your own is a kind by itself."""
    return REGISTRY[name].model if name in REGISTRY else name


def ceiling(policy: Policy[Any], table: PreparedTable, rounds: int, seed: int) -> Ceiling | None:
    """In the units of the table, if it is found in time.

    Progressive: a row is decided before it is learnt, so this is what the same rounds would have
    paid if nothing had to be explored.
    """
    environment, rng = table.environment, generator(seed, "ceiling")
    world, problem = environment.start(RUNS, rng), environment.problem
    state, earned = policy.start(problem, RUNS), np.zeros(rounds)
    begun = process_time()
    for played in range(rounds):
        contexts = environment.look(world, played).contexts
        arms = policy.select(state, contexts, rng)
        earned[played] = environment.pull(world, arms, rng).mean()
        for arm in range(problem.n_arms):
            policy.update(state, contexts, np.full(RUNS, arm), world.paid[:, arm], rng)
        if process_time() - begun > SECONDS:
            return None
    scale = table.rewards.scale
    means = earned.mean(), earned[rounds // 2 :].mean()
    return Ceiling(*(scale.low + scale.width * float(mean) for mean in means))
