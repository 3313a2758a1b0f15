"""A bandit's answer: an arm, its probability, and the scores that decided."""

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

from bandstrap.arrays import Array
from bandstrap.bandit.chance import DEFERRED, Chance, Controlled, Deferred, Known, Later
from bandstrap.errors import InvalidInput
from bandstrap.tables import Columns

Arm = str | int  # what a user calls an arm


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
        "_chance",
        "_columns",
        "_names",
        "_scores",
        "arm",
        "controlled",
        "id",
        "key",
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
        chance: Chance | Known | Later | Deferred,
        scores: Array,
        row: Array | None,
        columns: Columns | None,
        mask: Array | None = None,
        learnt: int | None = None,
        time: float = 0.0,
        control: Controlled | None = None,
        key: str | None = None,
    ) -> None:
        self.key = key  # what its random numbers follow from; None if from the bandit's own
        self.id = name  # unique, also among loaded, copied and forked bandits
        self.number = number  # of decisions made before
        self.arm = names[at]
        self.row = row  # the context as the bandit keeps it, (1, features): do not write to it
        self.mask = mask  # the arms that were allowed, (1, arms); None for all
        self.learnt = learnt  # rewards that the bandit had learnt; None if that is not known
        self.time = time  # seconds, by the bandit's clock
        self._columns = columns
        self._names, self._at, self.controlled = names, at, control
        self._chance, self._scores = chance, scores

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
        return self.controlled is not None and self.controlled[2]

    @property
    def chance(self) -> Chance:
        """The probability of the arm, its inverse and how they were found, as found out now."""
        self._chance = chance = self._chance.settled(self)
        return chance

    @property
    def method(self) -> str:
        """How propensity and weight are found, as far as they are.

        "exact" if the policy knows the probability, "geometric" if draws went on until the arm won
        again, "shares" if draws have voted, "deferred" if nobody has asked for either yet.
        """
        return self._chance.method

    @property
    def propensity(self) -> float:
        """The probability with which the arm was chosen, by the policy or a control.

        The inverse of `weight`.
        """
        return self.chance.propensity

    @property
    def weight(self) -> float:
        """What to multiply the reward by in inverse-propensity weighting.

        The inverse of the arm's probability, or an estimate of that without bias.
        """
        return self.chance.weight

    @property
    def error(self) -> float:
        """The standard error of `propensity`, 0 if it is known exactly."""
        return self.chance.error

    @property
    def weight_error(self) -> float:
        """The standard error of `weight`, 0 if it is known exactly."""
        return self.chance.weight_error

    @property
    def propensities(self) -> dict[Arm, float]:
        """The probability of every arm; 0 for those that were not allowed.

        Refused where only that of the chosen arm is known, by geometric resampling.
        """
        every = self.chance.every
        if every is None:
            remedy = "only that of the chosen arm is known; Propensity(draws=…) estimates all"
            raise InvalidInput("propensities", self.method, remedy)
        return dict(zip(self._names, every.tolist(), strict=True))

    def with_chance(self, chance: Chance) -> "Decision":
        """The same decision, of which more is known."""
        other = copy(self)
        other._chance = chance
        return other

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
        return f"Decision(number={self.number}, arm={self.arm!r}, propensity={self._found()})"

    def _found(self) -> str:
        """The propensity and its error, as far as they are found; nobody has asked for them."""
        if self.method == DEFERRED:
            return DEFERRED
        return f"{self.propensity:.4g}" + (f" ± {self.error:.2g}" if self.error else "")
