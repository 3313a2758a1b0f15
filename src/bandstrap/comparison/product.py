"""The bandit that a product would hold, and what its decisions cost."""

from time import process_time
from typing import Any

import numpy as np

from bandstrap.bandit import Bandit
from bandstrap.comparison.rewards import RewardScale, TableRewards
from bandstrap.comparison.table import PreparedTable, plain_row
from bandstrap.comparison.warm_start import Lesson
from bandstrap.policies import Policy, ScaledRewards
from bandstrap.problem import Support
from bandstrap.seeding import generator

ROWS = 500  # rows that are decided, one after the other, to see what that costs
SECONDS = 1.0  # of CPU, after which fewer will do
LEAST = 20  # decisions, however long they take
FIRST = 3  # that are not counted: something may have to be compiled


def live_policy(policy: Policy[Any], rewards: TableRewards) -> Policy[Any]:
    """The policy for rewards in the table's units."""
    return policy if rewards.scale == RewardScale() else ScaledRewards(policy)


def live_support(rewards: TableRewards) -> Support:
    """Where rewards lie in the table."""
    ends = rewards.scale.low, rewards.scale.high
    binary = rewards.payoffs.support == Support.binary()
    return Support.categories(ends) if binary else Support.interval(*ends)


def live_bandit(policy: Policy[Any], rewards: TableRewards, seed: int | None = None) -> Bandit:
    """What the printed code builds."""
    support = live_support(rewards)
    return Bandit(live_policy(policy, rewards), arms=rewards.arms, rewards=support, seed=seed)


def cost(policy: Policy[Any], table: PreparedTable, lesson: Lesson, seed: int = 0) -> float:
    """Mean CPU microseconds to encode a row, to decide and to learn, after the warm start.

    The mean, as some decisions cost far more than others: now and then a bandit looks for arms that
    are frozen out, and a model is fit anew.
    """
    bandit = live_bandit(policy, table.rewards, seed)
    lesson.give(lesson.of(table, seed), bandit)
    rng = generator(seed, "rows that are timed")
    places = rng.integers(table.rows.num_rows, size=FIRST + ROWS)
    paid = dict(zip(table.rewards.arms, table.rewards.in_units(places).T, strict=True))
    spent: list[float] = []
    for turn, place in enumerate(places.tolist()):
        row = plain_row(table.rows, place)
        begun = process_time()
        decision = bandit.decide(table.encoder(row))
        bandit.learn(decision.id, reward=float(paid[decision.arm][turn]))
        spent.append(process_time() - begun)
        if len(spent) >= FIRST + LEAST and sum(spent[FIRST:]) > SECONDS:
            break
    return 1e6 * float(np.mean(spent[FIRST:]))
