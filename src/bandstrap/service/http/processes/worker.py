"""One process that decides, and the one that learns."""

import asyncio
import gc
import logging
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from socket import socket
from typing import Any

import uvicorn

from bandstrap.errors import BandstrapError
from bandstrap.one_thread import ONE_THREAD
from bandstrap.service.config import ServiceConfig
from bandstrap.service.http.app import make_app
from bandstrap.service.http.front import AccessLog
from bandstrap.service.http.offered import Offered
from bandstrap.service.http.processes.protocol import Connection

BACKLOG = 1024  # connections that wait to be accepted
GRACE = 3  # seconds that requests have to end, after the server was told to
SWITCH = 0.001  # seconds for which a thread keeps others waiting: a commit is done soon
YOUNG = 20_000  # objects between two looks for garbage: some hundred requests are under way
NICE = 5  # of the learner: nobody waits for it, but somebody does for an answer
CANNOT = 3  # the exit code of a process that could not even start

Make = Callable[[ServiceConfig], Offered]
Learn = Callable[[ServiceConfig, threading.Event], None]


class Server(uvicorn.Server):
    """Uvicorn's, which also looks after slow clients, and ends when its parent does."""

    def __init__(self, config: uvicorn.Config, seconds: float) -> None:
        super().__init__(config)
        self._seconds, self._parent = seconds, _parent()

    async def startup(self, sockets: list[socket] | None = None) -> None:
        await super().startup(sockets)
        # asyncio accepts as many at once as wait; with one at a time, workers share them evenly.
        for each in sockets or ():
            each.listen(BACKLOG)

    async def on_tick(self, counter: int) -> bool:
        if counter % 5 == 0:
            now = asyncio.get_running_loop().time()
            for each in list(self.server_state.connections):
                if isinstance(each, Connection):
                    each.look(now, self._seconds)
        if os.getppid() != self._parent:
            self.should_exit = True
        return await super().on_tick(counter)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Ends by itself; the signal is not raised again afterwards."""
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, self.handle_exit)
        yield


def decide(config: ServiceConfig, make: Make, listening: socket, log: str) -> None:
    """Serve until SIGTERM."""
    _begin()
    with _explained():
        app = make_app(config, make(config), AccessLog(log))
    told = uvicorn.Config(
        app,
        http=Connection,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        backlog=1,
        timeout_keep_alive=max(5, round(config.timeout)),
        timeout_graceful_shutdown=GRACE,
    )
    gc.collect()
    gc.freeze()  # what is loaded by now stays: looking through it again and again takes long
    gc.set_threshold(YOUNG, *gc.get_threshold()[1:])
    Server(told, config.timeout).run([listening])


def learn(config: ServiceConfig, run: Learn) -> None:
    """Learn until SIGTERM."""
    _begin()
    if hasattr(os, "nice"):
        os.nice(NICE)
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    threading.Thread(target=_watch, args=(_parent(), stop), daemon=True).start()
    with _explained():
        run(config, stop)


def _begin() -> None:
    """As a child: Ctrl-C is its parent's, who says when to end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):  # held since before the fork
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGTERM, signal.SIGINT, signal.SIGHUP))
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
    sys.setswitchinterval(SWITCH)
    _allow_files()
    ONE_THREAD.__enter__()  # processes share the cores; sums are the same to the last bit


def _allow_files() -> None:
    """As many as this process may open at all: each connection is one."""
    try:
        import resource
    except ImportError:  # not there on Windows
        return
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _parent() -> int:
    """Who started this process, who may be gone already."""
    found = multiprocessing.parent_process()
    return os.getppid() if found is None or found.pid is None else found.pid


def _watch(parent: int, stop: Any) -> None:
    while not stop.wait(0.5):
        if os.getppid() != parent:
            stop.set()


@contextmanager
def _explained() -> Iterator[None]:
    """A sentence instead of a traceback, for what is not a bug."""
    try:
        yield
    except BandstrapError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(CANNOT)
