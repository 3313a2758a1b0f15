"""Ctrl-C and ending signals while workers run: the main process answers them, workers do not."""

import signal
import warnings
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from typing import Any

Results = Generator[Any, None, None]

ENDING = ("SIGTERM", "SIGHUP")  # Windows lacks the second


@contextmanager
def unheard() -> Iterator[None]:
    """Interrupts wait until the block ends; processes started in it never get any.

    A terminal sends Ctrl-C to workers too, and a service manager ends all processes. Workers would
    each print a traceback or be missed; it is enough that the main process ends them.
    """
    if current_thread() is not main_thread() or not hasattr(signal, "pthread_sigmask"):
        yield  # only the main thread may set handlers, and Windows differs
        return
    # New processes inherit the blocked mask. The system may deliver an interrupt to another thread,
    # such as a progress bar's, so it is noted rather than ignored.
    noted: list[int] = []
    numbers = _heard()
    answers = [signal.signal(each, lambda number, frame: noted.append(number)) for each in numbers]
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)  # pending ones are noted now
        for number, answer in zip(numbers, answers, strict=True):
            # None: a handler that Python did not set and cannot restore.
            signal.signal(number, signal.default_int_handler if answer is None else answer)
        for first in noted[:1]:
            signal.raise_signal(first)


def _heard() -> list[signal.Signals]:
    """Ctrl-C, and the ending signals that this process handles. If it does not, it ends without
    telling its workers, so they should get the signal themselves."""
    others = [getattr(signal, name) for name in ENDING if hasattr(signal, name)]
    return [signal.SIGINT, *(each for each in others if callable(signal.getsignal(each)))]


@contextmanager
def played(start: Callable[[], Results]) -> Iterator[Results]:
    """The results of the workers that `start` starts, which end if the block is left early.

    That may be before the first result: an interrupt that waited for their start comes right after.
    """
    results: Results | None = None
    try:
        with unheard():
            results = start()
        yield results
    finally:
        if results is not None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # joblib would warn about unfinished work
                results.close()
