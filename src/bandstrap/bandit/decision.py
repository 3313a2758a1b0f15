"""A bandit's answer: an arm, its probability, and the scores that decided."""

from collections.abc import Sequence
from typing import Any

from bandstrap.arrays import Array
from bandstrap.bandit.propensity import ChoiceProbabilities
from bandstrap.tables import Columns

Arm = str | int  # what a user calls an arm


class Decision:
    """An arm chosen in a context; hand it, or its `id`, to `learn` with the reward.

    >>> from bandstrap import Bandit, Bootstrap
    >>> decision = Bandit(Bootstrap(), ["red", "green"], seed=1).decide()
    >>> decision.arm in ("red", "green"), 0 < decision.propensity <= 1
    (True, True)
    """

    __slots__ = (
        "_at",
        "_columns",
        "_names",
        "_probabilities",
        "_scores",
        "arm",
        "id",
        "number",
        "row",
    )

    def __init__(
        self,
        name: str,
        number: int,
        names: Sequence[Arm],
        at: int,
        probabilities: tuple[Array, Array | None, float, int],  # as `ChoiceProbabilities`
        scores: Array,
        row: Array | None,
        columns: Columns | None,
    ) -> None:
        self.id = name  # unique, also among loaded, copied and forked bandits
        self.number = number  # of decisions made before
        self.arm = names[at]
        self.row = row  # the context as the bandit keeps it, (1, features): do not write to it
        self._columns = columns
        self._names, self._at = names, at
        self._probabilities, self._scores = probabilities, scores

    @property
    def context(self) -> Any:
        """The context, as `learn(context=…)` takes it here and in other processes.

        A dict where columns have names, else a copy of the array (1, features).
        """
        if self.row is None or self._columns is None:
            return self.row
        return self._columns.record(self.row[0]) if self._columns.kinds else self.row.copy()

    @property
    def propensity(self) -> float:
        """The probability with which the arm was chosen."""
        return ChoiceProbabilities(*self._probabilities).of(self._at)

    @property
    def error(self) -> float:
        """The standard error of `propensity`.

        0 if it is known exactly, else that of the share of draws that the arm has won.
        """
        return ChoiceProbabilities(*self._probabilities).error(self._at)

    @property
    def propensities(self) -> dict[Arm, float]:
        """The probability of every arm; 0 for those that were not allowed."""
        every = ChoiceProbabilities(*self._probabilities).all()
        return dict(zip(self._names, every.tolist(), strict=True))

    @property
    def scores(self) -> dict[Arm, float]:
        """The score of each arm in the draw that decided."""
        return dict(zip(self._names, self._scores.tolist(), strict=True))

    def chose(self, arm: Arm, row: Array | None) -> bool:
        """Whether it chose this arm in this context."""
        if self.arm != arm or self.row is None or row is None:
            return self.arm == arm and self.row is row
        return self.row is row or self.row.tobytes() == row.tobytes()

    def __repr__(self) -> str:
        return (
            f"Decision(number={self.number}, arm={self.arm!r}, "
            f"propensity={self.propensity:.4g} ± {self.error:.2g})"
        )
