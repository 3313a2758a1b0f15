"""One rule for all data sets: from published columns to the contexts that models see."""

import numpy as np

from bandstrap.arrays import Array
from bandstrap.datasets.raw import Raw


def scaled(raw: Raw, pixel: int | None = None) -> tuple[Array, tuple[str, ...]]:
    """Contexts and the names of their columns.

    * Pixels, from 0 to `pixel`, become shares of it; bytes stay bytes, which mean just that.
    * A column of categories becomes an indicator for each.
    * A column of nothing but zeros and ones is an indicator and stays as it is: standardised, a
      rare one would reach into the hundreds.
    * Any other column is standardised with the data set's own mean and deviation.
    """
    if pixel is not None:
        return _shares(raw.features, pixel), raw.columns
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


def _shares(pixels: Array, largest: int) -> Array:
    if pixels.dtype == np.uint8 and largest == np.iinfo(np.uint8).max:
        return pixels
    return (pixels / largest).astype(np.float32)


def _standardised(values: Array) -> Array:
    if np.isin(values, (0, 1)).all():
        return values
    numbers = values.astype(np.float64)
    deviation = numbers.std()
    standard: Array = (numbers - numbers.mean()) / (deviation if deviation > 0 else 1.0)
    return standard
