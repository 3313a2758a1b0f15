"""Our linear and logistic regression as scikit-learn estimators, for pipelines and searches.

A module to itself, not among the names of `bandstrap.models`: importing scikit-learn takes long.
It needs scikit-learn 1.6 or later.
"""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from bandstrap.arrays import Array
from bandstrap.models.convex.regression import ConvexModel, LinearRegression, LogisticRegression
from bandstrap.models.link import sigmoid

__all__ = ["LinearEstimator", "LogisticEstimator"]

NUMBERS = [np.float64, np.float32]


class _Estimator(BaseEstimator):  # type: ignore[misc]
    def __init__(
        self, penalty: float = 1e-4, tolerance: float = 1e-12, intercept: bool = True
    ) -> None:
        self.penalty = penalty
        self.tolerance = tolerance
        self.intercept = intercept

    def _solved(self, kind: type[ConvexModel], rows: tuple[Any, Any, Any]) -> Array:
        """A fit to contexts, rewards and weights."""
        contexts, rewards, weights = (column[rows[2] > 0] for column in rows)
        # Ours counts examples, theirs weights: a row of weight 2 is the row twice.
        penalty = self.penalty * weights.sum() / max(1, weights.size)
        model = kind(penalty, self.tolerance, self.intercept)
        return model.fit(contexts, rewards, weights, None, np.random.default_rng(0))

    def _margins(self, X: Any) -> Array:  # noqa: N803
        check_is_fitted(self)
        X = validate_data(self, X, dtype=NUMBERS, reset=False)
        margins: Array = X @ np.ravel(self.coef_) + np.ravel(self.intercept_)
        return margins


class LinearEstimator(RegressorMixin, _Estimator):  # type: ignore[misc]
    """`LinearRegression` with `fit` and `predict` as scikit-learn has them.

    `penalty` is per unit of weight: `½ penalty Σw |θ|²`.

    >>> x = np.array([[0.0], [1.0], [2.0]])
    >>> LinearEstimator().fit(x, 2 * x[:, 0]).predict([[3.0]]).round(1).tolist()
    [6.0]
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "LinearEstimator":  # noqa: N803
        X, y = validate_data(self, X, y, dtype=NUMBERS, y_numeric=True)
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64)
        theta = self._solved(LinearRegression, (X, y, weights))
        self.coef_, self.intercept_ = theta[:-1], float(theta[-1])
        return self

    def predict(self, X: Any) -> Array:  # noqa: N803
        return self._margins(X)


class LogisticEstimator(ClassifierMixin, _Estimator):  # type: ignore[misc]
    """`LogisticRegression` with `fit` and `predict_proba` as scikit-learn has them; two classes.

    `penalty` is per unit of weight: `½ penalty Σw |θ|²`.

    >>> x = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    >>> LogisticEstimator(penalty=0.1).fit(x, ["no", "no", "yes", "yes"]).predict([[3.0]]).tolist()
    ['yes']
    """

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "LogisticEstimator":  # noqa: N803
        X, y = validate_data(self, X, y, dtype=NUMBERS)
        check_classification_targets(y)
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64)
        self.classes_ = np.unique(y[weights > 0])
        if self.classes_.size > 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is multiclass."
            )
        if self.classes_.size < 2:
            raise ValueError("Classifier can't train when only one class is present.")
        ones = (y == self.classes_[1]).astype(np.float64)
        theta = self._solved(LogisticRegression, (X, ones, weights))
        self.coef_, self.intercept_ = theta[None, :-1], theta[-1:]
        return self

    def decision_function(self, X: Any) -> Array:  # noqa: N803
        return self._margins(X)

    def predict_proba(self, X: Any) -> Array:  # noqa: N803
        ones = sigmoid(self.decision_function(X))
        return np.column_stack([1 - ones, ones])

    def predict(self, X: Any) -> Array:  # noqa: N803
        above = self.decision_function(X) > 0
        predicted: Array = self.classes_[above.astype(np.int64)]
        return predicted
