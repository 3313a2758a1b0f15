"""Drawings that an experiment left."""

from pathlib import Path

from bandstrap.errors import OutputError


def picture(path: Path) -> bytes:
    """The PNG in a file."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise OutputError(path, f"cannot be read ({error.strerror})", "run again") from error
