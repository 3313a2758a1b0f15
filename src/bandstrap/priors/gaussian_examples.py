"""Pseudo-examples where nothing is known about the contexts: an isotropic normal."""

from dataclasses import dataclass

import numpy as np

from bandstrap.kernels.checks import LARGEST
from bandstrap.priors.pseudo_examples import ExamplePrior, PseudoExamples, both_rewards
from bandstrap.problem import Problem
from bandstrap.seeding import generator
from bandstrap.validation import require_up_to, require_whole, require_within

MOST_CONTEXTS = 100_000  # every arm is fit to all of them


@dataclass(frozen=True)
class GaussianExamples(ExamplePrior):
    """`count` contexts from N(0, scale² I), each with the lowest and the highest reward.

    By default 2d contexts, so 4d examples, as many as `EigenExamples` has; at most 100,000.

    >>> GaussianExamples().start(Problem(3, n_features=5)).count
    20
    """

    count: int | None = None
    scale: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        require_within(1, MOST_CONTEXTS, count=self.count)
        require_up_to(LARGEST, scale=self.scale)
        require_whole(0, seed=self.seed)

    def start(self, problem: Problem) -> PseudoExamples:
        d = problem.n_features
        count = 2 * d if self.count is None else self.count
        rng = generator(self.seed, "gaussian examples", d)
        contexts = self.scale * rng.standard_normal((count, d))
        rewards = np.tile(np.array(both_rewards(problem)), count)
        return PseudoExamples(np.repeat(contexts, 2, axis=0), rewards, np.zeros((0, d)))
