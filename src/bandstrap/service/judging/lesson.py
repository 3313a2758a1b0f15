"""A decision whose window is over, as judging sees it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bandstrap.bandit.decision import Arm

__all__ = ["Lesson"]

LARGEST = 1e9  # weight: a decision less probable than that says nothing, and its square is finite


@dataclass(frozen=True)
class Lesson:
    """What was decided, how probable that was, and what came of it.

    `propensities` has the probability of every arm where the decider knew it: estimates are then
    sharper. Without it only the chosen arm's weight is used, which is valid too.

    >>> Lesson("a1", 0.0, "red", 0.5, 2.0, reward=1.0).judged
    True
    """

    id: str
    time: float  # of the decision, in seconds
    arm: Arm
    propensity: float | None
    weight: float | None  # the inverse propensity, or an estimate of it without bias
    reward: float | None = None  # None if it is missing and has no default
    context: Any = None  # as `Decision.context` has it
    allowed: tuple[Arm, ...] | None = None  # None: all arms that there were
    mode: str = "online"
    control: bool = False  # whether the control has decided
    version: int = 0
    given: bool = True  # whether a reward came, and is not the default
    delay: float | None = None  # seconds until it came
    metrics: Mapping[str, float] = field(default_factory=dict)
    features: Any = None
    propensities: Mapping[Arm, float] | None = None

    @property
    def judged(self) -> bool:
        """Whether it says something of policies: it has a reward and a weight."""
        return self.reward is not None and self.weighed

    @property
    def weighed(self) -> bool:
        """Whether it is known how probable its arm was."""
        return self.weight is not None and 0 < self.weight <= LARGEST

    @property
    def certain(self) -> bool:
        """Whether no other arm could have been chosen: the log cannot say what others pay."""
        return self.propensity is not None and self.propensity >= 1.0
