"""Exact bootstrap draws of convex models: all arms, or as many as a decision needs."""

import numpy as np

from bandstrap.models.base import Learner
from bandstrap.models.convex import ConvexModel
from bandstrap.models.convex_arm import ConvexArm
from bandstrap.models.features import Rows, as_numbers
from bandstrap.priors import ExamplePrior
from bandstrap.problem import Problem
from bandstrap.resampling import Resampling

FIT_GROWTH = 1.02  # draws start from a fit to at least 1 / FIT_GROWTH of the examples
BOUND = 6.0  # widths of what is left of a draw's way that its margin may still move


class ConvexLearner(Learner):
    """Keeps each arm's examples and fit, and solves the weighted problem at every draw."""

    def __init__(
        self, model: ConvexModel, problem: Problem, resampling: Resampling, prior: ExamplePrior
    ) -> None:
        self.model = model
        self.resampling = resampling
        self.pseudo = prior.start(problem)
        self.version = -1
        self.arms = [
            ConvexArm(model.loss, Rows(problem.n_features), model.intercept, model.penalty)
            for _ in range(problem.n_arms)
        ]
        self.growth = FIT_GROWTH if resampling.variance > 0 else 1.0

    def learn(
        self, context: np.ndarray, arm: int, reward: float, rng: np.random.Generator | None
    ) -> None:
        self.model.check_rewards(np.array([reward]))
        self.pseudo.see(context)
        self.arms[arm].examples.rows.add(context, reward)

    def scores(self, context: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        scores = np.full(len(self.arms), np.inf)  # an arm without any example is tried first
        x = with_intercept(context)
        for arm in self._begin(rng, np.ones(len(self.arms), dtype=np.bool_)):
            self._solve(self.arms[arm])
            scores[arm] = x @ self.arms[arm].draw.theta
        return self.model.expected(scores)

    def best(self, context: np.ndarray, rng: np.random.Generator, allowed: np.ndarray) -> int:
        """Refine the arm that may be highest until it is solved: the others are lower for sure."""
        x = with_intercept(context)
        begun = self._begin(rng, allowed)
        empty = [arm for arm in np.flatnonzero(allowed).tolist() if arm not in begun]
        if empty:
            return int(rng.choice(empty))
        upper = {arm: self._upper(arm, x) for arm in begun}
        solved: set[int] = set()
        while True:
            top = max(upper, key=lambda arm: upper[arm])
            if top in solved:
                return self._one_of([arm for arm in solved if upper[arm] == upper[top]], rng)
            if self._refine(self.arms[top]):
                solved.add(top)
                upper[top] = float(x @ self.arms[top].draw.theta)
            else:
                upper[top] = self._upper(top, x)

    def _begin(self, rng: np.random.Generator, allowed: np.ndarray) -> list[int]:
        """Start a draw of each allowed arm that has examples; every arm has its own stream."""
        self._notice_prior()
        streams = rng.bit_generator.random_raw(4 * len(self.arms)).reshape(-1, 4)
        begun = []
        for index, (arm, stream) in enumerate(zip(self.arms, streams, strict=True)):
            if allowed[index] and arm.examples.count > 0:
                arm.refresh(self.growth, 0.1 * self.model.tolerance)
                arm.draw.weigh(self.resampling, stream, rng)
                arm.begin()
                begun.append(index)
        return begun

    def _notice_prior(self) -> None:
        if self.version != self.pseudo.version:
            self.model.check_rewards(self.pseudo.rewards)
            for arm in self.arms:
                arm.set_prior(self.pseudo)
            self.version = self.pseudo.version

    def _solve(self, arm: ConvexArm) -> None:
        while not self._refine(arm):
            pass

    def _refine(self, arm: ConvexArm) -> bool:
        """One iteration; whether the draw is solved then."""
        if not arm.draw.advance(arm.factor) or arm.draw.n_pairs > 40:
            arm.draw.solve(arm.draw.weighted_factor(), self.model.tolerance)
        return arm.draw.gap <= self.model.tolerance

    def _upper(self, arm: int, x: np.ndarray) -> float:
        """What the margin may become: where the next step leads, and a bound on all later ones.

        The rest of the way is as long as the decrement says, and its direction has nothing to do
        with the context: so it moves the margin by about width times length over √dimension.
        """
        draw = self.arms[arm].draw
        length = np.sqrt(draw.decrement / draw.theta.size)
        ahead = float(x @ (draw.theta + draw.step))
        return ahead + BOUND * self.arms[arm].width(x) * float(length)

    def _one_of(self, arms: list[int], rng: np.random.Generator) -> int:
        return arms[0] if len(arms) == 1 else int(rng.choice(arms))


def with_intercept(context: np.ndarray) -> np.ndarray:
    """A context as doubles with a 1 behind it."""
    return np.append(as_numbers(context).astype(np.float64), 1.0)
