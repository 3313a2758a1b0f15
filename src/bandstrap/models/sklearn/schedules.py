"""When `from_sklearn` fits again: schedules, each with its cost."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

from bandstrap.errors import InvalidInput
from bandstrap.models.base import Learner
from bandstrap.models.cost import EVERY, FIRST, unused, warn_of_cost
from bandstrap.models.sklearn.ensemble import EnsembleLearner
from bandstrap.models.sklearn.learner import EstimatorLearner, FreshLearner, Setting
from bandstrap.models.sklearn.online import OnlineLearner
from bandstrap.validation import require_positive, require_whole


class Refit(ABC):
    """When fits are made anew."""

    online: ClassVar[bool] = False  # whether examples are learnt one by one

    @abstractmethod
    def learner(self, setting: Setting) -> Learner:
        """What learns and draws by this schedule in one run."""


@dataclass(frozen=True)
class EveryRound(Refit):
    """Fresh weights and a fresh fit of every allowed arm at every decision: the bootstrap itself.

    Exact, and costs one fit to the whole history per arm and decision. Nothing is kept from one
    decision to the next, so replicas and `warm_start` play no part.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from bandstrap import from_sklearn
    >>> from_sklearn(DecisionTreeClassifier(), refit=EveryRound()).refit
    EveryRound()
    """

    def learner(self, setting: Setting) -> Learner:
        learner = FreshLearner(setting)
        _warn(setting, learner, setting.problem.n_arms, EVERY)
        return learner


@dataclass(frozen=True)
class Every(Refit):
    """An arm's replicas are fit afresh after every `n` of its rewards; young arms more often.

    An arm with fewer than `n` rewards is refit when their number has doubled, and every arm when
    those of all arms together have, so that bad luck of an arm that is not pulled does not last.
    The cost is `replicas` / `n` fits per round, each to all rows of one arm.

    >>> [now for now in range(1, 13) if Every(4).due(4, now)]
    [8, 9, 10, 11, 12]
    """

    n: int

    def __post_init__(self) -> None:
        require_whole(1, n=self.n)

    def due(self, before: int, now: int) -> bool:
        """Whether fits to `before` rows of an arm are too old when there are `now`."""
        return now > before and now >= before + min(self.n, max(before, 1))

    def learner(self, setting: Setting) -> Learner:
        return _ensemble(setting, self)


@dataclass(frozen=True)
class Growth(Refit):
    """An arm's replicas are fit afresh when its rewards have grown in number by `share`.

    The cost falls as history grows: an arm with n rewards is fit `replicas` / (share n) times per
    reward of its own, and all fits of a replica together go through (1 + 1 / share) n rows. With
    the default, 10 replicas and a thousand rewards of an arm that is 0.1 fits per round, each to a
    thousand rows. Every arm is also refit when the rewards of all arms together have doubled, so
    that bad luck of an arm that is not pulled does not last.

    >>> [now for now in range(20, 25) if Growth(0.1).due(20, now)]
    [22, 23, 24]
    """

    share: float = 0.1

    def __post_init__(self) -> None:
        require_positive(share=self.share)

    def due(self, before: int, now: int) -> bool:
        """Whether fits to `before` rows of an arm are too old when there are `now`."""
        return now > before and now >= before * (1 + self.share)

    def learner(self, setting: Setting) -> Learner:
        return _ensemble(setting, self)


@dataclass(frozen=True)
class Online(Refit):
    """No refits: each replica weighs each example once, when it comes, and learns it then.

    For estimators with `partial_fit`, and schemes that weigh examples independently: `Poisson`,
    `DoubleOrNothing`, `Exponential`. The cost is `replicas` calls of `partial_fit` per reward,
    whatever the history's length; a restored run learns its history once more. What is learnt
    cannot be discounted later.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> from bandstrap import from_sklearn
    >>> from_sklearn(GaussianNB(), refit=Online()).refit.online
    True
    """

    online: ClassVar[bool] = True

    def learner(self, setting: Setting) -> Learner:
        if not setting.resampling.independent:
            raise InvalidInput(
                "resampling",
                setting.resampling,
                "Online() weighs examples as they come: use Poisson(), DoubleOrNothing() or "
                "Exponential(), or refit=Growth()",
            )
        return OnlineLearner(setting)


def _ensemble(setting: Setting, schedule: "Every | Growth") -> Learner:
    learner = EnsembleLearner(setting, schedule)
    _warn(setting, learner, setting.problem.n_arms * setting.replicas, FIRST)
    return learner


def _warn(
    setting: Setting, learner: EstimatorLearner, fits: int, schedule: tuple[str, str]
) -> None:
    """Warn of what fits to many pseudo-examples will cost."""

    def fit(n: int) -> Any:
        weights = unused().poisson(size=n) + 0.0
        rows = learner.pseudo.contexts[:n], learner.pseudo.rewards[:n], weights
        return setting.fitter.fit(setting.model.estimator, rows, 0)

    warn_of_cost(type(setting.model.estimator).__name__, fit, learner.pseudo, fits, schedule)


def check_refit(refit: Any) -> None:
    """Refuse anything but a schedule."""
    if not isinstance(refit, Refit):
        raise InvalidInput("refit", refit, "give EveryRound(), Every(n), Growth(share) or Online()")
