"""Drawings that an experiment left."""

from pathlib import Path

from bandstrap.storage.files import reading


def picture(path: Path) -> bytes:
    """The PNG in a file."""
    with reading(path, "run again") as file:
        return file.read()
