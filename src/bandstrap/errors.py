"""All errors raised on purpose.

    BandstrapError
    ├── InvalidInput   a parameter, a reward, a shape
    ├── UnknownName    a policy, an experiment, an environment
    ├── OutputError    a folder or file that cannot be written or read; of data, UnreachableData
    └── ServiceError   of a service's client: ServiceAway (no answer), ServiceRefused (it says no)

Every message names the thing, its value and the remedy. It is short and safe to print, whatever
the value is.
"""

import re
from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice
from typing import Any

from bandstrap.printable import brief, printable

__all__ = [
    "BandstrapError",
    "InvalidInput",
    "OutputError",
    "Renamed",
    "ServiceAway",
    "ServiceError",
    "ServiceRefused",
    "UnknownName",
    "UnreachableData",
]

SHOWN = 100  # names in a message
VALUE = 120  # characters of a value, a name or a path
REMEDY = 600  # characters of a remedy, which may list names
MEANT = 4  # names that may have been meant
COMPARED = 10_000  # names searched for the nearest: it takes time
_WORD_END = re.compile(r"[-_.(]")


class BandstrapError(Exception):
    """Base of all errors raised on purpose.

    >>> from bandstrap import Bandit, Bootstrap
    >>> try:
    ...     Bandit(Bootstrap(), arms=[])
    ... except BandstrapError as error:
    ...     print(type(error).__name__)
    InvalidInput
    """

    def __init__(self, message: str) -> None:
        super().__init__(printable(message))

    def __reduce__(self) -> tuple[object, ...]:
        # Errors return from worker processes by their message alone.
        return _restored, (type(self), str(self))


def _restored(kind: type[BandstrapError], message: str) -> BandstrapError:
    error = kind.__new__(kind, message)
    Exception.__init__(error, message)
    return error


class InvalidInput(BandstrapError, ValueError):  # noqa: N818 - reads better than InvalidInputError
    """A value that cannot be used, with the remedy.

    >>> print(InvalidInput("rounds", 0, "give at least 1"))
    rounds = 0: give at least 1
    """

    def __init__(self, parameter: str, value: object, remedy: str) -> None:
        super().__init__(f"{brief(parameter, VALUE)} = {_shown(value)}: {brief(remedy, REMEDY)}")


class UnknownName(BandstrapError, LookupError):  # noqa: N818
    """A name that does not exist, with those that it begins, or the nearest one that does.

    >>> print(UnknownName("policy", "wbb", ["wb", "npb"]))
    unknown policy 'wbb': did you mean 'wb'?
    >>> print(UnknownName("experiment", "figure2", ["figure1", "figure2-covtype", "figure2-mnist"]))
    unknown experiment 'figure2': did you mean 'figure2-covtype' or 'figure2-mnist'?
    """

    def __init__(self, kind: str, name: object, known: Iterable[Any]) -> None:
        by_text = {str(each): each for each in known}
        near = [by_text[each] for each in suggestions(str(name), by_text)]
        hint = f"did you mean {_either(near)}?" if near else f"known are {_some(sorted(by_text))}"
        super().__init__(f"unknown {kind} {_shown(name)}: {hint}")


def suggestions(name: str, known: Iterable[str]) -> list[str]:
    """The names that begin with this one or, if there are none, as the nearest word does.

    A word ends at a dash and the like, so that what is mistyped finds all names of a family.

    >>> suggestions("figre2", ["figure1", "figure2-covtype", "figure2-mnist"])
    ['figure2-covtype', 'figure2-mnist']
    """
    if not 0 < len(name) <= VALUE:
        return []
    short = [*islice((each for each in known if len(each) <= VALUE), COMPARED)]
    begun = [each for each in short if each.lower().startswith(name.lower())]
    if begun:
        return [name] if name in begun else begun
    words = {word: word for each in short for word in (each, _WORD_END.split(each)[0])}
    near = get_close_matches(name, words, n=1, cutoff=0.4)
    return near if {*near} <= {*short} else [each for each in short if each.startswith(near[0])]


def _either(values: list[object]) -> str:
    """A few of them, and how many others there are."""
    shown = [_shown(value) for value in values[:MEANT]]
    if len(values) > MEANT:
        shown.append(f"one of {len(values) - MEANT:,} others")
    return " or ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def _some(names: list[str]) -> str:
    """As many as a message has room for."""
    shown = [brief(name, VALUE) for name in names[:SHOWN]]
    while len(", ".join(shown)) > REMEDY:
        shown.pop()
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" and {more:,} more" if more > 0 else "")


def _shown(value: object) -> str:
    """A value as Python writes it, cut in the middle if it is long."""
    if isinstance(value, str):
        return repr(brief(value, VALUE))
    return brief(repr(value), VALUE)


class OutputError(BandstrapError, OSError):
    """A folder or file that cannot be used, with the remedy.

    >>> print(OutputError("bandit.bin", "is empty", "save it again"))
    bandit.bin: is empty; save it again
    """

    def __init__(self, path: object, problem: str, remedy: str) -> None:
        where = brief(str(path), 2 * VALUE)
        super().__init__(f"{where}: {brief(problem, REMEDY)}; {brief(remedy, REMEDY)}")


class UnreachableData(OutputError):  # noqa: N818
    """A data set that no source has.

    >>> issubclass(UnreachableData, OutputError)
    True
    """


class ServiceError(BandstrapError):
    """A service that was asked for something and has not done it.

    >>> print(ServiceError("http://127.0.0.1:8000", "answered what is no decision"))
    http://127.0.0.1:8000: answered what is no decision
    """

    status: int | None = None  # of HTTP, if it has answered

    def __init__(self, where: str, problem: str) -> None:
        super().__init__(f"{brief(where, 2 * VALUE)}: {brief(problem, REMEDY)}")


class ServiceAway(ServiceError):  # noqa: N818
    """Nobody has answered in time, or only that it cannot now. What was asked may be done or not:
    ask again with the same id.

    >>> issubclass(ServiceAway, ServiceError)
    True
    """


class ServiceRefused(ServiceError):  # noqa: N818
    """The service has said no, and would say so again.

    >>> print(ServiceRefused("http://127.0.0.1:8000", 409, "conflict", "the id has another body"))
    http://127.0.0.1:8000: 409 conflict: the id has another body
    """

    def __init__(self, where: str, status: int, title: str, detail: str) -> None:
        super().__init__(where, f"{status} {title}: {detail}" if detail else f"{status} {title}")
        self.status = status


class Renamed(FutureWarning):
    """A former name was used; the message says the one that replaces it."""
