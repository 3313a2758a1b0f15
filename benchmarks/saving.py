"""Save and load a bandit with many decisions that wait, while another thread decides."""

import threading
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, sleep
from typing import Any

import numpy as np

from bandstrap import Bandit, Bootstrap, LinThompson
from output import Row, arguments, report


def waited(bandit: Bandit, context: Any, done: threading.Event) -> float:
    """The longest decision until an event, in seconds; one a millisecond, as clients would."""
    worst = 0.0
    while not done.is_set():
        begun = perf_counter()
        decision = bandit.decide(context)
        worst = max(worst, perf_counter() - begun)
        bandit.drop(decision)
        sleep(0.001)
    return worst


def measured(bandit: Bandit, context: Any, path: Path) -> Row:
    done, took = threading.Event(), []

    def save() -> None:
        begun = perf_counter()
        bandit.save(path)
        took.append(perf_counter() - begun)
        done.set()

    idle = threading.Event()
    timer = threading.Timer(1.0, idle.set)
    timer.start()
    alone = waited(bandit, context, idle)
    thread = threading.Thread(target=save)
    thread.start()
    worst = waited(bandit, context, done)
    thread.join()
    begun = perf_counter()
    Bandit.load(path)
    loaded = perf_counter() - begun
    return {
        "save s": round(took[0], 3),
        "load s": round(loaded, 3),
        "longest decision meanwhile ms": round(1000 * worst, 1),
        "longest without a save ms": round(1000 * alone, 1),
    }


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--waiting", type=int, default=60_000)
    parser.add_argument("--times", type=int, default=5)
    given = parser.parse_args()
    rows: list[Row] = []
    contexts = np.random.default_rng(0).standard_normal((given.waiting, 5))
    with TemporaryDirectory() as folder:
        for name, policy in (("wb", Bootstrap()), ("ts-lin", LinThompson())):
            bandit = Bandit(policy, ["red", "green", "blue"], seed=1)
            for context in contexts:
                bandit.decide(context if name == "ts-lin" else None)
            own = contexts[0] if name == "ts-lin" else None
            for _ in range(given.times):
                found = measured(bandit, own, Path(folder) / name)
                rows.append({"policy": name, "waiting": given.waiting, **found})
    note = f"{given.waiting:,} decisions wait, another thread decides"
    report(given.out, "saving", vars(given), rows, note)


if __name__ == "__main__":
    main()
