"""What a user asks of a comparison or a benchmark, as far as it can be checked at once."""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bandstrap.errors import InvalidInput

ROUNDS, RUNS = 3000, 5
QUICK_ROUNDS, QUICK_RUNS = 300, 3
WORK = 2_400_000  # rounds × arms × features that are played by default


def split_names(names: str | Sequence[str]) -> tuple[str, ...]:
    """The names in a text, where one with a comma goes in quotes; a list is taken as it is.

    >>> split_names('small, "large, red"')
    ('small', 'large, red')
    >>> split_names(["large, red"])
    ('large, red',)
    """
    if not isinstance(names, str):
        return tuple(names)
    try:
        found = [name.strip() for name in next(csv.reader([names], skipinitialspace=True), [])]
    except csv.Error as error:
        remedy = f"separate names by commas, and quote those that hold one ({error})"
        raise InvalidInput("names", names, remedy) from error
    return tuple(filter(None, found)) or ("",)


def split_policies(policies: str | Sequence[str]) -> tuple[str, ...]:
    """The names in a text, where commas in brackets or quotes do not count; a list is taken as it
    is.

    >>> split_policies("wb, mine:Soft(a=1, b=['x,y', 3]),ts")
    ('wb', "mine:Soft(a=1, b=['x,y', 3])", 'ts')
    """
    if not isinstance(policies, str):
        return tuple(policies)
    parts, begin, depth, quote = [], 0, 0, ""
    for place, letter in enumerate(policies):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        else:
            depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth <= 0 and not quote:
            parts.append(policies[begin:place])
            begin = place + 1
    parts.append(policies[begin:])
    return tuple(part.strip() for part in parts if part.strip()) or ("",)


def kinds(pairs: Iterable[str]) -> dict[str, str]:
    """What columns hold, from words such as price=number.

    >>> kinds(["price=number", "a=b=date"])
    {'price': 'number', 'a=b': 'date'}
    """
    found = {}
    for pair in pairs:
        column, _, kind = pair.rpartition("=")
        if not column:
            raise InvalidInput("--as", pair, "write column=number, column=text or column=date")
        found[column] = kind
    return found


@dataclass(frozen=True)
class Size:
    """How many rounds and runs to play; None depends on the table.

    >>> Size(rounds=100).rounds_and_runs(arms=3, features=4)
    (100, 5)
    """

    rounds: int | None = None
    runs: int | None = None
    quick: bool = False

    def __post_init__(self) -> None:
        for name, value in (("--rounds", self.rounds), ("--runs", self.runs)):
            if value is not None and value < 1:
                raise InvalidInput(name, value, "give at least 1")

    def rounds_and_runs(self, arms: int, features: int) -> tuple[int, int]:
        rounds, runs = (QUICK_ROUNDS, QUICK_RUNS) if self.quick else (ROUNDS, RUNS)
        affordable = max(QUICK_ROUNDS, WORK // (arms * features))
        return self.rounds or min(rounds, affordable), self.runs or runs
