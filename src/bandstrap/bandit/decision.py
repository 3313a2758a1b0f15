"""What a bandit answers: an arm, how probable it was, and the scores that decided."""

from collections.abc import Sequence

import numpy as np

from bandstrap.bandit.propensity import Chances

Arm = str | int  # what a user calls an arm


class Decision:
    """An arm chosen in a context; hand it, or its `id`, to `learn` with the reward.

    `propensity` is the probability with which the arm was chosen, and `error` its standard error:
    0 where it is known exactly, and otherwise that of the share of draws that voted for the arm.
    """

    __slots__ = ("_at", "_chances", "_names", "_scores", "arm", "context", "id")

    def __init__(
        self,
        number: int,
        names: Sequence[Arm],
        at: int,
        chances: Chances,
        scores: np.ndarray,
        context: np.ndarray | None,
    ) -> None:
        self.id = number
        self.arm = names[at]
        self.context = context  # as the policy saw it, (1, features)
        self._names, self._at = names, at
        self._chances, self._scores = chances, scores

    @property
    def propensity(self) -> float:
        return self._chances.of(self._at)

    @property
    def error(self) -> float:
        return self._chances.error(self._at)

    @property
    def propensities(self) -> dict[Arm, float]:
        """The probability of every arm; 0 for those that were not allowed."""
        return dict(zip(self._names, self._chances.all().tolist(), strict=True))

    @property
    def scores(self) -> dict[Arm, float]:
        """What each arm was worth in the draw that decided."""
        return dict(zip(self._names, self._scores.tolist(), strict=True))

    def __repr__(self) -> str:
        return (
            f"Decision(id={self.id}, arm={self.arm!r}, "
            f"propensity={self.propensity:.4g} ± {self.error:.2g})"
        )
