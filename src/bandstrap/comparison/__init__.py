"""Which policy for your table.

Names are imported on first use: a table that cannot be played is refused before anything that
needs a compiler is loaded.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bandstrap.comparison.comparison import Comparison as Comparison
    from bandstrap.comparison.comparison import compare as compare
    from bandstrap.comparison.warm_start import WarmStart as WarmStart
    from bandstrap.tables.encoder import Encoder as Encoder

__all__ = ["Comparison", "Encoder", "WarmStart", "compare"]

_HOMES = {
    "Comparison": "comparison.comparison",
    "Encoder": "tables.encoder",
    "WarmStart": "comparison.warm_start",
    "compare": "comparison.comparison",
}


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(f"bandstrap.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'bandstrap.comparison' has no attribute {name!r}")
