"""A server with nothing behind it, and experiments in all states for it to show."""

import json
import math
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import unquote

from bandstrap.service.page import page_html

NOW = 1_795_000_000.0


def full(name="news", **changes):
    """An experiment in the middle of its life."""
    times = [NOW - 60 * (60 - k) for k in range(60)]
    a = [0.34 - 0.28 * k / 59 for k in range(60)]
    b = [0.33 + 0.42 * k / 59 for k in range(60)]
    mean = [0.21 + 0.09 * k / 59 + 0.02 * math.sin(k) for k in range(60)]
    status = {
        "experiment": name,
        "time": NOW,
        "mode": "online",
        "policy": name,
        "described": "wb-log",
        "version": 12_044,
        "started": NOW - 90_000,
        "decisions": 12_355,
        "waiting": 311,
        "rewards": 2_871,
        "missing": 0.7616,
        "late": 12,
        "arms": [
            _arm("moon landing", 1_802, 0.142, 0.12, 0.17),
            _arm("cup final", 7_901, 0.281, 0.262, 0.301),
            _arm("budget", 2_200, 0.19, 0.16, 0.222),
            _arm("old story", 141, 0.05, 0.0, 0.2, retired=True, stopped=True),
        ],
        "traffic": {
            "times": times,
            "shares": {
                "moon landing": a,
                "cup final": b,
                "budget": [1 - x - y for x, y in zip(a, b, strict=True)],
                "old story": [0.0] * 60,
            },
        },
        "reward": {
            "times": times,
            "mean": mean,
            "low": [each - 0.04 for each in mean],
            "high": [each + 0.04 for each in mean],
        },
        "lift": {
            "over": "moon landing",
            "value": 0.0834,
            "low": 0.031,
            "high": 0.136,
            "decisions": 12_044,
        },
        "propensity": {
            "smallest": 0.0201,
            "effective": 7_212.4,
            "mean_weight": 1.004,
            "mean_weight_error": 0.012,
        },
        "ratio": {"evidence": -0.41, "alarm": False},
        "delay": {"median": 14.2, "p95": 611.0},
        "warnings": [
            "old story: its draws are the same every time and below another's, so that the policy "
            "never chooses it (all its rewards are equal)"
        ],
        "candidates": [
            _candidate("linear", "ts-lin", 0.021, -0.012, 0.054, needed=4_210),
            _candidate("network", "wb-nn", 0.031, 0.012, 0.06, needed=0),
            _candidate("greedy", "eg-log(epsilon=0.1)", -0.04, -0.08, -0.01, needed=None),
        ],
        "guardrails": [
            _rail("unsubscribed", "cup final", 0.02, 0.01, 0.05),
            _rail("unsubscribed", "old story", 0.2, 0.12, 0.33, stopped=True),
        ],
        "events": [
            {"time": NOW - 80_000, "kind": "promote", "text": "wb-log was promoted"},
            {"time": NOW - 900, "kind": "stop_arm", "text": "old story was stopped by a guardrail"},
        ],
        "errors": [{"time": NOW - 400, "text": "the store did not answer for 2 s"}],
    }
    return {**status, **changes}


def empty(name="fresh"):
    """An experiment that was started a moment ago."""
    arms = [_arm(arm, 0, None, None, None) for arm in ("a", "b")]
    return {
        "experiment": name, "time": NOW, "mode": "online", "policy": name, "version": 0,
        "described": "the default policy",
        "started": None, "decisions": 0, "waiting": 0, "rewards": 0, "missing": 0.0, "late": 0,
        "arms": arms, "traffic": {"times": [], "shares": {}},
        "reward": {"times": [], "mean": [], "low": [], "high": []}, "lift": None,
        "propensity": dict.fromkeys(("smallest", "effective", "mean_weight", "mean_weight_error")),
        "ratio": {"evidence": None, "alarm": False}, "delay": None, "warnings": [],
        "candidates": [], "guardrails": [], "events": [], "errors": [],
    }  # fmt: skip


def _arm(name, decisions, mean, low, high, retired=False, stopped=False):
    numbers = {"decisions": decisions, "lessons": decisions, "mean": mean, "low": low, "high": high}
    return {"name": name, **numbers, "retired": retired, "stopped": stopped}


def _candidate(name, policy, value, low, high, needed):
    lift = {"value": value, "low": low, "high": high, "decisions": 12_044}
    return {"name": name, "policy": policy, **lift, "margin": 0.005, "needed": needed}


def _rail(metric, arm, mean, low, high, stopped=False):
    numbers = {"mean": mean, "low": low, "high": high, "limit": 0.1}
    return {"metric": metric, "arm": arm, **numbers, "stopped": stopped}


class Stub:
    """Serves the page, and `statuses`; asks for `key` if there is one; `broken` answers that."""

    def __init__(self, port=0):
        self.statuses, self.key, self.broken, self.asked = {}, None, None, []
        stub = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                stub.answer(self)

            def log_message(self, *words):
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._thread = Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._http.server_port}/"

    def answer(self, request):
        path = request.path.partition("?")[0]
        if path == "/":
            return _send(request, 200, "text/html; charset=utf-8", page_html())
        self.asked.append(path)
        if self.broken:
            return _send(request, self.broken, "text/plain", "no")
        if self.key and request.headers["Authorization"] != f"Bearer {self.key}":
            return _send(request, 401, "application/problem+json", "{}")
        if path == "/v1/experiments":
            return _json(request, {"experiments": [*self.statuses]})
        status = self.statuses.get(unquote(path.removeprefix("/v1/experiments/")))
        return _json(request, status) if status else _send(request, 404, "text/plain", "no")

    def close(self):
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


def _json(request, value):
    _send(request, 200, "application/json", json.dumps(value))


def _send(request, status, kind, text):
    content = text.encode()
    request.send_response(status)
    request.send_header("Content-Type", kind)
    request.send_header("Content-Length", str(len(content)))
    request.end_headers()
    request.wfile.write(content)


if __name__ == "__main__":  # to look at it
    stub = Stub(8765)
    stub.statuses = {"news": full(), "fresh": empty()}
    print(stub.url)
    time.sleep(3600)
