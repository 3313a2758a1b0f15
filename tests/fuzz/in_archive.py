"""Changes of the archive: header, members, and what members claim to be."""

from random import Random

import numpy as np

from fuzz.picking import Change
from fuzz.values import SHAPES, TEXTS
from fuzz.world import World
from hostile import Raw

CLAIMS = (
    "{'descr': '<f8', 'fortran_order': False, 'shape': (1099511627776,), }",
    "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }",
    "{'descr': '<f8', 'fortran_order': True, 'shape': (4611686018427387904, 4), }",
    "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 4611686018427387904), }",
    "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }",
    "{'descr': '<U1073741824', 'fortran_order': False, 'shape': (), }",
    "{'descr': '|V0', 'fortran_order': False, 'shape': (9223372036854775807,), }",
    "{'descr': '<f8', 'fortran_order': False, 'shape': (4,), 'more': 1}",
    "__import__('os').system('true')",
    "{" * 500,
    "",
)


def other_header(raw: Raw, rng: Random, world: World) -> str | None:
    key = rng.choice((*raw.header, "format", "version"))
    if rng.random() < 0.2:
        raw.header.pop(key, None)
        return f"header without {key}"
    raw.header[key] = rng.choice((0, -1, 2, 3, 99, "1", 1.5, 10**30, *SHAPES, *TEXTS))
    return f"header: {key} = {raw.header[key]!r:.60}"


def other_member(raw: Raw, rng: Random, world: World) -> str | None:
    """A member that is missing, or whose own header claims something."""
    name = rng.choice(("header", "text", *sorted(raw.arrays)))
    if rng.random() < 0.25:
        raw.members[name] = None
        return f"no member {name}"
    claim = rng.choice(CLAIMS)
    head = claim.ljust(117).encode() + b"\n"
    raw.members[name] = b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head + b"\0" * 32
    return f"member {name} claims {claim[:80]}"


def other_text(raw: Raw, rng: Random, world: World) -> str | None:
    """The text or the header as an array of another kind."""
    name = rng.choice(("header", "text"))
    kind = rng.choice(("bytes", "two", "number", "empty"))
    made = {"bytes": np.array(b"{}"), "two": np.array(["{}", "{}"]), "number": np.array(3)}
    raw.arrays[name] = made.get(kind, np.array(""))
    return f"member {name}: {kind}"


def more_members(raw: Raw, rng: Random, world: World) -> str | None:
    name = rng.choice(("memory99999", "more", "../outside", "/outside", "type-1", "a/b"))
    raw.arrays[name] = np.zeros(rng.choice((0, 3, 2**20)))
    return f"one more member {name}"


def more_text(raw: Raw, rng: Random, world: World) -> str | None:
    key = rng.choice(("tree", "places", "more", "format", ""))
    raw.more[key] = rng.choice(SHAPES)
    return f"text: {key} = {raw.more[key]!r}"


IN_ARCHIVE: dict[Change, float] = {
    other_header: 1, other_member: 1, other_text: 0.3, more_members: 0.5, more_text: 0.4,
}  # fmt: skip
