"""Had it run: a policy in the logger's place, by rejection.

A row of the log is put before the policy, which draws an arm. If that is the logged arm, the policy
learns its reward; if not, the row is passed over. Loggers prefer some arms, so a row must also win
a coin of probability weight / largest weight, where the weight is its inverse propensity. What is
accepted is then distributed as if the policy had run by itself, for as many rounds as there are
accepted rows (Li et al., 2011; Mandel et al., 2016).
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.errors import InvalidInput
from bandstrap.evaluation.feedback import Feedback
from bandstrap.evaluation.targets.base import RAN, allowed_rows, row_slices
from bandstrap.evaluation.targets.best_arm import inverse_propensities
from bandstrap.evaluation.targets.problem import Played, played
from bandstrap.policies import Policy
from bandstrap.policies.base import learn
from bandstrap.policies.own import variant_name
from bandstrap.policies.validation import check_update, checked_decision
from bandstrap.seeding import generator
from bandstrap.validation import require_within

__all__ = ["HadItRun", "Rerun"]

WORK = 200_000  # rows that are replayed by default, over all replays
MOST = 20  # replays by default


@dataclass(frozen=True)
class Rerun:
    """What a policy would have earned, had it run: a mean over several replays of the log."""

    name: str
    value: float  # reward per round
    error: float  # standard error
    rounds: int  # on average, of a replay
    rows: int  # that were put before it, of a replay
    replays: int
    odd: float  # rewards that are not the usual one, on average, of a replay
    lost: float  # the share of its choices that are arms which the log never has
    curve: Array  # mean reward up to a round, at `points` of all rounds
    points: Array

    @property
    def acceptance(self) -> float:
        """The share of rows that were accepted."""
        return self.rounds / self.rows if self.rows else 0.0

    def __str__(self) -> str:
        return (
            f"{self.rounds:,} of {self.rows:,} rows were accepted ({self.acceptance:.1%}), so this "
            f"is what it earns in its first {self.rounds:,} rounds"
        )


@dataclass(frozen=True)
class HadItRun:
    """A policy that had run in the logger's place.

    `replays` is how often the log is replayed, with other random numbers; None depends on the
    log's length. One replay is one run of the policy, and some runs are luckier than others.

    >>> from bandstrap import EpsilonGreedy
    >>> rng = np.random.default_rng(0)
    >>> chosen, half = rng.integers(2, size=4000), np.full(4000, 0.5)
    >>> paid = (rng.random(4000) < np.array([0.2, 0.6])[chosen]).astype(float)
    >>> log = Feedback(("a", "b"), chosen, paid, propensities=half)
    >>> found = HadItRun(EpsilonGreedy()).run(log)
    >>> abs(found.acceptance - 0.5) < 0.02, 0.5 < found.value < 0.65
    (True, True)
    """

    policy: Policy[Any]
    name: str = ""
    replays: int | None = None
    answer = RAN
    reruns = True

    def __post_init__(self) -> None:
        require_within(1, 1000, replays=self.replays)
        object.__setattr__(self, "name", self.name or variant_name(type(self.policy), {}))

    def run(
        self, feedback: Feedback, seed: int = 0, done: Callable[[int], None] = lambda rows: None
    ) -> Rerun:
        """Replay the log; `done` gets how many rows each step took."""
        if feedback.propensities is None and feedback.weights is None:
            remedy = "the log has no propensities: rows cannot be accepted with the right chance"
            raise InvalidInput("had it run", self.name, remedy)
        ready = played(self.policy, feedback, self.name)
        largest, counted = _largest(feedback), _Choices(_unseen(feedback))
        runs = [
            _replay(
                ready, feedback, largest, counted, generator(seed, "replay", self.name, each), done
            )
            for each in range(self.replays_of(feedback))
        ]  # fmt: skip
        return self._summary(runs, int((~np.isnan(feedback.rewards)).sum()), counted.lost)

    def replays_of(self, feedback: Feedback) -> int:
        """How often the log is replayed."""
        return self.replays or min(max(WORK // max(len(feedback), 1), 2), MOST)

    def _summary(self, runs: list[Array], rows: int, lost: float) -> Rerun:
        rounds = min(map(len, runs))
        if rounds == 0:
            remedy = "no row was accepted: the log cannot tell; evaluate it as learnt instead"
            raise InvalidInput("had it run", self.name, remedy)
        # Replays of different length are cut to the shortest: they shall say the same thing.
        rewards = np.stack([run[:rounds] for run in runs])
        points = np.unique(np.geomspace(1, rounds, 60).astype(int))
        curve = (rewards.cumsum(axis=1).mean(axis=0) / np.arange(1, rounds + 1))[points - 1]
        value, error = float(rewards.mean()), _error(rewards)
        odd = float((rewards != np.median(rewards)).sum(axis=1).mean())
        facts = rounds, rows, len(runs), odd, lost
        return Rerun(self.name, value, error, *facts, curve, points)


def _error(rewards: Array) -> float:
    """The standard error of a replay's mean: of its rewards, and of how lucky a run is.

    Replays share the log's rows, so averaging over them makes the first part no smaller, and a part
    of the second lies in the log too. Neither is divided by the number of replays: the interval is
    rather too wide than too narrow.
    """
    replays, rounds = rewards.shape
    within = float(rewards.var(axis=1, ddof=1).mean()) / rounds if rounds > 1 else np.inf
    between = float(rewards.mean(axis=1).var(ddof=1)) if replays > 1 else 0.0
    return sqrt(within + between)


def _largest(feedback: Feedback) -> float:
    """The largest weight that a row can have, as far as the log tells."""
    counts = feedback.counts
    return max(
        float((weights * (1 if counts is None else np.asarray(counts[rows]))).max())
        for rows, weights in (
            (each, inverse_propensities(feedback, each)) for each in row_slices(feedback)
        )
    )


class _Choices:
    """How many choices were of arms that the log never has: no row can be accepted for them."""

    def __init__(self, unseen: frozenset[int]) -> None:
        self._unseen, self._all, self._lost = unseen, 0, 0

    def add(self, arm: int) -> None:
        self._all += 1
        self._lost += arm in self._unseen

    @property
    def lost(self) -> float:
        """Their share."""
        return self._lost / max(self._all, 1)


def _unseen(feedback: Feedback) -> frozenset[int]:
    """The arms that the log never has."""
    counts = np.bincount(np.asarray(feedback.chosen), minlength=len(feedback.arms))
    return frozenset(np.flatnonzero(counts == 0).tolist())


def _replay(
    ready: Played, feedback: Feedback, largest: float, counted: _Choices, rng: Rng,
    done: Callable[[int], None],
) -> Array:  # fmt: skip
    """The rewards of the accepted rows, in order."""
    state, accepted = ready.start(), []
    for rows in row_slices(feedback):
        allowed = allowed_rows(feedback, rows)
        chosen = np.asarray(feedback.chosen[rows], dtype=np.int64)
        rewards = np.asarray(feedback.rewards[rows], dtype=np.float64)
        for i in _survivors(feedback, rows, largest, rng).tolist():
            context = ready.row(rows.start + i)
            seen, open_ = checked_decision(state, context, allowed[i : i + 1])
            arm = int(ready.policy._select(state, seen, rng, open_)[0])
            counted.add(arm)
            if arm == chosen[i]:
                check_update(state, context, float(rewards[i]), 1.0)
                some = slice(i, i + 1)
                learn(ready.policy, state, context, chosen[some], rewards[some], rng, None)
                accepted.append(rewards[i])
        done(rows.stop - rows.start)
    return np.array(accepted)


def _survivors(feedback: Feedback, rows: slice, largest: float, rng: Rng) -> Array:
    """The rows that win their coin and have a reward."""
    weights = inverse_propensities(feedback, rows)
    if feedback.counts is not None:
        weights = weights * np.asarray(feedback.counts[rows])
    wins = rng.random(len(weights)) * largest < weights
    return np.flatnonzero(wins & ~np.isnan(np.asarray(feedback.rewards[rows])))
