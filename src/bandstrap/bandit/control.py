"""A share of decisions that the policy does not make, to compare it with."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bandstrap.arrays import Array
from bandstrap.bandit.arms import Arms, checked_name
from bandstrap.bandit.decision import Arm
from bandstrap.errors import InvalidInput
from bandstrap.storage.registry import saved
from bandstrap.validation import require_share


@saved
@dataclass(frozen=True)
class Control:
    """In a `share` of decisions, at random, the arm is a fixed one, or what a `rule` says.

    A rule is a function of the context, as `Decision.context` has it, that returns an arm. Where
    that arm is not allowed, the policy decides. `decision.control` tells who has decided, and
    `decision.propensity` is the probability of the arm by either.

    >>> from bandstrap import Bandit, Bootstrap
    >>> bandit = Bandit(Bootstrap(), ["old", "new"], seed=1, control=Control(0.1, arm="old"))
    >>> decisions = [bandit.decide() for _ in range(1000)]
    >>> 70 < sum(decision.control for decision in decisions) < 130
    True
    """

    share: float
    arm: Arm | None = None
    rule: Callable[[Any], Arm] | None = None

    def __post_init__(self) -> None:
        require_share(share=self.share)
        if (self.arm is None) == (self.rule is None):
            raise InvalidInput("arm", self.arm, "give an arm or a rule, one of the two")
        if self.arm is not None:
            object.__setattr__(self, "arm", checked_name(self.arm))
        if self.rule is not None and not callable(self.rule):
            raise InvalidInput("rule", self.rule, "give a function of the context")

    def place(self, context: Callable[[], Any], arms: Arms, mask: Array | None) -> int | None:
        """The place of its arm in a context; None if that is not allowed."""
        if self.rule is not None:
            place = arms.place(self.rule(context()))
        else:
            assert self.arm is not None
            place = arms.place(self.arm)
        return place if mask is None or mask[0, place] else None

    def check_leaving(self, arm: Arm) -> None:
        """Refuse that its arm goes."""
        if arm == self.arm:
            raise InvalidInput("arm", arm, "it is the control's: it has to stay")
