"""Text from others as a terminal may show it: nothing in it is obeyed, and it has an end.

A column, a file or an arm may be called anything: with the codes that move a cursor, colour or
rename a terminal, with marks that turn the direction of writing, or by a million letters.
"""

import re

# Control characters (C0, DEL, C1), breaks of lines and of paragraphs, what turns the direction of
# writing, and halves of characters, which no encoding has.
OBEYED = re.compile("[\0-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
ELLIPSIS = "…"


def printable(text: str) -> str:
    r"""The text with everything that a terminal would obey written out as Python does.

    >>> print(printable("price\x1b[2J, in \u202e€"))
    price\x1b[2J, in \u202e€
    """
    return OBEYED.sub(_written, text)


def printable_lines(text: str) -> str:
    """The same of a text of several lines, which stay lines."""
    return "\n".join(map(printable, text.split("\n")))


def brief(text: str, most: int) -> str:
    """The text, or its beginning and its end where it is longer than `most`.

    >>> brief("abcdefghij", 7)
    'abc…hij'
    """
    if len(text) <= most:
        return text
    half = (most - 1) // 2
    return f"{text[: most - 1 - half]}{ELLIPSIS}{text[len(text) - half :]}"


def called(name: object, most: int = 60) -> str:
    r"""A name in a sentence or a table: in one line, and not longer than a name should be.

    >>> called("a\nb")
    'a\\nb'
    """
    return brief(printable(str(name)), most)


def _written(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode()
