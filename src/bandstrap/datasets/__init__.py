"""Labelled data sets by name."""

from functools import lru_cache
from pathlib import Path
from typing import Any

from bandstrap.datasets.catalogue import DATASETS
from bandstrap.datasets.dataset import Dataset, scaled
from bandstrap.datasets.own import LABEL, found, is_npz, path_of, read_own, table_of
from bandstrap.datasets.raw import read_npz
from bandstrap.datasets.sources import check_folder, check_name, find, is_local
from bandstrap.errors import UnknownName

__all__ = ["DATASETS", "Dataset", "available", "check", "forget", "found", "load", "table"]


def available() -> list[str]:
    """The data sets of the catalogue that can be read without a network.

    >>> "iris" in available()
    True
    """
    return [name for name, entry in DATASETS.items() if is_local(entry)]


def check(name: str) -> None:
    """Refuse a name that no data set has, ours or the user's own."""
    check_name(name)
    if name not in DATASETS and path_of(name) is None:
        check_folder()
        raise UnknownName("data set", name, [*DATASETS, *found()])


def load(name: str) -> Dataset:
    """A data set by name, with scaled features; read once and then shared.

    Besides the names in `DATASETS`, `name` may be that of any file in the folder BANDSTRAP_DATA or
    in our cache: an npz file with arrays X and y, or a table with classes in its column y or last.

    >>> load("digits")
    Dataset('digits', 1797 x 64, 10 classes)
    """
    check(name)
    if name in DATASETS:
        return _catalogued(name)
    path = path_of(name)
    assert path is not None
    facts = path.stat()
    return _own(name, path, facts.st_mtime_ns, facts.st_size)


def table(name: str) -> tuple[Any, str | None]:
    """A data set for `compare`: arrays as a table and its column of classes, or a table's path."""
    check(name)
    path = None if name in DATASETS else path_of(name)
    if path is not None and not is_npz(path):
        return path, None
    return table_of(read_npz(path) if path else find(DATASETS[name])), LABEL


@lru_cache(maxsize=4)
def _catalogued(name: str) -> Dataset:
    entry = DATASETS[name]
    raw = find(entry)
    contexts, columns = scaled(raw, entry.pixel)
    return Dataset(name, contexts, raw.narrow_labels, raw.classes, columns)


@lru_cache(maxsize=4)
def _own(name: str, path: Path, changed: int, size: int) -> Dataset:
    """Read again when the file has changed."""
    return read_own(name, path)


def forget() -> None:
    """Read every data set again when it is next asked for."""
    _catalogued.cache_clear()
    _own.cache_clear()
