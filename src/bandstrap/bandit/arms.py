"""The arms a bandit chooses among, by the names a user gave them."""

from collections.abc import Iterable
from numbers import Integral
from typing import Any

import numpy as np

from bandstrap.bandit.decision import Arm
from bandstrap.errors import InvalidInput, UnknownName
from bandstrap.rearming import Before


class Arms:
    """Names in the order in which policies count them."""

    def __init__(self, names: Iterable[Arm]) -> None:
        given = [_checked(name) for name in _listed(names)]
        if not given:
            raise InvalidInput("arms", given, "a bandit needs at least one arm")
        if len(set(given)) < len(given):
            twice = next(name for name in given if given.count(name) > 1)
            raise InvalidInput("arms", twice, "each arm needs a name of its own")
        self.names = tuple(given)
        self.places = {name: place for place, name in enumerate(given)}
        self.all = np.ones((1, len(given)), dtype=np.bool_)

    def __len__(self) -> int:
        return len(self.names)

    def place(self, name: Arm) -> int:
        """Where an arm stands."""
        try:
            return self.places[name]
        except (KeyError, TypeError):
            raise UnknownName("arm", str(name), map(str, self.names)) from None

    def mask(self, allowed: Iterable[Arm] | None) -> np.ndarray:
        """A flag for each arm, (1, arms)."""
        if allowed is None:
            return self.all
        if isinstance(allowed, str | Integral):
            raise InvalidInput("allowed", allowed, "give a list of arms")
        mask = np.zeros_like(self.all)
        mask[0, [self.place(name) for name in allowed]] = True
        if not mask.any():
            raise InvalidInput("allowed", allowed, "allow at least one arm")
        return mask

    def added(self, name: Arm) -> tuple["Arms", Before]:
        """One more, at the end; and where each stood before."""
        if _checked(name) in self.places:
            raise InvalidInput("arm", name, "there is an arm of that name; choose another")
        return Arms([*self.names, name]), [*range(len(self)), None]

    def removed(self, name: Arm) -> tuple["Arms", Before]:
        """One less; and where each that is left stood before."""
        gone = self.place(name)
        if len(self) == 1:
            raise InvalidInput("arm", name, "the last arm cannot be removed")
        before = [place for place in range(len(self)) if place != gone]
        return Arms([self.names[place] for place in before]), before


def _listed(names: Any) -> list[Any]:
    """Names one by one; refuses what would be taken apart into names that nobody meant."""
    if isinstance(names, str):
        raise InvalidInput("arms", names, f"give a list of names, such as [{names!r}, ...]")
    if hasattr(names, "columns"):  # a table
        raise InvalidInput(
            "arms", type(names).__name__, "give a list of names, or features as {name: [...]}"
        )
    try:
        return list(names)
    except TypeError:
        raise InvalidInput("arms", names, "give a list of names") from None


def _checked(name: Any) -> Arm:
    """A name in Python's own types."""
    if isinstance(name, str):
        return str(name)
    if isinstance(name, Integral) and not isinstance(name, bool):
        return int(name)
    raise InvalidInput("arms", name, "name arms by text or whole numbers")
