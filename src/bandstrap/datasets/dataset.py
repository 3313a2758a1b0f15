"""A labelled data set: contexts and the class that each belongs to."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from threadpoolctl import threadpool_limits

from bandstrap.arrays import Array
from bandstrap.contexts import as_numbers

BLOCK = 8192  # rows turned into doubles at once


@dataclass(frozen=True, eq=False)
class Dataset:
    """Rows of features, the class of each (0 to K-1), and names for both.

    Bytes mean shares of 255. The arrays are shared by everyone in the process and read-only.
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
    def covariance(self) -> Array:
        """The contexts' covariance, (features, features)."""
        rows, features = self.contexts.shape
        total, products = np.zeros(features), np.zeros((features, features))
        shift = as_numbers(self.contexts[:1]).astype(np.float64)  # sums from there do not cancel
        with threadpool_limits(1):  # the same bits whatever the machine's cores
            for start in range(0, rows, BLOCK):
                block = as_numbers(self.contexts[start : start + BLOCK]) - shift
                total += block.sum(axis=0)
                products += block.T @ block
            mean = total / rows
            covariance: Array = (products - rows * np.outer(mean, mean)) / (rows - 1)
        covariance.flags.writeable = False
        return covariance
