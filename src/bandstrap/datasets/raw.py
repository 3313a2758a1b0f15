"""Data as published, in one layout whatever file it came from, with a checksum."""

import json
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import numpy as np

from bandstrap.arrays import Array
from bandstrap.errors import OutputError
from bandstrap.printable import called
from bandstrap.storage.files import reading, replacing
from bandstrap.storage.npz import read_arrays

ANY, TIMES = 1 << 28, 100  # a file may unpack to ANY bytes, or to TIMES its size if that is more
REMEDY = "delete it or put the right file there"


@dataclass(frozen=True)
class Raw:
    """Features and classes before any scaling; `categories` names the values of coded columns."""

    features: Array
    labels: Array  # 0 to K-1
    classes: tuple[str, ...]
    columns: tuple[str, ...]
    categories: dict[str, list[str]] = field(default_factory=dict)

    @property
    def narrow_labels(self) -> Array:
        """The labels in the smallest type that holds them."""
        return self.labels.astype(np.min_scalar_type(int(self.labels.max(initial=0))))

    @property
    def checksum(self) -> str:
        """A digest of shapes, types and values; not of the file."""
        digest = sha256()
        for array in (self.features, self.narrow_labels):
            digest.update(f"{array.dtype.str}{array.shape}".encode())
            digest.update(np.ascontiguousarray(array).data)
        digest.update(json.dumps(self.categories, sort_keys=True).encode())
        return digest.hexdigest()


def read_npz(
    path: Path,
    classes: tuple[str, ...] = (),
    columns: tuple[str, ...] = (),
    most: int | None = None,
) -> Raw:
    """A stored data set of at most `most` bytes; `classes` and `columns` fill in missing names."""
    remedy = REMEDY if most is not None else f"{REMEDY}, or store it without compression"
    try:
        with reading(path, REMEDY) as file:
            own = file.seek(0, 2)
            stored = read_arrays(file, max(ANY, TIMES * own) if most is None else most)
        if most is None:
            _check_names(path, stored)
        return _decoded(stored, classes, columns)
    except (KeyError, ValueError) as error:
        raise OutputError(path, f"is cut off or not a data set ({error})", remedy) from error


def _check_names(path: Path, stored: dict[str, Array]) -> None:
    """A file of the user's own may hold anything."""
    parts = ("X_train", "X_test", "y_train", "y_test") if "X_train" in stored else ("X", "y")
    absent = [name for name in parts if name not in stored]
    if absent:
        held = called(", ".join(sorted(stored)) or "nothing")
        problem = f"has no array {' and no '.join(absent)}; it holds {held}"
        raise OutputError(path, problem, "store rows as X and their classes as y, by np.savez")


def _decoded(stored: dict[str, Array], classes: tuple[str, ...], columns: tuple[str, ...]) -> Raw:
    """Read either layout; some files name the label's column too, last."""
    if "X_train" in stored:  # images in two parts
        features = np.concatenate([stored["X_train"], stored["X_test"]])
        labels = np.concatenate([stored["y_train"], stored["y_test"]])
    else:
        features, labels = stored["X"], stored["y"]
    _check(features, labels)
    features = features.reshape(features.shape[0], -1)
    values, labels = np.unique(labels, return_inverse=True)
    classes = tuple(map(str, stored.get("classes", classes))) or tuple(map(str, values))
    if len(classes) < values.size:
        raise ValueError(f"y has {values.size} classes but {len(classes)} names")
    columns = tuple(map(str, stored.get("columns", columns)))
    width = features.shape[1]
    if 0 < len(columns) < width:
        raise ValueError(f"X has {width} columns but {len(columns)} names")
    columns = columns[:width] or tuple(f"x{j}" for j in range(width))
    return Raw(features, labels, classes, columns, _categories(stored))


def _categories(stored: dict[str, Array]) -> dict[str, list[str]]:
    """The names of values by column."""
    try:
        found = json.loads(str(stored.get("categories", "{}")))
    except RecursionError as error:
        raise ValueError("categories are not lists of names") from error
    lists = [*found.values()] if isinstance(found, dict) else [None]
    if not all(isinstance(each, list) and {*map(type, each)} <= {str} for each in lists):
        raise ValueError("categories are not lists of names")
    return dict(found)


def _check(features: Array, labels: Array) -> None:
    """Refuse data that cannot be played."""
    if features.ndim < 2 or labels.ndim != 1 or len(features) != len(labels):
        shapes = f"X of shape {features.shape} and y of shape {labels.shape}"
        raise ValueError(f"{shapes}; give a row of X for each entry of y")
    if len(labels) < 2:
        raise ValueError(f"{len(labels)} rows; at least 2 are needed")
    if features.dtype.kind not in "biuf":
        raise ValueError(f"X of type {features.dtype}; give numbers")
    if not np.isfinite(features).all():
        raise ValueError("X has missing or infinite values; fill them in")


def write_npz(path: Path, raw: Raw) -> None:
    """Store a data set, so that the file is either complete or absent."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        np.savez_compressed(
            file,
            X=raw.features,
            y=raw.narrow_labels,
            classes=np.array(raw.classes),
            columns=np.array(raw.columns),
            categories=np.array(json.dumps(raw.categories)),
        )
