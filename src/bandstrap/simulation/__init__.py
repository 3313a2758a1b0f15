"""Many runs at once, on one core or many.

Names are imported when first used: an engine that there is not is refused before anything that
needs a compiler is loaded.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bandstrap.simulation.curves import plot as plot
    from bandstrap.simulation.runner import Cell as Cell
    from bandstrap.simulation.runner import Runner as Runner
    from bandstrap.simulation.runner import simulate as simulate
    from bandstrap.simulation.trace import Trace as Trace
    from bandstrap.simulation.variants import sweep as sweep

__all__ = ["Cell", "Runner", "Trace", "plot", "simulate", "sweep"]

_HOMES = {
    "Cell": "runner",
    "Runner": "runner",
    "Trace": "trace",
    "plot": "curves",
    "simulate": "runner",
    "sweep": "variants",
}


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(f"bandstrap.simulation.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'bandstrap.simulation' has no attribute {name!r}")
