"""A table of one's own: which policy, which model."""

from bandstrap.comparison.comparison import Comparison, compare
from bandstrap.comparison.encoder import Encoder

__all__ = ["Comparison", "Encoder", "compare"]
