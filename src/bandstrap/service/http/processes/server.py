"""A server on this machine: a socket, processes that decide, and one that learns."""

import os
import shutil
import socket
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from errno import EADDRINUSE
from time import monotonic, sleep
from typing import TYPE_CHECKING

from bandstrap.errors import InvalidInput
from bandstrap.service.config import ServiceConfig
from bandstrap.service.http.keys import check_host

if TYPE_CHECKING:
    from bandstrap.service.http.processes.worker import Learn, Make

FOLDER = "PROMETHEUS_MULTIPROC_DIR"
RETRY = 3.0  # seconds in which the processes of a server that was killed leave its port


def listen(config: ServiceConfig) -> socket.socket:
    """The socket that all workers share."""
    check_host(config)
    until = monotonic() + RETRY
    while True:
        try:
            return _bound(config)
        except OSError as error:
            if error.errno != EADDRINUSE or monotonic() > until:
                where = f"{config.host}:{config.port}"
                remedy = f"cannot listen there ({error.strerror}); choose another --host or --port"
                raise InvalidInput("port", where, remedy) from error
        sleep(0.1)


def _bound(config: ServiceConfig) -> socket.socket:
    found = socket.getaddrinfo(config.host, config.port, type=socket.SOCK_STREAM)
    family, kind, number, _, address = found[0]
    listening = socket.socket(family, kind, number)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(1024)
    except OSError:
        listening.close()
        raise
    return listening


def address(listening: socket.socket) -> str:
    """As a client writes it."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


@contextmanager
def counted_together() -> Iterator[None]:
    """A folder in which the workers count; prometheus-client looks for it when it is imported."""
    folder = tempfile.mkdtemp(prefix="bandstrap-")
    os.environ[FOLDER] = folder
    try:
        yield
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        del os.environ[FOLDER]


def serve(
    config: ServiceConfig,
    make: "Make",
    run: "Learn | None",
    listening: socket.socket | None,
    log: str = "plain",
) -> int:
    """Run until a signal comes: workers if there is a socket, a learner if there is `run`."""
    with counted_together():
        from bandstrap.service.http.processes.supervisor import Kept, Supervisor
        from bandstrap.service.http.processes.worker import decide, learn

        kept = []
        if listening is not None:
            told = (config, make, listening, log)
            kept = [Kept(f"worker {n + 1}", decide, told) for n in range(config.workers)]
        if run is not None:
            kept.append(Kept("learner", learn, (config, run)))
        if listening is None:
            return Supervisor(kept).run()
        with closing(listening):
            return Supervisor(kept).run()
