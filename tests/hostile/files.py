"""Saved bandits read, changed and written again by the format alone, with a digest that fits.

Nothing here comes from the loader that is tried: what it would refuse to write can be written.
"""

import json
from copy import deepcopy
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np

SMALL = 1 << 20  # bytes that are not worth compressing


@dataclass
class Raw:
    """What is in a file. All of it may be changed, also to what no bandit would ever be."""

    header: dict[str, Any]
    tree: Any  # nodes are [kind, ..., number]
    places: list[dict[str, Any]]  # where each array lies: name, start, shape, strides, writeable
    arrays: dict[str, np.ndarray]  # memory{i} and type{i}
    more: dict[str, Any] = field(default_factory=dict)  # whatever else the text has
    spliced: dict[str, str] = field(default_factory=dict)  # JSON that takes the place of a string
    members: dict[str, bytes | None] = field(default_factory=dict)  # as they are; None for none

    def text(self) -> str:
        """The JSON text of the tree and the places."""
        text = json.dumps({"tree": self.tree, "places": self.places, **self.more})
        for name, instead in self.spliced.items():
            text = text.replace(json.dumps(name), instead)
        return text

    def copy(self) -> "Raw":
        """One to change."""
        return deepcopy(self)


def read(path: str | Path) -> Raw:
    """Take a saved bandit apart."""
    with np.load(path, allow_pickle=False) as stored:
        arrays = {name: stored[name] for name in stored.files}
    header = json.loads(str(arrays.pop("header")))
    text = str(arrays.pop("text"))
    if header["digest"] != digest(text, arrays):
        raise ValueError("digests are made in another way than here: tests/hostile/files.py")
    data = json.loads(text)
    return Raw(header, data.pop("tree"), data.pop("places"), arrays, data)


def write(raw: Raw, path: str | Path) -> None:
    """Put it together again; the digest is that of what is written."""
    text = raw.text()
    header = {**raw.header, "digest": digest(text, raw.arrays)}
    texts = {"header": np.array(json.dumps(header)), "text": np.array(text)}
    arrays: dict[str, Any] = {**texts, **raw.arrays}
    with Path(path).open("wb") as file:
        store = np.savez if _size(raw) < SMALL else np.savez_compressed
        store(file, **{name: arrays[name] for name in arrays if name not in raw.members})
    if raw.members:
        _add_members(Path(path), raw.members)


def digest(text: str, arrays: dict[str, np.ndarray]) -> str:
    """Of the text, and of name, type, shape and bytes of every array."""
    made = sha256(text.encode(errors="surrogatepass"))
    for name in sorted(arrays):
        array = arrays[name]
        made.update(f"{name} {array.dtype.descr} {array.shape}".encode())
        made.update(np.ascontiguousarray(array).tobytes())
    return made.hexdigest()


def _size(raw: Raw) -> int:
    return sum(array.nbytes for array in raw.arrays.values())


def _add_members(path: Path, members: dict[str, bytes | None]) -> None:
    with ZipFile(path, "a", ZIP_DEFLATED) as archive:
        for name, content in members.items():
            if content is not None:
                archive.writestr(f"{name}.npy", content)
