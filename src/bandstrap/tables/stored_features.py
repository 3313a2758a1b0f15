"""Features read back from a file: every value is what it should be, or the file is refused."""

from collections.abc import Callable
from dataclasses import fields
from typing import Any

from bandstrap.tables.features import KINDS, Feature
from bandstrap.validation import is_finite, is_whole

Allowed = Callable[[Any], bool]


def _is_words(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(word, str) for word in value)


ALLOWED: dict[str, Allowed] = {
    "name": lambda value: isinstance(value, str),
    "median": is_finite,
    "mean": is_finite,
    "deviation": lambda value: is_finite(value) and value > 0,
    "levels": _is_words,
    "missing": lambda value: is_whole(value) and value >= 0,
    "others": lambda value: is_whole(value) and value >= 0,
}


def feature_of(facts: Any) -> Feature:
    """The feature that was stored as `facts`; ValueError, KeyError or TypeError where none was.

    >>> feature_of({"kind": "words", "name": "city", "levels": ["Oslo", "Rome"]})
    WordFeature(name='city', levels=('Oslo', 'Rome'), others=0, missing=0)
    """
    kind = KINDS[facts["kind"]]
    known = {field.name for field in fields(kind)}
    given = {name: value for name, value in facts.items() if name != "kind"}
    for name, value in given.items():
        if name not in known or not ALLOWED[name](value):
            raise ValueError(f"{name} = {value!r}")
    if "levels" in given:
        given["levels"] = tuple(given["levels"])
    return kind(**given)
