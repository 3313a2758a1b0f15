"""Values that programs trip over, and values that look honest."""

import math
from random import Random
from typing import Any

INTEGERS = (
    0, -1, 1, 2, 3, 7, 31, 32, 33, 63, 64, 65, 127, 255, 1000, -2, -1000, 2**31 - 1, 2**31,
    -(2**31), 2**32, 2**40, -(2**40), 2**53, 2**53 + 1, 2**63 - 1, 2**63, -(2**63), 2**64, 10**30,
)  # fmt: skip
REALS = (
    0.0, -0.0, math.nan, math.inf, -math.inf, 1e308, -1e308, 1.8e308, 5e-324, 1e-300, 1e-17, -1e-9,
    0.5, 1.0, 1.0000001, -1.0, 2.0, 1e6, 1e16, 2.0**53, 2.0**63, 3.5,
)  # fmt: skip
TEXTS = ("", "a", "b", "z", "nan", "1", "\x00", "\x1b[31m", "\ud800", "x" * 10_000, "__class__")
SHAPES: tuple[Any, ...] = (
    None, True, False, [], {}, [1], [None], [[]], ["list", [], -1], ["dict", [], -2], ["tuple",
    [], -3], ["set", [], -4], ["array", 0, -5], ["scalar", 0, -6], ["same", 0], ["nothing", 1, 2],
    ["object"], {"a": 1},
)  # fmt: skip


def hostile(value: Any, rng: Random) -> Any:
    """Another value in place of this one: near it, of its type, or of any."""
    draw = rng.random()
    if draw < 0.35:
        return near(value, rng)
    if draw < 0.75 and type(value) is int:
        return rng.choice(INTEGERS)
    if draw < 0.75 and type(value) is float:
        return rng.choice(REALS)
    return rng.choice(rng.choice((INTEGERS, REALS, TEXTS, SHAPES)))


def near(value: Any, rng: Random) -> Any:
    """A value that might have been there."""
    if type(value) is bool:
        return not value
    if type(value) is int:
        other = value + rng.choice((-1, 1, 2, -2, 5))
        return rng.choice((other, other, value * 2, value // 2, -value, float(value)))
    if type(value) is float:
        close = math.nextafter(value, rng.choice((-math.inf, math.inf)))
        return rng.choice((close, value * 2, value / 2, -value, value + 1, value * 1e9, 1 - value))
    if type(value) is str:
        return rng.choice((f"{value}x", value.upper(), value[:-1], value[::-1], ""))
    return rng.choice((0, 0.0, "a", False))
