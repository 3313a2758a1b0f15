"""Inverse gap weighting: the further an arm seems to be from the best, the rarer it is pulled.

The best of K arms is b. Any other arm a is pulled with probability 1 / (K + γ (f_b - f_a)), where f
is what a model expects, and b with what is left (Abe and Long, 1999; Foster and Rakhlin, 2020).
"""

from dataclasses import dataclass
from math import isfinite
from typing import ClassVar

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.choice import highest
from bandstrap.models import Learner
from bandstrap.models.base import draw_scores, learn_reward
from bandstrap.models.cost import unused
from bandstrap.problem import Problem, Support
from bandstrap.remapping import ArmMap
from bandstrap.storage.registry import saved
from bandstrap.storage.schema import Fixed, Of, Real, Schema, require
from bandstrap.validation import require_number, require_up_to

STEEPEST = 1e9  # the scale of γ: beyond, all but greedy decisions are rare enough
LEAST = 1e-12  # a uniform draw is at least this much: a score stays finite


@saved
@dataclass(frozen=True)
class Gamma:
    """γ = scale (arms × rounds)^exponent, in units of the support's length.

    The published γ is of the order √(K T / regret of the regression). For rounds, which stand for
    the horizon, `SquareCB` takes the rewards learnt and `FALCON` those that its model has seen.

    >>> Gamma(scale=2.0)(n_arms=4, rounds=100.0)
    40.0
    """

    scale: float = 5.0
    exponent: float = 0.5

    def __post_init__(self) -> None:
        require_up_to(STEEPEST, scale=self.scale)
        require_number(0, 1, exponent=self.exponent)

    def __call__(self, n_arms: int, rounds: float) -> float:
        return float(self.scale * (n_arms * max(rounds, 1.0)) ** self.exponent)


def raised(expected: Array, gamma: float, rng: Rng) -> Array:
    """Scores whose best arm is drawn by inverse gap weighting, whichever arms are allowed.

    One arm of all, a, is drawn evenly, and its score grows by K / γ (1 / u - 1) with u uniform. It
    passes that of the best with probability K / (K + γ gap), thus a wins with 1 / (K + γ gap).
    """
    n_arms = expected.size
    arm, u = int(rng.random() * n_arms), max(1.0 - rng.random(), LEAST)
    scores = expected.copy()
    if np.isfinite(expected[arm]):  # else it is to be tried first anyhow
        # No score need be more than a little above the best.
        most = expected[np.isfinite(expected)].max() + n_arms / gamma
        scores[arm] = min(expected[arm] + n_arms / gamma * (1.0 / u - 1.0), most)
    return scores


def inverse_gap_weights(expected: Array, gamma: float, allowed: Array) -> Array:
    """The probability of each arm; K counts all arms, those that are not allowed too.

    >>> everything = np.array([True, True])
    >>> inverse_gap_weights(np.array([0.5, 0.3]), 40.0, everything).tolist()
    [0.9, 0.1]
    """
    best = expected[allowed].max()
    ties = allowed & (expected == best)
    with np.errstate(invalid="ignore"):  # infinity less infinity, where arms are to be tried first
        gaps = np.where(ties, 0.0, best - expected)
    weights: Array = np.where(allowed, 1.0 / (expected.size + gamma * gaps), 0.0)
    weights[ties] += (1.0 - weights.sum()) / ties.sum()
    return weights


def length_of(support: Support) -> float:
    """The unit of gaps: the length of the support, or 1."""
    length = support.high - support.low
    return length if isfinite(length) else 1.0


@saved
class GapLearner(Learner):
    """What a model has learnt, and inverse gap weighting of what it expects.

    `rounds` counts the rewards learnt, as far as they still count.
    """

    repeats: ClassVar[bool] = False  # the model's learner may
    schema = Schema(
        problem=Fixed(Of(Problem)),
        gamma=Fixed(Of(Gamma)),
        learner=Of(Learner),
        rounds=Real(low=0.0),
    )

    def verify_problem(self, problem: Problem) -> None:
        require(self.problem == problem, "the learner is of another problem")
        self.learner.verify_problem(problem)

    def __init__(self, problem: Problem, gamma: Gamma, learner: Learner) -> None:
        self.problem = problem
        self.gamma = gamma
        self.learner = learner
        self.rounds = 0.0

    def learn(
        self, context: Array, arm: int, reward: float, rng: Rng | None, weight: float = 1.0
    ) -> None:
        learn_reward(self.learner, context, arm, reward, rng, weight)
        self.rounds += weight

    def margins(self, contexts: Array, rng: Rng) -> Array:
        return raised(draw_scores(self.learner, contexts, rng), self._steepness, rng)

    def expected(self, contexts: Array, rng: Rng) -> Array:
        return draw_scores(self.learner, contexts, rng)

    def decide(self, contexts: Array, rng: Rng, allowed: Array) -> tuple[int, Array, Array | None]:
        expected = draw_scores(self.learner, contexts, rng)
        scores = raised(expected, self._steepness, rng)
        weights = inverse_gap_weights(expected, self._steepness, allowed)
        return highest(scores, allowed, rng), scores, weights

    def probabilities(self, contexts: Array, allowed: Array) -> Array | None:
        if self.learner.probabilities(contexts, allowed) is None:
            return None  # a network, say, that learns before it tells
        expected = draw_scores(self.learner, contexts, unused())
        return inverse_gap_weights(expected, self._steepness, allowed)

    @property
    def _steepness(self) -> float:
        """γ for gaps in units of rewards."""
        return self.gamma(self.problem.n_arms, self.rounds) / length_of(self.problem.support)

    def check_context(self, contexts: Array) -> None:
        self.learner.check_context(contexts)

    def check_reward(self, reward: float, weight: float) -> None:
        self.learner.check_reward(reward, weight)

    def discount(self, factor: float) -> None:
        self.learner.discount(factor)
        self.rounds *= factor

    def remap_arms(self, fresh: "GapLearner", before: ArmMap) -> None:
        self.problem = fresh.problem
        self.learner.remap_arms(fresh.learner, before)
