"""Ctrl-C while worker processes run: the one that was started answers it, workers do not."""

import signal
import warnings
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from typing import Any


@contextmanager
def unheard() -> Iterator[None]:
    """Interrupts wait until the block is left; processes started in it never hear any.

    A terminal sends Ctrl-C to workers too. They would each print a traceback, where it is enough
    that they are ended by the process that started them.
    """
    if current_thread() is not main_thread() or not hasattr(signal, "pthread_sigmask"):
        yield  # only the main thread may say who hears, and Windows has other ways
        return
    # Blocked, which new processes take over. The system then hands an interrupt to any other
    # thread that there is, as that of a progress bar, so that it is noted and not ignored.
    noted: list[int] = []
    answer = signal.signal(signal.SIGINT, lambda number, frame: noted.append(number))
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)  # what waited is noted now
        # None is an answer that Python did not give and cannot give back.
        signal.signal(signal.SIGINT, signal.default_int_handler if answer is None else answer)
        if noted:
            signal.raise_signal(signal.SIGINT)


@contextmanager
def ended(played: Generator[Any, None, None]) -> Iterator[None]:
    """Ends the workers behind `played` if the block is left early, of which joblib would warn."""
    try:
        yield
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            played.close()
