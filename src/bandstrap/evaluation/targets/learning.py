"""How a policy learns the rows of a log."""

from typing import Any

import numpy as np

from bandstrap.arrays import Rng
from bandstrap.evaluation.feedback import Feedback
from bandstrap.evaluation.targets.problem import Played
from bandstrap.policies.base import learn
from bandstrap.policies.validation import check_update

# A policy without contexts learns in batches: the rewards of a batch are learnt after all of it was
# judged. One hundredth of the rows before is what a product with late rewards would do, and more.
SHARE, LARGEST = 100, 8192


def batch_after(row: int, contexts: bool) -> int:
    """How many rows are judged before the policy learns again."""
    return 1 if contexts else min(max(row // SHARE, 1), LARGEST)


def learn_rows(played: Played, state: Any, feedback: Feedback, rows: slice, rng: Rng) -> int:
    """Learn the rewards of some rows, in place, as far as they have come; how many those are."""
    arms = np.asarray(feedback.chosen[rows], dtype=np.int64)
    rewards = np.asarray(feedback.rewards[rows], dtype=np.float64)
    came = np.flatnonzero(~np.isnan(rewards)).tolist()
    for i in came:
        context = played.row(rows.start + i)
        check_update(state, context, float(rewards[i]), 1.0)
        learn(played.policy, state, context, arms[i : i + 1], rewards[i : i + 1], rng, None)
    return len(came)
