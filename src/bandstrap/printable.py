"""Users' text made safe to print: nothing that a terminal obeys, and not too long.

The name of a column, a file or an arm may hold codes that move the cursor or rename the terminal,
marks that reverse the direction of writing, or a million letters.
"""

import re

# Control characters (C0, DEL, C1), line and paragraph separators, marks of direction, and lone
# surrogates, which no encoding has.
OBEYED = re.compile("[\0-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")  # of an object in memory
ELLIPSIS = "…"


def printable(text: str) -> str:
    r"""The text, with everything that a terminal would obey escaped as in Python.

    >>> print(printable("price\x1b[2J, in \u202e€"))
    price\x1b[2J, in \u202e€
    """
    return OBEYED.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def printable_lines(text: str) -> str:
    """The same, but newlines stay."""
    return "\n".join(map(printable, text.split("\n")))


def lasting(text: str) -> str:
    """The text without addresses in memory, which differ from process to process.

    >>> lasting("<mine.World object at 0x7f1c2a>")
    '<mine.World object>'
    """
    return ADDRESS.sub("", text)


def brief(text: str, most: int) -> str:
    """The text, or its beginning and end if it is longer than `most`.

    >>> brief("abcdefghij", 7)
    'abc…hij'
    """
    if len(text) <= most:
        return text
    half = (most - 1) // 2
    return f"{text[: most - 1 - half]}{ELLIPSIS}{text[len(text) - half :]}"


def called(name: object, most: int = 60) -> str:
    r"""A name in a sentence or a table: on one line, and short.

    >>> called("a\nb")
    'a\\nb'
    """
    return brief(printable(str(name)), most)
