"""The Gaussian limit of one step: O(d²) a round, however long the history."""

from dataclasses import dataclass

import numpy as np

from bandstrap.kernels.convex_moments import absorb_step, best_of, sandwich_scores
from bandstrap.models.base import Learner, Model
from bandstrap.models.convex import ConvexModel
from bandstrap.models.convex_arms import ConvexArms
from bandstrap.models.factor import inverse_factor
from bandstrap.priors import ExamplePrior
from bandstrap.problem import Problem
from bandstrap.resampling import Resampling
from bandstrap.seeding import kernel_stream

GROWTH = 1.2  # everything is made anew when the rows have grown this much


@dataclass(frozen=True)
class GaussianLimit(Model):
    """What `OneStep` draws when there are many examples: N(θ̂, M⁻¹ G M⁻¹).

    M is the Hessian at θ̂ and G the covariance of the weighted gradient there, Σ rᵢ² xᵢxᵢᵀ times a
    weight's variance. A score is a number, so only a number is drawn. Each example takes a rank-one
    update and one Newton step; when the rows have grown by a fifth, θ̂, M and G are computed
    from all of them, which makes O(d²) an example on average.
    """

    model: ConvexModel

    def learner(self, problem: Problem, resampling: Resampling, prior: ExamplePrior) -> Learner:
        return GaussianLimitLearner(self.model, problem, resampling, prior)


class GaussianLimitLearner(Learner):
    """Second moments of all arms, side by side."""

    def __init__(
        self, model: ConvexModel, problem: Problem, resampling: Resampling, prior: ExamplePrior
    ) -> None:
        arms, d = problem.n_arms, problem.n_features + 1
        self.all = ConvexArms(model, problem, resampling, prior)
        self.loss = model.loss
        self.variance = float(resampling.variance)
        self.noise = float(resampling.noise)
        self.theta = np.zeros((arms, d))
        self.inverse = np.zeros((arms, d, d))
        self.meat = np.zeros((arms, d, d))
        self.ready = np.zeros(arms, dtype=np.bool_)
        self.due = np.zeros(arms)  # examples at which to start anew
        self.work = np.zeros((2, d))
        self.drawn = np.zeros(arms)

    def learn(
        self, context: np.ndarray, arm: int, reward: float, rng: np.random.Generator | None
    ) -> None:
        self.all.learn(context, arm, reward)
        self._notice_prior()
        if self.all.arms[arm].examples.count > self.due[arm]:
            self._renew(arm)
            return
        absorb_step(
            self.loss, self.theta[arm], self.inverse[arm], self.meat[arm],
            self.all.augmented(context), reward, self.variance, self.noise, self.work[0],
        )  # fmt: skip

    def scores(self, context: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        self._draw(context, kernel_stream(rng))
        return self.all.model.expected(self.drawn.copy())

    def best(self, context: np.ndarray, rng: np.random.Generator, allowed: np.ndarray) -> int:
        stream = kernel_stream(rng)
        self._draw(context, stream)
        return int(best_of(stream, self.drawn, allowed))

    def _draw(self, context: np.ndarray, stream: np.ndarray) -> None:
        self._notice_prior()
        x = self.all.augmented(context)
        sandwich_scores(
            stream, self.theta, self.inverse, self.meat, self.ready, x, self.drawn, self.work
        )

    def _notice_prior(self) -> None:
        if self.all.notice_prior():
            for index, arm in enumerate(self.all.arms):
                if arm.examples.count > 0:
                    self._renew(index)

    def _renew(self, index: int) -> None:
        """θ̂, M and G from all examples."""
        arm = self.all.arms[index]
        arm.fit(self.all.fit_tolerance(arm))
        factor = inverse_factor(arm.draw.hessian())
        arm.set_factor(factor)
        self.theta[index] = arm.theta
        self.inverse[index] = factor.T @ factor
        spread = self.variance * arm.squares()
        spread += self.noise**2 * arm.draw.entries[0, : arm.examples.n_entries]
        self.meat[index] = arm.examples.gram(spread)
        self.ready[index] = True
        self.due[index] = arm.examples.count + (GROWTH - 1) * arm.examples.rows.count
