"""How curves look: the same policy alike in every panel, no two policies of a panel alike."""

from collections.abc import Iterable
from itertools import count

from bandstrap.report.report import Panel


def looks(panels: Iterable[Panel]) -> dict[str, int]:
    """The number of each policy's look; the page makes a colour and dashes of it."""
    found: dict[str, int] = {}
    for panel in panels:
        names = [curve.policy for curve in panel.curves]
        taken = {found[name] for name in names if name in found}
        free = (number for number in count() if number not in taken)
        for name in names:
            if name not in found:
                found[name] = next(free)
    return found
