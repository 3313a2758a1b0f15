"""Ctrl-C while worker processes run: the one that was started answers it, workers do not."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def unheard() -> Iterator[None]:
    """Interrupts wait until the block is left; processes started in it never hear any.

    A terminal sends Ctrl-C to workers too. They would each print a traceback, where it is enough
    that they are ended by the process that started them.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
