"""Text for the terminal: shown as it is, whatever is in it, and never taken for markup."""

from rich.text import Text

from bandstrap.printable import called, printable


def line(text: str, style: str = "") -> Text:
    """One line, which is not cut, so that it can be copied."""
    return Text(printable(text), style, no_wrap=True, overflow="ignore")


def name(text: str, style: str = "") -> Text:
    """A name for a table: short, and in one line."""
    return Text(called(text), style)
