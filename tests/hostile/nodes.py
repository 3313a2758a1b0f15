"""Places in the tree of a saved bandit: find them by class and attribute, read and change them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from hostile.files import Raw

KINDS = (
    "object", "named", "list", "tuple", "dict", "set", "array", "scalar", "generator", "enum",
    "global",
)  # fmt: skip
# Named tuples are saved without the names of their fields.
FIELDS = {
    "History": (
        "moments", "values", "counts", "nodes", "buckets", "used", "queue", "queue_arms", "queued",
        "flat", "gains", "terms", "bracket", "open_nodes", "open_weights",
    ),
    "Fractions": ("rewards", "factors", "used"),
    "Waiting": ("context", "arm", "time"),
}  # fmt: skip


@dataclass(frozen=True)
class Slot:
    """Where a value stands: `value` reads it, `put` puts another there."""

    holder: Any  # the list or dict that has it
    key: Any
    path: str  # such as "_memory.state.history.arrays.nodes"
    owner: str  # the class of the object that it is an attribute of, without its module
    name: str  # of that attribute

    @property
    def value(self) -> Any:
        return self.holder[self.key]

    def put(self, value: Any) -> None:
        self.holder[self.key] = value

    @property
    def kind(self) -> str:
        """The kind of node, or the type of a plain value."""
        node = self.value
        return str(node[0]) if isinstance(node, list) and node else type(node).__name__


def slots(raw: Raw) -> list[Slot]:
    """All places in the tree, outer ones first; the first is the tree itself."""
    root = Slot(vars(raw), "tree", "", "", "")
    return [root, *_inside(root)]


def find(raw: Raw, owner: str | None = None, name: str | None = None) -> list[Slot]:
    """Attributes of objects and fields of named tuples by their class, by their name, or both."""
    return [
        slot
        for slot in slots(raw)
        if (owner is None or slot.owner == owner) and (name is None or slot.name == name)
        if slot.path and not slot.path.endswith("]")
    ]


def objects(raw: Raw, owner: str) -> list[list[Any]]:
    """The nodes of objects and named tuples of a class."""
    return [
        slot.value
        for slot in slots(raw)
        if slot.kind in ("object", "named") and class_of(slot.value) == owner
    ]


def class_of(node: list[Any]) -> str:
    """The name of a node's class without its module."""
    return str(node[1]).rpartition(":")[2]


def array_at(raw: Raw, slot: Slot) -> np.ndarray:
    """The array at a place, as it lies in the file's memory: what is written to it is changed."""
    return array_of(raw, slot.value[1])


def array_of(raw: Raw, number: int) -> np.ndarray:
    """The array of a number; only for honest places."""
    place = raw.places[number]
    return np.ndarray(
        tuple(place["shape"]),
        raw.arrays[f"type{number}"].dtype,
        raw.arrays[place["name"]],
        place["start"],
        tuple(place["strides"]),
    )


def put_array(raw: Raw, number: int, array: np.ndarray) -> None:
    """Another array under a number, with memory, type and place that fit it."""
    others = [place for i, place in enumerate(raw.places) if i != number]
    taken = [place.get("name") for place in others if isinstance(place, dict)]
    name = f"memory{number}"
    while name in taken:
        name += "0"
    raw.arrays[name] = np.ascontiguousarray(array).reshape(-1)
    raw.arrays[f"type{number}"] = np.empty(0, array.dtype)
    place = {"name": name, "start": 0, "shape": list(array.shape), "writeable": True}
    raw.places[number] = {**place, "strides": list(np.ascontiguousarray(array).strides)}


def new_array(raw: Raw, array: np.ndarray) -> list[Any]:
    """A node of one more array."""
    raw.places.append({"name": ""})
    put_array(raw, len(raw.places) - 1, array)
    return ["array", len(raw.places) - 1, fresh_number(raw)]


def numbers(raw: Raw) -> list[int]:
    """The numbers of all nodes that `same` can refer to."""
    return [slot.value[-1] for slot in slots(raw) if is_node(slot.value)]


def fresh_number(raw: Raw) -> int:
    """A number that no node has."""
    return max((n for n in numbers(raw) if type(n) is int), default=-1) + 1


def is_node(value: Any) -> bool:
    """Whether it is a node with a number of its own, and not a list of items."""
    known = isinstance(value, list) and len(value) > 2 and type(value[-1]) is int
    return known and type(value[0]) is str and value[0] in KINDS


def _inside(slot: Slot) -> Iterator[Slot]:
    for inner in _children(slot):
        yield inner
        yield from _inside(inner)


def _children(slot: Slot) -> Iterator[Slot]:
    node = slot.value
    if not is_node(node):
        return
    if node[0] == "object" and isinstance(node[2], dict):
        for name in list(node[2]):
            yield Slot(node[2], name, _joined(slot, name), class_of(node), name)
    elif node[0] == "named" and isinstance(node[2], list):
        fields = FIELDS.get(class_of(node), ())
        for i in range(len(node[2])):
            name = fields[i] if i < len(fields) else str(i)
            yield Slot(node[2], i, _joined(slot, name), class_of(node), name)
    elif node[0] == "generator":
        yield Slot(node, 2, _joined(slot, "state"), slot.owner, "state")
    elif node[0] in ("list", "tuple", "set") and isinstance(node[1], list):
        for i in range(len(node[1])):
            yield Slot(node[1], i, f"{slot.path}[{i}]", slot.owner, slot.name)
    elif node[0] == "dict" and isinstance(node[1], list):
        yield from _pairs(slot)


def _pairs(slot: Slot) -> Iterator[Slot]:
    for pair in slot.value[1]:
        if isinstance(pair, list) and len(pair) == 2:
            yield Slot(pair, 0, f"{slot.path}.keys[{pair[0]!r}]", slot.owner, slot.name)
            yield Slot(pair, 1, f"{slot.path}[{pair[0]!r}]", slot.owner, slot.name)


def _joined(slot: Slot, name: str) -> str:
    return f"{slot.path}.{name}" if slot.path else name
