"""schemathesis against a server that this starts: requests made up from its own description.

    python tests/service/http/schema.py --seconds 300 --store postgresql://…

schemathesis need not be installed where bandstrap is: --schemathesis says which one to run. It ends
with its exit code. A body that is as described may still be refused by the bandit, with 422 (an arm
that is not there, say); so that is an answer to be expected, while 400 is not.
"""

import argparse
import os
import re
import secrets
import signal
import subprocess
import sys
import tempfile
from hashlib import sha256
from pathlib import Path

APP = """
[service]
port = 0
workers = 2

[keys.all]
sha256 = "{digest}"
roles = ["decide", "reward", "read", "admin"]

[experiments.news]
arms = ["a", "b", "c"]
policy = "ts"
window = "5s"

[experiments.shadow]
arms = ["a", "b", "c"]
policy = "ts"
mode = "shadow"
window = "5s"
"""
CHECKS = """
[checks.positive_data_acceptance]
expected-statuses = ["2xx", 401, 403, 404, 409, 422]
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--store", default="schema.sqlite")
    parser.add_argument("--schemathesis", default="schemathesis", help="the program")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    key = secrets.token_urlsafe()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        place.joinpath("app.toml").write_text(APP.format(digest=sha256(key.encode()).hexdigest()))
        place.joinpath("schemathesis.toml").write_text(CHECKS)
        with place.joinpath("log.txt").open("w") as log:
            server = _started(place, given.store, log)
        try:
            code = _tried(place, _address(server), key, given)
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(timeout=30)
        said = place.joinpath("log.txt").read_text().splitlines()
        odd = [line for line in said if not re.match(r"\S+Z \S+ \S+ \d+ ", line)]
        print("\n".join(["the server's log, requests left out:", *odd]))
        return code or int(bool(odd))


def _started(place: Path, store: str, log: object) -> "subprocess.Popen[str]":
    paths = os.pathsep.join(filter(None, map(os.path.abspath, sys.path)))
    return subprocess.Popen(
        [sys.executable, "-m", "bandstrap", "serve", "app.toml", "--store", store],
        cwd=place,
        env={**os.environ, "PYTHONPATH": paths},
        stdout=subprocess.PIPE,
        stderr=log,  # type: ignore[arg-type]
        text=True,
    )


def _address(server: "subprocess.Popen[str]") -> str:
    assert server.stdout is not None
    for line in server.stdout:
        if found := re.search(r"page: (\S+)/$", line):
            return found[1]
    raise SystemExit("the server did not start")


def _tried(place: Path, url: str, key: str, given: argparse.Namespace) -> int:
    command = [
        *(given.schemathesis, "--config-file", str(place / "schemathesis.toml"), "run"),
        *(f"{url}/openapi.json", "--url", url, "--max-time", str(given.seconds)),
        *("--header", f"Authorization: Bearer {key}", "--seed", str(given.seed)),
        *("--wait-for-schema", "20", "--suppress-health-check", "all", "--continue-on-failure"),
    ]
    return subprocess.run(command, cwd=place, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
