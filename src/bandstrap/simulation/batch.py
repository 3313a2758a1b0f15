"""A batch of runs: the unit of seeding, of parallel work and of resumption."""

from contextlib import suppress
from dataclasses import dataclass, replace
from math import inf
from time import monotonic, thread_time
from typing import Any, ClassVar

import numpy as np

from bandstrap.arrays import Array
from bandstrap.environments import Environment
from bandstrap.environments.base import law_of
from bandstrap.environments.rules import Truth
from bandstrap.history.compiled import Compiled, Law
from bandstrap.one_thread import ONE_THREAD
from bandstrap.policies import Policy, State
from bandstrap.seeding import generator
from bandstrap.storage.schema import ArrayOf, Generator, Of, Real, Schema, Whole

WARM_ROUNDS, WARM_SECONDS = 30, 1.0
_WARM: set[tuple[str, str]] = set()  # worlds and policies that this process has played


def recorded_rounds(horizon: int, points: int = 100) -> Array:
    """About `points` log-spaced rounds up to and including the last."""
    return np.unique(np.rint(np.geomspace(1, horizon, points)).astype(np.int64))


@dataclass(frozen=True)
class Batch:
    """What to simulate: `runs` runs of a policy in an environment, and the names that seed them.

    Batches of one `world` and `index` have the same arms for every policy, so that policies can be
    compared run by run.
    """

    policy: Policy[Any]
    environment: Environment
    horizon: int
    runs: int
    seed: int
    world: str
    label: str
    index: int


@dataclass(frozen=True)
class BatchResult:
    """Cumulative regret and reward of each run at recorded rounds, and CPU seconds up to each."""

    schema = Schema(
        regret=ArrayOf(np.float64, "runs", "points"),
        reward=ArrayOf(np.float64, "runs", "points"),
        seconds=ArrayOf(np.float64, "points", low=0.0),
    )

    regret: Array  # (runs, points)
    reward: Array  # (runs, points)
    seconds: Array  # (points,)


class Play:
    """A batch in progress: all that its remaining rounds depend on."""

    schema = Schema(
        rng=Generator(),
        reward_rng=Generator(),
        world=Of(object),
        state=Of(State),
        played=Whole(),
        point=Whole(),
        spent=Real(0.0),
        regret_so_far=ArrayOf(np.float64, "runs"),
        reward_so_far=ArrayOf(np.float64, "runs"),
        result=Of(BatchResult),
    )

    former_fields: ClassVar[dict[str, str]] = {"chance": "reward_rng"}

    def __init__(self, batch: Batch) -> None:
        names = (batch.world, batch.label, batch.index)
        self.rng = generator(batch.seed, "policy", *names)
        self.reward_rng = generator(batch.seed, "rewards", *names)
        arms = generator(batch.seed, "arms", batch.world, batch.index)
        self.world = batch.environment.start(batch.runs, arms)
        self.state = batch.policy.start(batch.environment.problem, batch.runs)
        self.played = 0  # rounds
        self.point = 0  # recorded rounds
        self.spent = 0.0  # CPU seconds in select and update
        self.regret_so_far = np.zeros(batch.runs)
        self.reward_so_far = np.zeros(batch.runs)
        regret, reward = np.zeros((2, batch.runs, recorded_rounds(batch.horizon).size))
        self.result = BatchResult(regret, reward, np.zeros(regret.shape[1]))

    def record(self) -> None:
        """Record the sums so far."""
        self.result.regret[:, self.point] = self.regret_so_far
        self.result.reward[:, self.point] = self.reward_so_far
        self.result.seconds[self.point] = self.spent
        self.point += 1


class _Enough(Exception):  # noqa: N818 - not an error
    """Ends a warm-up."""


class Watch:
    """Looks at a batch in progress when `due`, by the clock; this one never does."""

    due = inf

    def resumed(self) -> Play | None:
        """The batch as an earlier process left it, if one did."""
        return None

    def look(self, play: Play) -> None:
        """Called between two rounds."""


class _Hurry(Watch):
    """Ends a play soon after its first round, which may compile."""

    due = 0.0

    def __init__(self) -> None:
        self._end = inf

    def look(self, play: Play) -> None:
        if monotonic() > self._end:
            raise _Enough
        self._end = min(self._end, monotonic() + WARM_SECONDS)


def run_batch(batch: Batch, watch: Watch | None = None) -> BatchResult:
    """Play the batch from its seed, or from where it was left."""
    watch = watch or Watch()
    with ONE_THREAD:  # the last bits of BLAS sums depend on its threads
        _warm_up(batch)
        play = watch.resumed() or Play(batch)
        _finish(batch, play, watch)
    return play.result


def _warm_up(batch: Batch) -> None:
    """Play a few rounds that do not count, once per process.

    The first rounds compile or load kernels, which takes as long as thousands of decisions and
    must not be part of their timings.
    """
    known = (batch.world, repr(batch.policy))
    if known in _WARM:
        return
    brief = replace(batch, horizon=min(WARM_ROUNDS, batch.horizon), runs=min(2, batch.runs))
    with suppress(_Enough):
        _finish(brief, Play(brief), _Hurry())
    _WARM.add(known)


def _finish(batch: Batch, play: Play, watch: Watch) -> None:
    law = law_of(batch.environment)
    compiled = play.state.compiled if batch.policy.in_kernels else None
    truth = Truth(batch.environment, batch.runs)
    for last in recorded_rounds(batch.horizon)[play.point :]:
        if compiled is None or law is None:
            _rounds_until(last, batch, play, watch, truth)
            truth.check()
        else:
            _compiled_rounds_until(last, compiled, law, play)
        play.record()
        if monotonic() >= watch.due:
            watch.look(play)


def _compiled_rounds_until(last: int, compiled: Compiled, law: Law, play: Play) -> None:
    """Rounds in compiled code, not watched; drawing rewards is timed with the decisions."""
    started = thread_time()
    compiled.play(
        int(last) - play.played,
        law,
        (play.world.parameters, play.world.means),
        (play.regret_so_far, play.reward_so_far),
        play.rng,
        play.reward_rng,
    )
    play.spent += thread_time() - started
    play.played = int(last)


def _rounds_until(last: int, batch: Batch, play: Play, watch: Watch, truth: Truth) -> None:
    policy, environment, state, world = batch.policy, batch.environment, play.state, play.world
    while play.played < last:
        seen = environment.look(world, play.played)
        started = thread_time()
        chosen = policy.select(state, seen.contexts, play.rng)
        play.spent += thread_time() - started
        truth.look(seen, chosen, play.regret_so_far)
        rewards = environment.pull(world, chosen, play.reward_rng)
        started = thread_time()
        policy.update(state, seen.contexts, chosen, rewards, play.rng)
        play.spent += thread_time() - started
        truth.pay(chosen, rewards, play.reward_so_far)
        play.played += 1
        if monotonic() >= watch.due:
            watch.look(play)
