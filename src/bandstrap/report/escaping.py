"""Others' text in a page: no tags, no script, nothing that turns the direction of writing."""

from html import escape

from bandstrap.printable import printable_lines


def escaped(text: str) -> str:
    r"""The text as HTML shows it, in elements and in attributes.

    >>> escaped("a <b> \x1b[31m")
    'a &lt;b&gt; \\x1b[31m'
    """
    return escape(printable_lines(text))
