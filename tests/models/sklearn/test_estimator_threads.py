"""Small fits of estimators are held to one thread; large ones may have as many as there are."""

from typing import ClassVar

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from threadpoolctl import threadpool_info, threadpool_limits

from bandstrap.models.sklearn import fit as estimator_fit
from bandstrap.models.sklearn.fit import Fitter

FITTER = Fitter(keyword=None, repeats=False, seeds=(), warm=False, least=1, values=None)


class Watching(LinearRegression):
    """Notes the largest number of threads that any library may use while it is fit."""

    seen: ClassVar[list[int]] = []

    def fit(self, X, y, sample_weight=None):  # noqa: N803 - scikit-learn's name
        self.seen.append(max(each["num_threads"] for each in threadpool_info()))
        return super().fit(X, y, sample_weight)


@pytest.mark.parametrize(("rows", "threads"), [(9, 1), (10, 2)])
def test_small_fits_have_one_thread(monkeypatch, rows, threads):
    monkeypatch.setattr(estimator_fit, "MANY", 10)
    monkeypatch.setattr(Watching, "seen", [])
    x = np.arange(float(rows))
    with threadpool_limits(2):
        fit = FITTER.fit(Watching(), (x[:, None], 2 * x, np.ones(rows)), seed=0)
        after = max(each["num_threads"] for each in threadpool_info())
    assert Watching.seen == [threads]
    assert after == 2
    assert fit.estimator.coef_ == pytest.approx([2.0])
