"""What a decision and its reward cost, and a load, beside another version of this package.

    git worktree add /tmp/before 1cb601b
    python benchmarks/before.py --other /tmp/before/src

Two processes, one of each version, play every policy that both have in turns: a block of rounds
here, the same block there. Times are medians over blocks, and of `Bandit.load` of a file that the
same version has saved; of the processor's time. Above 1 this version is slower.
"""

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np

HISTORY = 200  # rewards that are learnt first
ARMS, FEATURES = 5, 10
BLOCKS = (3, 25)  # as many as fit into seconds of one version
SECONDS = 3.0
BLOCK = 0.03  # seconds, about
MOST = 300  # rounds of a block
LOADS = 7


class Player:
    """What one version does, for the process that asks."""

    def __init__(self) -> None:
        from bandstrap.policies import POLICIES

        try:
            from bandstrap.policies.registry import CONTEXTUAL
        except ImportError:  # where earlier versions had them
            from bandstrap.policies.contextual import CONTEXTUAL
        self.makers: dict[str, Any] = {**POLICIES, **CONTEXTUAL}
        self.without = {*POLICIES}

    def names(self) -> list[str]:
        return [*self.makers]

    def start(self, name: str) -> None:
        from bandstrap import Bandit, EigenExamples, Support

        prior = () if name in self.without else (EigenExamples(np.eye(FEATURES)),)
        policy = self.makers[name](*prior)
        self.bandit = Bandit(policy, range(ARMS), seed=1, rewards=Support.binary())
        self.rng, self.contexts = np.random.default_rng(1), name not in self.without
        self.truth = self.rng.standard_normal((ARMS, FEATURES))
        for i in range(HISTORY):
            x = self._context()
            self.bandit.learn(context=x, arm=i % ARMS, reward=self._reward(x, i % ARMS))
        self.play(1)  # compiles

    def play(self, rounds: int) -> float:
        """Seconds of a round."""
        contexts = [self._context() for _ in range(rounds)]
        began = process_time()
        for x in contexts:
            decision = self.bandit.decide(x)
            self.bandit.learn(decision, self._reward(x, decision.arm))
        return max(process_time() - began, 1e-7) / rounds

    def save(self, path: str) -> None:
        self.bandit.save(Path(path))

    def load(self, path: str) -> float:
        from bandstrap import Bandit

        began = process_time()
        Bandit.load(Path(path))
        return process_time() - began

    def _context(self) -> Any:
        return self.rng.standard_normal(FEATURES) if self.contexts else None

    def _reward(self, x: Any, arm: int) -> float:
        pays = 0.3 + 0.1 * arm if x is None else 1 / (1 + np.exp(-self.truth[arm] @ x))
        return float(self.rng.random() < pays)


def serve() -> None:
    """Answer each line with a line, until there are no more."""
    warnings.simplefilter("ignore")
    player = Player()
    for line in sys.stdin:
        method, *given = json.loads(line)
        print(json.dumps(getattr(player, method)(*given)), flush=True)


class Version:
    """A process that plays with one version."""

    def __init__(self, source: Path) -> None:
        one = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **one, "PYTHONPATH": str(source)},
            text=True,
        )

    def ask(self, *request: Any) -> Any:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise SystemExit(f"{request} failed")
        return json.loads(answer)

    def end(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def compared(versions: dict[str, Version], names: dict[str, str], folder: Path) -> dict[str, Any]:
    """The row of a policy, of which each version has its own name."""
    for key, version in versions.items():
        version.ask("start", names[key])
    slower = max(version.ask("play", 1) for version in versions.values())
    rounds = int(np.clip(BLOCK / slower, 1, MOST))
    blocks = int(np.clip(SECONDS / (rounds * slower), *BLOCKS))
    seconds = _in_turns(versions, blocks, lambda key: ("play", rounds))
    for key, version in versions.items():
        version.ask("save", str(folder / key))
    loads = _in_turns(versions, LOADS, lambda key: ("load", str(folder / key)))
    return {
        "policy": names["here"],
        "before µs": 1e6 * seconds["before"],
        "here µs": 1e6 * seconds["here"],
        "ratio": seconds["here"] / seconds["before"],
        "load before ms": 1e3 * loads["before"],
        "load here ms": 1e3 * loads["here"],
        "load ratio": loads["here"] / loads["before"],
    }


def _in_turns(versions: dict[str, Version], times: int, request: Any) -> dict[str, float]:
    """The median of what each answers; each is first in every other turn."""
    found: dict[str, list[float]] = {key: [] for key in versions}
    for turn in range(times):
        for key in [*versions][:: 1 if turn % 2 else -1]:
            found[key].append(versions[key].ask(*request(key)))
    return {key: median(each) for key, each in found.items()}


def shared(versions: dict[str, Version]) -> dict[str, dict[str, str]]:
    """The name of each policy in each version, by its name here; some were renamed."""
    from bandstrap.policies.registry import FORMER

    here = {*versions["here"].ask("names")}
    before = versions["before"].ask("names")
    known = {FORMER.get(name, name): name for name in before}
    left = sorted(known.keys() - here)
    if left:
        print(f"not here: {', '.join(left)}", flush=True)
    return {new: {"here": new, "before": old} for new, old in known.items() if new in here}


def main() -> None:
    from output import arguments, report, write

    parser = arguments(__doc__)
    parser.add_argument("--other", type=Path, required=True, help="the folder src of another one")
    parser.add_argument("--policies", help="all that both have if not given, else as in wb,ts")
    given = parser.parse_args()
    here = Path(__file__).parents[1] / "src"
    versions = {"before": Version(given.other), "here": Version(here)}
    both, rows = shared(versions), []
    asked = given.policies.split(",") if given.policies else [*both]
    chosen = [name for name in asked if name in both]
    if len(chosen) < len(asked):
        print(f"not in both: {', '.join(sorted({*asked} - both.keys()))}", flush=True)
    settings = {"arms": ARMS, "features": FEATURES, "history": HISTORY, "policies": given.policies}
    note = f"{ARMS} arms, {FEATURES} features, after {HISTORY} rewards; both versions in turns"
    with TemporaryDirectory() as folder:
        for done, name in enumerate(chosen, 1):
            rows.append(compared(versions, both[name], Path(folder)))
            write(given.out, "before", settings, rows, note)
            print(f"{done} of {len(chosen)}: {name} {rows[-1]['ratio']:.2f}", flush=True)
    for version in versions.values():
        version.end()
    report(given.out, "before", settings, rows, note)


if __name__ == "__main__":
    serve() if sys.argv[1:] == ["--serve"] else main()
