"""Many runs at once, on one core or many."""

from bandstrap.simulation.runner import Cell, Runner, simulate
from bandstrap.simulation.trace import Trace

__all__ = ["Cell", "Runner", "Trace", "simulate"]
