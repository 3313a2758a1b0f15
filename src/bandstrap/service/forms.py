"""What a snapshot says of facts, checked before anything is made of it."""

from typing import Any

from bandstrap.storage.schema import Kind, Lengths, Real, Refused, Whole, require

__all__ = ["COUNT", "TIME", "WEIGHED", "Fields", "Listed", "check"]

COUNT = Whole()
TIME = Real(-1e12, 1e12)  # seconds since 1970
WEIGHED = Real(0.0)  # a sum of numbers that are not negative


class Fields(Kind):
    """A dict with exactly these keys."""

    def __init__(self, **kinds: Kind) -> None:
        self.kinds = kinds

    def check(self, value: Any, lengths: Lengths) -> None:
        require(type(value) is dict, "it is not a table")
        require(value.keys() == self.kinds.keys(), f"its fields are not {', '.join(self.kinds)}")
        for name, kind in self.kinds.items():
            _within(name, kind, value[name], lengths)


class Listed(Kind):
    """A list with a kind for each place."""

    def __init__(self, *kinds: Kind) -> None:
        self.kinds = kinds

    def check(self, value: Any, lengths: Lengths) -> None:
        fits = type(value) is list and len(value) == len(self.kinds)
        require(fits, f"it is not a list of {len(self.kinds)}")
        for place, (kind, item) in enumerate(zip(self.kinds, value, strict=True)):
            _within(f"[{place}]", kind, item, lengths)


def check(form: Kind, kept: Any) -> None:
    """Refuse what is not of this form; lists of one named length are equally long.

    >>> from bandstrap.storage.schema import ListOf
    >>> pair = Fields(arms=ListOf(Whole(), "arms"), sums=ListOf(Real(), "arms"))
    >>> check(pair, {"arms": [1, 2], "sums": [0.5]})
    Traceback (most recent call last):
        ...
    bandstrap.storage.schema.Refused: sums: arms is 1 here and 2 elsewhere
    """
    form.check(kept, {})


def _within(name: str, kind: Kind, value: Any, lengths: Lengths) -> None:
    try:
        kind.check(value, lengths)
    except Refused as refused:
        raise refused.within(name) from None
