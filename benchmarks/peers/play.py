"""Play one method of one adapter on a stream from a file; reward and CPU time go to a file.

Runs in the environment of the library that the adapter wraps.
"""

import json
import sys
from argparse import ArgumentParser
from importlib import import_module
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
from player import Method, Player, Task

WARM_UP = 200  # rows played beforehand by another player: compilation and imports are not timed
POINTS = 50  # of the trace
PAUSE = 5.0  # seconds between files written


class Game:
    """Rounds played so far, what they paid and what they cost."""

    def __init__(self, contexts: np.ndarray, labels: np.ndarray, batch: int) -> None:
        self.contexts, self.labels, self.batch = contexts, labels, batch
        self.round = 0
        self.reward = 0.0
        self.seconds = {"prepare": 0.0, "play": 0.0}
        self.each: list[float] = []  # seconds of play a row, by batch
        self.trace: list[tuple[int, float]] = []

    def step(self, player: Player) -> None:
        """One batch: choose for its rows, then learn."""
        rows = slice(self.round, self.round + self.batch)
        labels = self.labels[rows]
        started = process_time()
        prepared = player.prepare(self.contexts[rows])
        ready = process_time()
        arms = np.asarray(player.choose(prepared))
        rewards = (arms == labels).astype(np.float64)
        player.learn(prepared, arms, rewards)
        self.seconds["prepare"] += ready - started
        played = process_time() - ready
        self.seconds["play"] += played
        self.each.append(played / len(labels))
        before, self.round = self.round, self.round + len(labels)
        self.reward += float(rewards.sum())
        every = max(1, len(self.labels) // POINTS)
        if self.round // every > before // every:
            self.trace.append((self.round, self.reward))

    def result(self, state: str) -> dict[str, Any]:
        rounds = max(self.round, 1)
        return {
            "state": state,
            "rounds": self.round,
            "batch": self.batch,
            "reward per step": self.reward / rounds,
            "µs per round": 1e6 * self.seconds["play"] / rounds,
            "µs p95": 1e6 * float(np.percentile(self.each or [0.0], 95)),
            "µs at the end": 1e6
            * float(np.mean(self.each[-max(1, len(self.each) // 10) :] or [0])),
            "prepare µs": 1e6 * self.seconds["prepare"] / rounds,
            "trace": self.trace,
        }


def play(method: Method, file: Path, seed: int, limit: float, out: Path) -> None:
    """Play until the stream or the time ends; `out` always holds the last state."""
    with np.load(file) as stream:
        contexts, labels = stream["contexts"], stream["labels"]
        task = Task(int(stream["n_arms"]), contexts.shape[1], float(stream["unit"]), seed)
    batch = method.batch_for(task.n_features)
    warm, player = method.make(task), method.make(task)
    practice = Game(contexts[:WARM_UP], labels[:WARM_UP], min(batch, WARM_UP // 2))
    while practice.round < len(practice.labels):
        practice.step(warm)
    game = Game(contexts, labels, batch)
    started = written = perf_counter()
    while game.round < len(labels) and perf_counter() - started < limit:
        game.step(player)
        if perf_counter() - written > PAUSE:
            out.write_text(json.dumps(game.result("stopped")), encoding="utf-8")
            written = perf_counter()
    state = "done" if game.round == len(labels) else "stopped"
    out.write_text(json.dumps(game.result(state)), encoding="utf-8")


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("adapter", type=Path)
    parser.add_argument("method")
    parser.add_argument("stream", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=600.0)
    given = parser.parse_args()
    sys.path.append(str(given.adapter.parent))
    methods: dict[str, Method] = import_module(given.adapter.stem).METHODS
    play(methods[given.method], given.stream, given.seed, given.seconds, given.out)


if __name__ == "__main__":
    main()
