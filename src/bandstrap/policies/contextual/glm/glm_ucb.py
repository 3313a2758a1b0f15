"""GLM-UCB: optimism on the scale of rewards for logistic models (Filippi et al., 2010)."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.models import Learner
from bandstrap.models.checks import check_unit_support
from bandstrap.models.link import sigmoid
from bandstrap.models.online.ellipsoids import Ellipsoids
from bandstrap.policies.contextual.ellipsoids import EllipsoidLearner
from bandstrap.policies.contextual.learners import LearnerPolicy
from bandstrap.problem import Problem
from bandstrap.remapping import ArmMap
from bandstrap.storage.schema import Fixed, Of, Schema
from bandstrap.validation import require_positive, require_share


class Bonus(ABC):
    """ρ(t), what an arm's width is multiplied by."""

    @abstractmethod
    def size(self, rounds: float, n_parameters: int) -> float: ...


@dataclass(frozen=True)
class LogBonus(Bonus):
    """scale √log t: the growth that the asymptotic argument asks for, with a factor to choose.

    Filippi et al. advise such growth in practice. The default factor, 1/4, is our choice: the
    steepest slope of the sigmoid, which turns margins into rewards. (Others take √3.)

    >>> [round(LogBonus().size(rounds, n_parameters=2), 3) for rounds in (0, 10, 1000)]
    [0.0, 0.387, 0.657]
    """

    scale: float = 0.25

    def __post_init__(self) -> None:
        require_positive(scale=self.scale)

    def size(self, rounds: float, n_parameters: int) -> float:
        return float(self.scale * np.sqrt(np.log(rounds + 1.0)))


@dataclass(frozen=True)
class GuaranteedBonus(Bonus):
    """The ρ(t) of the regret bound: far too cautious in practice, for comparison.

    (2 slope κ / flattest) √(2 d log t log(2 d horizon / delta)), where `flattest` is the least
    slope of the sigmoid that can occur, κ = √(3 + 2 log(1 + 2 length²)) and `length` bounds
    contexts; slope = 1/4, rewards are at most 1 and M, as by the default penalty, at least I. The
    same constants stand in another implementation of the paper. Theirs has one θ for all arms,
    here d counts one arm's parameters.

    >>> round(GuaranteedBonus(horizon=1000).size(rounds=100, n_parameters=2), 1)
    159.4
    """

    horizon: int
    delta: float = 0.1
    flattest: float = 0.1
    length: float = 1.0

    def __post_init__(self) -> None:
        require_share(delta=self.delta)
        require_positive(horizon=self.horizon, flattest=self.flattest, length=self.length)

    def size(self, rounds: float, n_parameters: int) -> float:
        kappa = np.sqrt(3 + 2 * np.log1p(2 * self.length**2))
        union = np.log(2 * n_parameters * self.horizon / self.delta)
        growth = np.sqrt(2 * n_parameters * np.log(rounds + 1.0) * union)
        return float(2 * 0.25 * kappa / self.flattest * growth)


class GLMUCBLearner(EllipsoidLearner):
    """The design's ellipsoids in `arms`; the estimates and their curvature in `fits`."""

    schema = Schema(bonus=Fixed(Of(Bonus)), fits=Of(Ellipsoids))

    def __init__(self, problem: Problem, bonus: Bonus, penalty: float) -> None:
        super().__init__(problem, penalty)
        self.bonus = bonus
        self.fits = Ellipsoids(problem.n_arms, problem.n_features, penalty)

    def learn(
        self, context: Array, arm: int, reward: float, rng: Rng | None, weight: float = 1.0
    ) -> None:
        self.arms.learn_linear(context, arm, reward, weight)
        self.fits.learn_logistic(context, arm, reward, weight)
        self.arms.centres[arm] = self.fits.centres[arm]  # so that `look` returns margins

    def discount(self, factor: float) -> None:
        super().discount(factor)
        self.fits.discount(factor)
        self.arms.centres[:] = self.fits.centres

    def remap_arms(self, fresh: "GLMUCBLearner", before: ArmMap) -> None:  # type: ignore[override]
        super().remap_arms(fresh, before)
        self.fits.remap_arms(fresh.fits, before)

    def _scores(self, means: Array, widths: Array) -> tuple[Array, Array | None]:
        bonus = self.bonus.size(self.rounds, self.arms.size)
        return np.asarray(sigmoid(means) + bonus * widths), None


@dataclass(frozen=True)
class GLMUCB(LearnerPolicy):
    """Logistic regression for each arm; its prediction plus ρ(t) √(xᵀM⁻¹x).

    M = penalty I + Σ x xᵀ. The estimate follows the penalised maximum of the likelihood online:
    each reward moves it exactly given a quadratic summary of the earlier ones, at O(d²) a round.

    >>> from bandstrap.problem import Problem
    >>> state = GLMUCB().start(Problem(n_arms=3, n_features=2))
    >>> GLMUCB().select(state, np.zeros((1, 2)), np.random.default_rng(1)).shape
    (1,)
    """

    bonus: Bonus = field(default_factory=LogBonus)
    penalty: float = 1.0

    def __post_init__(self) -> None:
        require_positive(penalty=self.penalty)

    def _learner(self, problem: Problem) -> Learner:
        check_unit_support(problem.support, self)
        return GLMUCBLearner(problem, self.bonus, self.penalty)
