"""The studentised bootstrap of all estimators and targets of a log, by the same weights."""

from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from bandstrap.arrays import Array
from bandstrap.errors import UnknownName
from bandstrap.evaluation.estimators.base import quotient
from bandstrap.evaluation.intervals.base import Interval, more
from bandstrap.evaluation.intervals.weights import SecondOrder
from bandstrap.evaluation.moments import Chosen, Moments
from bandstrap.resampling import Resampling
from bandstrap.seeding import generator
from bandstrap.validation import require_share, require_within

__all__ = ["Bootstrapped", "Difference", "StudentisedBootstrap"]

BATCH = 64  # draws whose weights are held at once
MOST_DRAWS = 100_000


@dataclass(frozen=True)
class Difference:
    """How much more one target earns than another, by the same decisions."""

    value: float
    error: float
    interval: Interval

    def with_error(self, variance: float) -> "Difference":
        """With a further error, which is independent of the others."""
        if not variance:
            return self
        error, factor = more(self.error, variance)
        return Difference(self.value, error, self.interval.widened(self.value, factor))

    def at(self, value: float) -> "Difference":
        """As uncertain, around another value."""
        return Difference(value, self.error, self.interval.moved(value - self.value))


@dataclass(frozen=True)
class StudentisedBootstrap:
    """Estimates of reweighted logs, each less the estimate and over its own standard error.

    What is left is nearly free of what is being estimated, so that its quantiles make intervals
    that follow the skewness of rare rewards and large ratios. All estimators and targets are
    reweighted alike: differences are paired, and the largest of several errors is seen, which
    simultaneous intervals need. By default weights are such that draws are as skewed as they have
    to be.

    >>> from bandstrap.evaluation.estimators import IPS
    >>> from bandstrap.evaluation.sample import Sample
    >>> rng, ones = np.random.default_rng(0), np.ones(1000)
    >>> moments = Moments([IPS()])
    >>> moments.add([Sample((rng.random(1000) < 0.3) + 0.0, ones, ones)])
    >>> found = StudentisedBootstrap().of(moments).interval("ips")
    >>> round(found.low, 2), round(found.high, 2)
    (0.25, 0.31)
    """

    level: float = 0.95
    draws: int = 1000
    seed: int = 0
    resampling: Resampling = field(default_factory=SecondOrder)

    def __post_init__(self) -> None:
        require_share(level=self.level)
        require_within(1, MOST_DRAWS, draws=self.draws)

    def of(self, moments: Moments) -> "Bootstrapped":
        """All estimators and targets of a log, reweighted `draws` times."""
        chosen = [moments.chosen(target) for target in range(moments.targets)]
        families = [Family(each) for each in zip(*chosen, strict=True)]
        rng = generator(self.seed, "bootstrap")
        for start in range(0, self.draws, BATCH):
            shape = min(BATCH, self.draws - start), len(moments.counts)
            weights = self.resampling.weights(shape, rng)
            for family in families:
                family.reweight(weights)
        names = [each.name for each in moments.estimators]
        return Bootstrapped(self, dict(zip(names, families, strict=True)))


class Family:
    """One estimator for all targets: its estimates, and what reweighting makes of them."""

    def __init__(self, chosen: tuple[Chosen, ...]) -> None:
        self.chosen = chosen
        self.values = np.array([each.value for each in chosen])
        influence = np.stack([each.influence for each in chosen])
        self.covariance = influence @ influence.T
        self._wide = np.concatenate([each.sums for each in chosen] + [chosen[0].counts[:, None]], 1)
        self._pairs = np.triu_indices(self._wide.shape[1])
        self._products = self._wide[:, self._pairs[0]] * self._wide[:, self._pairs[1]]
        self._found: list[tuple[Array, Array]] = []

    def reweight(self, weights: Array) -> None:
        """Estimates and covariances of logs with these weights of groups, (draws, groups)."""
        sums, width = weights @ self._wide, self._wide.shape[1]
        second = np.empty((len(weights), width, width))
        products = weights @ self._products
        second[:, self._pairs[0], self._pairs[1]] = products
        second[:, self._pairs[1], self._pairs[0]] = products
        means = sums[:, :-1] / sums[:, -1:]
        # Sums less counts times means, squared: a linear map of sums and counts on both sides.
        slopes, values = self._slopes(means)
        covariances = slopes @ second @ slopes.transpose(0, 2, 1) / sums[:, -1, None, None] ** 2
        self._found.append((values, covariances))

    def _slopes(self, means: Array) -> tuple[Array, Array]:
        """How estimates move with sums and counts, (draws, targets, width), and their values."""
        slopes = np.zeros((len(means), len(self.chosen), self._wide.shape[1]))
        values, start = np.empty(slopes.shape[:2]), 0
        for place, each in enumerate(self.chosen):
            some = slice(start, start + each.sums.shape[1])
            values[:, place] = each.estimator.combine(means[:, some])
            slopes[:, place, some] = each.estimator.gradient(means[:, some])
            start = some.stop
        slopes[:, :, -1] = -(slopes[:, :, :-1] @ means[:, :, None])[:, :, 0]
        return slopes, values

    def contrast(self, signs: Array) -> "Contrast":
        """A weighted sum of targets' values, (targets,): its error and its draws."""
        values = np.concatenate([each[0] for each in self._found])
        covariances = np.concatenate([each[1] for each in self._found])
        value, variance = float(signs @ self.values), float(signs @ self.covariance @ signs)
        errors = np.sqrt(np.maximum(signs @ covariances @ signs, 0.0))
        off = quotient(values @ signs - value, errors)
        return Contrast(value, max(variance, 0.0) ** 0.5, np.nan_to_num(off, nan=0.0))


@dataclass(frozen=True)
class Contrast:
    """A value, its error, and by how many errors each draw is off, (draws,)."""

    value: float
    error: float
    off: Array


class Bootstrapped:
    """What reweighting made of a log: intervals of each target, of differences, of all at once."""

    def __init__(self, settings: StudentisedBootstrap, families: dict[str, Family]) -> None:
        self.settings = settings
        self._families = families

    def interval(self, name: str, target: int = 0) -> Interval:
        """Where an estimator says that a target's value lies."""
        return self._alone(self._contrasts(name, [self._unit(name, target)])[0])

    def difference(self, name: str, one: int, other: int) -> Difference:
        """How much more a target earns than another."""
        signs = self._unit(name, one) - self._unit(name, other)
        found = self._contrasts(name, [signs])[0]
        return Difference(found.value, found.error, self._alone(found))

    def simultaneous(self, name: str) -> list[Interval]:
        """Intervals of all targets that hold together with the level's probability."""
        targets = range(len(self._family(name).chosen))
        return self._together(self._contrasts(name, [self._unit(name, each) for each in targets]))

    def simultaneous_differences(
        self, name: str, against: int | None = None
    ) -> dict[tuple[int, int], Difference]:
        """Differences of all pairs, or of all others from one, that hold together."""
        n = len(self._family(name).chosen)
        pairs = list(combinations(range(n), 2))
        if against is not None:
            pairs = [(each, against) for each in range(n) if each != against]
        signs = [self._unit(name, one) - self._unit(name, other) for one, other in pairs]
        found = self._contrasts(name, signs)
        intervals = self._together(found)
        return {
            pair: Difference(each.value, each.error, interval)
            for pair, each, interval in zip(pairs, found, intervals, strict=True)
        }

    def _family(self, name: str) -> Family:
        if name not in self._families:
            raise UnknownName("estimator", name, self._families)
        return self._families[name]

    def _unit(self, name: str, target: int) -> Array:
        unit: Array = np.eye(len(self._family(name).chosen))[target]
        return unit

    def _contrasts(self, name: str, signs: list[Array]) -> list[Contrast]:
        return [self._family(name).contrast(each) for each in signs]

    def _alone(self, found: Contrast) -> Interval:
        level = self.settings.level
        below, above = np.quantile(found.off, [(1 - level) / 2, (1 + level) / 2])
        low, high = found.value - above * found.error, found.value - below * found.error
        return Interval(float(low), float(high), level, "bootstrap")

    def _together(self, found: list[Contrast]) -> list[Interval]:
        if not found:
            return []
        level = self.settings.level
        most = np.quantile(np.max([np.abs(each.off) for each in found], axis=0), level)
        ends = [(each.value - most * each.error, each.value + most * each.error) for each in found]
        return [Interval(float(low), float(high), level, "bootstrap") for low, high in ends]
