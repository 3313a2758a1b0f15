"""EVILL: exploration by a random linear term in the loss, for logistic models."""

from dataclasses import dataclass

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.errors import InvalidInput
from bandstrap.models import Learner
from bandstrap.models.checks import check_unit_support
from bandstrap.models.features import Examples, as_numbers, verify_rows
from bandstrap.models.link import SIGMOID, Link, sigmoid
from bandstrap.policies.contextual.learners import LearnerPolicy
from bandstrap.problem import Problem
from bandstrap.remapping import ArmMap, remapped, remapped_list
from bandstrap.storage.registry import saved
from bandstrap.storage.schema import ArrayOf, Fixed, ListOf, Of, Real, Schema, require
from bandstrap.validation import require_positive

DECREMENT = 1e-9  # of Newton's steps, squared: twice the distance of the loss from its minimum
STEPS = 200
HALVINGS = 60
FURTHEST = 1e100  # a parameter may get


@saved
class EVILLLearner(Learner):
    """Rows of each arm, and the fit without a linear term that draws start from."""

    link: Link = SIGMOID
    schema = Schema(
        scale=Fixed(Real(low=0.0)),
        penalty=Fixed(Real(low=0.0)),
        rows=ListOf(Of(Examples), "arms"),
        fits=ArrayOf(np.float64, "arms", "parameters", low=-FURTHEST, high=FURTHEST),
        stale=ArrayOf(np.bool_, "arms"),
    )

    def verify_saved(self) -> None:
        arms, size = self.fits.shape
        require(len(self.rows) == arms, "rows are of other arms")
        for rows in self.rows:
            require(rows.n_features == size - 1, "rows are of another width")

    def verify_problem(self, problem: Problem) -> None:
        verify_rows(self.rows, problem)
        require(self.fits.shape[1] == problem.n_features + 1, "fits are of other features")

    def __init__(self, problem: Problem, scale: float, penalty: float) -> None:
        self.scale, self.penalty = scale, penalty
        self.rows = [Examples(problem.n_features) for _ in range(problem.n_arms)]
        self.fits = np.zeros((problem.n_arms, problem.n_features + 1))
        self.stale = np.zeros(problem.n_arms, dtype=np.bool_)  # fits that lag behind their rows

    def learn(
        self, context: Array, arm: int, reward: float, rng: Rng | None, weight: float = 1.0
    ) -> None:
        self.rows[arm].add(context, reward, weight)
        self.stale[arm] = True

    def discount(self, factor: float) -> None:
        for rows in self.rows:
            rows.keep(rows.fade(factor))
        self.stale[:] = True

    def remap_arms(self, fresh: "EVILLLearner", before: ArmMap) -> None:
        self.rows = remapped_list(self.rows, fresh.rows, before)
        self.fits = remapped(self.fits, fresh.fits, before)
        self.stale = remapped(self.stale, fresh.stale, before)

    def margins(self, contexts: Array, rng: Rng) -> Array:
        x = np.append(as_numbers(contexts).astype(np.float64), 1.0)
        return np.array([x @ self.draw(arm, rng) for arm in range(len(self.rows))])

    def draw(self, arm: int, rng: Rng) -> Array:
        """The minimiser of an arm's loss with a fresh linear term, (features + 1,)."""
        loss = PenalisedLoss(self.rows[arm], self.penalty)
        if self.stale[arm]:
            self.fits[arm] = loss.minimised(self.fits[arm], np.zeros(self.fits.shape[1]))
            self.stale[arm] = False
        root = loss.root(self.fits[arm])
        term = self.scale * (root.T @ rng.standard_normal(len(root)))
        return loss.minimised(self.fits[arm], term)


class PenalisedLoss:
    """Σ wᵢ (log(1 + exp xᵢ·θ) - yᵢ xᵢ·θ) + ½ penalty ‖θ‖², the last feature a constant 1."""

    def __init__(self, rows: Examples, penalty: float) -> None:
        self.contexts = np.ones((rows.count, rows.n_features + 1))
        self.contexts[:, :-1] = as_numbers(rows.contexts)
        self.rewards, self.weights, self.penalty = rows.rewards, rows.weights, penalty

    def root(self, theta: Array) -> Array:
        """R with RᵀR the Hessian; by QR, as squares of large contexts would hide the penalty."""
        expected = sigmoid(self.contexts @ theta)
        bends = np.sqrt(self.weights * expected * (1.0 - expected))
        prior = np.sqrt(self.penalty) * np.eye(theta.size)
        stacked = np.concatenate([bends[:, None] * self.contexts, prior])
        return np.asarray(np.linalg.qr(stacked, mode="r"))

    def minimised(self, start: Array, term: Array) -> Array:
        """Where the loss and term·θ are least, by Newton's method from `start`."""
        theta, value = start.copy(), self._value(start, term)
        for _ in range(STEPS):
            residuals = self.weights * (sigmoid(self.contexts @ theta) - self.rewards)
            gradient = residuals @ self.contexts + self.penalty * theta + term
            root = self.root(theta)
            half = np.linalg.solve(root.T, gradient)
            if half @ half <= DECREMENT:
                return theta
            step = np.linalg.solve(root, half)
            for _ in range(HALVINGS):
                trial = theta - step
                found = self._value(trial, term)
                if found < value:
                    break
                step /= 2.0
            else:  # no way down within rounding
                return theta
            theta, value = trial, found
        raise InvalidInput("contexts", "too large", "the loss cannot be solved; standardise them")

    def _value(self, theta: Array, term: Array) -> float:
        margins = self.contexts @ theta
        losses = np.logaddexp(0.0, margins) - self.rewards * margins
        squares = 0.5 * self.penalty * float(theta @ theta)
        return float(self.weights @ losses) + squares + float(term @ theta)


@saved
@dataclass(frozen=True)
class EVILL(LearnerPolicy):
    """Minimise each arm's loss and a random linear term Z·θ, and act greedily (Janz et al., 2024).

    The loss is that of logistic regression with ½ penalty ‖θ‖², and Z is `scale` times a normal
    vector whose covariance is the Hessian at the minimum without it. As the likelihood is linear in
    rewards, that is a fit to rewards with noise, `scale` times as wide as the model takes them to
    be, and a penalty with noise: perturbed-history exploration whose perturbations depend on the
    data. On linear models the same is `LinThompson(FixedSpread(scale), penalty)`.

    >>> state = EVILL().start(Problem(n_arms=3, n_features=2))
    >>> EVILL().select(state, np.zeros((1, 2)), np.random.default_rng(1)).shape
    (1,)
    """

    scale: float = 1.0
    penalty: float = 1.0

    def __post_init__(self) -> None:
        require_positive(scale=self.scale, penalty=self.penalty)

    def _learner(self, problem: Problem) -> Learner:
        check_unit_support(problem.support, self)
        return EVILLLearner(problem, self.scale, self.penalty)
