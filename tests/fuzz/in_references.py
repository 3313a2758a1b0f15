"""Changes of what refers to what: aliases, cycles, parts of other files, and depth."""

from random import Random
from typing import Any

from fuzz.picking import Change, of_kind, picked, short
from fuzz.world import World
from hostile import Raw, array_of, fresh_number, new_array, slots
from hostile.nodes import is_node, numbers


def other_reference(raw: Raw, rng: Random, world: World) -> str | None:
    found = [each for each in of_kind(raw, "same") if len(each.value) > 1]
    if not found:
        return None
    slot = picked(found, rng)
    assert slot is not None
    was = slot.value[1]
    slot.value[1] = rng.choice([*numbers(raw), 0, 10**6, -1, "0", None])
    return f"{slot.path}: reference {was} became {short(slot.value[1])}"


def new_reference(raw: Raw, rng: Random, world: World) -> str | None:
    """Another value's alias, or an object that holds itself."""
    slot = picked(slots(raw)[1:], rng)
    if slot is None:
        return None
    slot.put(["same", rng.choice([0, *numbers(raw)])])
    return f"{slot.path}: became a reference to {slot.value[1]}"


def equal_numbers(raw: Raw, rng: Random, world: World) -> str | None:
    found = [each for each in slots(raw) if is_node(each.value)]
    if not found:
        return None
    slot = rng.choice(found)
    slot.value[-1] = rng.choice([rng.choice(found).value[-1], -1, "1", None, [], 1.0])
    return f"{slot.path}: number {short(slot.value[-1])}"


def grafted(raw: Raw, rng: Random, world: World) -> str | None:
    """A part of another bandit's file, rather one of the same name."""
    donor_name = rng.choice(sorted(world.files))
    donor = world.files[donor_name]
    slot = picked(slots(raw)[1:], rng)
    if slot is None:
        return None
    alike = [each for each in slots(donor) if each.name == slot.name]
    source = rng.choice(alike if alike and rng.random() < 0.8 else slots(donor))
    slot.put(_Graft(raw, donor).copied(source.value))
    return f"{slot.path}: became {donor_name}'s {source.path}"


def nested(raw: Raw, rng: Random, world: World) -> str | None:
    slot = picked(slots(raw)[1:], rng)
    if slot is None:
        return None
    depth = rng.choice((200, 900, 2000, 100_000))
    head, tail = rng.choice(
        (("[", "]"), ('{"a":', "}"), ('["list",[', "],5]"), ('["tuple",[', "],5]"))
    )
    slot.put("@nested")
    raw.spliced["@nested"] = head * depth + "1" + tail * depth
    return f"{slot.path}: {head} nested {depth} deep"


def odd_json(raw: Raw, rng: Random, world: World) -> str | None:
    """Text that JSON may or may not be."""
    slot = picked(slots(raw)[1:], rng)
    if slot is None:
        return None
    text = rng.choice(
        (
            "9" * 5000,
            "1e400",
            "-0",
            "NaN",
            "1E5",
            '{"a": 1, "a": 2}',
            "",
            "\x01",
            "tru",
            "[1,]",
            "0x1",
        )
    )
    slot.put("@odd")
    raw.spliced["@odd"] = text
    return f"{slot.path}: {text[:20]!r} in the text"


class _Graft:
    """Nodes of one file for another, with numbers and arrays of their own there."""

    def __init__(self, raw: Raw, donor: Raw) -> None:
        self.raw, self.donor = raw, donor
        self.next = fresh_number(raw)
        self.met: dict[int, int] = {}
        self.nodes = {each.value[-1]: each.value for each in slots(donor) if is_node(each.value)}

    def copied(self, node: Any) -> Any:
        if isinstance(node, dict):
            return {key: self.copied(value) for key, value in node.items()}
        if not isinstance(node, list):
            return node
        if node and node[0] == "same":
            known = self.met.get(node[1])
            return self.copied(self.nodes[node[1]]) if known is None else ["same", known]
        if not is_node(node):
            return [self.copied(each) for each in node]
        number, self.next = self.next, self.next + 1
        self.met[node[-1]] = number
        if node[0] in ("array", "scalar"):
            made = new_array(self.raw, array_of(self.donor, node[1]))
            return [node[0], made[1], number]
        return [node[0], *(self.copied(each) for each in node[1:-1]), number]


# How often each is made.
IN_REFERENCES: dict[Change, float] = {
    other_reference: 1.5, new_reference: 1.5, equal_numbers: 0.5, grafted: 4, nested: 0.3,
    odd_json: 0.5,
}  # fmt: skip
