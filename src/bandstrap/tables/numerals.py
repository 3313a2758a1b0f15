"""Numbers as people write them: 2.862,49 or 1,234.50, € 2.32 or 23.2%."""

import re
from collections.abc import Iterable
from functools import cache

POINT, COMMA = ".", ","
MARKS = (POINT, COMMA)  # decimal marks
LONGEST = 40  # characters of a number
# What may stand before or after a number: a currency's sign or code, a percent sign.
SIGN = re.compile("[€$£¥₹₽₩₺₫₴₪฿¢%‰]|[A-Z]{3}")
# What may stand between thousands, besides spaces and apostrophes: the other mark.
GROUPS = {POINT: "[,\u00a0\u202f '’]", COMMA: "[.\u00a0\u202f '’]"}


@cache
def _pattern(decimal: str) -> re.Pattern[str]:
    sign, mark = f"(?:{SIGN.pattern})?", re.escape(decimal)
    whole = rf"(?P<whole>[1-9]\d{{0,2}}(?:{GROUPS[decimal]}\d{{3}})+|\d*)"
    return re.compile(
        rf"{sign}\s?(?P<minus>[+\-−]?)\s?{sign}\s?{whole}(?:{mark}(?P<rest>\d*))?"
        rf"(?P<power>[eE][+-]?\d+)?\s?{sign}"
    )


def number(word: str, decimal: str) -> float | None:
    """The number that a word is, with this decimal mark; None if it is none.

    >>> number("2.862,49", ","), number("€ 1,234.50", "."), number("error", ".")
    (2862.49, 1234.5, None)
    """
    found = _pattern(decimal).fullmatch(word) if len(word) <= LONGEST else None
    if found is None or not (found["whole"] or found["rest"]):
        return None
    whole = re.sub(r"\D", "", found["whole"])
    minus = "-" if found["minus"] in ("-", "−") else ""
    return float(f"{minus}{whole or 0}.{found['rest'] or 0}{found['power'] or ''}")


def readable(words: Iterable[str]) -> dict[str, set[str]]:
    """Which of some words are numbers, by decimal mark.

    >>> {mark: sorted(some) for mark, some in readable(["1,234", "1,5", "x"]).items()}
    {'.': ['1,234'], ',': ['1,234', '1,5']}
    """
    every = [*words]
    return {mark: {each for each in every if number(each, mark) is not None} for mark in MARKS}


def is_signed(word: str) -> bool:
    """Whether a currency or a percent sign stands beside the number."""
    return SIGN.search(word) is not None
