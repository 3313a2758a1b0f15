"""Hostile files for tests: take a saved bandit apart, change anything, write it with a digest that
fits.

    raw = read(path)
    for slot in find(raw, "History", "used"):
        array_at(raw, slot)[:] = 2**40
    write(raw, path)
"""

from hostile.files import Raw, digest, read, write
from hostile.nodes import (
    Slot,
    array_at,
    array_of,
    class_of,
    find,
    fresh_number,
    new_array,
    objects,
    put_array,
    slots,
)

__all__ = [
    "Raw",
    "Slot",
    "array_at",
    "array_of",
    "class_of",
    "digest",
    "find",
    "fresh_number",
    "new_array",
    "objects",
    "put_array",
    "read",
    "slots",
    "write",
]
