"""Changes of what objects and containers hold."""

from copy import deepcopy
from random import Random
from typing import Any

from fuzz.picking import Change, of_kind, picked, short
from fuzz.values import hostile
from fuzz.world import DANGEROUS, METHODS, World, is_class
from hostile import Raw, Slot, class_of, fresh_number, slots
from hostile.nodes import is_node, numbers

CONTAINERS = ("list", "tuple", "set", "dict")


def more_attributes(raw: Raw, rng: Random, world: World) -> str | None:
    node = _object(raw, rng)
    if node is None:
        return None
    name = rng.choice(rng.choice([METHODS, [each.name for each in slots(raw)]]))
    node[2][name] = _any_value(raw, rng, world)
    return f"{class_of(node)}.{name[:40]} added: {short(node[2][name])}"


def fewer_attributes(raw: Raw, rng: Random, world: World) -> str | None:
    slot = _attribute(raw, rng)
    if slot is None:
        return None
    del slot.holder[slot.key]
    return f"{slot.path} removed"


def renamed_attribute(raw: Raw, rng: Random, world: World) -> str | None:
    slot = _attribute(raw, rng)
    if slot is None:
        return None
    name = rng.choice([f"_{slot.name}", slot.name.lstrip("_"), rng.choice(METHODS)])
    slot.holder[name] = slot.holder.pop(slot.key)
    return f"{slot.path} renamed to {name[:40]}"


def reordered_attributes(raw: Raw, rng: Random, world: World) -> str | None:
    """What `same` refers to may then come later than the reference."""
    node = _object(raw, rng)
    if node is None:
        return None
    pairs = list(node[2].items())
    rng.shuffle(pairs)
    node[2] = dict(pairs)
    return f"attributes of a {class_of(node)} in another order"


def swapped(raw: Raw, rng: Random, world: World) -> str | None:
    """Two values change places; half of the time those of one name, such as two arms' rows."""
    one = picked(slots(raw)[1:], rng)
    if one is None:
        return None
    alike = [each for each in slots(raw)[1:] if each.name == one.name and each.path != one.path]
    two = rng.choice(alike if alike and rng.random() < 0.5 else slots(raw)[1:])
    first, second = one.value, two.value
    one.put(second)
    two.put(first)
    return f"{one.path} and {two.path} swapped"


def other_items(raw: Raw, rng: Random, world: World) -> str | None:
    slot = picked([each for each in of_kind(raw, *CONTAINERS) if _items(each)], rng)
    if slot is None:
        return None
    items = _items(slot)
    at, how = (
        rng.randrange(len(items)),
        rng.choice(("gone", "twice", "shuffled", "all gone", "many")),
    )
    if how == "gone":
        del items[at]
    elif how == "twice":
        items.insert(at, deepcopy(items[at]))
    elif how == "shuffled":
        rng.shuffle(items)
    elif how == "all gone":
        items.clear()
    else:
        items.extend(deepcopy(items[at]) for _ in range(rng.choice((10, 1000))))
    return f"{slot.path}: items {how} at {at}"


def other_field(raw: Raw, rng: Random, world: World) -> str | None:
    """A named tuple, an enum or an array node with more, fewer or other parts."""
    found = [each for each in slots(raw) if is_node(each.value)]
    if not found:
        return None
    slot = rng.choice(found)
    at = rng.randrange(len(slot.value))
    was = slot.value[at]
    how = rng.choice(("gone", "twice", "other"))
    if how == "gone":
        del slot.value[at]
    elif how == "twice":
        slot.value.insert(at, deepcopy(was))
    else:
        slot.value[at] = hostile(was if not isinstance(was, (list, dict)) else None, rng)
    return f"{slot.path}: part {at} of the node, {short(was)}, {how}"


def _any_value(raw: Raw, rng: Random, world: World) -> Any:
    """Something to be put anywhere."""
    name = rng.choice(rng.choice([world.names, DANGEROUS]))
    number = fresh_number(raw)
    return rng.choice(
        [
            ["global", name, number],
            ["object", name, {}, number],
            ["same", rng.choice([0, *numbers(raw)])],
            hostile(None, rng),
            deepcopy(rng.choice(slots(raw)).value),
        ]
    )


def _object(raw: Raw, rng: Random) -> Any:
    found = [each.value for each in of_kind(raw, "object")]
    found = [node for node in found if is_class(node) and len(node) > 2 and type(node[2]) is dict]
    return rng.choice(found) if found else None


def _attribute(raw: Raw, rng: Random) -> Slot | None:
    found = [each for each in slots(raw)[1:] if isinstance(each.holder, dict)]
    return picked(found, rng)


def _items(slot: Slot) -> Any:
    return slot.value[1] if len(slot.value) > 1 and isinstance(slot.value[1], list) else []


# How often each is made.
IN_OBJECTS: dict[Change, float] = {
    more_attributes: 2, fewer_attributes: 2, renamed_attribute: 1, reordered_attributes: 0.5,
    swapped: 2.5, other_items: 4, other_field: 1,
}  # fmt: skip
