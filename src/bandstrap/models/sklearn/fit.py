"""One fit of an estimator to weighted rows, and its predictions; how it takes weights."""

from contextlib import nullcontext, suppress
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np

from bandstrap.arrays import Array
from bandstrap.errors import BandstrapError, InvalidInput
from bandstrap.one_thread import ONE_THREAD_A_FIT
from bandstrap.resampling import Resampling
from bandstrap.seeding import generator
from bandstrap.storage.schema import (
    Fixed,
    Flag,
    Maybe,
    Named,
    Real,
    Schema,
    Text,
    TupleOf,
    Whole,
)

# Errors that no other rows would avoid: bugs, and wrong parameters.
MISTAKES = (TypeError, AttributeError, ImportError, MemoryError)

MANY = 10_000  # rows for which threads save more than they cost
PROBE = 256  # weights of a scheme to look at
KEYWORD = "sample_weight"
# Weights scale the steps of these, so that a heavy row overshoots where a repeated one does not.
SCALED_STEPS = (
    "SGDClassifier SGDRegressor Perceptron PassiveAggressiveClassifier PassiveAggressiveRegressor"
)
# These pass weights on to the estimators inside.
HANDING_ON = (
    "GridSearchCV RandomizedSearchCV HalvingGridSearchCV HalvingRandomSearchCV StackingClassifier "
    "StackingRegressor TransformedTargetRegressor VotingClassifier VotingRegressor"
)


class WrongEstimator(InvalidInput, TypeError):  # noqa: N818 - reads better
    """An estimator that fails whatever the rows: it has a bug, or wrong parameters."""

    def __init__(self, estimator: Any, error: Exception) -> None:
        remedy = f"it fails whatever the rows ({type(error).__name__}: {error}): fix it"
        super().__init__("estimator", type(estimator).__name__, remedy)


@dataclass(frozen=True)
class Fit:
    """A fitted estimator and the rewards of its classes, or a constant.

    `classes` are the classes it knows, as positions in the list of rewards. `constant` is the
    weighted mean of the rewards, which also stands in for predictions that are not finite.
    `refusal` is why the estimator could not be fit, if it could not.
    """

    estimator: Any
    values: Array | None
    classes: Array | None = None
    constant: float = 0.0
    refusal: str | None = None

    def knows(self, classes: Array | None) -> bool:
        """Whether it was fit, and to just these classes."""
        if classes is None or self.classes is None:
            return self.estimator is not None
        return np.array_equal(self.classes, classes)


@dataclass(frozen=True)
class Fitter:
    """How an estimator is fit to rewards: everything but the rows.

    * `keyword`: the name under which it takes weights; unused where `repeats`;
    * `seeds`: its parameters that are random states, however deep;
    * `warm`: whether a fit starts from the last one;
    * `least`: with fewer rows, or fewer in some class for a classifier, their mean stands in;
    * `values`: the rewards that are a classifier's classes, None for a regressor;
    * `columns`: makes the table that a pipeline wants of rows of numbers, if there is one.
    """

    keyword: str | None
    repeats: bool
    seeds: tuple[str, ...]
    warm: bool
    least: int
    values: tuple[float, ...] | None
    columns: Any = None

    schema = Schema(
        keyword=Fixed(Maybe(Text())),
        repeats=Fixed(Flag()),
        seeds=Fixed(TupleOf(Text())),
        warm=Fixed(Flag()),
        least=Fixed(Whole(1)),
        values=Fixed(Maybe(TupleOf(Real()))),
        columns=Maybe(Named("bandstrap.tables.columns:Columns")),
    )

    def fit(
        self, template: Any, rows: tuple[Array, Array, Array], seed: int, start: Fit | None = None
    ) -> Fit:
        """Fit to contexts, rewards and weights; rows without weight are left out."""
        from sklearn import config_context  # takes long to import
        from sklearn.base import clone

        contexts, rewards, weights = (column[rows[2] > 0] for column in rows)
        if self.repeats:
            contexts, rewards, weights = repeated(contexts, rewards, weights)
        mean = float(np.average(rewards, weights=weights))
        kinds, counts = np.unique(rewards, return_counts=True)
        fewest = rewards.size if self.values is None else counts.min()
        if kinds.size == 1 or fewest < self.least:
            return Fit(None, None, constant=mean)
        targets, classes, values = rewards, None, None
        if self.values is not None:
            targets = self.labels(rewards)
            classes = np.unique(targets)
        given = {self.keyword: weights} if self.keyword and not self.repeats else {}
        table = self.table(contexts)
        threads = ONE_THREAD_A_FIT if len(targets) < MANY else nullcontext()
        try:
            estimator = None
            with config_context(enable_metadata_routing=False), threads:
                if self.warm and start is not None and start.knows(classes):
                    with suppress(ValueError):  # other columns than last time, say: start afresh
                        estimator = self.seeded(start.estimator, seed).fit(table, targets, **given)
                if estimator is None:
                    estimator = self.seeded(clone(template), seed).fit(table, targets, **given)
            if self.values is not None:
                values = np.array(self.values)[np.asarray(estimator.classes_, dtype=np.int64)]
            return Fit(estimator, values, classes, mean)
        except BandstrapError:
            raise
        except MISTAKES as error:
            raise WrongEstimator(template, error) from error
        except Exception as error:  # scikit-learn raises ValueError, others errors of their own
            return Fit(None, None, constant=mean, refusal=str(error))

    def new(self, template: Any, seed: int) -> Fit:
        """An estimator before its first example, for learning one by one."""
        from sklearn.base import clone

        estimator = self.seeded(clone(template), seed)
        values = None if self.values is None else np.array(self.values)
        return Fit(estimator, values, None if values is None else np.arange(values.size))

    def learn(self, fit: Fit, contexts: Array, rewards: Array, weight: float) -> None:
        """Learn rows of one weight."""
        given: dict[str, Any] = {}
        if self.repeats:
            contexts, rewards, _ = repeated(contexts, rewards, np.full(rewards.size, weight))
        else:
            given[KEYWORD] = np.full(rewards.size, weight)
        if self.values is not None:
            rewards, given["classes"] = self.labels(rewards), fit.classes
        fit.estimator.partial_fit(self.table(contexts), rewards, **given)

    def expected(self, fit: Fit, table: Any) -> Array:
        """The expected reward of each row."""
        if fit.estimator is None:
            return np.full(len(table), fit.constant)
        if fit.values is not None and hasattr(fit.estimator, "predict_proba"):
            means: Array = np.asarray(fit.estimator.predict_proba(table)) @ fit.values
            return means
        predicted = np.ravel(fit.estimator.predict(table))
        if fit.values is None:
            return predicted.astype(np.float64)
        return np.array(self.values)[predicted.astype(np.int64)]

    def table(self, contexts: Array) -> Any:
        return contexts if self.columns is None else self.columns.frame(contexts)

    def labels(self, rewards: Array) -> Array:
        """Rewards as classes: their positions among the values."""
        return np.searchsorted(np.array(self.values), rewards)

    def check(self, reward: float) -> None:
        """Refuse a reward that is not a class."""
        if self.values is not None and reward not in self.values:
            others = "declare others by Support.categories, or use a regressor"
            remedy = f"a classifier takes the rewards {self.values}: {others}"
            raise InvalidInput("reward", reward, remedy)

    def seeded(self, estimator: Any, seed: int) -> Any:
        return estimator.set_params(**dict.fromkeys(self.seeds, seed)) if self.seeds else estimator


def repeated(contexts: Array, rewards: Array, weights: Array) -> tuple[Array, Array, Array]:
    """Each row as often as it weighs."""
    times = weights.astype(np.int64)
    if (times != weights).any():
        raise InvalidInput("weights", weights[times != weights][0], "rows repeat in whole numbers")
    contexts, rewards = np.repeat(contexts, times, axis=0), np.repeat(rewards, times)
    return contexts, rewards, np.ones(rewards.size)


def weight_keyword(estimator: Any, method: str = "fit") -> str | None:
    """The keyword for row weights in `fit`; a pipeline passes them to its last step."""
    if hasattr(estimator, "steps"):
        name, last = estimator.steps[-1]
        inner = weight_keyword(last, method)
        return f"{name}__{inner}" if inner else None
    if KEYWORD in signature(getattr(estimator, method)).parameters:
        return KEYWORD
    if type(estimator).__name__ in HANDING_ON.split():
        names = {weight_keyword(inner) for inner in _inside(estimator)}
        return names.pop() if len(names) == 1 else None
    return None


def _inside(estimator: Any) -> list[Any]:
    found = []
    for value in estimator.get_params(deep=False).values():
        some = [pair[1] for pair in value if len(pair) == 2] if isinstance(value, list) else [value]
        found += [one for one in some if hasattr(one, "fit") and hasattr(one, "predict")]
    return found


def last_step(estimator: Any) -> Any:
    """The last step of a pipeline, or the estimator itself."""
    return last_step(estimator.steps[-1][1]) if hasattr(estimator, "steps") else estimator


def repeats_rows(estimator: Any, keyword: str | None, asked: bool, resampling: Resampling) -> bool:
    """Whether weighted rows are repeated; refuses weights that work neither way."""
    kinds = [kind.__name__ for kind in type(last_step(estimator)).__mro__]
    weighted = keyword is not None and not asked
    if weighted and not set(kinds) & set(SCALED_STEPS.split()):
        return False
    weights = resampling.perturb(np.zeros(PROBE), generator(0, "probe"))[1]
    whole = bool((weights == np.rint(weights)).all())
    if whole or weighted:  # weights that scale steps are better than none
        return whole
    why = "was asked for repeated rows" if keyword else "takes no sample_weight"
    remedy = (
        f"{kinds[0]} {why}, and its weights are not whole numbers by which rows could be repeated: "
        "use Multinomial(), Poisson() or DoubleOrNothing(), or an estimator whose fit takes "
        "sample_weight, such as LogisticRegression, Ridge, a forest or HistGradientBoosting"
    )
    raise InvalidInput("resampling", resampling, remedy)
