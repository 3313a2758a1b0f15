"""Ctrl-C, and signals that end a process, while workers run: the one that was started answers
them, workers do not."""

import signal
import warnings
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from typing import Any

Results = Generator[Any, None, None]

ENDING = ("SIGTERM", "SIGHUP")  # the second is not everywhere


@contextmanager
def unheard() -> Iterator[None]:
    """Interrupts wait until the block is left; processes started in it never hear any.

    A terminal sends Ctrl-C to workers too, and who ends a service ends all its processes. Workers
    would each print a traceback or be missed, where it is enough that they are ended by the process
    that started them.
    """
    if current_thread() is not main_thread() or not hasattr(signal, "pthread_sigmask"):
        yield  # only the main thread may say who hears, and Windows has other ways
        return
    # Blocked, which new processes take over. The system then hands an interrupt to any other
    # thread that there is, as that of a progress bar, so that it is noted and not ignored.
    noted: list[int] = []
    numbers = _heard()
    answers = [signal.signal(each, lambda number, frame: noted.append(number)) for each in numbers]
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)  # what waited is noted now
        for number, answer in zip(numbers, answers, strict=True):
            # None is an answer that Python did not give and cannot give back.
            signal.signal(number, signal.default_int_handler if answer is None else answer)
        for first in noted[:1]:
            signal.raise_signal(first)


def _heard() -> list[signal.Signals]:
    """Ctrl-C, and of what ends a process that which this one answers: where it does not, it ends
    without a word to its workers, who had better hear it themselves."""
    others = [getattr(signal, name) for name in ENDING if hasattr(signal, name)]
    return [signal.SIGINT, *(each for each in others if callable(signal.getsignal(each)))]


@contextmanager
def played(start: Callable[[], Results]) -> Iterator[Results]:
    """What the workers give that `start` starts; they are ended if the block is left early.

    That may be before they have given anything: an interrupt that waited for their start is heard
    right after it.
    """
    results: Results | None = None
    try:
        with unheard():
            results = start()
        yield results
    finally:
        if results is not None:
            _end(results)


def _end(results: Results) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # joblib would warn of what is left undone
        results.close()
