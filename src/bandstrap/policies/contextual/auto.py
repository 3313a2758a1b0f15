"""A policy that needs no choice: several models learn, and the one that predicts best decides."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple, Protocol, cast

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.models import (
    Learner,
    NetworkHeads,
    OnlineLogistic,
    RecursiveLogistic,
    Replicas,
    SharedNetwork,
)
from bandstrap.models.base import draw_scores, learn_reward
from bandstrap.policies.base import needed
from bandstrap.policies.contextual.bootstrap import ContextualBootstrap
from bandstrap.policies.contextual.gaps.regcb import RegCB
from bandstrap.policies.contextual.gaps.squarecb import SquareCB
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
    ListOf,
    Of,
    Real,
    Row,
    Schema,
    Whole,
    require,
)
from bandstrap.validation import require_positive

CHANCE = 0.05  # that one of equal learners ever takes over from the other
FIRST = 100  # rewards an arm after which a takeover is likeliest to be seen
HEADS = 10


class Candidate(NamedTuple):
    """A way to explore, and what a round costs by it: deciding, predicting and learning.

    Costs are those of one reference machine, so that the same problem has the same candidates
    everywhere: nineteen rounds in twenty take less.
    """

    policy: LearnerPolicy
    microseconds: Callable[[Problem], float]


def _network(hidden: int, examples: int) -> Candidate:
    model = NetworkHeads(SharedNetwork(hidden, examples=examples), HEADS)

    def microseconds(to: Problem) -> float:
        parameters = hidden * (to.n_features + hidden + HEADS * to.n_arms)
        return 300 + parameters * examples / 6000

    return Candidate(ContextualBootstrap(NoResampling(), model, NoExamples()), microseconds)


# What share of the budget each row may take, and its candidates: the first that keeps to it takes
# part. The first row decides until the second predicts better. Bounds of regressions need a look at
# the matrices of all arms, gaps at none.
ROWS = (
    (
        0.25,
        (
            Candidate(
                RegCB(RecursiveLogistic()), lambda to: 40 + to.n_arms * to.n_features**2 / 2000
            ),
            Candidate(SquareCB(RecursiveLogistic()), lambda to: 40 + to.n_features**2 / 1500),
            Candidate(
                ContextualBootstrap(Exponential(), Replicas(OnlineLogistic()), AdaptiveExamples()),
                lambda to: 0.0,
            ),
        ),
    ),
    (0.75, tuple(_network(*size) for size in ((200, 64), (200, 32), (100, 32), (50, 16)))),
)


@saved
@dataclass(frozen=True)
class Auto(LearnerPolicy):
    """Logistic regressions and a network learn side by side; the better predictor decides.

    Regressions learn fast and explore by `RegCB` or, where contexts are wide, by `SquareCB`; the
    network's heads keep their priors and explore as an ensemble. Both learn every reward, whoever
    decided, and each is asked beforehand what it expects. The network takes over when its squared
    errors are smaller beyond an interval that holds at every look, and gives way again by the same
    rule. Errors count by the inverse probability of their arms, so that all arms count alike, and
    the latest most: models learn. `budget` is what a round may cost, deciding and learning, in
    microseconds of a machine of today. It says how large a network may be.

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
        unit = replace(problem, support=_unit(problem.support))
        learners = [policy._learner(unit) for policy in self.affordable(unit)]
        return AutoLearner(both_rewards(problem), learners, problem.n_arms)

    def affordable(self, problem: Problem) -> list[LearnerPolicy]:
        """The policies that learn side by side; together they cost no more than the budget."""
        found = (self._first(share, row, problem) for share, row in ROWS)
        return [each.policy for each in found if each is not None]

    def _first(
        self, share: float, row: tuple[Candidate, ...], problem: Problem
    ) -> Candidate | None:
        most = share * self.budget
        return next((each for each in row if each.microseconds(problem) <= most), None)


def _unit(support: Support) -> Support:
    """The support of rewards as shares of their range."""
    return Support.binary() if support.values and len(support.values) == 2 else Support.interval()


def _sure(count: float) -> float:
    """Standard errors by which another must be ahead, at any look, after `count` rewards an arm.

    Robbins' mixture for a sum that is looked at after every term, as an asymptotic confidence
    sequence (Waudby-Smith et al., 2021). Its variance grows like count⁵, as term i counts i².
    Every arm has a regression or outputs of its own to learn. While rewards are few for that,
    whoever sooner sees that arms seldom pay predicts better, and does not decide better: of 26 arms
    a network that took over too soon gave some up.

    >>> round(_sure(100), 1), round(_sure(10_000), 1)
    (3.3, 5.3)
    """
    grown = (count / FIRST) ** 5
    return float(np.sqrt((1 + 1 / grown) * (np.log1p(grown) - 2 * np.log(2 * CHANCE))))


class Predictor(Protocol):
    """What every learner that takes part can do besides."""

    def expected(self, contexts: Array, rng: Rng) -> Array:
        """What each arm is expected to pay, (arms,): without what a draw adds, where that is known.

        Infinite for an arm to be tried first. It may do work that `learn` has put off, by `rng`.
        """


def _expected(learner: Learner, contexts: Array, rng: Rng) -> Array:
    return cast(Predictor, learner).expected(contexts, rng)


@saved
class AutoLearner(Learner):
    """Learners of rewards as shares of their range, and how well they predict."""

    repeats: ClassVar[bool] = False
    schema = Schema(
        ends=Fixed(Row(Real(), Real())),
        learners=ListOf(Of(Learner), "learners"),
        n_arms=Whole(1),
        leader=Whole(),
        learnt=Whole(),
        losses=ArrayOf(np.float64, "learners", low=0.0),
        squares=ArrayOf(np.float64, "learners", "learners", low=0.0),
    )

    def __init__(self, ends: tuple[float, float], learners: list[Learner], n_arms: int) -> None:
        self.ends = ends
        self.learners = learners
        self.n_arms = n_arms
        self.leader = 0  # the place of the learner that decides
        self.learnt = 0  # rewards so far
        self.losses = np.zeros(len(learners))  # squared errors, the latest most
        self.squares = np.zeros((len(learners), len(learners)))  # of their differences

    def verify_saved(self) -> None:
        require(self.leader < len(self.learners), "the learner that decides is missing")
        count = len(self.learners)
        require(self.losses.size == count, "errors are of other learners")
        require(self.squares.shape == (count, count), "errors are of other learners")

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

    def _compare(self, context: Array, arm: int, share: float, rng: Rng, weight: float) -> None:
        """Note how well each would have predicted this reward, and let the best take over."""
        if len(self.learners) == 1:
            return
        said = np.array([_expected(each, context, rng)[arm] for each in self.learners])
        # An arm that is yet to be tried is worth infinity: nothing is known.
        errors = np.where(np.isfinite(said), np.clip(said, 0.0, 1.0) - share, 1.0) ** 2
        errors *= weight * self._importance(context, arm)
        # Old errors are those of worse fits: that of reward i of n counts (i / n)².
        fade = (self.learnt / (self.learnt + 1)) ** 2
        self.learnt += 1
        self.losses = fade * self.losses + errors
        self.squares = fade**2 * self.squares + (errors[:, None] - errors) ** 2
        best = int(self.losses.argmin())
        ahead = self.losses[self.leader] - self.losses[best]
        if ahead > _sure(self.learnt / self.n_arms) * np.sqrt(self.squares[self.leader, best]):
            self.leader = best

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
