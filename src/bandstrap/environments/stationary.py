"""Arms with reward distributions that stay as they are, without contexts."""

from dataclasses import dataclass

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.environments.base import Environment, Round
from bandstrap.errors import InvalidInput
from bandstrap.kernels.rewards import draw_rewards
from bandstrap.problem import Problem, Support
from bandstrap.seeding import kernel_stream
from bandstrap.storage.schema import ArrayOf, Either, Schema


@dataclass(frozen=True)
class Arms:
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
    """K arms. Their parameters are drawn from U[0, 1] anew in each run, or given as `means`."""

    n_arms: int = 10
    means: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        if self.means is not None:
            if not self.means or not np.isfinite(self.means).all():
                raise InvalidInput("means", self.means, "give a finite mean for each arm")
            object.__setattr__(self, "n_arms", len(self.means))
        Problem(self.n_arms)

    @property
    def support(self) -> Support:
        """Where rewards lie."""
        return Support.interval(0.0, 1.0)

    @property
    def problem(self) -> Problem:
        """What a policy is told."""
        return Problem(self.n_arms, 0, self.support)

    def start(self, runs: int, rng: Rng) -> Arms:
        """Draw the arms of each run."""
        if self.means is None:
            parameters = rng.random((runs, self.n_arms))
        else:
            parameters = np.tile(np.array(self.means, dtype=np.float64), (runs, 1))
            if self._bounded and (parameters.min() < 0 or parameters.max() > 1):
                raise InvalidInput("means", self.means, "give means in [0, 1]")
        return Arms(parameters, self._true_means(parameters))

    def look(self, world: Arms, played: int) -> Round:
        return Round(None, world.means, world.means.max(axis=1))

    def pull(self, world: Arms, chosen: Array, rng: Rng) -> Array:
        return self._rewards(world.parameters[np.arange(chosen.size), chosen], rng)

    @property
    def _bounded(self) -> bool:
        return bool(np.isfinite(self.support.high))

    def _true_means(self, parameters: Array) -> Array:
        return parameters

    def _rewards(self, parameters: Array, rng: Rng) -> Array:
        """A reward for each of some arms' parameters; by the law, if there is one."""
        if self.law is None:
            raise NotImplementedError(f"{type(self).__name__} needs a law or its own _rewards")
        rewards = np.empty(parameters.size)
        draw_rewards(kernel_stream(rng), self.law.code, parameters, self.law.scale, rewards)
        return rewards
