"""The arms a bandit chooses among, by the names a user gave them."""

from collections.abc import Iterable, Sequence

import numpy as np

from bandstrap.bandit.decision import Arm
from bandstrap.errors import InvalidInput, UnknownName


class Arms:
    """Names in the order in which policies count them."""

    def __init__(self, names: Iterable[Arm]) -> None:
        given = list(names)
        if not given:
            raise InvalidInput("arms", given, "a bandit needs at least one arm")
        for name in given:
            _check(name)
        if len(set(given)) < len(given):
            twice = next(name for name in given if given.count(name) > 1)
            raise InvalidInput("arms", twice, "each arm needs a name of its own")
        self._set(given)

    def _set(self, names: Sequence[Arm]) -> None:
        self.names = tuple(names)
        self.places = {name: place for place, name in enumerate(names)}
        self.all = np.ones((1, len(names)), dtype=np.bool_)

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
        if isinstance(allowed, str):
            raise InvalidInput("allowed", allowed, "give a list of arms")
        mask = np.zeros_like(self.all)
        mask[0, [self.place(name) for name in allowed]] = True
        if not mask.any():
            raise InvalidInput("allowed", allowed, "allow at least one arm")
        return mask

    def add(self, name: Arm) -> list[int | None]:
        """One more, at the end; for each arm, where it stood before."""
        _check(name)
        if name in self.places:
            raise InvalidInput("arm", name, "there is an arm of that name; choose another")
        before: list[int | None] = [*range(len(self)), None]
        self._set([*self.names, name])
        return before

    def remove(self, name: Arm) -> list[int | None]:
        """One less; for each that is left, where it stood before."""
        gone = self.place(name)
        if len(self) == 1:
            raise InvalidInput("arm", name, "the last arm cannot be removed")
        before: list[int | None] = [place for place in range(len(self)) if place != gone]
        self._set([other for other in self.names if other != name])
        return before


def _check(name: Arm) -> None:
    if isinstance(name, bool) or not isinstance(name, str | int):
        raise InvalidInput("arms", name, "name arms by text or whole numbers")
