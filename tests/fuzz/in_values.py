"""Changes of plain values and of the names of classes."""

from random import Random

from fuzz.picking import Change, of_kind, picked, short
from fuzz.values import hostile
from fuzz.world import CLASSES, DANGEROUS, World
from hostile import Raw, fresh_number, slots
from hostile.nodes import KINDS, is_node

PLAIN = ("NoneType", "bool", "int", "float", "str")


def other_value(raw: Raw, rng: Random, world: World) -> str | None:
    slot = picked(of_kind(raw, *PLAIN), rng)
    if slot is None:
        return None
    was = slot.value
    slot.put(hostile(was, rng))
    return f"{slot.path}: {was!r} became {short(slot.value)}"


def other_node(raw: Raw, rng: Random, world: World) -> str | None:
    """A plain value where there was an object, a list or an array."""
    slot = picked(slots(raw), rng)
    if slot is None:
        return None
    slot.put(hostile(None, rng))
    return f"{slot.path}: became {short(slot.value)}"


def equal_values(raw: Raw, rng: Random, world: World) -> str | None:
    """A number changed wherever it occurs, as if there were more arms or columns."""
    slot = picked(of_kind(raw, "int"), rng)
    if slot is None:
        return None
    was, now = slot.value, hostile(slot.value, rng)
    same = [each for each in of_kind(raw, "int") if each.value == was]
    for each in same:
        each.put(now)
    return f"{len(same)} times {was!r} became {short(now)}"


def other_class(raw: Raw, rng: Random, world: World) -> str | None:
    found = [each.value for each in of_kind(raw, *CLASSES, "generator") if is_node(each.value)]
    if not found:
        return None
    node = rng.choice(found)
    was, own = node[1], [each[1] for each in found]
    node[1] = rng.choice(rng.choice([own, world.names, DANGEROUS]))
    return f"class {was} became {short(node[1])}"


def other_kind(raw: Raw, rng: Random, world: World) -> str | None:
    slot = picked([each for each in slots(raw) if is_node(each.value)], rng)
    if slot is None:
        return None
    was = slot.value[0]
    slot.value[0] = rng.choice([*KINDS, "same", "x"])
    return f"{slot.path}: {was} became {slot.value[0]}"


def function_inside(raw: Raw, rng: Random, world: World) -> str | None:
    slot = picked(slots(raw)[1:], rng)
    if slot is None:
        return None
    name = rng.choice(rng.choice([world.names, DANGEROUS]))
    slot.put(["global", name, fresh_number(raw)])
    return f"{slot.path}: became {short(name)}"


def words_that_name(raw: Raw, rng: Random, world: World) -> str | None:
    """A text that names a class, as recipes of estimators have them."""
    found = [each for each in of_kind(raw, "str") if ":" in each.value]
    if not found:
        return None
    slot = rng.choice(found)
    was = slot.value
    slot.put(rng.choice(rng.choice([world.names, DANGEROUS])))
    return f"{slot.path}: {was} became {short(slot.value)}"


# How often each is made.
IN_VALUES: dict[Change, float] = {
    other_value: 8, other_node: 1, equal_values: 2, other_class: 3, other_kind: 1,
    function_inside: 1, words_that_name: 1,
}  # fmt: skip
