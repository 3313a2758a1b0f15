"""A bandit's answer: an arm, its probability, and the scores that decided."""

from collections.abc import Mapping, Sequence
from typing import Any

from bandstrap.arrays import Array
from bandstrap.bandit.propensity import ChoiceProbabilities
from bandstrap.tables import Columns

Arm = str | int  # what a user calls an arm
Controlled = tuple[float, int, bool]  # a control's share, its arm, and whether it has decided


class Decision:
    """An arm chosen in a context; hand it, or its `id`, to `learn` with the reward.

    >>> from bandstrap import Bandit, Bootstrap
    >>> decision = Bandit(Bootstrap(), ["red", "green"], seed=1).decide()
    >>> decision.arm in ("red", "green"), 0 < decision.propensity <= 1
    (True, True)

    `to_dict` has what a log needs, ready for JSON, and `from_dict` is the way back:

    >>> again = Decision.from_dict(decision.to_dict())
    >>> again.arm == decision.arm, again.propensity == decision.propensity
    (True, True)
    """

    __slots__ = (
        "_at",
        "_columns",
        "_control",
        "_names",
        "_probabilities",
        "_scores",
        "arm",
        "id",
        "learnt",
        "mask",
        "number",
        "row",
        "time",
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
        mask: Array | None = None,
        learnt: int | None = None,
        time: float = 0.0,
        control: Controlled | None = None,
    ) -> None:
        self.id = name  # unique, also among loaded, copied and forked bandits
        self.number = number  # of decisions made before
        self.arm = names[at]
        self.row = row  # the context as the bandit keeps it, (1, features): do not write to it
        self.mask = mask  # the arms that were allowed, (1, arms); None for all
        self.learnt = learnt  # rewards that the bandit had learnt; None if that is not known
        self.time = time  # seconds, by the bandit's clock
        self._columns = columns
        self._names, self._at, self._control = names, at, control
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
    def arms(self) -> tuple[Arm, ...]:
        """All arms that the bandit had."""
        return tuple(self._names)

    @property
    def allowed(self) -> tuple[Arm, ...]:
        """The arms that the decision was among."""
        if self.mask is None:
            return self.arms
        return tuple(arm for arm, open_ in zip(self._names, self.mask[0], strict=True) if open_)

    @property
    def control(self) -> bool:
        """Whether the bandit's `Control` has decided, not its policy."""
        return self._control is not None and self._control[2]

    @property
    def propensity(self) -> float:
        """The probability with which the arm was chosen, by the policy or a control."""
        p = ChoiceProbabilities(*self._probabilities).of(self._at)
        return p if self._control is None else _mixed(p, self._at, self._control)

    @property
    def error(self) -> float:
        """The standard error of `propensity`.

        0 if it is known exactly, else that of the share of draws that the arm has won.
        """
        error = ChoiceProbabilities(*self._probabilities).error(self._at)
        return error if self._control is None else error * (1 - self._control[0])

    @property
    def propensities(self) -> dict[Arm, float]:
        """The probability of every arm; 0 for those that were not allowed."""
        every = ChoiceProbabilities(*self._probabilities).all().tolist()
        if self._control is not None:
            every = [_mixed(p, at, self._control) for at, p in enumerate(every)]
        return dict(zip(self._names, every, strict=True))

    @property
    def scores(self) -> dict[Arm, float]:
        """The score of each arm in the draw that decided."""
        return dict(zip(self._names, self._scores.tolist(), strict=True))

    def to_dict(self) -> dict[str, Any]:
        """What is worth keeping, as JSON can hold it: the fields of a decision in a log.

        Numbers come back to the last bit. Scores and the probabilities of other arms are left out,
        and where `method` is "deferred" all that is not known yet.
        """
        from bandstrap.bandit.log.recorded import kept

        return kept(self)

    @classmethod
    def from_dict(cls, kept: Mapping[str, Any]) -> "Decision":
        """A decision from `to_dict`, or from a line of a log."""
        from bandstrap.bandit.log.recorded import RecordedDecision

        return RecordedDecision(kept)

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


def _mixed(p: float, place: int, control: Controlled) -> float:
    """The probability of an arm where a control decides in a share of cases."""
    share, its_arm, _ = control
    return (1 - share) * p + (share if place == its_arm else 0.0)
