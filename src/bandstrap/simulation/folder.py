"""Folders that results go into."""

from pathlib import Path

from bandstrap.errors import OutputError


def writable(folder: Path) -> Path:
    """The folder, made if it is not there; refused before anything is computed for it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".writable"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise OutputError(
            folder, f"cannot be written ({error.strerror})", "choose another --out"
        ) from error
    return folder
