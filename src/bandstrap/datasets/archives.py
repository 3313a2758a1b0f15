"""Data sets out of packages, for machines that reach a package index and nothing else."""

import subprocess
import sys
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from zipfile import BadZipFile, ZipFile

import numpy as np
import pyarrow.csv

from bandstrap.datasets.catalogue import Archive, Entry
from bandstrap.datasets.raw import Raw
from bandstrap.errors import OutputError

PATIENCE = 600.0  # seconds for a download


def downloaded(entry: Entry, archive: Archive) -> Raw:
    """The data set from its package, which is fetched and read but not installed."""
    with TemporaryDirectory() as folder:
        _download(archive, Path(folder))
        path = stored(archive, Path(folder))
        if path is None:
            raise OutputError(archive.package, "was not downloaded", "try again")
        return opened(entry, archive, path)


def stored(archive: Archive, folder: Path) -> Path | None:
    """The package's file in a folder, if it is there."""
    stem = archive.package.replace("-", "_")
    return next(iter(sorted(folder.glob(f"{stem}-{archive.version}-*.whl"))), None)


def opened(entry: Entry, archive: Archive, path: Path) -> Raw:
    """The data set out of the package's file."""
    try:
        with ZipFile(path) as package:
            parts = [_table(package.read(member), archive) for member in archive.members]
    except (BadZipFile, KeyError, ValueError, OSError, EOFError) as error:
        raise OutputError(
            path, f"is cut off or not the package ({error})", "delete it or put the right one there"
        ) from error
    labels = np.concatenate([labels for _, labels in parts])
    features = np.concatenate([features for features, _ in parts])
    return Raw(features, labels - labels.min(), entry.classes, entry.columns)


def command(archive: Archive) -> list[str]:
    """What pip is told: this very package, for whatever Python it was built."""
    options = ["download", "--no-deps", "--only-binary=:all:"]
    if archive.python is not None:
        platforms = ["manylinux1_x86_64", "manylinux2010_x86_64", "win_amd64", "macosx_10_9_x86_64"]
        options += ["--python-version", archive.python]
        options += [word for name in platforms for word in ("--platform", name)]
    return [*options, f"{archive.package}=={archive.version}"]


def _download(archive: Archive, folder: Path) -> None:
    quiet = ["--retries", "1", "--timeout", "30", "--disable-pip-version-check"]
    done = subprocess.run(
        [*_pip(), *command(archive), "--dest", str(folder), *quiet],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        raise OSError(lines[-1] if lines else f"pip ended with {done.returncode}")


def _pip() -> list[str]:
    """This environment's pip, or any: it only downloads."""
    inside = [sys.executable, "-m", "pip"]
    if subprocess.run([*inside, "--version"], capture_output=True, check=False).returncode == 0:
        return inside
    for name in ("pip3", "pip"):
        path = which(name)
        if path:
            return [path]
    raise OSError("there is no pip here")


def _table(text: bytes, archive: Archive) -> tuple[np.ndarray, np.ndarray]:
    table = pyarrow.csv.read_csv(pyarrow.py_buffer(text))
    names = [name for name in table.column_names if name != archive.label]
    features = np.empty((table.num_rows, len(names)), archive.dtype)
    for j, name in enumerate(names):
        features[:, j] = table[name].to_numpy()
    return features, table[archive.label].to_numpy()
