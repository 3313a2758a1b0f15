"""Paired comparisons at the last round: policies met the same arms, so runs pair up."""

from dataclasses import dataclass

import numpy as np

from bandstrap.simulation import Trace

THRESHOLD = 2.5  # standard errors beyond which a difference is taken for real


@dataclass(frozen=True)
class Difference:
    """Mean difference of final regret, first minus second, with its standard error."""

    first: str
    second: str
    mean: float
    error: float

    @property
    def above(self) -> bool:
        return self.mean > THRESHOLD * self.error

    @property
    def below(self) -> bool:
        return self.mean < -THRESHOLD * self.error

    def __str__(self) -> str:
        return f"{self.first} − {self.second} = {self.mean:+.2f} ± {self.error:.2f}"


def difference(first: Trace, second: Trace) -> Difference:
    """The paired difference of final regret."""
    paired = first.regret[:, -1] - second.regret[:, -1]
    error = paired.std(ddof=1) / np.sqrt(paired.size) if paired.size > 1 else np.inf
    return Difference(first.policy, second.policy, float(paired.mean()), float(error))


def final(trace: Trace) -> str:
    """Final mean regret with its standard error, as text."""
    return f"{trace.policy} {trace.mean()[-1]:.1f} ± {trace.error()[-1]:.1f}"
