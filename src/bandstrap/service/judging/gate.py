"""When a candidate takes over."""

from dataclasses import dataclass

from bandstrap.service.config import Gate
from bandstrap.service.judging.lift import Lift

__all__ = ["PROMOTE", "STOP", "Verdict", "needed", "passes"]

PROMOTE, STOP = "promote", "stop_arm"


@dataclass(frozen=True)
class Verdict:
    """What is asked for: that a candidate is promoted, or that an arm is stopped.

    >>> Verdict("promote", "linear").kind
    'promote'
    """

    kind: str
    name: str | int  # of the candidate, or of the arm


def passes(lift: Lift, gate: Gate) -> bool:
    """Whether the lower bound of the lift is above the margin."""
    return lift.overlaps and lift.sequence.above(gate.margin)


def needed(lift: Lift, gate: Gate) -> int | None:
    """How many decisions more until it is, if they go on like this; None if it will not be."""
    return lift.sequence.needed(gate.margin) if lift.overlaps else None
