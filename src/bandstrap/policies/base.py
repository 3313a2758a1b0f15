"""What a policy is: frozen parameters, and state by run that the caller owns."""

from abc import ABC, abstractmethod
from functools import lru_cache
from typing import Generic, TypeVar

import numpy as np

from bandstrap.compiled import Compiled
from bandstrap.errors import InvalidInput
from bandstrap.kernels.argmax import argmax
from bandstrap.kernels.checks import ARM, REWARD, first_empty_row, first_fault, first_infinite
from bandstrap.problem import Problem
from bandstrap.seeding import kernel_stream

# Types, not names of them, which take longer to compare.
BYTES = np.dtype(np.uint8)
KINDS = (np.dtype(np.float64), np.dtype(np.float32), BYTES)


class State:
    """What a policy has learnt in each of `runs` independent runs; policies add their arrays."""

    def __init__(self, problem: Problem, runs: int) -> None:
        self.problem = problem
        self.runs = runs
        self.values = np.array(problem.support.values or ())


S = TypeVar("S", bound=State)


class Policy(ABC, Generic[S]):
    """How to choose among arms.

    The public methods check what they are given; a policy writes `_start`, `_scores` and `_update`,
    and may write `_select` where there is a faster way to the same choice.
    """

    def start(self, problem: Problem, runs: int = 1) -> S:
        """The state before the first decision, for `runs` independent runs."""
        if runs < 1:
            raise InvalidInput("runs", runs, "give at least one run")
        return self._start(problem, runs)

    def scores(self, state: S, contexts: np.ndarray | None, rng: np.random.Generator) -> np.ndarray:
        """One draw of what each arm is worth, (runs, arms); the best allowed one is chosen."""
        return self._scores(state, _checked_contexts(state, contexts), rng)

    def select(
        self,
        state: S,
        contexts: np.ndarray | None,
        rng: np.random.Generator,
        allowed: np.ndarray | None = None,
    ) -> np.ndarray:
        """The arm to pull in each run, (runs,), among those allowed."""
        contexts = _checked_contexts(state, contexts)
        return self._select(state, contexts, rng, _checked_allowed(state, allowed))

    def update(
        self,
        state: S,
        contexts: np.ndarray | None,
        arms: np.ndarray,
        rewards: np.ndarray,
        rng: np.random.Generator | None = None,
    ) -> None:
        """Learn from one reward in each run, in place; some policies learn at random, by `rng`."""
        arms = np.ascontiguousarray(arms, dtype=np.int64)
        rewards = np.ascontiguousarray(rewards, dtype=np.float64)
        problem, shape = state.problem, (state.runs,)
        if arms.shape != shape or rewards.shape != shape:
            name, given = ("arms", arms) if arms.shape != shape else ("rewards", rewards)
            raise InvalidInput(name, given.shape, f"give one for each run: ({state.runs},)")
        support = problem.support
        fault, run = first_fault(
            arms, problem.n_arms, rewards, support.low, support.high, state.values
        )
        if run >= 0:
            raise _fault(fault, problem, int(arms[run]), float(rewards[run]))
        self._update(state, _checked_contexts(state, contexts), arms, rewards, rng)

    def compiled(self, state: S) -> Compiled | None:
        """What lets a simulation play whole runs in compiled code; None where it cannot."""
        return None

    @abstractmethod
    def _start(self, problem: Problem, runs: int) -> S: ...

    @abstractmethod
    def _scores(
        self, state: S, contexts: np.ndarray | None, rng: np.random.Generator
    ) -> np.ndarray: ...

    @abstractmethod
    def _update(
        self,
        state: S,
        contexts: np.ndarray | None,
        arms: np.ndarray,
        rewards: np.ndarray,
        rng: np.random.Generator | None,
    ) -> None: ...

    def _select(
        self,
        state: S,
        contexts: np.ndarray | None,
        rng: np.random.Generator,
        allowed: np.ndarray,
    ) -> np.ndarray:
        arms = np.empty(state.runs, dtype=np.int64)
        scores = self._scores(state, contexts, rng)
        argmax(kernel_stream(rng), scores, allowed, state.problem.support.scale, arms)
        return arms


def needed(rng: np.random.Generator | None, policy: object) -> np.random.Generator:
    """The generator that a policy needs to learn."""
    if rng is None:
        raise InvalidInput(
            "rng", rng, f"{type(policy).__name__} learns at random; pass a generator"
        )
    return rng


def _fault(kind: int, problem: Problem, arm: int, reward: float) -> InvalidInput:
    """What is wrong with an arm or its reward."""
    support = problem.support
    if kind == ARM:
        return InvalidInput("arms", arm, f"arms are 0 to {problem.n_arms - 1}")
    if kind == REWARD:
        return InvalidInput(
            "rewards",
            reward,
            f"the problem declares rewards in [{support.low:g}, {support.high:g}]; "
            "declare a wider support or leave the reward out",
        )
    return InvalidInput("rewards", reward, f"declared values are {support.values}")


@lru_cache(maxsize=16)
def _all_arms(runs: int, n_arms: int) -> np.ndarray:
    return np.ones((runs, n_arms), dtype=np.bool_)


def _checked_contexts(state: State, contexts: np.ndarray | None) -> np.ndarray | None:
    """Contexts as an array (runs, features); None where the problem has none."""
    shape = (state.runs, state.problem.n_features)
    if shape[1] == 0:
        if contexts is None:
            return None
        raise InvalidInput("contexts", np.shape(contexts), "the problem has no features; give None")
    if contexts is None:
        raise InvalidInput("contexts", None, f"give one for each run: {shape}")
    if hasattr(contexts, "toarray"):  # scipy.sparse
        contexts = contexts.toarray()
    contexts = np.asarray(contexts)
    if contexts.shape != shape:
        raise InvalidInput("contexts", contexts.shape, f"give one for each run: {shape}")
    if contexts.dtype not in KINDS:
        contexts = contexts.astype(np.float64)
    if contexts.dtype != BYTES:
        bad = first_infinite(np.ascontiguousarray(contexts))
        if bad >= 0:
            run, feature = divmod(int(bad), shape[1])
            raise InvalidInput(
                "contexts",
                float(contexts[run, feature]),
                f"feature {feature} of run {run} is not a finite number; fill it in beforehand",
            )
    return contexts


def _checked_allowed(state: State, allowed: np.ndarray | None) -> np.ndarray:
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
