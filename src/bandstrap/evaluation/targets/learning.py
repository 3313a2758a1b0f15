"""How a policy learns the rows of a log."""

from typing import Any

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.evaluation.feedback import Feedback
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
    """Learn the rewards of some rows, in place, as far as they have come."""
    arms = np.asarray(feedback.chosen[rows], dtype=np.int64)
    rewards = np.asarray(feedback.rewards[rows], dtype=np.float64)
    came = np.flatnonzero(~np.isnan(rewards))
    if played.contexts is None and not state.repeats_weights and len(came) >= MANY:
        _learn_alike(played, state, arms[came], rewards[came], rng)
        return
    for i in came.tolist():
        context = played.row(rows.start + i)
        check_update(state, context, float(rewards[i]), 1.0)
        learn(played.policy, state, context, arms[i : i + 1], rewards[i : i + 1], rng, None)


def _learn_alike(played: Played, state: Any, arms: Array, rewards: Array, rng: Rng) -> None:
    """The same without contexts: equal rewards of an arm are one reward with a weight."""
    values, codes = np.unique(rewards, return_inverse=True)
    pairs, counts = np.unique(arms * len(values) + codes.reshape(-1), return_counts=True)
    for pair, count in zip(pairs.tolist(), counts.tolist(), strict=True):
        arm, value = divmod(pair, len(values))
        check_update(state, None, float(values[value]), float(count))
        weights = None if count == 1 else np.array([float(count)])
        paid = values[value : value + 1]
        learn(played.policy, state, None, np.array([arm]), paid, rng, weights)
