"""Dates as people write them: 2024-01-31, 31.01.2024 or 1/31/2024, with a time and a zone."""

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

_ORDERED = {
    "ymd": r"(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})",
    "dmy": r"(?P<d>\d{1,2})[-/.](?P<m>\d{1,2})[-/.](?P<y>\d{4})",
    "mdy": r"(?P<m>\d{1,2})[-/](?P<d>\d{1,2})[-/](?P<y>\d{4})",
}
_TIME = (
    r"(?:[T ](?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?P<part>[.,]\d{1,9})?)?"
    r" ?(?:Z|(?P<zone>[+-]\d{2}):?(?P<zone_minute>\d{2})?)?)?"
)
ORDERS = {order: re.compile(text + _TIME) for order, text in _ORDERED.items()}
PARTS = ("y", "m", "d", "hour", "minute", "second")
LONGEST = 40  # characters of a date
YEAR_FIRST = "ymd"


def seconds(word: str, order: str) -> float | None:
    """Seconds since 1970 in UTC, which is taken for the zone of dates that have none.

    >>> seconds("31.01.2024 01:00", "dmy") == seconds("2024-01-31T02:00:00+01:00", "ymd")
    True
    >>> seconds("32.01.2024", "dmy")
    """
    found = ORDERS[order].fullmatch(word) if len(word) <= LONGEST else None
    if found is None:
        return None
    year, month, day, hour, minute, second = (int(found[part] or 0) for part in PARTS)
    try:
        there = datetime(year, month, day, hour, minute, second, tzinfo=_zone(found))
    except ValueError:  # the 32nd of January
        return None
    return there.timestamp() + float("0." + (found["part"] or "0")[1:] + "0")


def _zone(found: re.Match[str]) -> timezone:
    if found["zone"] is None:
        return UTC
    hours = int(found["zone"])
    minutes = int(found["zone_minute"] or 0) * (-1 if found["zone"].startswith("-") else 1)
    return timezone(timedelta(hours=hours, minutes=minutes))


def orders_of(words: Iterable[str]) -> list[str]:
    """The orders in which all of some words are dates; two where day and month may be swapped.

    >>> orders_of(["31.01.2024"]), orders_of(["1/2/2024"]), orders_of(["31/1/2024"])
    (['dmy'], ['dmy', 'mdy'], ['dmy'])
    """
    every = [*words]
    return [
        order
        for order in ORDERS
        if every and all(seconds(word, order) is not None for word in every)
    ]


def seconds_of(value: Any, order: str) -> float | None:
    """The same of a date of Python, pandas or NumPy, or of a word; None if it is no date."""
    if isinstance(value, str):
        there = seconds(value.strip(), order)
        return seconds(value.strip(), YEAR_FIRST) if there is None else there
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).timestamp()
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day, tzinfo=UTC).timestamp()
    if type(value).__name__ == "datetime64":
        return float((value - type(value)(0, "s")) / _step(type(value)))
    return None


def _step(kind: Any) -> Any:
    return kind(1, "s") - kind(0, "s")
