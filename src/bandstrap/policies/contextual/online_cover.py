"""Online Cover: a few policies that disagree where it pays to find out (Agarwal et al., 2014)."""

from dataclasses import dataclass
from math import isfinite, sqrt

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.choice import explored, replica_probabilities
from bandstrap.models import Learner
from bandstrap.models.features import as_numbers
from bandstrap.models.online.ellipsoids import Ellipsoids
from bandstrap.policies.contextual.learners import LearnerPolicy
from bandstrap.problem import Problem
from bandstrap.remapping import ArmMap, remapped
from bandstrap.storage.schema import ArrayOf, Fixed, Of, Real, Schema, require
from bandstrap.validation import require_number, require_positive, require_within

MOST_POLICIES = 1000  # each of them learns every reward
MOST_PSI = 1e6


class OnlineCoverLearner(Learner):
    """Each policy regresses on every arm what the arm would have paid it; so does `rewards`, alone.

    What a policy is paid is the estimated reward of an arm and a bonus where few policies before it
    choose that arm. `cover` has the parameters of all policies, and `designs` what regressions on
    the same contexts share: all policies see all arms in every round.
    """

    schema = Schema(
        problem=Fixed(Of(Problem)),
        psi=Fixed(Real(0.0, MOST_PSI)),
        cover=ArrayOf(np.float64, "arms", "policies", "parameters"),
        designs=Of(Ellipsoids),
        rewards=Of(Ellipsoids),
        rounds=Real(low=0.0),
    )

    def verify_problem(self, problem: Problem) -> None:
        own = problem.n_arms, problem.n_features + 1
        require(self.problem == problem, "the learner is of another problem")
        require(self.designs.centres.shape == own, "designs are of another problem")
        require(self.rewards.centres.shape == own, "regressions are of another problem")
        require((len(self.cover), self.cover.shape[2]) == own, "policies are of another problem")

    def __init__(self, problem: Problem, count: int, psi: float, penalty: float) -> None:
        n_arms, n_features = problem.n_arms, problem.n_features
        self.problem = problem
        self.psi = psi
        self.cover = np.zeros((n_arms, count, n_features + 1))
        self.designs = Ellipsoids(n_arms, n_features, penalty)
        self.rewards = Ellipsoids(n_arms, n_features, penalty)
        self.rounds = 0.0  # rewards learnt, as far as they still count

    @property
    def least(self) -> float:
        """μ, the least probability of an arm: min(1 / K, 1 / √(K t)) in round t."""
        n_arms = self.problem.n_arms
        return min(1 / n_arms, 1 / sqrt(n_arms * (self.rounds + 1)))

    def learn(
        self, context: Array, arm: int, reward: float, rng: Rng | None, weight: float = 1.0
    ) -> None:
        targets = self._targets(context, arm, reward)
        for each, regressions in enumerate(self.cover):
            x, solved = self.designs.add(context, each, weight)
            errors = targets[:, each] - regressions @ x
            regressions += weight * errors[:, None] * solved
        self.rewards.learn_linear(context, arm, reward, weight)
        self.rounds += weight

    def _targets(self, context: Array, arm: int, reward: float) -> Array:
        """What each policy would have been paid for each arm, (policies, arms)."""
        chosen, least = self._choices(context), self.least
        spread = 1 - least * self.problem.n_arms
        estimates = self.rewards.centres @ _augmented(context)
        probability = spread * chosen[:, arm].mean() + least
        estimates[arm] += (reward - estimates[arm]) / probability  # doubly robust
        before = np.cumsum(chosen, axis=0) - chosen
        before /= np.maximum(np.arange(len(chosen)), 1)[:, None]
        bonus = self.psi * self._range * least / (spread * before + least)
        bonus[0] = 0.0  # the first policy has no other to disagree with
        targets: Array = estimates + bonus
        return targets

    def _choices(self, context: Array) -> Array:
        """1 for the arm that each policy chooses, in equal parts if several tie."""
        worth = self._worth(context)
        best = worth == worth.max(axis=1, keepdims=True)
        choices: Array = best / best.sum(axis=1, keepdims=True)
        return choices

    def _worth(self, context: Array) -> Array:
        """What every policy expects of every arm, (policies, arms)."""
        return np.ascontiguousarray((self.cover @ _augmented(context)).T)

    @property
    def _range(self) -> float:
        """The unit of the bonus: the length of the support, or 1."""
        length = self.problem.support.high - self.problem.support.low
        return length if isfinite(length) else 1.0

    def margins(self, contexts: Array, rng: Rng) -> Array:
        if rng.random() < self.least * self.problem.n_arms:
            return rng.random(self.problem.n_arms)
        worth = self._worth(contexts)
        drawn: Array = worth[int(rng.random() * len(worth))]
        return drawn

    def probabilities(self, contexts: Array, allowed: Array) -> Array | None:
        cover = replica_probabilities(self._worth(contexts), allowed)
        return explored(self.least * self.problem.n_arms, cover, allowed)

    def discount(self, factor: float) -> None:
        self.designs.discount(factor, self.cover)
        self.rewards.discount(factor)
        self.rounds *= factor

    def remap_arms(self, fresh: "OnlineCoverLearner", before: ArmMap) -> None:
        self.problem = fresh.problem
        self.cover = remapped(self.cover, fresh.cover, before)
        self.designs.remap_arms(fresh.designs, before)
        self.rewards.remap_arms(fresh.rewards, before)


def _augmented(context: Array) -> Array:
    return np.append(as_numbers(context), 1.0).astype(np.float64)


@dataclass(frozen=True)
class OnlineCover(LearnerPolicy):
    """Choose by one of `count` policies at random, or any arm with probability √(arms / t).

    Policies are linear regressions for each arm, by recursive least squares with this `penalty`.
    The first learns estimated rewards. Every other one is also paid psi μ / p for an arm, where p
    is the probability that the policies before it, smoothed by μ = 1 / √(arms t), choose the arm:
    psi if none of them does, next to nothing if all do. So policies cover the arms that may be
    best, and where arms differ by more than psi they agree. Estimates are doubly robust. They
    take the probability of the arm from what is known when its reward comes: rewards that come late
    or for arms that had been picked from a few allowed ones bias them.

    Psi is in units of the support's length. Vowpal Wabbit's is 1; 0.1 and 8 policies are ours.

    >>> from bandstrap.problem import Problem
    >>> policy, rng = OnlineCover(), np.random.default_rng(0)
    >>> state = policy.start(Problem(n_arms=2, n_features=1))
    >>> for _ in range(200):
    ...     x = rng.choice([-1.0, 1.0], (1, 1))
    ...     arm = policy.select(state, x, rng)
    ...     policy.update(state, x, arm, (x[:, 0] > 0) == arm)
    >>> everything = np.ones((1, 2), dtype=bool)
    >>> policy.probabilities(state, np.array([[1.0]]), everything).round(2).tolist()
    [0.05, 0.95]
    """

    count: int = 8
    psi: float = 0.1
    penalty: float = 1.0

    def __post_init__(self) -> None:
        require_within(1, MOST_POLICIES, count=self.count)
        require_number(0, MOST_PSI, psi=self.psi)
        require_positive(penalty=self.penalty)

    def _learner(self, problem: Problem) -> Learner:
        return OnlineCoverLearner(problem, self.count, self.psi, self.penalty)
