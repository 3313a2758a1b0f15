"""How every command ends: exit codes, one sentence instead of a traceback, Ctrl-C.

Imported by the command line before anything is known to be needed, so it loads nothing heavy.
"""

import shlex
import signal
import sys
import traceback
from collections.abc import Callable
from io import TextIOWrapper
from time import monotonic
from types import FrameType
from typing import Any

import typer
from typer.core import TyperGroup

UNEXPECTED, BAD_INPUT, INTERRUPTED = 1, 2, 130
EXIT_CODES = (
    f"Exit codes: 0 done, {BAD_INPUT} bad input, {INTERRUPTED} interrupted, "
    f"{UNEXPECTED} an unexpected error."
)
AGAIN = 1.0  # seconds in which a second Ctrl-C is the same as the first


def command_line(*options: str) -> str:
    """This call as one would type it, perhaps with more options before the command."""
    return shlex.join(["bandstrap", *options, *sys.argv[1:]])


class Commands(TyperGroup):
    """Commands that can be interrupted, and say how to go on."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            typer.echo(f"interrupted; {self._remedy(ctx)}{command_line()}", err=True)
            raise typer.Exit(INTERRUPTED) from None

    def _remedy(self, ctx: Any) -> str:
        command = self.get_command(ctx, ctx.invoked_subcommand)
        writes = command is not None and any(each.name == "out" for each in command.params)
        return "what is done is kept, go on with: " if writes else "start again with: "


def call(app: Callable[[], None]) -> None:
    """Run the command line; an error becomes one sentence and an exit code."""
    signal.signal(signal.SIGINT, _Interrupt())
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # or a sign that its encoding lacks ends the command
            stream.reconfigure(errors="replace")
    try:
        app()
    except Exception as error:
        from bandstrap.errors import BandstrapError

        if "--debug" in sys.argv:
            traceback.print_exc()
        known = isinstance(error, BandstrapError)
        typer.echo(f"error: {error}" if known else _unexpected(error), err=True)
        sys.exit(BAD_INPUT if known else UNEXPECTED)


def _unexpected(error: Exception) -> str:
    said = " ".join(f"{type(error).__name__}: {error}".split())
    whose = "this is a fault of bandstrap: please report it to its developers with what this shows"
    if any(each.partition("=")[0] in ("--policy", "--model") for each in sys.argv):
        whose = "it may be in your own code, which is told by"
    return f"unexpected error: {said}; {whose}: {command_line('--debug')}"


class _Interrupt:
    """Raises KeyboardInterrupt, but not again while the first one ends the workers."""

    def __init__(self) -> None:
        self._last = -AGAIN

    def __call__(self, number: int, frame: FrameType | None) -> None:
        before, self._last = self._last, monotonic()
        if self._last - before > AGAIN:
            raise KeyboardInterrupt
