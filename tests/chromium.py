"""A real Chromium, driven through a pipe by its DevTools protocol; needs no other package."""

import base64
import itertools
import json
import os
import select
import shutil
import subprocess
import sys
import time

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)
# The browser reads commands from 3 and writes answers to 4.
STARTER = """
import fcntl, os, sys
commands, answers = (fcntl.fcntl(int(each), fcntl.F_DUPFD, 10) for each in sys.argv[1:3])
os.dup2(commands, 3)
os.dup2(answers, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""
DEADLINE = 60.0  # seconds for any one answer


def executable():
    """Where Chromium is, or None."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return next((path for path in map(shutil.which, names) if path), None)


class Chromium:
    """One browser with one page. Events are kept in the order in which they came."""

    def __init__(self, profile):
        to_browser, self._writer = os.pipe()
        self._reader, from_browser = os.pipe()
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-S", "-c", STARTER, str(to_browser), str(from_browser)),
                *(executable(), *FLAGS, f"--user-data-dir={profile}", "about:blank"),
            ],
            pass_fds=(to_browser, from_browser),
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._numbers = itertools.count(1)
        self._rest = b""
        self._session = None
        self.events = []
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(each for each in targets if each["type"] == "page")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=page, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Performance.enable", timeDomain="threadTicks")

    def close(self):
        self._process.terminate()
        self._process.wait(DEADLINE)
        os.close(self._writer)
        os.close(self._reader)

    def call(self, method, **parameters):
        """The answer to a command."""
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._writer, json.dumps(message).encode() + b"\0")
        answer = self._until(lambda each: each.get("id") == number)
        assert "error" not in answer, (method, answer["error"])
        return answer["result"]

    def wait_for(self, method):
        """The next event of a kind."""
        return self._until(lambda each: each.get("method") == method)

    def open(self, path):
        """Go to a file and wait until its figures are drawn."""
        self.go(path.as_uri())
        self.until("document.documentElement.dataset.drawn")

    def go(self, address):
        """Go to an address and wait until it is loaded."""
        self.events.clear()
        self.call("Page.navigate", url=address)
        self.wait_for("Page.loadEventFired")

    def run(self, code):
        """The value of some JavaScript; promises are awaited."""
        answer = self.call(
            "Runtime.evaluate", expression=code, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def until(self, code):
        """Wait, a frame at a time, until some JavaScript is true."""
        loop = "const look = () => ({}) ? done() : requestAnimationFrame(look); look()".format
        self.run(f"new Promise((done) => {{ {loop(code)} }})")

    def busy(self):
        """Milliseconds of processor time that the page has taken so far."""
        metrics = self.call("Performance.getMetrics")["metrics"]
        return 1e3 * next(each["value"] for each in metrics if each["name"] == "TaskDuration")

    def key(self, name, code=0, text=""):
        """Press a key."""
        more = {"text": text} if text else {}
        parameters = {"key": name, "code": name, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown", **parameters, **more)
        self.call("Input.dispatchKeyEvent", type="keyUp", **parameters)

    def mouse(self, x, y, kind="mouseMoved", **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, selector):
        """Click the middle of an element with the mouse."""
        x, y = self.run(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            "e.scrollIntoView({block: 'center', behavior: 'instant'});"
            "const b = e.getBoundingClientRect();"
            "return [b.x + b.width / 2, b.y + b.height / 2] })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(x, y, kind, button="left", clickCount=1)

    def size(self, width, height):
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1}
        self.call("Emulation.setDeviceMetricsOverride", mobile=width < 600, **metrics)

    def prefers(self, scheme):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", features=features)

    def screenshot(self, path, whole=True):
        answer = self.call("Page.captureScreenshot", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(answer["data"]))

    def _until(self, wanted):
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end:
            for message in self._messages(end):
                if wanted(message):
                    return message
        raise TimeoutError("Chromium does not do what is waited for")

    def _messages(self, end):
        """What has come, one by one; events are kept."""
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._reader], [], [], max(end - time.monotonic(), 0))
            assert ready, "Chromium does not answer"
            came = os.read(self._reader, 1 << 20)
            assert came, "Chromium has ended"
            self._rest += came
        while b"\0" in self._rest:
            text, self._rest = self._rest.split(b"\0", 1)
            message = json.loads(text)
            if "method" in message:
                self.events.append(message)
            yield message
