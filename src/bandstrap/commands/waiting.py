"""What goes on before there is a bar, told on a terminal; loads nothing that needs a compiler."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Shows `what` and that time passes, until the block is left; nothing without a terminal."""
    from rich.console import Console

    from bandstrap.commands.lines import line

    with Console(stderr=True).status(line(what)):
        yield
