"""A server of its own processes over a fake service, on a free port; run as a program."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


class Served:
    """A running server."""

    def __init__(self, process: "subprocess.Popen[str]", port: int, workers: list[int]) -> None:
        self.process, self.port, self.workers = process, port, workers


@contextmanager
def served(**service: Any) -> Iterator[Served]:
    """Start it; end it at the end, if it has not ended."""
    paths = os.pathsep.join([str(HERE), *filter(None, sys.path)])
    process = subprocess.Popen(
        [sys.executable, __file__, repr(service)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": paths},
    )
    try:
        assert process.stdout is not None
        found = re.search(r":(\d+)$", process.stdout.readline().strip())
        assert found is not None
        yield Served(process, int(found[1]), children(process.pid))
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)


def children(parent: int) -> list[int]:
    """Of a process, on Linux."""
    return [int(it) for it in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]


def main() -> None:
    from http_fake import Fake, configured

    from bandstrap.service.http.processes.server import address, listen, serve

    told = eval(sys.argv[1])
    connections = told.pop("connections", 1000)
    config = configured(port=0, **told)
    listening = listen(config)
    print(address(listening), flush=True)

    def make(connections: int, _: object) -> Fake:
        from bandstrap.service.http.processes.protocol import Connection

        Connection.most = connections
        return Fake()

    sys.exit(serve(config, partial(make, connections), None, listening))


if __name__ == "__main__":
    main()
