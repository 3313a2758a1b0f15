"""Labelled data sets by name."""

from functools import lru_cache

from bandstrap.datasets.catalogue import DATASETS
from bandstrap.datasets.dataset import Dataset
from bandstrap.datasets.scaling import scaled
from bandstrap.datasets.sources import find
from bandstrap.errors import UnknownName

__all__ = ["DATASETS", "Dataset", "load"]


@lru_cache(maxsize=4)
def load(name: str) -> Dataset:
    """A data set by name, its features scaled; read once and then shared.

    >>> load("digits")
    Dataset('digits', 1797 x 64, 10 classes)
    """
    if name not in DATASETS:
        raise UnknownName("data set", name, DATASETS)
    entry = DATASETS[name]
    raw = find(entry)
    contexts, columns = scaled(raw, entry.pixel)
    return Dataset(name, contexts, raw.labels.astype("uint8"), raw.classes, columns)
