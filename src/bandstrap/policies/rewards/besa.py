"""BESA: duels on equal terms, by sub-sampling the longer history."""

from dataclasses import dataclass

import numpy as np

from bandstrap.arrays import Array, Contexts, Rng
from bandstrap.history.rewards import RewardHistory
from bandstrap.kernels.lazy.observe import ATOMS, REWARDS
from bandstrap.kernels.lazy.subsample import tournament
from bandstrap.policies.base import Draw
from bandstrap.policies.rewards.bootstrap import BootstrapState, HistoryPolicy
from bandstrap.policies.validation import checked_decision
from bandstrap.problem import Problem
from bandstrap.seeding import kernel_stream


@dataclass(frozen=True)
class BESA(HistoryPolicy):
    """Best empirical sampled average (Baransi, Maillard and Mannor, 2014).

    Of two arms the one pulled more often is judged by as many of its rewards as the other has,
    drawn without replacement. A tie goes to the arm pulled less often, then to either. More than
    two arms meet in a knockout tournament in random order; an arm never pulled wins it.

    `scores` are duels won in a tournament of all arms. With some arms forbidden `select` holds one
    among the others, which the scores of the larger one would not decide.

    >>> from bandstrap import Bandit
    >>> bandit = Bandit(BESA(), ["a", "b"], seed=1)
    >>> bandit.learn(arm=["a", "b"], reward=[0.9, 0.1])
    >>> bandit.decide().arm
    'a'
    """

    def _start(self, problem: Problem, runs: int) -> BootstrapState:
        keeps = REWARDS if problem.support.values is None else ATOMS
        values = problem.support.values or ()
        counts = [0.0] * len(values)
        history = RewardHistory.start(runs, problem.n_arms, values, counts, keeps)
        return BootstrapState(problem, runs, history)

    def _play(self, state: BootstrapState, rng: Rng, allowed: Array) -> tuple[Array, Array]:
        arms = np.empty(state.runs, dtype=np.int64)
        order = np.empty(state.problem.n_arms, dtype=np.int64)
        wins = np.zeros((state.runs, state.problem.n_arms))
        tournament(kernel_stream(rng), state.history.arrays, allowed, order, wins, arms)
        return arms, wins

    def _scores(self, state: BootstrapState, contexts: Contexts, rng: Rng) -> Array:
        everyone = np.ones((state.runs, state.problem.n_arms), dtype=np.bool_)
        arms, wins = self._play(state, rng, everyone)
        wins[np.arange(state.runs), arms] += 0.5  # the final's loser may have had one more duel
        return wins

    def _select(self, state: BootstrapState, contexts: Contexts, rng: Rng, allowed: Array) -> Array:
        return self._play(state, rng, allowed)[0]

    def decide(
        self, state: BootstrapState, contexts: Contexts, rng: Rng, allowed: Array | None
    ) -> Draw:
        _, open_ = checked_decision(state, contexts, allowed)
        arms, wins = self._play(state, rng, open_)
        return Draw(int(arms[0]), wins[0])
