"""The arms of a bandit, by the names that users gave them."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from bandstrap.arrays import Array
from bandstrap.bandit.decision import Arm
from bandstrap.errors import InvalidInput, UnknownName
from bandstrap.remapping import ArmMap
from bandstrap.storage.schema import ArrayOf, DictOf, Name, Schema, TupleOf, Whole
from bandstrap.validation import is_whole


class Arms:
    """Names of arms, in the order of policies' indices."""

    schema = Schema(
        names=TupleOf(Name()),
        places=DictOf(Name(), Whole()),  # in earlier versions: it follows from the names
        all=ArrayOf(bool, 1, "arms"),
    )

    def __init__(self, names: Iterable[Arm]) -> None:
        given = [checked_name(name, "arms") for name in as_names("arms", names)]
        if not given:
            raise InvalidInput("arms", given, "a bandit needs at least one arm")
        if len(set(given)) < len(given):
            twice = next(name for name in given if given.count(name) > 1)
            raise InvalidInput("arms", twice, "each arm needs a name of its own")
        self.names = tuple(given)
        self.places = {name: place for place, name in enumerate(given)}
        self.all = np.ones((1, len(given)), dtype=np.bool_)

    def to_saved(self) -> dict[str, Any]:
        """For a file; the rest follows from the names."""
        return {"names": self.names}

    @classmethod
    def from_saved(cls, names: tuple[Arm, ...], **rest: Any) -> "Arms":
        """From a file."""
        return cls(names)

    def __len__(self) -> int:
        return len(self.names)

    def place(self, name: Arm) -> int:
        """The index of an arm."""
        if type(name) not in (str, int):  # as it almost always is
            name = checked_name(name)
        if name not in self.places:
            raise UnknownName("arm", name, self.names)
        return self.places[name]

    def mask(self, allowed: Iterable[Arm] | None) -> Array:
        """Which arms are allowed, (1, arms)."""
        if allowed is None:
            return self.all
        names = as_names("allowed", allowed)
        if any(isinstance(name, bool | np.bool_) for name in names):
            remedy = "give the names of the allowed arms, not a flag for each arm"
            raise InvalidInput("allowed", names, remedy)
        mask = np.zeros_like(self.all)
        mask[0, [self.place(name) for name in names]] = True
        if not mask.any():
            raise InvalidInput("allowed", names, "allow at least one arm")
        return mask

    def added(self, name: Arm) -> tuple["Arms", ArmMap]:
        """These and one more; and each one's earlier place."""
        if checked_name(name) in self.places:
            raise InvalidInput("arm", name, "an arm has that name already; choose another")
        return Arms([*self.names, name]), [*range(len(self)), None]

    def removed(self, name: Arm) -> tuple["Arms", ArmMap]:
        """These without one; and each one's earlier place."""
        gone = self.place(name)
        if len(self) == 1:
            raise InvalidInput("arm", name, "the last arm cannot be removed")
        before = [place for place in range(len(self)) if place != gone]
        return Arms([self.names[place] for place in before]), before


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
