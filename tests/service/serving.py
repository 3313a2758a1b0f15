"""A process that holds a `Service` and a `Learner`, asked by lines of JSON over a socket.

    python serving.py STORE JOURNAL

It prints its port. `Line` asks it; `Web` starts and asks `bandstrap serve` by the same methods.
"""

import json
import os
import re
import signal
import socket
import socketserver
import subprocess
import sys
import tempfile
import threading
from http.client import HTTPConnection, HTTPException
from pathlib import Path

HERE = Path(__file__).parent
SECONDS = 2.0  # of a window, so that lessons are learnt meanwhile


class Line:
    """A client of such a process; anything that fails is an OSError."""

    @classmethod
    def started(cls, where, journal, many=1, under=()):
        """New processes, all at once, each with its port as soon as it can be asked."""
        starting = [cls._start(where, journal, under) for _ in range(many)]
        return ((process, cls._port(process)) for process in starting)

    @staticmethod
    def _start(where, journal, under):
        path = os.pathsep.join([str(HERE), str(HERE.parent), *filter(None, sys.path)])
        return subprocess.Popen(
            [*under, sys.executable, str(HERE / "serving.py"), str(where), journal or ""],
            stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": path},
            start_new_session=True,
        )  # fmt: skip

    @staticmethod
    def _port(process):
        port = process.stdout.readline().strip()
        process.stdout.close()
        if not port:
            process.wait()
            raise OSError("it did not start")
        return int(port)

    def __init__(self, port):
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self._file = self._socket.makefile("rw")

    def decide(self, name):
        """What is answered, as a dict; with a status if it is a problem."""
        return self._ask(["decide", name])

    def reward(self, name, value):
        return self._ask(["reward", name, value])

    def close(self):
        try:
            self._file.close()
        finally:
            self._socket.close()

    def _ask(self, told):
        self._file.write(json.dumps(told) + "\n")
        self._file.flush()
        line = self._file.readline()
        if not line.endswith("\n"):
            raise OSError("it is gone")
        return json.loads(line)


class Web(Line):
    """A client of `bandstrap serve` itself, which has worker processes and a learner of its own."""

    @classmethod
    def started(cls, where, journal, many=1, under=()):
        """One server with so many workers, with its port as soon as it listens."""
        process = cls._serve(where, many, under)
        return ((each, cls._port(each)) for each in [process])

    @staticmethod
    def _serve(where, workers, under):
        folder = Path(tempfile.mkdtemp(prefix="served-"))
        service = {"port": 0, "workers": workers, "publish": 0.2, "timeout": 30.0}
        news = {"arms": ["a", "b", "c"], "policy": "wb", "window": SECONDS}
        lines = [f"{name} = {json.dumps(value)}" for name, value in service.items()]
        lines += ["[experiments.news]", *(f"{key} = {json.dumps(it)}" for key, it in news.items())]
        (folder / "app.toml").write_text("\n".join(["[service]", *lines]))
        path = os.pathsep.join(filter(None, sys.path))
        asked = [sys.executable, "-m", "bandstrap", "serve", "app.toml", "--log", "off"]
        return subprocess.Popen(
            [*under, *asked, "--store", str(where)], cwd=folder, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "PYTHONPATH": path}, start_new_session=True,
        )  # fmt: skip

    @staticmethod
    def _port(process):
        for line in process.stdout:
            found = re.search(r":(\d+)/v1/experiments/news$", line.strip())  # its last line
            if found is not None:
                process.stdout.close()
                return int(found[1])
        process.wait()
        raise OSError("it did not start")

    def __init__(self, port):
        self._http = HTTPConnection("127.0.0.1", port, timeout=30)

    def decide(self, name, **more):
        return self._asked("POST", "/v1/experiments/news/decisions", {"id": name, **more})

    def reward(self, name, value):
        return self._asked("PUT", f"/v1/decisions/{name}/reward", {"reward": value})

    def close(self):
        self._http.close()

    def _asked(self, method, path, told):
        try:
            self._http.request(method, path, json.dumps(told), {"Content-Type": "application/json"})
            return json.loads(self._http.getresponse().read())
        except HTTPException as error:
            raise OSError(str(error)) from error


def stopped(process):
    """Kill a process, and what it runs under."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def main(where, journal):
    import msgspec
    from worlds import config, decide, reward

    from bandstrap.service.learner import Learner
    from bandstrap.service.service import Service
    from bandstrap.service.store import open_store

    store = open_store(where, journal or None, unsafe=True)
    given = config(window=SECONDS)
    service, learner = Service(given, store), Learner(given, store, lease=1.0)
    threading.Thread(target=learner.run, args=(threading.Event(),), daemon=True).start()
    asked = {"decide": decide, "reward": reward}

    class Handler(socketserver.StreamRequestHandler):
        def handle(self):
            for line in self.rfile:
                what, *told = json.loads(line)
                answer = asked[what](service, *told)
                self.wfile.write(json.dumps(msgspec.to_builtins(answer)).encode() + b"\n")

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True
        request_queue_size = 64

    with Server(("127.0.0.1", 0), Handler) as server:
        print(server.server_address[1], flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
