"""Data sets of the user's own: any npz file or table in the data folder or in our cache."""

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from bandstrap.arrays import Array
from bandstrap.datasets.catalogue import DATASETS
from bandstrap.datasets.dataset import Dataset, scaled
from bandstrap.datasets.raw import Raw, read_npz
from bandstrap.datasets.sources import FOLDER, cache, check_name
from bandstrap.errors import OutputError
from bandstrap.tables.cells import cells_of, classes_of
from bandstrap.tables.features import fitted
from bandstrap.tables.source import SUFFIXES, read

NPZ = ".npz"
ENDINGS = (NPZ, *SUFFIXES)
LABEL = "y"  # the column of classes where a table has it; else the last
MOST = 10_000  # files that are looked at in a folder
ARMS = 1000  # classes of a label
REMEDY = "correct it, or give it another ending"


def found() -> dict[str, Path]:
    """The user's data sets by name: that of the file, without its ending.

    Of two files of one name the folder's goes before the cache's, and an npz file before a table;
    the other goes by its whole name.
    """
    files: dict[str, Path] = {}
    for path in _files():
        name = _stem(path.name)
        taken = name in DATASETS or name in files
        if not taken:
            files[name] = path
        elif path.name.lower().endswith(SUFFIXES):
            files.setdefault(path.name, path)
    return files


def _files() -> Iterator[Path]:
    """Those in the folder before those in the cache, npz files before tables."""
    setting = os.environ.get(FOLDER)
    for folder in (*([Path(setting)] if setting else []), cache()):
        try:
            names = sorted(each.name for each in os.scandir(folder) if each.is_file())[:MOST]
        except OSError:  # there is none, or it cannot be read
            continue
        for ends in ((NPZ,), SUFFIXES):
            yield from (folder / name for name in names if _is_one(name, ends))


def _is_one(name: str, endings: tuple[str, ...]) -> bool:
    return name.lower().endswith(endings) and _stem(name) != "" and not name.startswith(".")


def _stem(name: str) -> str:
    ending = next((end for end in ENDINGS if name.lower().endswith(end)), "")
    return name[: len(name) - len(ending)]


def path_of(name: str) -> Path | None:
    """The file of one of the user's data sets, by its name or whole name."""
    check_name(name)
    files = found()
    return files.get(name) or next((path for path in files.values() if path.name == name), None)


def is_npz(path: Path) -> bool:
    return path.name.lower().endswith(NPZ)


def read_own(name: str, path: Path) -> Dataset:
    """A data set of the user's own, scaled as ours are."""
    if is_npz(path):
        raw = read_npz(path)
        contexts, columns = scaled(raw)
        return Dataset(name, contexts, raw.narrow_labels, raw.classes, columns)
    table, label = _labelled(path)
    labels, classes, kept = _classes(path, label, table)
    rows = table.drop_columns([label]).filter(pa.array(kept))
    contexts, columns = _contexts(path, rows)
    narrow = labels.astype(np.min_scalar_type(len(classes)))
    return Dataset(name, contexts, narrow, classes, columns)


def _labelled(path: Path) -> tuple[pa.Table, str]:
    """A table, of which rows are drawn at random if there are many, and its column of classes."""
    table = read(path, seed=0).table
    names = table.column_names
    if len(names) < 2 or table.num_rows < 2:
        size = f"has {table.num_rows} rows and {len(names)} columns"
        raise OutputError(path, size, "give at least 2 of each, the classes last")
    return table, LABEL if LABEL in names else str(names[-1])


def table_of(raw: Raw) -> pa.Table:
    """Arrays as a table, with the classes by name in the column `y`."""
    columns: dict[str, Array] = dict(zip(raw.columns, raw.features.T, strict=True))
    for name, levels in raw.categories.items():
        columns[name] = np.array([*levels])[columns[name].astype(np.int64)]
    columns.pop(LABEL, None)
    return pa.table({**columns, LABEL: np.array(raw.classes)[raw.labels]})


def _classes(path: Path, label: str, table: pa.Table) -> tuple[Array, tuple[str, ...], Array]:
    """The class of each row that has one, their names, and which rows these are."""
    remedy = f"put the classes into a column {LABEL}, or last"
    found = classes_of(table[label])
    if found is None:
        raise OutputError(path, f"has no classes in its column {label!r}", remedy)
    kept = found.codes >= 0
    present, labels = np.unique(found.codes[kept], return_inverse=True)
    if not 2 <= present.size <= ARMS:
        problem = f"has {present.size:,} classes in its column {label!r}; 2 to {ARMS:,} are needed"
        raise OutputError(path, problem, remedy)
    return labels, tuple(found.names[i] for i in present), kept


def _contexts(path: Path, table: pa.Table) -> tuple[Array, tuple[str, ...]]:
    """Every column that says something, as `compare` encodes it."""
    cells = {name: cells_of(table[name]) for name in table.column_names}
    useful = [fitted(each, name) for name, each in cells.items() if not each.useless()]
    if not useful:
        raise OutputError(path, "has no column to decide by", REMEDY)
    columns = tuple(name for each in useful for name in each.feature.columns)
    return np.concatenate([each.contexts for each in useful], axis=1, dtype=np.float32), columns
