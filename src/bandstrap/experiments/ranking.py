"""Policies ranked by what they ended with, for a terminal."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import floor, isfinite, log10

import numpy as np

from bandstrap.simulation import Trace


@dataclass(frozen=True)
class Standing:
    """What a policy ended with: a mean over runs, its standard error, and after which round."""

    policy: str
    mean: float
    error: float  # NaN from a single run
    rounds: float

    def __str__(self) -> str:
        """Two digits of the error; without one, four of the mean.

        >>> print(Standing("wb", 105.234, 1.12, 10_000))
        105.2 ± 1.1
        """
        if not (isfinite(self.error) and self.error > 0):
            return f"{self.mean:.4g}"
        places = max(0, 1 - floor(log10(self.error)))
        return f"{self.mean:.{places}f} ± {self.error:.{places}f}"


@dataclass(frozen=True)
class Ranking:
    """Standings, best first; policies that played fewer rounds than others come after them."""

    title: str
    measure: str
    standings: tuple[Standing, ...]

    @property
    def rounds(self) -> float:
        """The most that any of them played."""
        return max(standing.rounds for standing in self.standings)


def by_regret(title: str, traces: Iterable[Trace]) -> Ranking:
    """Least regret first."""
    return ranked(title, "regret", [_standing(trace, trace.regret[:, -1]) for trace in traces])


def by_reward(title: str, traces: Iterable[Trace]) -> Ranking:
    """Most reward per step first."""
    standings = [_standing(trace, trace.reward[:, -1] / trace.rounds[-1]) for trace in traces]
    return ranked(title, "reward per step", standings, best=-1)


def ranked(title: str, measure: str, standings: Sequence[Standing], best: int = 1) -> Ranking:
    """The lowest first, or with `best` = -1 the highest."""
    order = sorted(standings, key=lambda each: (-each.rounds, best * each.mean))
    return Ranking(title, measure, tuple(order))


def _standing(trace: Trace, final: np.ndarray) -> Standing:
    error = final.std(ddof=1) / np.sqrt(final.size) if final.size > 1 else np.nan
    return Standing(trace.policy, float(final.mean()), float(error), float(trace.rounds[-1]))
