"""What policies get, validated once for all of them."""

from functools import lru_cache
from math import isfinite

import numpy as np

from bandstrap.arrays import Array, Contexts
from bandstrap.errors import InvalidInput
from bandstrap.kernels.checks import (
    ARM,
    LARGEST,
    REWARD,
    SMALLEST,
    first_beyond,
    first_empty_row,
    first_fault,
)
from bandstrap.policies.state import State
from bandstrap.problem import Problem, Support

# Types, not names of them, which take longer to compare.
DOUBLE, BYTES = np.dtype(np.float64), np.dtype(np.uint8)
KINDS = (DOUBLE, np.dtype(np.float32), BYTES)


@lru_cache(maxsize=16)
def _all_arms(runs: int, n_arms: int) -> Array:
    return np.ones((runs, n_arms), dtype=np.bool_)


def checked_contexts(state: State, contexts: Contexts, of_arms: bool = False) -> Array | None:
    """Contexts as an array (runs, features); None where the problem has none.

    Where arms have features a decision needs those `of_arms`: (runs, arms, features).
    """
    problem = state.problem
    if contexts is None and problem.n_features == 0:
        return None
    shape: tuple[int, ...] = (state.runs, problem.n_features)
    if of_arms and problem.per_arm:
        shape = (state.runs, problem.n_arms, problem.n_features)
    if contexts is None:
        raise InvalidInput("contexts", None, f"give one for each run: {shape}")
    if shape[-1] == 0:
        raise InvalidInput("contexts", np.shape(contexts), "the problem has no features; give None")
    if len(shape) == 2 and _usual(contexts, shape):
        state.check_contexts(contexts)
        return contexts
    if hasattr(contexts, "toarray"):  # scipy.sparse
        contexts = contexts.toarray()
    contexts = np.asarray(contexts)
    if contexts.shape != shape:
        raise InvalidInput("contexts", contexts.shape, f"give one for each run: {shape}")
    if contexts.dtype not in KINDS:
        contexts = contexts.astype(np.float64)
    if contexts.dtype != BYTES:
        bad = first_beyond(np.ascontiguousarray(contexts).reshape(shape[0], -1))
        if bad >= 0:
            run, feature = divmod(int(bad), int(np.prod(shape[1:])))
            raise _beyond(problem, run, feature, float(contexts.reshape(-1)[bad]))
    state.check_contexts(contexts)
    return contexts


def _beyond(problem: Problem, run: int, feature: int, value: float) -> InvalidInput:
    names = [] if problem.columns is None or problem.per_arm else problem.columns.names
    where = f"column {names[feature]!r}" if names else f"feature {feature} of run {run}"
    if not np.isfinite(value):
        remedy = "is not a finite number; fill it in beforehand"
    elif abs(value) < SMALLEST:
        least = f"{SMALLEST:g}, the smallest that models take"
        remedy = f"is not 0 but nearer to it than {least}; scale this column, or give 0 instead"
    else:
        remedy = f"is beyond {LARGEST:g}, the largest that models take; use another unit"
    return InvalidInput("contexts", value, f"{where} {remedy}")


def _usual(contexts: Array, shape: tuple[int, ...]) -> bool:
    """Whether contexts need no conversion, as is almost always the case: a quick check."""
    return (
        type(contexts) is np.ndarray
        and contexts.dtype is DOUBLE
        and contexts.shape == shape
        and contexts.flags.c_contiguous
        and first_beyond(contexts) < 0
    )


def check_arms(problem: Problem, reads_arms: bool) -> None:
    """Refuse features of arms that would be ignored, and arms that lack features they need."""
    if problem.per_arm and not reads_arms:
        remedy = "this policy has no model for all arms: give names alone, or use SharedBootstrap"
        raise InvalidInput("arms", f"{problem.n_arms} with features", remedy)
    if reads_arms and not problem.per_arm:
        raise InvalidInput("arms", problem.n_arms, "give features of arms: arms={name: [...]}")


def check_numbers(problem: Problem, remedy: str) -> None:
    """Refuse contexts with text, of which rows hold codes only."""
    words = [] if problem.columns is None else problem.columns.text
    if words:
        raise InvalidInput("contexts", words, f"these columns hold text: {remedy}")


def checked_decision(
    state: State, contexts: Contexts, allowed: Array | None
) -> tuple[Contexts, Array]:
    """What a decision needs."""
    return checked_contexts(state, contexts, of_arms=True), checked_allowed(state, allowed)


def checked_allowed(state: State, allowed: Array | None) -> Array:
    shape = (state.runs, state.problem.n_arms)
    if allowed is None:
        return _all_arms(*shape)
    allowed = np.asarray(allowed, dtype=np.bool_)
    if allowed.shape not in (shape, shape[1:]):
        raise InvalidInput("allowed", allowed.shape, f"give one flag per arm: {shape}")
    if allowed.shape != shape or not allowed.flags.c_contiguous or not allowed.flags.writeable:
        # The one layout kernels compile for.
        allowed = np.array(np.broadcast_to(allowed, shape), order="C")
    empty = first_empty_row(allowed)
    if empty >= 0:
        raise InvalidInput("allowed", f"run {empty}: no arm", "allow at least one arm in each run")
    return allowed


def checked_pulls(state: State, arms: Array, rewards: Array) -> tuple[Array, Array]:
    """An arm and its reward for each run."""
    arms = np.ascontiguousarray(arms, dtype=np.int64)
    rewards = np.ascontiguousarray(rewards, dtype=np.float64)
    problem, shape = state.problem, (state.runs,)
    if arms.shape != shape or rewards.shape != shape:
        name, given = ("arms", arms) if arms.shape != shape else ("rewards", rewards)
        raise InvalidInput(name, given.shape, f"give one for each run: ({state.runs},)")
    support = problem.support
    fault, run = first_fault(arms, problem.n_arms, rewards, support.low, support.high, state.values)
    if run >= 0:
        raise _fault(fault, problem, int(arms[run]), float(rewards[run]))
    return arms, rewards


def checked_weights(state: State, rewards: Array, weights: Array) -> Array:
    """How much each run's reward counts."""
    weights = np.ascontiguousarray(weights, dtype=np.float64)
    if weights.shape != (state.runs,):
        raise InvalidInput("weights", weights.shape, f"give one for each run: ({state.runs},)")
    if not (np.isfinite(weights).all() and (weights > 0).all()):
        raise InvalidInput("weights", weights.tolist(), "give positive finite numbers")
    if state.whole_weights and (weights != weights[0]).any():
        raise InvalidInput("weights", weights.tolist(), "this policy needs the same in each run")
    for reward, weight in zip(rewards.tolist(), weights.tolist(), strict=True):
        state.check_reward(reward, weight)
    return weights


def check_update(state: State, contexts: Contexts, reward: float, weight: float) -> None:
    """Refuse what `Policy.update` would refuse, for a state of one run."""
    checked_contexts(state, contexts)
    state.check_reward(reward, weight)


def bounded_width(support: Support, policy: object) -> float:
    """The length of the interval that rewards lie in; refuses one without ends."""
    width = support.high - support.low
    if not isfinite(width):
        name, given = type(policy).__name__, (support.low, support.high)
        remedy = f"{name} needs bounded rewards; declare Support.interval(low, high)"
        raise InvalidInput("support", given, remedy)
    return width


def _fault(kind: int, problem: Problem, arm: int, reward: float) -> InvalidInput:
    support = problem.support
    if kind == ARM:
        return InvalidInput("arms", arm, f"arms are 0 to {problem.n_arms - 1}")
    if kind == REWARD:
        declared = f"the problem declares rewards in [{support.low:g}, {support.high:g}]"
        remedy = f"{declared}; declare a wider support or leave the reward out"
        return InvalidInput("rewards", reward, remedy)
    return InvalidInput("rewards", reward, f"declared values are {support.values}")
