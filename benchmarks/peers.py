"""Our policies and other libraries on the very same stream: reward and CPU time per round.

Each library gets an environment of its own, made by pip in the cache folder at first use, and each
method a process of its own on one core. A library that does not install is reported with the
reason; a method that does not finish in its time is reported with the round it reached.
"""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bandstrap.datasets.sources import cache
from output import Row, arguments, report
from streams import stream

FOLDER = Path(__file__).parent / "peers"
OURS = "bandstrap"
PEERS = ("contextualbandits", "mabwiser", "vowpalwabbit", "river", "bayesianbandits")
GRACE = 2.0  # times its limit after which a process that does not look at the clock is ended
START = 180.0  # seconds for imports, compilation and practice
SETUP = 1800.0  # seconds for pip; some peers are built from source


@dataclass(frozen=True)
class Environment:
    """A Python that can play a library, or the reason why there is none."""

    python: str | None
    version: str = ""
    reason: str = ""


def environment(library: str, folder: Path) -> Environment:
    """The library's own environment; made if it is not there."""
    if library == OURS:
        from bandstrap import __version__

        return Environment(sys.executable, __version__)
    root = folder / library
    python, mark = root / "bin" / "python", root / "version"
    if not mark.exists():
        try:
            _run([sys.executable, "-m", "venv", "--clear", str(root)], SETUP)
            _run([str(python), "-m", "pip", "install", "--quiet", library, "numpy"], SETUP)
            show = "from importlib.metadata import version; print(version('{}'))"
            mark.write_text(_run([str(python), "-c", show.format(library)], 60).strip())
        except (OSError, subprocess.SubprocessError) as failure:
            return Environment(None, reason=f"not installed: {reason_of(failure)}")
    return Environment(str(python), mark.read_text())


def reason_of(failure: Exception) -> str:
    """The line of a failed command that says why."""
    if isinstance(failure, subprocess.TimeoutExpired):
        return f"took more than {failure.timeout:.0f} s"
    text = failure.stderr if isinstance(failure, subprocess.CalledProcessError) else str(failure)
    lines = [line.strip() for line in (text or "").splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower()]
    return (errors or lines or [type(failure).__name__])[-1][:200]


def play(library: str, method: str, where: Environment, file: Path, seed: int, limit: float) -> Row:
    """What the method's process wrote."""
    out = file.with_suffix(".json")
    out.unlink(missing_ok=True)
    adapter = FOLDER / f"with_{library}.py"
    command = [
        str(where.python),
        str(FOLDER / "play.py"),
        str(adapter),
        method,
        str(file),
        str(out),
    ]
    options = [f"--seed={seed}", f"--seconds={limit}"]
    state = ""
    try:
        _run(command + options, GRACE * limit + START)
    except subprocess.SubprocessError as failure:
        timeout = isinstance(failure, subprocess.TimeoutExpired)
        state = "stopped" if timeout else f"failed: {reason_of(failure)}"
    result: Row = json.loads(out.read_text()) if out.exists() else {"rounds": 0, "state": "stopped"}
    return result | ({"state": state} if state else {})


def row_of(library: str, method: str, result: Row) -> Row:
    batch = result.get("batch")
    return {
        "method": f"{library}: {method}",
        "reward": result.get("reward per step"),
        "µs": result.get("µs per round"),
        "prepare µs": result.get("prepare µs"),
        "learns every": batch,
        "rounds": result["rounds"],
        "state": result["state"].partition(":")[0],
    }


def compare(name: str, given: Any, details: Row) -> list[Row]:
    """A row for each method on one data set; `details` takes versions, reasons and traces."""
    rows = []
    with TemporaryDirectory() as directory:
        file = Path(directory) / "stream.npz"
        stream(name, given.rounds, given.seed).save(file)
        for library in given.libraries.split(","):
            where = environment(library, given.environments)
            for method in methods_of(library, given.methods):
                result: Row = {"rounds": 0, "state": where.reason}
                if where.python is not None:
                    result = play(library, method, where, file, given.seed, given.seconds)
                rows.append(row_of(library, method, result))
                details[rows[-1]["method"]] = {
                    "version": where.version,
                    "state": result["state"],
                    "trace": result.get("trace"),
                }
                print(f"  {name}, {rows[-1]['method']}: {result['state']}", flush=True)
    return sorted(rows, key=lambda row: -(row["reward"] or 0.0))


def methods_of(library: str, wanted: str | None) -> list[str]:
    methods = import_module(f"with_{library}").METHODS
    return [name for name in methods if wanted is None or name in wanted.split(",")]


def _run(command: list[str], limit: float) -> str:
    """A command's output; one core, and nothing of our own on its path."""
    threads = ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "VECLIB_MAXIMUM", "NUMBA")
    env = os.environ | {f"{name}_NUM_THREADS": "1" for name in threads}
    if command[0] != sys.executable:
        env.pop("PYTHONPATH", None)
    done = subprocess.run(
        command, env=env, timeout=limit, check=True, capture_output=True, text=True
    )  # fmt: skip
    return done.stdout


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--datasets", default="covtype,mnist", help="as in covtype,mnist")
    parser.add_argument("--rounds", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=600.0, help="time limit of each method")
    parser.add_argument("--libraries", default=",".join((OURS, *PEERS)))
    parser.add_argument("--methods", help="only these, as in wb-log,LinUCB")
    parser.add_argument("--environments", type=Path, default=cache() / "peers", help="directory")
    given = parser.parse_args()
    sys.path.append(str(FOLDER))
    for name in given.datasets.split(","):
        details: Row = {}
        rows = compare(name, given, details)
        note = (
            f"{given.rounds:,} rounds of {name}, seed {given.seed}; mean reward of the rounds "
            "played, CPU microseconds a round to choose and learn, and apart from that to prepare "
            "rows (text, dictionaries, doubles); one core; libraries' defaults unless a setting is "
            "named"
        )
        report(given.out, f"peers-{name}", vars(given) | {"details": details}, rows, note)


if __name__ == "__main__":
    main()
