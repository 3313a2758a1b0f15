"""What policies ask of a support that must have two ends."""

from math import isfinite

from bandstrap.errors import InvalidInput
from bandstrap.problem import Support


def bounded_width(support: Support, policy: object) -> float:
    """The length of the interval in which rewards lie."""
    width = support.high - support.low
    if not isfinite(width):
        raise InvalidInput(
            "support",
            (support.low, support.high),
            f"{type(policy).__name__} needs bounded rewards; declare Support.interval(low, high)",
        )
    return width
