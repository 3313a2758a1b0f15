"""A policy that needs no choice: several models learn, and the one that predicts best decides."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.models import (
    Budgeted,
    GaussianLimit,
    Learner,
    LinearRegression,
    LogisticRegression,
    NetworkHeads,
    OnlineLogistic,
    Replicas,
)
from bandstrap.models.base import draw_scores, learn_reward
from bandstrap.policies.base import needed
from bandstrap.policies.contextual.bootstrap import ContextualBootstrap
from bandstrap.policies.contextual.learners import LearnerPolicy
from bandstrap.priors import AdaptiveExamples, NoExamples
from bandstrap.priors.pseudo_examples import both_rewards
from bandstrap.problem import Problem, Support
from bandstrap.remapping import ArmMap
from bandstrap.resampling import Exponential, NoResampling
from bandstrap.storage.registry import saved
from bandstrap.storage.schema import (
    ArrayOf,
    Fixed,
    Grows,
    ListOf,
    Of,
    Real,
    Row,
    Schema,
    Whole,
    require,
)
from bandstrap.validation import require_positive

ERROR = 0.05  # the probability that a model ever takes over which predicts no better
SCALE = 1.0  # the sum of squared differences at which the test is sharpest


class Candidate(NamedTuple):
    """A way to explore, and what a decision costs by it.

    Costs are those of one reference machine, so that the same problem has the same candidates
    everywhere.
    """

    policy: ContextualBootstrap
    microseconds: Callable[[Problem], float]


_PRIOR = AdaptiveExamples()


def _limit(model: LogisticRegression | LinearRegression) -> Candidate:
    policy = ContextualBootstrap(Exponential(), GaussianLimit(model), _PRIOR)
    return Candidate(policy, lambda to: 10 + to.n_arms * to.n_features**2 / 1000)


_REPLICAS = Candidate(
    ContextualBootstrap(Exponential(), Replicas(OnlineLogistic()), _PRIOR),
    lambda to: 10 + to.n_arms * to.n_features / 100,
)
_ARM_NETWORKS = Candidate(
    ContextualBootstrap(Exponential(), NetworkHeads(Budgeted(), spread=0.3), _PRIOR),
    lambda to: 500 + 1.5 * to.n_features,
)
_SHARED_NETWORK = Candidate(
    ContextualBootstrap(NoResampling(), NetworkHeads(), NoExamples()),
    lambda to: 700 + 1.5 * to.n_features,
)
# Of each row the first that is affordable; the first row decides until another predicts better.
CANDIDATES = (
    (_limit(LogisticRegression(penalty=1e-3)), _REPLICAS),
    (_limit(LinearRegression(penalty=1e-3)),),
    (_ARM_NETWORKS,),
    (_SHARED_NETWORK,),
)


@saved
@dataclass(frozen=True)
class Auto(LearnerPolicy):
    """Linear, logistic and neural bootstraps learn side by side; the best predictor decides.

    Every reward is predicted by each of them before they learn it. One takes over when the squared
    errors of its draws are smaller than those of the one that decides, by a test that may be looked
    at after every reward. Rewards count by the inverse probability of their arms, so that all arms
    count alike. `budget` is what a decision may cost, in microseconds of a machine of today: models
    that cost more take no part.

    >>> from bandstrap import Bandit
    >>> bandit = Bandit(Auto(), ["red", "green"], seed=1)
    >>> decision = bandit.decide({"age": 31.0, "visits": 2.0})
    >>> bandit.learn(decision, reward=1.0)
    """

    budget: float = 2000.0

    def __post_init__(self) -> None:
        require_positive(budget=self.budget)

    def check(self, problem: Problem, rewards: Sequence[float] = ()) -> None:
        super().check(problem, rewards)
        both_rewards(problem)

    def _learner(self, problem: Problem) -> Learner:
        ends = both_rewards(problem)
        unit = replace(problem, support=_unit(problem.support))
        rows = (self._affordable(row, unit) for row in CANDIDATES)
        policies = [each.policy for row in rows for each in row] or [_REPLICAS.policy]
        return AutoLearner(ends, [policy._learner(unit) for policy in policies], problem.n_arms)

    def _affordable(self, row: tuple[Candidate, ...], problem: Problem) -> list[Candidate]:
        return [each for each in row if each.microseconds(problem) <= self.budget][:1]


def _unit(support: Support) -> Support:
    """The support of rewards as shares of their range."""
    return Support.binary() if support.values and len(support.values) == 2 else Support.interval()


@saved
class AutoLearner(Learner):
    """Learners of rewards as shares of their range, and how well they predict."""

    repeats: ClassVar[bool] = False
    schema = Schema(
        ends=Fixed(Row(Real(), Real())),
        learners=ListOf(Of(Learner), Grows("learners")),
        n_arms=Whole(1),
        leader=Whole(),
        learnt=Whole(),
        sums=ArrayOf(np.float64, Grows("learners")),
        squares=ArrayOf(np.float64, Grows("learners"), low=0.0),
    )

    def __init__(self, ends: tuple[float, float], learners: list[Learner], n_arms: int) -> None:
        self.ends = ends
        self.learners = learners
        self.n_arms = n_arms
        self.leader = 0  # the place of the learner that decides
        self.learnt = 0  # rewards so far
        self.sums = np.zeros(len(learners))  # how much less each errs than the leader
        self.squares = np.zeros(len(learners))  # of these differences

    def verify_saved(self) -> None:
        require(self.leader < len(self.learners), "the learner that decides is missing")
        require(self.sums.size == len(self.learners), "errors are of other learners")
        require(self.squares.size == len(self.learners), "errors are of other learners")

    def verify_problem(self, problem: Problem) -> None:
        require(self.n_arms == problem.n_arms, "the learners are of another problem")
        for learner in self.learners:
            learner.verify_problem(replace(problem, support=_unit(problem.support)))

    def learn(
        self, context: Array, arm: int, reward: float, rng: Rng | None, weight: float = 1.0
    ) -> None:
        rng = needed(rng, self)
        low, high = self.ends
        share = (reward - low) / (high - low)
        self._compare(context, arm, share, rng, weight)
        for learner in self.learners:
            learn_reward(learner, context, arm, share, rng, weight)
        self.learnt += 1
        if self.learnt & (self.learnt - 1) == 0:  # old errors are those of worse fits
            self.sums /= 2
            self.squares /= 4

    def _compare(self, context: Array, arm: int, share: float, rng: Rng, weight: float) -> None:
        """Note who would have predicted this reward best, and let the best take over."""
        if len(self.learners) == 1:
            return
        draws = np.array([draw_scores(each, context, rng)[arm] for each in self.learners])
        # An arm that is yet to be tried is worth infinity: nothing is known.
        errors = np.where(np.isfinite(draws), np.clip(draws, 0.0, 1.0) - share, 1.0) ** 2
        gains = weight * self._importance(context, arm) * (errors[self.leader] - errors)
        self.sums += gains
        self.squares += gains**2
        ahead = self.sums - _boundary(self.squares, ERROR / (len(self.learners) - 1))
        best = int(ahead.argmax())
        if best != self.leader and ahead[best] > 0:
            self.leader = best
            self.sums[:] = self.squares[:] = 0.0

    def _importance(self, context: Array, arm: int) -> float:
        """The inverse probability of the arm, at most what it is if all are alike."""
        every = np.ones(self.n_arms, dtype=np.bool_)
        known = self.learners[self.leader].probabilities(context, every)
        return 1.0 if known is None else 1.0 / max(float(known[arm]), 1.0 / self.n_arms)

    def margins(self, contexts: Array, rng: Rng) -> Array:
        return self._worth(draw_scores(self.learners[self.leader], contexts, rng))

    def best(self, contexts: Array, rng: Rng, allowed: Array) -> int:
        return self.learners[self.leader].best(contexts, rng, allowed)

    def decide(self, contexts: Array, rng: Rng, allowed: Array) -> tuple[int, Array, Array | None]:
        arm, scores, exact = self.learners[self.leader].decide(contexts, rng, allowed)
        return arm, self._worth(scores), exact

    def _worth(self, shares: Array) -> Array:
        low, high = self.ends
        return low + (high - low) * shares

    def probabilities(self, contexts: Array, allowed: Array) -> Array | None:
        return self.learners[self.leader].probabilities(contexts, allowed)

    def check_context(self, contexts: Array) -> None:
        for learner in self.learners:
            learner.check_context(contexts)

    def check_reward(self, reward: float, weight: float) -> None:
        super().check_reward(reward, weight)
        low, high = self.ends
        for learner in self.learners:
            learner.check_reward((reward - low) / (high - low), weight)

    def remap_arms(self, fresh: "AutoLearner", before: ArmMap) -> None:
        for learner, new in zip(self.learners, fresh.learners, strict=True):
            learner.remap_arms(new, before)
        self.n_arms = fresh.n_arms

    def discount(self, factor: float) -> None:
        for learner in self.learners:
            learner.discount(factor)


def _boundary(squares: Array, error: float) -> Array:
    """What sums with these squares exceed at any time only with probability `error`.

    The mixture of Robbins (1970), for differences that are normal or many.
    """
    spread = squares + SCALE
    boundary: Array = np.sqrt(spread * np.log(spread / (SCALE * error**2)))
    return boundary
