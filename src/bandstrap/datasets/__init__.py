"""Labelled data sets by name."""

from functools import lru_cache

from bandstrap.datasets.catalogue import DATASETS, DatasetEntry
from bandstrap.datasets.dataset import Dataset, scaled
from bandstrap.datasets.sources import check_name, find, is_local
from bandstrap.errors import UnknownName

__all__ = ["DATASETS", "Dataset", "available", "load"]


def available() -> list[str]:
    """The data sets that can be read without a network.

    >>> "iris" in available()
    True
    """
    return [name for name, entry in DATASETS.items() if is_local(entry)]


@lru_cache(maxsize=4)
def load(name: str) -> Dataset:
    """A data set by name, with scaled features; read once and then shared.

    Besides the names in `DATASETS`, `name` may be that of any npz file with arrays X and y in the
    folder BANDSTRAP_DATA.

    >>> load("digits")
    Dataset('digits', 1797 x 64, 10 classes)
    """
    check_name(name)
    entry = DATASETS.get(name, DatasetEntry(name, "your own"))
    raw = find(entry)
    if raw is None:
        raise UnknownName("data set", name, DATASETS)
    contexts, columns = scaled(raw, entry.pixel)
    return Dataset(name, contexts, raw.narrow_labels, raw.classes, columns)
