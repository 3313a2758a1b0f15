"""The result of a simulation: regret and reward of every run at recorded rounds."""

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from statistics import NormalDist
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from bandstrap.arrays import Array
from bandstrap.errors import InvalidInput
from bandstrap.simulation.batch import BatchResult, recorded_rounds
from bandstrap.simulation.store.tables import write_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CELL = ["experiment", "environment", "policy"]
_LABELS = [(name, pa.string()) for name in CELL]
_WHOLE, _REAL = pa.int64(), pa.float64()
RESULTS = pa.schema(
    [*_LABELS, ("run", _WHOLE), ("round", _WHOLE), ("regret", _REAL), ("reward", _REAL)]
)
TIMINGS = pa.schema([*_LABELS, ("round", _WHOLE), ("decisions", _WHOLE), ("seconds", _REAL)])


@dataclass(frozen=True)
class Trace:
    """Cumulative regret and reward, (runs, points), at `rounds`, and CPU seconds up to each.

    >>> from bandstrap import UCB1, simulate
    >>> from bandstrap.environments import Bernoulli
    >>> trace = simulate(UCB1(), Bernoulli(means=(0.2, 0.8)), horizon=50, runs=4)
    >>> int(trace.rounds[-1]), trace.regret.shape == trace.reward.shape
    (50, True)
    >>> trace.mean().shape == trace.rounds.shape
    True
    """

    experiment: str
    environment: str
    policy: str
    rounds: Array
    regret: Array
    reward: Array
    seconds: Array

    @classmethod
    def join(
        cls, experiment: str, environment: str, policy: str, horizon: int, parts: list[BatchResult]
    ) -> "Trace":
        """A trace from its batches, in their order."""
        return cls(
            experiment,
            environment,
            policy,
            recorded_rounds(horizon),
            np.concatenate([part.regret for part in parts]),
            np.concatenate([part.reward for part in parts]),
            np.sum([part.seconds for part in parts], axis=0),
        )

    @property
    def runs(self) -> int:
        return int(self.regret.shape[0])

    def mean(self) -> Array:
        """Mean regret at each recorded round."""
        mean: Array = self.regret.mean(axis=0)
        return mean

    def reward_per_step(self) -> Array:
        """Mean reward per round up to each recorded round, over all runs."""
        per_step: Array = self.reward.mean(axis=0) / self.rounds
        return per_step

    def error(self) -> Array:
        """Standard error of the mean regret."""
        if self.runs < 2:
            return np.full(self.rounds.size, np.nan)
        error: Array = self.regret.std(axis=0, ddof=1) / np.sqrt(self.runs)
        return error

    def band(self, confidence: float = 0.95) -> tuple[Array, Array]:
        """Confidence limits of the mean regret at each recorded round."""
        width = NormalDist().inv_cdf(0.5 + confidence / 2) * self.error()
        return self.mean() - width, self.mean() + width

    def reward_band(self, confidence: float = 0.95) -> tuple[Array, Array]:
        """Confidence limits of the mean reward per round at each recorded round."""
        per_step = self.reward / self.rounds
        error = per_step.std(axis=0, ddof=1) / np.sqrt(self.runs) if self.runs > 1 else np.nan
        width = NormalDist().inv_cdf(0.5 + confidence / 2) * error
        return per_step.mean(axis=0) - width, per_step.mean(axis=0) + width

    def table(self) -> pa.Table:
        """One row per run and recorded round."""
        runs, points = self.regret.shape
        labels = self._labels(runs * points)
        run = np.repeat(np.arange(runs), points)
        rounds = np.tile(self.rounds, runs)
        columns = [*labels, run, rounds, self.regret.ravel(), self.reward.ravel()]
        return pa.table(columns, schema=_with_rounds(RESULTS, self.rounds))

    def timings(self) -> pa.Table:
        """One row per recorded round, over all runs."""
        labels = self._labels(self.rounds.size)
        columns = [*labels, self.rounds, self.rounds * self.runs, self.seconds]
        return pa.table(columns, schema=_with_rounds(TIMINGS, self.rounds))

    def _labels(self, size: int) -> list[pa.Array]:
        return [pa.repeat(pa.scalar(getattr(self, name)), size) for name in CELL]

    def to_pandas(self) -> Any:
        """The tidy table as a pandas frame.

        >>> from bandstrap import UCB1, simulate
        >>> from bandstrap.environments import Bernoulli
        >>> trace = simulate(UCB1(), Bernoulli(n_arms=2), horizon=50, runs=4)
        >>> frame = trace.to_pandas()
        >>> [*frame.columns]
        ['experiment', 'environment', 'policy', 'run', 'round', 'regret', 'reward']
        """
        _required("pandas")
        return self.table().to_pandas()

    def to_polars(self) -> Any:
        """The tidy table as a polars frame."""
        return _required("polars").from_arrow(self.table())

    def plot(self, measure: str = "regret", axes: "Axes | None" = None) -> "Axes":
        """Draw the trace and return the axes; `bandstrap.plot` draws several in one chart.

        >>> import matplotlib
        >>> matplotlib.use("agg")
        >>> from bandstrap import UCB1, simulate
        >>> from bandstrap.environments import Bernoulli
        >>> axes = simulate(UCB1(), Bernoulli(n_arms=2), horizon=50, runs=4).plot()
        >>> axes.get_xlabel(), axes.get_ylabel()
        ('round', 'cumulative regret')
        """
        from bandstrap.simulation.curves import plot  # which draws traces

        return plot([self], measure, axes)

    def to_parquet(self, path: Path | str) -> None:
        """Write the tidy table to a Parquet file."""
        write_table(self.table(), Path(path))


def _required(package: str) -> ModuleType:
    try:
        return import_module(package)
    except ImportError as error:
        raise InvalidInput("frame", package, f"is not installed: pip install {package}") from error


def _with_rounds(schema: pa.Schema, rounds: Array) -> pa.Schema:
    """The schema, with rounds and decisions as floats where horizons exceed all integers."""
    if rounds.dtype.kind != "f":
        return schema
    for name in {"round", "decisions"} & set(schema.names):
        schema = schema.set(schema.get_field_index(name), pa.field(name, pa.float64()))
    return schema
