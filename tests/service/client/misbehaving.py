"""A server that keeps what it is told and answers as badly as it is asked to."""

import json
import socket
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread

REFUSE, DROP, TWICE = "refuse", "drop", "twice"  # before and after it is stored; and store it twice


def free_port():
    with socket.socket() as opened:
        opened.bind(("127.0.0.1", 0))
        return opened.getsockname()[1]


class Server:
    """`moods` says what to do to the next requests, one each: a status, or one of the words above.

    `stored` are the rewards by id, in the order in which they came; `known` the ids that exist, or
    None for all.
    """

    def __init__(self, port=0):
        self.port = port or free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.moods, self.headers, self.asked = [], [], []
        self.decisions, self.stored, self.known = {}, {}, None
        self.lock, self._http = Lock(), None

    def __enter__(self):
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1  # head and body in one piece

            def do_POST(self):
                server.answer(self)

            do_PUT = do_GET = do_POST  # noqa: N815 - the names that are looked for

            def log_message(self, *words):
                pass

        ThreadingHTTPServer.allow_reuse_address = True
        self._http = ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        self._http.daemon_threads = True
        self._thread = Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()
        return self

    def __exit__(self, *error):
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def answer(self, request):
        length = int(request.headers.get("Content-Length") or 0)
        body = json.loads(request.rfile.read(length) or "null")
        with self.lock:
            self.asked.append((request.command, request.path, body))
            self.headers.append(dict(request.headers))
            mood = self.moods.pop(0) if self.moods else None
            if isinstance(mood, int):
                return _send(request, mood, {"status": mood, "title": "moody", "detail": "so"})
            if mood == REFUSE:
                return _hang_up(request)
            status, told = self.act(request.path, body)
            if mood == TWICE:
                status, told = self.act(request.path, body)
        return _hang_up(request) if mood == DROP else _send(request, status, told)

    def act(self, path, body):
        if path.endswith("/decisions"):
            several = body.get("decisions")
            made = [self.decide(path.split("/")[3], each) for each in several or [body]]
            return (200, {"decisions": made}) if several else (made[0].get("status", 200), made[0])
        if path.endswith("/activate"):
            return 200, {**self.decisions[path.split("/")[3]], "expires": 99.0}
        if path == "/v1/rewards":
            return 200, {"rewards": [self.reward(each["id"], each) for each in body["rewards"]]}
        if path.endswith("/reward"):
            told = self.reward(path.split("/")[3], body)
            return told.get("status", 200), told
        return 200, {"experiment": path.split("/")[3]}

    def decide(self, experiment, request):
        name = request["id"]
        if "bad" in (request.get("context") or ()):
            return {"status": 422, "title": "Unprocessable", "detail": "a bad context"}
        before = self.decisions.get(name)
        self.decisions[name] = before or {
            "id": name, "experiment": experiment, "arm": request.get("arm", "a"),
            "propensity": 0.5, "weight": 2.0, "method": "exact", "mode": "online", "version": 3,
            "time": 1.0, "expires": 2.0,
        }  # fmt: skip
        return {**self.decisions[name], "repeated": before is not None}

    def reward(self, name, told):
        if self.known is not None and name not in self.known:
            return {"status": 404, "title": "Not Found", "detail": "no such decision"}
        before = self.stored.setdefault(name, told["reward"])
        if before != told["reward"]:
            return {"status": 409, "title": "Conflict", "detail": "it has another reward"}
        return {"id": name, "receipt": "stored", "time": 1.0}


def _send(request, status, told):
    content = json.dumps(told).encode()
    request.send_response(status)
    request.send_header("Content-Length", str(len(content)))
    request.end_headers()
    request.wfile.write(content)


def _hang_up(request):
    request.close_connection = True
    request.connection.shutdown(socket.SHUT_RDWR)
