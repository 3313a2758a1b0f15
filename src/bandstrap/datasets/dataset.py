"""A labelled data set: scaled contexts, and the class of each."""

from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

import numpy as np
from threadpoolctl import threadpool_limits

from bandstrap.arrays import Array
from bandstrap.contexts import as_numbers
from bandstrap.datasets.raw import Raw

BLOCK = 8192  # rows converted to doubles at once


@dataclass(frozen=True, eq=False)
class Dataset:
    """Rows of features, the class of each (0 to K-1), and names for both.

    Bytes mean shares of 255. The arrays are shared within the process, and read-only.

    >>> from bandstrap.datasets import load
    >>> load("iris").classes
    ('setosa', 'versicolor', 'virginica')
    """

    name: str
    contexts: Array  # (rows, features), float32 or uint8
    labels: Array  # (rows,)
    classes: tuple[str, ...]
    columns: tuple[str, ...]

    def __post_init__(self) -> None:
        for array in (self.contexts, self.labels):
            array.flags.writeable = False

    def __repr__(self) -> str:
        rows, features = self.contexts.shape
        return f"Dataset({self.name!r}, {rows} x {features}, {len(self.classes)} classes)"

    @cached_property
    def digest(self) -> str:
        """Of all contexts and labels, so that results of other rows are never reused."""
        digest = sha256()
        for array in (self.contexts, self.labels):
            digest.update(f"{array.dtype.str}{array.shape}".encode())
            digest.update(np.ascontiguousarray(array).data)
        return digest.hexdigest()[:24]

    @cached_property
    def covariance(self) -> Array:
        """The contexts' covariance, (features, features)."""
        rows, features = self.contexts.shape
        total, products = np.zeros(features), np.zeros((features, features))
        shift = as_numbers(self.contexts[:1]).astype(np.float64)  # so that sums do not cancel
        with threadpool_limits(1):  # the same bits on any number of cores
            for start in range(0, rows, BLOCK):
                block = as_numbers(self.contexts[start : start + BLOCK]) - shift
                total += block.sum(axis=0)
                products += block.T @ block
            mean = total / rows
            covariance: Array = (products - rows * np.outer(mean, mean)) / (rows - 1)
        covariance.flags.writeable = False
        return covariance


def scaled(raw: Raw, pixel: int | None = None) -> tuple[Array, tuple[str, ...]]:
    """The contexts that models see, and the names of their columns.

    * Pixels, from 0 to `pixel`, become shares of it; bytes stay bytes, which mean shares of 255.
    * A column of categories becomes one indicator per category.
    * A column of zeros and ones stays as it is: standardised, a rare 1 would be in the hundreds.
    * Any other column is standardised by its mean and standard deviation.
    """
    if pixel is not None:
        stay = raw.features.dtype == np.uint8 and pixel == np.iinfo(np.uint8).max
        shares = raw.features if stay else (raw.features / pixel).astype(np.float32)
        return shares, raw.columns
    parts, names = [], []
    for column, values in zip(raw.columns, raw.features.T, strict=True):
        levels = raw.categories.get(column)
        if levels is not None:
            parts.append(values[:, None] == np.arange(len(levels)))
            names += [f"{column}={level}" for level in levels]
        else:
            parts.append(_standardised(values)[:, None])
            names.append(column)
    contexts = np.empty((raw.features.shape[0], len(names)), np.float32)
    np.concatenate(parts, axis=1, out=contexts, casting="unsafe")
    return contexts, tuple(names)


def _standardised(values: Array) -> Array:
    if np.isin(values, (0, 1)).all():
        return values
    numbers = values.astype(np.float64)
    deviation = numbers.std()
    standard: Array = (numbers - numbers.mean()) / (deviation if deviation > 0 else 1.0)
    return standard
