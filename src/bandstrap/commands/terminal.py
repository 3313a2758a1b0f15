"""What a command prints: its result for a person or a program, and that it is busy."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console, RenderableType
from rich.text import Text

from bandstrap.printable import called, printable
from bandstrap.storage.files import json_value


class Result(Protocol):
    """The result of a command."""

    def as_dict(self) -> Mapping[str, object]:
        """For --json."""

    def __rich__(self) -> RenderableType:
        """For a terminal."""


def show(result: Result, as_json: bool) -> None:
    """Print the result, and nothing else, to standard output."""
    if as_json:
        print(json.dumps(json_value(result.as_dict()), indent=2, allow_nan=False))
    else:
        Console().print(result, crop=False)


def line(text: str, style: str = "") -> Text:
    """One line, never taken for markup and never cut, so that it can be copied."""
    return Text(printable(text), style, no_wrap=True, overflow="ignore")


def name(text: str, style: str = "") -> Text:
    """A name for a table: short, and on one line."""
    return Text(called(text), style)


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Show `what` with a spinner until the block ends; nothing without a terminal."""
    with Console(stderr=True).status(line(what)):
        yield
