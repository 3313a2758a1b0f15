"""Data sets through scikit-learn: those it ships with, and those it can fetch."""

import socket
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from bandstrap.datasets.catalogue import DatasetEntry
from bandstrap.datasets.raw import Raw

PATIENCE = 10.0  # seconds to wait for a host


def _digits(entry: DatasetEntry) -> Raw:
    from sklearn.datasets import load_digits

    bunch = load_digits()
    names = tuple(str(name) for name in bunch.target_names)
    return Raw(
        bunch.data.astype(np.uint8), bunch.target, names, tuple(map(str, bunch.feature_names))
    )


def _measured(entry: DatasetEntry) -> Raw:
    """Small tables that scikit-learn ships with."""
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{entry.name}")()
    classes, columns = tuple(map(str, bunch.target_names)), tuple(map(str, bunch.feature_names))
    return Raw(bunch.data, bunch.target, classes, columns)


def _covtype(entry: DatasetEntry) -> Raw:
    from sklearn.datasets import fetch_covtype

    features, labels = fetch_covtype(return_X_y=True, n_retries=1, delay=0.1)
    return Raw(features.astype(np.int16), labels - 1, entry.classes, entry.columns)


def _mnist(entry: DatasetEntry) -> Raw:
    from sklearn.datasets import fetch_openml

    features, labels = fetch_openml(
        "mnist_784",
        version=1,
        return_X_y=True,
        as_frame=False,
        parser="liac-arff",  # the only one that needs no other package
        n_retries=1,
        delay=0.1,
    )
    return Raw(features.astype(np.uint8), labels.astype(np.int64), entry.classes, entry.columns)


FETCHERS: dict[str, Callable[[DatasetEntry], Raw]] = {
    "digits": _digits,
    **dict.fromkeys(("iris", "wine", "breast_cancer"), _measured),
    "covtype": _covtype,
    "mnist": _mnist,
}
SHIPPED = ("digits", "iris", "wine", "breast_cancer")  # with scikit-learn itself


def fetched(entry: DatasetEntry) -> Raw:
    """The data set from scikit-learn, or its error."""
    with _impatient(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about retries and open sockets; the error says more
        return FETCHERS[entry.name](entry)


@contextmanager
def _impatient() -> Iterator[None]:
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(PATIENCE)
    try:
        yield
    finally:
        socket.setdefaulttimeout(before)
