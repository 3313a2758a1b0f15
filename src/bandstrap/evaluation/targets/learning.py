"""How a policy learns the rows of a log."""

from typing import Any

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.errors import InvalidInput
from bandstrap.evaluation.feedback import Feedback
from bandstrap.evaluation.targets.base import row_counts
from bandstrap.evaluation.targets.problem import Played
from bandstrap.policies.base import learn
from bandstrap.policies.validation import check_update

# A policy without contexts learns in batches: the rewards of a batch are learnt after all of it was
# judged. One hundredth of the rows before is what a product with late rewards would do, and more.
SHARE, LARGEST = 100, 8192
MANY = 16  # rewards of which some are likely to be equal


def batch_after(row: int, contexts: bool) -> int:
    """How many rows are judged before the policy learns again."""
    return 1 if contexts else min(max(row // SHARE, 1), LARGEST)


def learn_rows(played: Played, state: Any, feedback: Feedback, rows: slice, rng: Rng) -> None:
    """Learn the rewards of some rows, in place, as far as they have come.

    A row that stands for several decisions is learnt with that weight.
    """
    arms = np.asarray(feedback.chosen[rows], dtype=np.int64)
    rewards = np.asarray(feedback.rewards[rows], dtype=np.float64)
    counts = _weights(state, feedback, rows, rng, rewards)
    came = np.flatnonzero(~np.isnan(rewards) & (counts > 0))
    if played.contexts is None and not state.repeats_weights and len(came) >= MANY:
        _learn_alike(played, state, arms[came], rewards[came], counts[came], rng)
        return
    for i in came.tolist():
        context = played.row(rows.start + i)
        check_update(state, context, float(rewards[i]), float(counts[i]))
        some = slice(i, i + 1)
        weights = None if counts[i] == 1 else counts[some]
        learn(played.policy, state, context, arms[some], rewards[some], rng, weights)


def _weights(state: Any, feedback: Feedback, rows: slice, rng: Rng, rewards: Array) -> Array:
    """How much each row counts; fractions go up or down by chance where a policy takes none."""
    counts = row_counts(feedback, rows)
    odd = np.flatnonzero((counts != np.floor(counts)) & ~np.isnan(rewards))
    if not odd.size or _takes(state, float(rewards[odd[0]]), float(counts[odd[0]])):
        return counts
    whole = np.floor(counts)
    rounded: Array = whole + (rng.random(len(counts)) < counts - whole)
    return rounded


def _takes(state: Any, reward: float, weight: float) -> bool:
    """Whether a policy takes a weight; one inside of another may not."""
    try:
        state.check_reward(reward, weight)
    except InvalidInput:
        return False
    return True


def _learn_alike(
    played: Played, state: Any, arms: Array, rewards: Array, weights: Array, rng: Rng
) -> None:
    """The same without contexts: equal rewards of an arm are one reward with a weight."""
    values, codes = np.unique(rewards, return_inverse=True)
    pairs, places = np.unique(arms * len(values) + codes.reshape(-1), return_inverse=True)
    counts = np.bincount(places.reshape(-1), weights)
    for pair, count in zip(pairs.tolist(), counts.tolist(), strict=True):
        arm, value = divmod(pair, len(values))
        check_update(state, None, float(values[value]), count)
        total = None if count == 1 else np.array([count])
        paid = values[value : value + 1]
        learn(played.policy, state, None, np.array([arm]), paid, rng, total)
