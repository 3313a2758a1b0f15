"""Theorem 2 on paper: the appendix's bound on NPB after forced pulls, and how to read an exponent.

The bound is the proof's, with m = ceil(16 log T / D^2) pulls of each arm; the theorem prints
m = ceil(D), which is 1 for T >= 68. D = (16 log T / T)^(1/3) balances the two terms in T at gap 1;
the best D is (32 gap log T / T)^(1/3). Either way the bound grows as T^(2/3) (log T)^(1/3): the
theorem's O(T^(2/3)) leaves the logarithm out.
"""

import numpy as np
from numpy.typing import ArrayLike

from bandstrap.errors import InvalidInput


def theorem2_bound(horizon: float, gap: float) -> float:
    """16 gap / D^2 log T + D T + gap + 4: the most that two arms `gap` apart can cost by T.

    >>> round(theorem2_bound(10**6, 0.1))
    66514
    """
    if not horizon > 1:
        raise InvalidInput("horizon", horizon, "give a horizon above 1, where log T is positive")
    if not 0 <= gap <= 1:
        raise InvalidInput("gap", gap, "give a gap from 0 to 1")
    log_T = float(np.log(horizon))
    D = (16 * log_T / horizon) ** (1 / 3)
    return float(16 * gap / D**2 * log_T + D * horizon + gap + 4)


def fitted_exponent(horizons: ArrayLike, regrets: ArrayLike) -> tuple[float, float]:
    """The least-squares slope of log R on log T and its standard error (NaN from two points)."""
    x, y = np.log(np.asarray(horizons, dtype=float)), np.log(np.asarray(regrets, dtype=float))
    if x.shape != y.shape or np.unique(x).size < 2:
        raise InvalidInput("horizons", horizons, "give two horizons or more, and a regret for each")
    x = x - x.mean()
    spread = float(x @ x)
    slope = float(x @ y) / spread
    residual = y - y.mean() - slope * x
    free = x.size - 2
    error = float(np.sqrt(residual @ residual / free / spread)) if free else float("nan")
    return slope, error
