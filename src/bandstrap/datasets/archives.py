"""Data sets from packages, for machines that reach only a package index."""

import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import numpy as np
import pyarrow.csv

from bandstrap.arrays import Array
from bandstrap.datasets.catalogue import ENTRIES, Archive, DatasetEntry, Member
from bandstrap.datasets.raw import Raw
from bandstrap.errors import InvalidInput, OutputError
from bandstrap.storage.files import reading

PATIENCE = 600.0  # seconds for a download
LARGEST = 1 << 27  # bytes of a package
REMEDY = "delete it or put the right one there"


def downloaded(entry: DatasetEntry, archive: Archive) -> Raw:
    """The data set from its package, which is downloaded and read but not installed."""
    with TemporaryDirectory() as folder:
        _download(archive, Path(folder))
        path = stored(archive, Path(folder))
        if path is None:
            raise OutputError(archive.package, "was not downloaded", "try again")
        return opened(entry, archive, path)


def stored(archive: Archive, folder: Path) -> Path | None:
    """The package's file in a folder, if there."""
    stem = archive.package.replace("-", "_")
    return next(iter(sorted(folder.glob(f"{stem}-{archive.version}-*.whl"))), None)


def opened(entry: DatasetEntry, archive: Archive, path: Path) -> Raw:
    """The data set in the package's file."""
    try:
        with reading(path, REMEDY) as file:
            if file.seek(0, 2) > LARGEST:
                raise ValueError(f"it has more than {LARGEST:,} bytes")
            with ZipFile(file) as package:
                parts = [_table(_read(package, each), archive) for each in archive.members]
    except OutputError:
        raise
    except Exception as error:  # a zip file can be wrong in many ways
        raise OutputError(path, f"is cut off or not the package ({error})", REMEDY) from error
    labels = np.concatenate([labels for _, labels in parts])
    features = np.concatenate([features for features, _ in parts])
    return Raw(features, labels - labels.min(), entry.classes, entry.columns)


def command(archive: Archive) -> list[str]:
    """The arguments of pip: exactly this package, whatever Python it was built for."""
    options = ["download", "--no-deps", "--only-binary=:all:"]
    if archive.python is not None:
        platforms = ["manylinux1_x86_64", "manylinux2010_x86_64", "win_amd64", "macosx_10_9_x86_64"]
        options += ["--python-version", archive.python]
        options += [word for name in platforms for word in ("--platform", name)]
    return [*options, f"{archive.package}=={archive.version}"]


def _download(archive: Archive, folder: Path) -> None:
    """With pip, which accepts only the file with this hash; nothing in it is run."""
    if archive not in [entry.archive for entry in ENTRIES]:
        raise InvalidInput("package", archive.package, "it is not in the catalogue of data sets")
    *options, package = command(archive)
    wanted = folder / "wanted.txt"
    wanted.write_text(f"{package} --hash=sha256:{archive.wheel}\n", encoding="utf-8")
    options += ["--require-hashes", "-r", str(wanted), "--dest", str(folder)]
    quiet = ["--retries", "1", "--timeout", "30", "--disable-pip-version-check"]
    done = subprocess.run(
        [*_pip(), *options, *quiet], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        raise OSError(lines[-1] if lines else f"pip ended with {done.returncode}")


def _pip() -> list[str]:
    """This environment's pip, or any other: it only downloads. Never one in the current folder."""
    inside = [sys.executable, "-P", "-m", "pip"]
    if subprocess.run([*inside, "--version"], capture_output=True, check=False).returncode == 0:
        return inside
    for name in ("pip3", "pip"):
        path = which(name)
        if path:
            return [path]
    raise OSError("pip is not installed")


def _read(package: ZipFile, member: Member) -> bytes:
    """A member, if its size (before it is unpacked) and its bytes are the expected ones."""
    found = package.getinfo(member.name)
    # With other compressions zipfile unpacks more than it is asked for.
    packed = found.compress_type in (ZIP_STORED, ZIP_DEFLATED)
    if not packed or found.file_size != member.size:
        raise ValueError(f"{member.name} has {found.file_size:,} bytes, not {member.size:,}")
    with package.open(found) as stream:
        content = stream.read(member.size)
    if sha256(content).hexdigest() != member.checksum:
        raise ValueError(f"{member.name} is another file")
    return content


def _table(text: bytes, archive: Archive) -> tuple[Array, Array]:
    table = pyarrow.csv.read_csv(pyarrow.py_buffer(text))
    names = [name for name in table.column_names if name != archive.label]
    features = np.empty((table.num_rows, len(names)), archive.dtype)
    for j, name in enumerate(names):
        features[:, j] = table[name].to_numpy()
    return features, table[archive.label].to_numpy()
