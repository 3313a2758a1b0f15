"""Our policies and other libraries on the very same stream: reward and CPU time per round.

Each library gets an environment of its own, made by pip in the cache folder at first use, and each
method a process of its own on one core. A library that does not install is reported with the
reason; a method that does not finish in its time is reported with the round it reached. What was
played is kept in the results folder, one file a method, data set and seed, so that the same command
goes on where it stopped.
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

import numpy as np

from bandstrap.datasets import available, found, load
from bandstrap.datasets.sources import cache
from bandstrap.errors import BandstrapError
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


@dataclass(frozen=True)
class Played:
    """A method on one data set, by seed."""

    library: str
    method: str
    results: list[Row]

    @property
    def name(self) -> str:
        return f"{self.library}: {self.method}"

    @property
    def rewards(self) -> list[float]:
        """Per step, of the seeds that were played to the end; all, if none was."""
        ended = [each for each in self.results if each["state"] == "done"]
        return [each["reward per step"] for each in ended or self.results if each["rounds"]]

    @property
    def reward(self) -> float:
        return float(np.mean(self.rewards)) if self.rewards else 0.0

    @property
    def error(self) -> float | None:
        """The standard error of the reward, over seeds."""
        count = len(self.rewards)
        return float(np.std(self.rewards, ddof=1) / np.sqrt(count)) if count > 1 else None

    def row(self) -> Row:
        first = self.results[0]
        return {
            "method": self.name,
            "reward": self.reward if self.rewards else None,
            "±": self.error,
            "µs": first.get("µs per round"),
            "µs p95": first.get("µs p95"),
            "µs at the end": first.get("µs at the end"),
            "prepare µs": first.get("prepare µs"),
            "learns every": first.get("batch"),
            "rounds": first["rounds"],
            "state": first["state"].partition(":")[0],
        }


def compare(name: str, given: Any) -> list[Played]:
    """Every method on one data set."""
    found = []
    for library in given.libraries.split(","):
        where = environment(library, given.environments)
        for method in methods_of(library, given.methods):
            results = [once(name, library, method, where, seed, given) for seed in seeds(given)]
            found.append(Played(library, method, results))
            print(f"  {name}, {found[-1].name}: {results[0]['state']}", flush=True)
    return sorted(found, key=lambda each: -each.reward)


def own() -> list[str]:
    """The labelled data sets that lie in the data folder beside those of the catalogue."""
    return [name for name in found() if _is_labelled(name)]


def _is_labelled(name: str) -> bool:
    try:
        load(name)
    except BandstrapError:
        return False
    return True


def seeds(given: Any) -> range:
    return range(given.seed, given.seed + given.seeds)


def once(name: str, library: str, method: str, where: Environment, seed: int, given: Any) -> Row:
    """What one game gave, from its file if it is there."""
    if where.python is None:
        return {"rounds": 0, "state": where.reason}
    game = f"{name}-{given.rounds}-{library}-{method.replace(' ', '-')}-{seed}.json"
    file = given.out / "peers" / game
    if file.exists():
        kept: Row = json.loads(file.read_text(encoding="utf-8"))
        return kept
    with TemporaryDirectory() as directory:
        rows = Path(directory) / "stream.npz"
        played = stream(name, given.rounds, seed)
        played.save(rows)
        result = play(library, method, where, rows, seed, given.seconds)
    sizes = {"arms": played.n_arms, "features": played.contexts.shape[1]}
    who = {"library": library, "version": where.version, "method": method, "seed": seed}
    result |= {"data": name, **sizes, **who}
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(result) + "\n", encoding="utf-8")
    return result


def verdict(name: str, played: list[Played]) -> Row:
    """The best of the others, what needs no choice, and the best of ours, on one data set."""
    data = load(name)
    ours = [each for each in played if each.library == OURS]
    theirs = [each for each in played if each.library != OURS]
    best, peer = ours[0], theirs[0] if theirs else None
    auto = next((each for each in ours if each.method == "auto"), best)
    return {
        "data set": f"{name} ({len(data.classes)} arms, {data.contexts.shape[1]} features)",
        "best peer": peer.name if peer else "–",
        "its reward": peer.reward if peer else None,
        "auto": auto.reward,
        "± difference": _error(auto, peer) if peer else None,
        "best of ours": best.method,
        "reward": best.reward,
    }


def _error(one: Played, other: Played) -> float | None:
    """The standard error of the difference, paired by seed."""
    pairs = np.array([*zip(one.rewards, other.rewards, strict=False)])
    if len(pairs) < 2:
        return None
    return float(np.std(pairs[:, 0] - pairs[:, 1], ddof=1) / np.sqrt(len(pairs)))


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
    parser.add_argument("--datasets", help="as in covtype,mnist; by default all that are here")
    parser.add_argument("--rounds", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0, help="the first")
    parser.add_argument("--seeds", type=int, default=3, help="how many")
    parser.add_argument("--seconds", type=float, default=600.0, help="time limit of each game")
    parser.add_argument("--libraries", default=",".join((OURS, *PEERS)))
    parser.add_argument("--methods", help="only these, as in wb-log,LinUCB")
    parser.add_argument("--environments", type=Path, default=cache() / "peers", help="directory")
    given = parser.parse_args()
    sys.path.append(str(FOLDER))
    names = given.datasets.split(",") if given.datasets else [*available(), *own()]
    verdicts = []
    for name in names:
        played = compare(name, given)
        if OURS in given.libraries.split(","):
            verdicts.append(verdict(name, played))
        note = (
            f"{given.rounds:,} rounds of {name}, {given.seeds} seeds; mean reward of the rounds "
            "played and its standard error, CPU microseconds a round to choose and learn, and "
            "apart from that to prepare rows (text, dictionaries, doubles); one core; libraries' "
            "defaults unless a setting is named"
        )
        report(given.out, f"peers-{name}", vars(given), [each.row() for each in played], note)
    if not verdicts:
        return
    note = "reward per step: the best of other libraries, `Auto()` as it comes, the best of ours"
    report(given.out, "verdict", vars(given), verdicts, note)


if __name__ == "__main__":
    main()
