"""How probable a bandit makes each arm, if it decided now: with its own floor and control."""

from collections.abc import Collection
from copy import deepcopy
from hashlib import sha256
from typing import Any

import numpy as np

from bandstrap.arrays import Array
from bandstrap.bandit.bandit import Bandit
from bandstrap.bandit.chance import Controlled, Floor, mixed
from bandstrap.bandit.decision import Arm
from bandstrap.policies.validation import checked_decision

__all__ = ["chances", "control_arm", "row_of", "unmoved", "without_control"]

DRAWS, FREE = 16, 256  # of a decision: with contexts, where they are costly, and without


def chances(bandit: Bandit, context: Any, allowed: Collection[Arm], name: str) -> Array:
    """The probability of each of the bandit's arms, (arms,). Nothing is learnt by it.

    By the policy where it knows them. Else by shares of draws whose random numbers depend on the
    decision's `name`, its id, alone, and not as the logger's do: estimates without bias, given what
    was decided. Two bandits that know the same have the same.

    >>> bandit = Bandit(arms=["red", "green"], seed=1)
    >>> chances(bandit, None, ["red", "green"], "a1").tolist()
    [0.5, 0.5]
    """
    row = row_of(bandit, context)
    memory, seen = bandit.memory(row), bandit.contexts.seen(row)
    mask = np.array([[arm in allowed for arm in bandit.arms]])
    by_draw = memory.policy.probabilities(memory.state, seen, mask)
    if by_draw is None:
        checked = checked_decision(memory.state, seen, mask)
        draws = FREE if memory.policy.context_free else DRAWS
        sampler = memory.state.sampler(memory.policy, *checked)
        by_draw = sampler.choices(_stream(name), draws) / draws
    floor = Floor.among(
        bandit.propensity.floor, len(bandit.arms), mask, _control(bandit, row, mask)
    )
    return mixed(by_draw, floor, mask)


def row_of(bandit: Bandit, context: Any) -> Array | None:
    """A context, as a decision has it, as the bandit keeps it: (1, features)."""
    return bandit.contexts.rows(context)[0][0]


def unmoved(bandit: Bandit, trains: bool, context: Any) -> Bandit:
    """A bandit to ask for draws: a copy if these train it, as being judged must change nothing."""
    if not trains or bandit.memory(row_of(bandit, context)).policy.context_free:
        return bandit
    return deepcopy(bandit)


def control_arm(bandit: Bandit, context: Any) -> Arm | None:
    """The arm of the bandit's control in a context; None without a control."""
    control = bandit.control
    if control is None:
        return None
    if control.rule is None:
        return control.arm
    return control.rule(bandit.contexts.given(row_of(bandit, context)))


def without_control(every: Array, bandit: Bandit, place: int) -> Array:
    """The same probabilities, if the control at a place had no share."""
    share = 0.0 if bandit.control is None else bandit.control.share
    own = every / (1 - share)
    own[place] -= share / (1 - share)
    return np.maximum(own, 0.0)


def _control(bandit: Bandit, row: Array | None, mask: Array) -> Controlled | None:
    control = bandit.control
    if control is None:
        return None
    name = control.arm if control.rule is None else control.rule(bandit.contexts.given(row))
    place = bandit.arms.index(name) if name in bandit.arms else -1
    return (control.share, place, False) if place >= 0 and mask[0, place] else None


def _stream(name: str) -> Array:
    """A kernel's stream: four words."""
    digest = sha256(b"judging\x1f" + name.encode()).digest()
    return np.frombuffer(digest, dtype="<u8").astype(np.uint64)
