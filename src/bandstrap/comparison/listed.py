"""Names as people give them: one, several with commas between, or a list."""

import csv
from collections.abc import Sequence

from bandstrap.errors import InvalidInput


def listed(given: str | Sequence[str]) -> tuple[str, ...]:
    """The names in a text, where one that holds a comma goes in quotes; a list is taken as it is.

    >>> listed('small, "large, red"')
    ('small', 'large, red')
    >>> listed(["large, red"])
    ('large, red',)
    """
    if not isinstance(given, str):
        return tuple(given)
    try:
        names = [name.strip() for name in next(csv.reader([given], skipinitialspace=True), [])]
    except csv.Error as error:
        remedy = f"give names with commas between, odd ones in quotes ({error})"
        raise InvalidInput("names", given, remedy) from error
    return tuple(filter(None, names)) or ("",)
