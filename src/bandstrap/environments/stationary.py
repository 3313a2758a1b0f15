"""Arms whose reward distributions never change, without contexts."""

from dataclasses import dataclass

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.environments.base import Environment, Round
from bandstrap.errors import InvalidInput
from bandstrap.history.compiled import Law
from bandstrap.kernels import rewards as kernel
from bandstrap.problem import Problem, Support
from bandstrap.seeding import kernel_stream
from bandstrap.storage.schema import ArrayOf, Either, Schema


@dataclass(frozen=True)
class StationaryArms:
    """The arms of each run: the parameter of each arm's distribution, and its true mean."""

    parameters: Array  # (runs, arms) or (runs, arms, categories)
    means: Array  # (runs, arms)

    schema = Schema(
        parameters=Either(
            ArrayOf(np.float64, "runs", "arms", fixed=True, shared=True),
            ArrayOf(np.float64, "runs", "arms", "categories", fixed=True, shared=True),
        ),
        means=ArrayOf(np.float64, "runs", "arms", shared=True),
    )


@dataclass(frozen=True)
class Stationary(Environment):
    """Base of environments with fixed arms: give a `law`, or override `_rewards`.

    Each run draws its arms' parameters from U[0, 1], unless `means` gives them.

    >>> Bernoulli(means=(0.3, 0.6)).problem.n_arms
    2
    """

    n_arms: int = 10
    means: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        if self.means is not None:
            if not self.means or not np.isfinite(self.means).all():
                raise InvalidInput("means", self.means, "give a finite mean for each arm")
            object.__setattr__(self, "n_arms", len(self.means))
        Problem(self.n_arms)
        if self.law is not None and not 0 < self.law.scale < np.inf:
            raise InvalidInput("scale", self.law.scale, "give a positive standard deviation")

    @property
    def support(self) -> Support:
        """Where rewards lie."""
        return Support.interval(0.0, 1.0)

    @property
    def problem(self) -> Problem:
        return Problem(self.n_arms, 0, self.support)

    def start(self, runs: int, rng: Rng) -> StationaryArms:
        if self.means is None:
            parameters = rng.random((runs, self.n_arms))
        else:
            parameters = np.tile(np.array(self.means, dtype=np.float64), (runs, 1))
            bounded = np.isfinite(self.support.high)
            if bounded and (parameters.min() < 0 or parameters.max() > 1):
                raise InvalidInput("means", self.means, "give means in [0, 1]")
        return StationaryArms(parameters, self._true_means(parameters))

    def look(self, world: StationaryArms, played: int) -> Round:
        best = np.empty(world.means.shape[0])
        kernel.largest_means(world.means, best)
        return Round(None, world.means, best)

    def pull(self, world: StationaryArms, chosen: Array, rng: Rng) -> Array:
        return self._rewards(world.parameters[np.arange(chosen.size), chosen], rng)

    def _true_means(self, parameters: Array) -> Array:
        return parameters

    def _rewards(self, parameters: Array, rng: Rng) -> Array:
        """One reward for each parameter."""
        if self.law is None:
            raise NotImplementedError(f"{type(self).__name__} needs a law or its own _rewards")
        rewards = np.empty(parameters.size)
        kernel.draw_rewards(kernel_stream(rng), self.law.code, parameters, self.law.scale, rewards)
        return rewards


@dataclass(frozen=True)
class Bernoulli(Stationary, in_kernels=True):
    """1 with probability equal to the arm's mean, else 0.

    >>> from bandstrap import Bootstrap, simulate
    >>> simulate(Bootstrap(), Bernoulli(means=(0.2, 0.8)), horizon=50, runs=4).regret.shape[0]
    4
    """

    support = Support.binary()
    law = Law(kernel.BERNOULLI)


@dataclass(frozen=True)
class Beta(Stationary, in_kernels=True):
    """Beta(μ, 1 − μ), the most spread out with mean μ; constant for μ = 0 and μ = 1.

    >>> Beta(n_arms=5).problem.support.high
    1.0
    """

    law = Law(kernel.BETA)


@dataclass(frozen=True)
class Triangular(Stationary, in_kernels=True):
    """The symmetric triangle around its mean μ with half-width min(μ, 1 − μ).

    With `full_span` the triangle spans [0, 1] and μ is its mode; its mean is (1 + μ)/3. The
    paper draws means from U[0, 1], which such triangles cannot have; hence the default.

    >>> Triangular(means=(0.5,), full_span=True).start(1, np.random.default_rng(0)).means
    array([[0.5]])
    """

    full_span: bool = False

    def _true_means(self, parameters: Array) -> Array:
        return (1.0 + parameters) / 3.0 if self.full_span else parameters

    @property
    def law(self) -> Law | None:
        return Law(kernel.TRIANGULAR_SPAN if self.full_span else kernel.TRIANGULAR)


@dataclass(frozen=True)
class Gaussian(Stationary, in_kernels=True):
    """N(μ, scale²).

    >>> Gaussian(means=(-1.0, 2.0), scale=0.5).problem.support.low
    -inf
    """

    scale: float = 1.0
    support = Support.real()

    @property
    def law(self) -> Law | None:
        return Law(kernel.NORMAL, self.scale)


@dataclass(frozen=True)
class TruncatedNormal(Stationary, in_kernels=True):
    """N(μ, scale²) given that it lies in [0, 1]; regret uses the mean after truncation.

    >>> TruncatedNormal(means=(0.5,), scale=1.0).start(1, np.random.default_rng(0)).means
    array([[0.5]])
    """

    scale: float = 1e-4

    def _true_means(self, parameters: Array) -> Array:
        from scipy.special import ndtr  # here: it takes longer to import than everything else

        low, high = (0.0 - parameters) / self.scale, (1.0 - parameters) / self.scale
        density = np.exp(-0.5 * low**2) - np.exp(-0.5 * high**2)
        mass = np.sqrt(2 * np.pi) * (ndtr(high) - ndtr(low))
        means: Array = parameters + self.scale * density / mass
        return means

    @property
    def law(self) -> Law | None:
        return Law(kernel.TRUNCATED_NORMAL, self.scale)


@dataclass(frozen=True)
class Categorical(Stationary):
    """`values` with probabilities drawn from a flat Dirichlet per arm and run, or given.

    `probabilities` has a row for each arm; `means` follow from it.

    >>> Categorical(values=(0.0, 1.0), probabilities=((0.5, 0.5), (0.1, 0.9))).problem.n_arms
    2
    """

    values: tuple[float, ...] = (0.0, 0.5, 1.0)
    probabilities: tuple[tuple[float, ...], ...] | None = None

    def __post_init__(self) -> None:
        if self.means is not None:
            raise InvalidInput("means", self.means, "give probabilities instead")
        if self.probabilities is not None:
            rows = np.array(self.probabilities, dtype=np.float64)
            right_shape = rows.ndim == 2 and rows.shape[1] == len(self.values)
            if not right_shape or rows.min() < 0 or not np.allclose(rows.sum(axis=1), 1.0):
                raise InvalidInput(
                    "probabilities", self.probabilities, "give a row per arm that sums to 1"
                )
            object.__setattr__(self, "n_arms", rows.shape[0])
        super().__post_init__()

    @property
    def support(self) -> Support:
        return Support.categories(self.values)

    def start(self, runs: int, rng: Rng) -> StationaryArms:
        if self.probabilities is None:
            shares = rng.dirichlet(np.ones(len(self.values)), size=(runs, self.n_arms))
        else:
            shares = np.tile(np.array(self.probabilities), (runs, 1, 1))
        return StationaryArms(shares, shares @ np.array(self.values))

    def _rewards(self, parameters: Array, rng: Rng) -> Array:
        levels = parameters.cumsum(axis=1)[:, :-1]
        position = (rng.random((parameters.shape[0], 1)) >= levels).sum(axis=1)
        rewards: Array = np.array(self.values)[position]
        return rewards


@dataclass(frozen=True)
class TwoArm(Stationary):
    """The problem of Theorem 1: arm 0 pays 0 or 1 with probability 1/2 each, arm 1 always 1/4.

    >>> TwoArm().means
    (0.5, 0.25)
    """

    n_arms: int = 2
    means: tuple[float, ...] | None = (0.5, 0.25)
    support = Support.categories((0.0, 0.25, 1.0))

    def __post_init__(self) -> None:
        if self.n_arms != 2 or self.means != (0.5, 0.25):
            raise InvalidInput("means", self.means, "the problem of Theorem 1 is fixed")

    def _rewards(self, parameters: Array, rng: Rng) -> Array:
        heads = (rng.random(parameters.size) < 0.5).astype(np.float64)
        return np.where(parameters == 0.25, 0.25, heads)
