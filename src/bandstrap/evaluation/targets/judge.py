"""How probable a policy makes each arm: exactly where it knows, else by shares of draws."""

from typing import Any

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.evaluation.feedback import Feedback
from bandstrap.evaluation.targets.base import Grouping, allowed_rows
from bandstrap.evaluation.targets.problem import Played
from bandstrap.policies.validation import checked_decision
from bandstrap.seeding import generator, kernel_stream
from bandstrap.validation import require_within

DRAWS = 16  # of a row, where a policy with contexts does not know
FEWEST, MOST = 256, 2048  # draws of a batch of rows that share them
MOST_DRAWS = 100_000


class Judge:
    """Asks a policy for the probabilities of arms, by random numbers of its own.

    The logger's draws and these are independent, so that an estimate that is a mean of products of
    the two has no bias, however few the draws.
    """

    def __init__(self, played: Played, draws: int | None, seed: int, name: str) -> None:
        require_within(1, MOST_DRAWS, draws=draws)
        self.played, self.draws = played, draws
        self.fewest = 0  # draws that anything rested on; 0 as long as all is exact
        self.grouping = Grouping()
        self._last = 0  # draws of the last probabilities; 0: exact
        self._rng: Rng = generator(seed, "judge", name)

    def fill(self, state: Any, feedback: Feedback, rows: slice, every: Array) -> None:
        """The probabilities of some rows, by the state as it is."""
        allowed = allowed_rows(feedback, rows)
        if self.played.contexts is None:
            self._fill_alike(state, allowed, every)
            return
        for i, at in enumerate(range(rows.start, rows.stop)):
            every[i] = self._one(state, self.played.row(at), allowed[i : i + 1], DRAWS)

    def _fill_alike(self, state: Any, allowed: Array, every: Array) -> None:
        """Without contexts, rows with the same allowed arms share their probabilities."""
        if allowed.all():
            every[:] = self._one(state, None, allowed[:1], self._shared(len(every)))
            self.grouping.add(np.zeros(len(every), dtype=np.int64), [self._last])
            return
        sets, which, counts = np.unique(allowed, axis=0, return_inverse=True, return_counts=True)
        drawn = []
        for place, count in enumerate(counts.tolist()):
            found = self._one(state, None, sets[place : place + 1], self._shared(count))
            every[which.reshape(-1) == place] = found
            drawn.append(self._last)
        self.grouping.add(which.reshape(-1), drawn)

    def _shared(self, rows: int) -> int:
        return min(max(rows, FEWEST), MOST)

    def _one(self, state: Any, context: Array | None, allowed: Array, draws: int) -> Array:
        policy = self.played.policy
        allowed = np.ascontiguousarray(allowed)
        known, self._last = policy.probabilities(state, context, allowed), 0
        if known is not None:
            return known
        draws = self._last = self.draws or draws
        self.fewest = min(self.fewest or draws, draws)
        sampler = state.sampler(policy, *checked_decision(state, context, allowed))
        choices: Array = sampler.choices(kernel_stream(self._rng), draws)
        return choices / draws
