"""Folders that results go into."""

from pathlib import Path
from tempfile import TemporaryFile

from bandstrap.errors import OutputError


def writable(folder: Path) -> Path:
    """The folder, made if it is not there; refused before anything is computed for it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            return folder
    except (OSError, ValueError) as error:  # a name with NUL is no value to the system
        problem = f"cannot be written ({getattr(error, 'strerror', error)})"
        raise OutputError(folder, problem, "choose another --out") from error
