"""How a command ends: exit codes, one sentence instead of a traceback, Ctrl-C and other signals.

The command line always imports this, so it loads nothing heavy.
"""

import shlex
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from time import monotonic
from types import FrameType
from typing import Any

import typer
from typer.core import TyperGroup

from bandstrap.printable import brief, printable, printable_lines

UNEXPECTED, BAD_INPUT, INTERRUPTED, BY_SIGNAL = 1, 2, 130, 128
EXIT_CODES = (
    f"Exit codes: 0 done, {BAD_INPUT} bad input, {INTERRUPTED} interrupted "
    f"({BY_SIGNAL} + the signal's number), {UNEXPECTED} unexpected error."
)
AT_THE_END = ("evaluate",)  # commands that write nothing before all is done
AGAIN = 1.0  # seconds in which a second Ctrl-C counts as the first
MOST = 600  # characters of an unexpected error
# Signals that end a command like Ctrl-C: `kill`, a service manager, a closed terminal.
ENDING = ("SIGTERM", "SIGHUP")


def command_line(*options: str) -> str:
    """This call as it was typed, with more options before the command."""
    return shlex.join(["bandstrap", *options, *sys.argv[1:]])


class Commands(TyperGroup):
    """Commands that can be interrupted, and say how to continue."""

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        with _printable_messages():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: Any) -> Any:
        try:
            with _printable_messages():
                return super().invoke(ctx)
        except KeyboardInterrupt as interrupt:
            ended = interrupt if isinstance(interrupt, Ended) else Ended(signal.SIGINT)
            again = printable(command_line())
            with suppress(OSError):  # the terminal may be gone
                typer.echo(f"{ended}; {self._remedy(ctx)}{again}", err=True)
            raise typer.Exit(ended.code) from None

    def _remedy(self, ctx: Any) -> str:
        command = self.get_command(ctx, ctx.invoked_subcommand)
        writes = command is not None and any(each.name == "out" for each in command.params)
        keeps = writes and ctx.invoked_subcommand not in AT_THE_END
        return "finished work is kept, continue with: " if keeps else "start again with: "


def call(app: Callable[[], None]) -> None:
    """Run the command line; an error becomes one sentence and an exit code."""
    interrupt = _Interrupt()
    _answer_signals(interrupt)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # characters outside its encoding are replaced
            stream.reconfigure(errors="replace")
    if "--debug" not in sys.argv:
        warnings.formatwarning = _warning
    try:
        app()
    except SystemExit as stopped:
        if interrupt.ended and stopped.code == INTERRUPTED:  # typer knows Ctrl-C alone
            sys.exit(interrupt.ended.code)
        raise
    except Exception as error:
        if interrupt.ended and isinstance(error, OSError):  # the terminal is gone, with its bar
            sys.exit(interrupt.ended.code)
        from bandstrap.errors import BandstrapError

        if "--debug" in sys.argv:
            typer.echo(printable_lines(traceback.format_exc()), err=True, nl=False)
        known = isinstance(error, BandstrapError)
        typer.echo(f"error: {error}" if known else _unexpected(error), err=True)
        sys.exit(BAD_INPUT if known else UNEXPECTED)


@contextmanager
def _printable_messages() -> Iterator[None]:
    """Typer's messages quote what the user typed; make them safe to print."""
    try:
        yield
    except Exception as error:
        say = getattr(error, "format_message", None)
        if say is not None:
            message = printable_lines(say())
            error.format_message = lambda: message  # type: ignore[attr-defined]
        raise


def _warning(message: Warning | str, *args: Any, **kwargs: Any) -> str:
    """A warning on one line, without its place in the code."""
    return f"warning: {printable(str(message))}\n"


def _unexpected(error: Exception) -> str:
    reason = brief(" ".join(f"{type(error).__name__}: {error}".split()), MOST)
    whose = "this is a bug in bandstrap: please report it with the output of"
    options = {each.partition("=")[0] for each in sys.argv}
    among = "--policies" in options and any(":" in each for each in sys.argv)
    if among or options & {"--policy", "--model"}:
        whose = "it may be in your own code; to see where, run"
    return printable(f"unexpected error: {reason}; {whose}: {command_line('--debug')}")


class Ended(KeyboardInterrupt):
    """A signal that ends the command, in the same way as Ctrl-C."""

    def __init__(self, number: int) -> None:
        name = signal.Signals(number).name
        super().__init__("interrupted" if number == signal.SIGINT else f"ended by {name}")
        self.code = BY_SIGNAL + number


def _answer_signals(answer: "_Interrupt") -> None:
    """Handle signals, except those that are ignored, as under nohup."""
    signal.signal(signal.SIGINT, answer)
    for number in (getattr(signal, name, None) for name in ENDING):
        if number is not None and signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, answer)


class _Interrupt:
    """Ends the command once: a second signal while workers stop is ignored."""

    def __init__(self) -> None:
        self._last = -AGAIN
        self.ended: Ended | None = None

    def __call__(self, number: int, frame: FrameType | None) -> None:
        before, self._last = self._last, monotonic()
        if self._last - before > AGAIN:
            self.ended = Ended(number)
            # Threads that look after workers lose them now, and would each print a traceback.
            threading.excepthook = lambda _: None
            raise self.ended
