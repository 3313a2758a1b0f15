"""Any scikit-learn estimator as a model for bandits."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from bandstrap.errors import InvalidInput
from bandstrap.models.base import Learner, Model
from bandstrap.models.sklearn.fit import Fitter, repeats_rows, weight_keyword
from bandstrap.models.sklearn.learner import Setting
from bandstrap.models.sklearn.recipe import read, written
from bandstrap.models.sklearn.schedules import Growth, Refit, check_refit
from bandstrap.priors import ExamplePrior
from bandstrap.problem import Problem, Support
from bandstrap.resampling import Resampling
from bandstrap.storage.schema import Plain, Schema
from bandstrap.storage.unpacking import trusted_names
from bandstrap.validation import require_whole, require_within

MOST_REPLICAS = 1_000  # each is a fit of every arm
MOST_PARTS = 200_000  # of a recipe: parameters, and their items


def from_sklearn(
    estimator: Any,
    *,
    refit: Refit | None = None,
    replicas: int = 10,
    least: int = 1,
    repeat: bool = False,
) -> "EstimatorModel":
    """Any scikit-learn estimator, LightGBM's too, as the model of every arm.

    * A classifier is for rewards with few values (0 and 1, or `Support.categories`): an arm is
      worth their expectation by `predict_proba`, or the predicted class where the estimator has no
      probabilities. A regressor is for any rewards.
    * `refit` says when fits are made anew, and at which cost: `Growth(0.1)` (default), `Every(n)`,
      `EveryRound()`, or `Online()` for estimators with `partial_fit`.
    * `replicas`: fits per arm, at most 1,000, each to weights of its own; a decision asks one of
      them, the same for all arms, so probabilities of arms are shares of replicas. Without
      resampling it is one.
    * `least`: with fewer rows, or for a classifier fewer in some class, the arm's weighted mean
      stands in: for estimators that need some rows, such as nearest neighbours or those that
      cross-validate. It also stands in, with a warning, where a fit fails, refuses to predict or
      predicts numbers that are not finite.
    * `repeat`: rows are repeated instead of weighted, so that every step of a pipeline sees it.

    Weights are passed as `sample_weight`, in a pipeline to its last step; rows of weight 0 are left
    out. An estimator without `sample_weight` has rows repeated instead, which works with
    `Multinomial`, `Poisson` and `DoubleOrNothing`, whose weights are whole numbers, and is refused
    with others.

    `SGDClassifier`, `SGDRegressor`, `Perceptron` and the passive-aggressive ones mistreat weights:
    a weight scales the row's steps, and a heavy row overshoots. Rows are repeated for them too
    where weights are whole numbers; use such a scheme with them, or with `Exponential` use
    `LogisticRegression`, `Ridge` or our own models instead. Trees and boosting count rows, not
    weights, against `min_samples_leaf`, and boosting by histograms bins rows without their weights.

    Every `random_state`, however deep, is set anew for each fit. Where the user has switched on
    `warm_start`, a replica's next fit starts from its last. An arm whose rows all have the same
    reward is worth that reward; an arm without rows is tried first. `SeenExamples()` is the prior
    that keeps arms from being given up after a bad start, whatever the columns.

    Fits to fewer than 10,000 rows are held to one thread of BLAS and OpenMP: several cost such fits
    more than they save, many times more on busy cores.

    A file holds no estimator but a recipe for it. `Bandit.load` makes scikit-learn's and ours, with
    counts up to some 100,000, 100 replicas, one process, and no cache of a pipeline. For other
    classes, or without these limits, pass `trusted=[…]`.

    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from bandstrap import ContextualBootstrap, Multinomial, Problem, SeenExamples
    >>> model = from_sklearn(LogisticRegression())
    >>> policy = ContextualBootstrap(Multinomial(), model, SeenExamples())
    >>> state, rng = policy.start(Problem(n_arms=2, n_features=1)), np.random.default_rng(0)
    >>> for x in rng.standard_normal((300, 1, 1)):
    ...     arms = policy.select(state, x, rng)
    ...     policy.update(state, x, arms, (x[:, 0] > 0) == arms, rng)
    >>> [int(policy.select(state, np.array([[x]]), rng)[0]) for x in (-1.0, 1.0)]
    [0, 1]
    """
    return EstimatorModel(_unfitted(estimator), refit or Growth(), replicas, least, repeat)


@dataclass(frozen=True, eq=False, repr=False)
class EstimatorModel(Model):
    """What `from_sklearn` returns; see there for the parameters."""

    estimator: Any
    refit: Refit
    replicas: int
    least: int
    repeat: bool
    recipe: Any = field(init=False)

    reads_tables: ClassVar[bool] = True
    unsaved: ClassVar[tuple[str, ...]] = ("estimator",)
    schema = Schema(recipe=Plain(MOST_PARTS, trusted=True))

    def __post_init__(self) -> None:
        check_refit(self.refit)
        require_within(1, MOST_REPLICAS, replicas=self.replicas)
        require_whole(1, least=self.least)
        if self.refit.online and not hasattr(self.estimator, "partial_fit"):
            remedy = "Online() needs an estimator with partial_fit: use refit=Growth()"
            raise InvalidInput("estimator", self.estimator, remedy)
        # A warm start would keep the first fit's trees and add none.
        for one in (self.estimator, *self.estimator.get_params(deep=True).values()):
            trees = hasattr(one, "n_estimators") or "HistGradient" in type(one).__name__
            if trees and getattr(one, "warm_start", False) is True:
                remedy = "with warm_start its next fit would add no trees: switch warm_start off"
                raise InvalidInput("estimator", one, remedy)
        object.__setattr__(self, "recipe", written(self.estimator))

    @classmethod
    def from_saved(
        cls, refit: Refit, replicas: int, least: int, repeat: bool, recipe: Any
    ) -> "EstimatorModel":
        """From a file; the estimator is made again, within the limits of its recipe."""
        estimator = _unfitted(read(recipe, trusted_names(), replicas))
        return cls(estimator, refit, replicas, least, repeat)

    def __repr__(self) -> str:
        """All parameters: equal models have equal names in every process."""
        return (
            f"from_sklearn({self.recipe!r}, refit={self.refit!r}, replicas={self.replicas}, "
            f"least={self.least}, repeat={self.repeat})"
        )

    def __eq__(self, other: object) -> bool:
        return repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    def check(self, support: Support, resampling: Resampling, rewards: Sequence[float]) -> None:
        fitter = self._fitter(Problem(1, 0, support), resampling)
        for reward in rewards:
            fitter.check(reward)

    def learner(self, problem: Problem, resampling: Resampling, prior: ExamplePrior) -> Learner:
        replicas = self.replicas if resampling.random else 1
        fitter = self._fitter(problem, resampling)
        return self.refit.learner(Setting(self, fitter, problem, resampling, prior, replicas))

    def _fitter(self, problem: Problem, resampling: Resampling) -> Fitter:
        keyword = weight_keyword(self.estimator, "partial_fit" if self.refit.online else "fit")
        params = self.estimator.get_params(deep=True).items()
        return Fitter(
            keyword=keyword,
            repeats=repeats_rows(self.estimator, keyword, self.repeat, resampling),
            seeds=tuple(name for name, _ in params if name.split("__")[-1] == "random_state"),
            warm=any(value is True for name, value in params if name.endswith("warm_start")),
            least=self.least,
            values=self._values(problem, resampling),
            columns=problem.columns,
        )

    def _values(self, problem: Problem, resampling: Resampling) -> tuple[float, ...] | None:
        """The rewards that are a classifier's classes."""
        from sklearn.base import is_classifier  # takes long to import

        if not is_classifier(self.estimator):
            return None
        if resampling.noise > 0 or resampling.perturbs:
            remedy = "a classifier takes no noise, no pseudo-rewards: use weights, or a regressor"
            raise InvalidInput("resampling", resampling, remedy)
        support = problem.support
        if support.values is None and support.scale == 0:
            use = "declare Support.binary() or Support.categories(values), or use a regressor"
            remedy = f"a classifier takes rewards that are a few values: {use}"
            raise InvalidInput("support", (support.low, support.high), remedy)
        return support.values or (support.low, support.high)


def _unfitted(estimator: Any) -> Any:
    """An unfitted copy; refuses anything but an estimator."""
    from sklearn.base import clone, is_classifier, is_regressor

    if isinstance(estimator, type) or not hasattr(estimator, "get_params"):
        raise InvalidInput("estimator", estimator, "give an estimator, like LogisticRegression()")
    if not (is_classifier(estimator) or is_regressor(estimator)):
        raise InvalidInput("estimator", estimator, "give a classifier or a regressor")
    return clone(estimator)
