"""UCB-GLM: optimism around the maximum of the likelihood (Li, Lu and Zhou, 2017)."""

from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.models import Learner
from bandstrap.models.checks import check_shares, check_unit_support
from bandstrap.models.convex.examples import ConvexExamples
from bandstrap.models.features import Examples, verify_rows
from bandstrap.models.link import sigmoid
from bandstrap.models.online.ellipsoids import Ellipsoids
from bandstrap.policies.contextual.ellipsoids import EllipsoidLearner
from bandstrap.policies.contextual.learners import LearnerPolicy, LearnerState
from bandstrap.policies.contextual.lin.ucb import FixedWidth, Width
from bandstrap.problem import Problem
from bandstrap.remapping import ArmMap, remapped, remapped_list
from bandstrap.storage.schema import ArrayOf, Fixed, ListOf, Of, Real, Schema, require
from bandstrap.validation import require_positive, require_share, require_whole

SOLVED = 1e-10  # the Newton decrement of a fit that is done; its root is in units of widths
PATIENCE = 8  # steps by one curvature
MOST = 100  # steps of a fit
ENOUGH = 0.1  # of the fall that a step promises has to be seen
ROUNDING = 1e-12  # of a loss, relatively
SHORTEST = 1e-8  # of a step


@dataclass(frozen=True)
class LikelihoodEllipsoid(Width):
    """The α of Li, Lu and Zhou (2017, their theorem on UCB-GLM): wide, for comparison.

    (noise / flattest) √((d / 2) log(1 + 2 T / d) + log(K / delta)), where `flattest` is the least
    slope of the sigmoid that can occur, and `noise` the sub-Gaussian scale of rewards. T is the
    `horizon`; None: the rounds so far, which is ours. So is K, for the ellipsoids of all K arms to
    hold at once: theirs has one θ, and d counts its parameters, here one arm's.

    >>> from bandstrap import Bandit, Support
    >>> policy = UCBGLM(LikelihoodEllipsoid(delta=0.05))
    >>> Bandit(policy, ["a", "b"], rewards=Support.binary(), seed=0).decide([1.0]).arm
    'a'
    """

    delta: float = 0.1
    flattest: float = 0.1
    noise: float = 0.5
    horizon: int | None = None

    def __post_init__(self) -> None:
        require_share(delta=self.delta)
        require_positive(flattest=self.flattest, noise=self.noise)
        require_whole(1, horizon=self.horizon)

    def radii(self, learner: EllipsoidLearner, penalty: float) -> Array:
        size, n_arms = learner.arms.size, learner.problem.n_arms
        rounds = learner.rounds if self.horizon is None else self.horizon
        doubt = size / 2 * np.log(1 + 2 * rounds / size) + np.log(n_arms / self.delta)
        return np.full(n_arms, self.noise / self.flattest * np.sqrt(doubt))


class UCBGLMLearner(EllipsoidLearner):
    """The design's ellipsoids in `arms`, around solved estimates.

    `fits` follows those online with a curvature that is nearly theirs: Newton steps by it need one
    pass over an arm's `rows` for the gradient, and no new Hessian.
    """

    schema = Schema(
        width=Fixed(Of(Width)),
        penalty=Fixed(Real(low=0.0)),
        fits=Of(Ellipsoids),
        rows=ListOf(Of(ConvexExamples), "arms"),
        solved=ArrayOf(np.bool_, "arms"),
    )

    def verify_saved(self) -> None:
        for each in self.rows:
            require(each.bias == 1.0 and each.n_pseudo == 0, "examples are not rows alone")
            require((each.rows.weights > 0).all(), "a row has no weight")
            check_shares(each.rows.rewards, "a logistic model has learnt it")

    def verify_problem(self, problem: Problem) -> None:
        super().verify_problem(problem)
        verify_rows([each.rows for each in self.rows], problem)
        require(self.fits.centres.shape == self.arms.centres.shape, "fits are of another problem")

    def __init__(self, problem: Problem, width: Width, penalty: float) -> None:
        super().__init__(problem, penalty)
        self.width = width
        self.penalty = penalty
        self.fits = Ellipsoids(problem.n_arms, problem.n_features, penalty)
        self.rows = [
            ConvexExamples(Examples(problem.n_features), intercept=True)
            for _ in range(problem.n_arms)
        ]
        self.solved = np.ones(problem.n_arms, dtype=np.bool_)

    def learn(
        self, context: Array, arm: int, reward: float, rng: Rng | None, weight: float = 1.0
    ) -> None:
        self.arms.add(context, arm, weight)
        self.fits.learn_logistic(context, arm, reward, weight)
        self.rows[arm].rows.add(context, reward, weight)
        self.solved[arm] = False

    def discount(self, factor: float) -> None:
        super().discount(factor)
        self.fits.discount(factor)
        for each in self.rows:
            each.rows.keep(each.rows.fade(factor))
        self.solved[:] = False

    def remap_arms(self, fresh: "UCBGLMLearner", before: ArmMap) -> None:  # type: ignore[override]
        super().remap_arms(fresh, before)
        self.fits.remap_arms(fresh.fits, before)
        self.rows = remapped_list(self.rows, fresh.rows, before)
        self.solved = remapped(self.solved, fresh.solved, before)

    def _law(self, context: Array) -> tuple[Array, Array | None]:
        for arm in np.flatnonzero(~self.solved):
            self._solve(int(arm))
        return super()._law(context)

    def _scores(self, means: Array, widths: Array) -> tuple[Array, Array | None]:
        return np.asarray(means + self.width.radii(self, self.penalty) * widths), None

    def _solve(self, arm: int) -> None:
        """Newton's method from where the online estimate is, in steps that lower the loss."""
        objective = Objective(self.rows[arm], self.penalty)
        theta = self.fits.centres[arm]
        for turn in range(MOST):
            gradient = objective.move_to(theta)
            if turn > 0 and turn % PATIENCE == 0:
                with suppress(np.linalg.LinAlgError):  # numbers too large to be squared
                    self.fits.set_matrix(arm, objective.hessian())
            step = self.fits.solve(arm, gradient)
            decrement = float(gradient @ step)
            if not decrement > SOLVED:
                break
            share = objective.share_of(step, decrement)
            if share == 0.0:
                break
            theta -= share * step
        self.arms.centres[arm] = theta
        self.solved[arm] = True


class Objective:
    """Σ w (log(1 + eᵐ) - y m) + ½ penalty ‖θ‖² over the rows of an arm, m their margins at θ."""

    def __init__(self, examples: ConvexExamples, penalty: float) -> None:
        self.examples, self.penalty = examples, penalty
        self.rewards, self.weights = examples.rows.rewards, examples.rows.weights

    def move_to(self, theta: Array) -> Array:
        """Go to θ; returns the gradient there."""
        self.theta = theta.copy()
        self.margins = self._margins(theta)
        self.loss = self._loss(self.margins, theta)
        self.means = sigmoid(self.margins)
        pull = self.examples.gradient(self.weights * (self.means - self.rewards))
        gradient: Array = pull + self.penalty * theta
        return gradient

    def hessian(self) -> Array:
        bends = self.weights * self.means * sigmoid(-self.margins)
        hessian = self.examples.gram(bends)
        hessian.flat[:: len(hessian) + 1] += self.penalty
        return hessian

    def share_of(self, step: Array, decrement: float) -> float:
        """How much of the way from θ to θ - step lowers the loss as it should; 0 if nothing does.

        What rounding hides is taken to be lower.
        """
        moves, share = self._margins(step), 1.0
        slack = ROUNDING * (1.0 + abs(self.loss))
        while share > SHORTEST:
            loss = self._loss(self.margins - share * moves, self.theta - share * step)
            if loss <= self.loss - ENOUGH * share * decrement + slack:
                return share
            share *= 0.5
        return 0.0

    def _margins(self, theta: Array) -> Array:
        margins = np.empty(self.examples.rows.count)
        self.examples.margins(theta, margins)
        return margins

    def _loss(self, margins: Array, theta: Array) -> float:
        # log(1 + eᵐ) - y m without the difference of large numbers
        each = self.rewards * np.logaddexp(0.0, -margins)
        each += (1.0 - self.rewards) * np.logaddexp(0.0, margins)
        return float(self.weights @ each + 0.5 * self.penalty * (theta @ theta))


@dataclass(frozen=True)
class UCBGLM(LearnerPolicy):
    """Logistic regression for each arm; its margin plus α √(xᵀV⁻¹x), V = penalty I + Σ x xᵀ.

    Each estimate is the maximum of the likelihood, less ½ penalty ‖θ‖², over all rewards of its
    arm: unlike in `GLMUCB`, where they are summarised, and on the scale of margins, where no slope
    of the sigmoid enters. Decisions begin with `exploration` uniformly random ones; None: as many
    as an arm has parameters. α is the paper's to tune, `LikelihoodEllipsoid` its theorem's. The
    penalty is ours: without one a maximum need not exist. Scores are margins, not probabilities.

    >>> from bandstrap.problem import Problem
    >>> policy, rng = UCBGLM(exploration=10), np.random.default_rng(0)
    >>> state = policy.start(Problem(n_arms=2, n_features=1))
    >>> for _ in range(100):
    ...     x = rng.choice([-1.0, 1.0], (1, 1))
    ...     arm = policy.select(state, x, rng)
    ...     policy.update(state, x, arm, (x[:, 0] > 0) == arm)
    >>> int(policy.select(state, np.array([[1.0]]), rng)[0])
    1
    """

    width: Width = field(default_factory=FixedWidth)
    exploration: int | None = None
    penalty: float = 1.0

    def __post_init__(self) -> None:
        require_whole(0, exploration=self.exploration)
        require_positive(penalty=self.penalty)

    def _at_random(self, state: LearnerState) -> bool:
        first = state.problem.n_features + 1 if self.exploration is None else self.exploration
        return state.rounds < first

    def _learner(self, problem: Problem) -> Learner:
        check_unit_support(problem.support, self)
        return UCBGLMLearner(problem, self.width, self.penalty)
