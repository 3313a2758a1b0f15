"""The arms of a bandit, by the names that users gave them."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from bandstrap.arrays import Array
from bandstrap.bandit.decision import Arm
from bandstrap.errors import InvalidInput, UnknownName
from bandstrap.remapping import ArmMap
from bandstrap.storage.schema import (
    ArrayOf,
    DictOf,
    ListOf,
    Name,
    Schema,
    TupleOf,
    Whole,
    require,
)
from bandstrap.validation import is_whole


class Arms:
    """Names of arms, in the order of policies' indices."""

    schema = Schema(
        names=TupleOf(Name()),
        places=DictOf(Name(), Whole()),  # in earlier versions: it follows from the names
        all=ArrayOf(bool, 1, "arms"),
        retired=ListOf(Name()),
    )

    def __init__(self, names: Iterable[Arm], retired: Iterable[Arm] = ()) -> None:
        given = [checked_name(name, "arms") for name in as_names("arms", names)]
        if not given:
            raise InvalidInput("arms", given, "a bandit needs at least one arm")
        if len(set(given)) < len(given):
            twice = next(name for name in given if given.count(name) > 1)
            raise InvalidInput("arms", twice, "each arm needs a name of its own")
        self.names = tuple(given)
        self.places = {name: place for place, name in enumerate(given)}
        self.retired = [*retired]
        gone = set(self.retired)
        self.active = np.array([[name not in gone for name in given]])

    def to_saved(self) -> dict[str, Any]:
        """For a file; the rest follows from the names."""
        return {"names": self.names, "retired": self.retired}

    @classmethod
    def from_saved(cls, names: tuple[Arm, ...], retired: Iterable[Arm] = (), **rest: Any) -> "Arms":
        """From a file; earlier versions had no retired arms."""
        arms = cls(names, retired)
        require(set(arms.retired) <= set(names), "an arm was retired that there is not")
        require(arms.active.any(), "all arms are retired")
        return arms

    def __len__(self) -> int:
        return len(self.names)

    def place(self, name: Arm) -> int:
        """The index of an arm."""
        if type(name) not in (str, int):  # as it almost always is
            name = checked_name(name)
        if name not in self.places:
            raise UnknownName("arm", name, self.names)
        return self.places[name]

    @property
    def usual(self) -> Array | None:
        """Which arms are allowed if nobody says which, (1, arms); None for all."""
        return self.active if self.retired else None

    def mask(self, allowed: Iterable[Arm] | None) -> Array:
        """Which arms are allowed, (1, arms); retired ones never are."""
        if allowed is None:
            return self.active
        names = as_names("allowed", allowed)
        if any(isinstance(name, bool | np.bool_) for name in names):
            remedy = "give the names of the allowed arms, not a flag for each arm"
            raise InvalidInput("allowed", names, remedy)
        mask = np.zeros_like(self.active)
        mask[0, [self.place(name) for name in names]] = True
        mask &= self.active
        if not mask.any():
            remedy = "allow at least one arm" + (" that is not retired" if names else "")
            raise InvalidInput("allowed", names, remedy)
        return mask

    def added(self, name: Arm) -> tuple["Arms", ArmMap]:
        """These and one more; and each one's earlier place."""
        if checked_name(name) in self.places:
            raise InvalidInput("arm", name, "an arm has that name already; choose another")
        return Arms([*self.names, name], self.retired), [*range(len(self)), None]

    def removed(self, name: Arm) -> tuple["Arms", ArmMap]:
        """These without one; and each one's earlier place."""
        gone = self.place(name)
        if self._is_last(gone):
            raise InvalidInput("arm", name, "the last arm cannot be removed")
        before = [place for place in range(len(self)) if place != gone]
        retired = [each for each in self.retired if each != self.names[gone]]
        return Arms([self.names[place] for place in before], retired), before

    def retire(self, name: Arm) -> "Arms":
        """These, of which one is no longer chosen."""
        place = self.place(name)
        if self._is_last(place):
            raise InvalidInput("arm", name, "the last arm cannot be retired")
        if not self.active[0, place]:
            raise InvalidInput("arm", name, "it is retired already")
        return Arms(self.names, [*self.retired, self.names[place]])

    def reinstate(self, name: Arm) -> "Arms":
        """These, of which one is chosen again."""
        place = self.place(name)
        if self.active[0, place]:
            raise InvalidInput("arm", name, "it is not retired")
        return Arms(self.names, [each for each in self.retired if each != self.names[place]])

    def _is_last(self, place: int) -> bool:
        """Whether no other arm could be chosen."""
        return bool(self.active[0, place] and self.active.sum() == 1)


def as_names(parameter: str, names: Any) -> list[Any]:
    """A list of names; refuses text and tables, which would come apart into odd ones."""
    if isinstance(names, str):
        raise InvalidInput(parameter, names, f"give a list of names, such as [{names!r}, ...]")
    if hasattr(names, "columns"):  # a table
        remedy = "give a list of names, or features as {name: [...]}"
        raise InvalidInput(parameter, type(names).__name__, remedy)
    try:
        return list(names)
    except TypeError:
        raise InvalidInput(parameter, names, "give a list of names") from None


def checked_name(name: Any, parameter: str = "arm") -> Arm:
    """A name as a Python str or int; of an Enum of these, its value."""
    if type(name) in (str, int):  # as it almost always is
        return name  # type: ignore[no-any-return]
    if isinstance(name, str):
        return str.__str__(name)
    if is_whole(name):
        return int(name)
    raise InvalidInput(parameter, name, "name arms by text or whole numbers")
