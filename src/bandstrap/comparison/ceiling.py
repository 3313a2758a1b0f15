"""What models earn that are told every arm's reward in every row: a ceiling for bandits."""

from collections.abc import Mapping
from time import process_time
from typing import Any

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


def ceilings(
    policies: Mapping[str, Policy[Any]],
    costs: Mapping[str, float],
    table: PreparedTable,
    rounds: int,
    seed: int,
) -> dict[str, float]:
    """By kind of model, that of its cheapest policy, as far as it is found in time."""
    found = {
        kind: ceiling(policies[name], table, rounds, seed)
        for kind, name in cheapest(policies, costs).items()
    }
    return {kind: value for kind, value in found.items() if value is not None}


def cheapest(policies: Mapping[str, Policy[Any]], costs: Mapping[str, float]) -> dict[str, str]:
    """The cheapest policy of each kind of model; one of your own is a kind by itself."""
    found: dict[str, str] = {}
    for name in sorted(policies, key=lambda each: (costs[each], each)):
        kind = REGISTRY[name].model if name in REGISTRY else name
        if kind:  # policies without models are below the best arm
            found.setdefault(kind, name)
    return found


def ceiling(policy: Policy[Any], table: PreparedTable, rounds: int, seed: int) -> float | None:
    """The mean reward per round of a policy that learns all arms after each round, in units.

    Progressive: a row is decided before it is learnt, so this is what the same rounds would have
    paid if nothing had to be explored.
    """
    environment, rng = table.environment, generator(seed, "ceiling")
    world, problem = environment.start(RUNS, rng), environment.problem
    state = policy.start(problem, RUNS)
    earned, begun = 0.0, process_time()
    for played in range(rounds):
        contexts = environment.look(world, played).contexts
        arms = policy.select(state, contexts, rng)
        earned += float(environment.pull(world, arms, rng).mean())
        for arm in range(problem.n_arms):
            policy.update(state, contexts, np.full(RUNS, arm), world.paid[:, arm], rng)
        if process_time() - begun > SECONDS:
            return None
    scale = table.rewards.scale
    return scale.low + scale.width * earned / rounds
