"""Labelled data sets by name."""

from functools import lru_cache

from bandstrap.datasets.catalogue import DATASETS, Entry
from bandstrap.datasets.dataset import Dataset
from bandstrap.datasets.scaling import scaled
from bandstrap.datasets.sources import at_hand, check_name, find
from bandstrap.errors import UnknownName

__all__ = ["DATASETS", "Dataset", "available", "load"]


def available() -> list[str]:
    """The names of the data sets that can be read without a network.

    >>> "iris" in available()
    True
    """
    return [name for name, entry in DATASETS.items() if at_hand(entry)]


@lru_cache(maxsize=4)
def load(name: str) -> Dataset:
    """A data set by name, its features scaled; read once and then shared.

    Besides those in `DATASETS` a name may be that of any file of the same layout, arrays X and y,
    in the folder that BANDSTRAP_DATA names.

    >>> load("digits")
    Dataset('digits', 1797 x 64, 10 classes)
    """
    check_name(name)
    entry = DATASETS.get(name, Entry(name, "of your own"))
    raw = find(entry)
    if raw is None:
        raise UnknownName("data set", name, DATASETS)
    contexts, columns = scaled(raw, entry.pixel)
    return Dataset(name, contexts, raw.narrow_labels, raw.classes, columns)
