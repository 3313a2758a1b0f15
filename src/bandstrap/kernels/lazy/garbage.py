"""Pseudo-rewards added to an arm's history as it grows."""

from bandstrap.kernels.compile import kernel
from bandstrap.kernels.lazy.history import note_moments


@kernel
def add_ends(h, arms, added):
    """At the first and the last value `added` pseudo-rewards more, for one arm of each run."""
    last = h.values.size - 1
    for run in range(arms.size):
        arm = arms[run]
        h.counts[run, arm, 0] += added[run]
        h.counts[run, arm, last] += added[run]
        for _ in range(added[run]):
            note_moments(h.moments[run, arm], h.values[0])
            note_moments(h.moments[run, arm], h.values[last])
