"""Arms by the names that a log has for them."""

import json
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

import numpy as np

from bandstrap.arrays import Array
from bandstrap.bandit.arms import Arms
from bandstrap.bandit.decision import Arm
from bandstrap.errors import InvalidInput
from bandstrap.evaluation.logs.spill import Spill, slices

MOST = 10_000  # arms


class ArmNames:
    """Codes for the arms of a log, in the order in which they are met.

    If they are `given`, no others are known; `text` is what the log has for each. In the end they
    come in the order given, else numbers in theirs, else by the alphabet.

    >>> names = ArmNames()
    >>> names.codes(["10", "9", "10"]).tolist()
    [0, 1, 0]
    >>> names.arms, names.places.tolist()
    ((9, 10), [1, 0])
    """

    def __init__(self, given: Iterable[Arm] | None = None, text: Callable[[Arm], str] = str):
        self._given = None if given is None else Arms(given).names
        self._codes = {text(arm): code for code, arm in enumerate(self._given or ())}

    def codes(self, names: Iterable[str]) -> Array:
        """The code of each name, -1 for one that is not among those given."""
        if self._given is None:
            for name in names:
                self._codes.setdefault(name, len(self._codes))
            if len(self._codes) > MOST:
                remedy = f"more than {MOST:,} values cannot be arms; name the column of arms"
                raise InvalidInput("arms", next(iter(names)), remedy)
        return np.array([self._codes.get(name, -1) for name in names], np.int32)

    @property
    def known(self) -> str:
        """The arms in a sentence."""
        return ", ".join([*self._codes][:10]) + (", …" if len(self._codes) > 10 else "")

    @property
    def arms(self) -> tuple[Arm, ...]:
        if self._given is not None:
            return self._given
        return in_order(self._codes)

    @property
    def places(self) -> Array:
        """The place of each code among the arms."""
        if self._given is not None:
            return np.arange(len(self._given), dtype=np.int32)
        at = {str(arm): place for place, arm in enumerate(self.arms)}
        return np.array([at[name] for name in self._codes], np.int32)


def in_order(names: Collection[str]) -> tuple[Arm, ...]:
    """Whole numbers, if all names are, in their order; else text by the alphabet."""
    whole = all(is_number(name) for name in names)
    return tuple(sorted(map(int, names)) if whole else sorted(names))


def is_number(name: str) -> bool:
    """Whether it is a whole number, written as Python would."""
    digits = name.removeprefix("-")
    return digits.isdecimal() and len(digits) <= 18 and str(int(name)) == name


class Menus:
    """Which arms were allowed: every distinct set of them has a number, -1 is for all arms.

    >>> menus = Menus(ArmNames())
    >>> menus.codes([["a", "b"], None, ["b", "a"]]).tolist()
    [0, -1, 0]
    """

    def __init__(self, names: ArmNames) -> None:
        self._names = names
        self._sets: dict[frozenset[int], int] = {}
        self._seen: dict[tuple[str, ...], int] = {}

    def codes(self, menus: Sequence[Sequence[str] | None]) -> Array:
        found = np.full(len(menus), -1, np.int32)
        for row, menu in enumerate(menus):
            if menu is not None:
                key = tuple(menu)
                if key not in self._seen:
                    self._seen[key] = self._add(key)
                found[row] = self._seen[key]
        return found

    def _add(self, menu: tuple[str, ...]) -> int:
        arms = frozenset(self._names.codes(menu).tolist())
        return self._sets.setdefault(arms, len(self._sets))

    def unknown(self, codes: Array) -> Array:
        """Which rows allow an arm that is not known."""
        bad = np.array([-1 in each for each in self._sets] + [False])
        found: Array = bad[codes]
        return found

    def lacks(self, codes: Array, chosen: Array) -> Array:
        """Which rows do not allow the arm that was chosen."""
        sets = [*self._sets]
        pairs, inverse = np.unique(np.stack([codes, chosen]), axis=1, return_inverse=True)
        bad = [menu >= 0 and arm not in sets[menu] for menu, arm in pairs.T.tolist()]
        found: Array = np.array(bad, np.bool_)[inverse.ravel()]
        return found

    def masks(self, codes: Array, spill: Spill) -> Array | None:
        """Which arms were allowed, (n, arms); None if all were, always."""
        places, count = self._names.places, len(self._names.arms)
        table = np.zeros((len(self._sets) + 1, count), np.bool_)
        table[-1] = True
        for row, menu in enumerate(self._sets):
            table[row, places[[*menu]]] = True
        if table.all():
            return None
        column = spill.column(np.bool_, count)
        for part in slices(len(codes)):
            column.append(table[codes[part]])
        return column.array()


def listed(value: Any) -> list[str] | None:
    """The arms that a cell allows: a list of them, or text such as "a|b" or ["a", "b"]."""
    if value is None:
        return None
    if isinstance(value, str):
        return _in_text(value.strip()) or None
    return [str(each) for each in (value if isinstance(value, list) else [value])]


def _in_text(text: str) -> list[str]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if isinstance(found, list):
        return [str(each) for each in found]
    words = text.removeprefix("[").removesuffix("]")
    mark = next((each for each in "|;," if each in words), None)
    parts = words.split(mark) if mark else words.split()
    return [part.strip().strip("\"'") for part in parts]
