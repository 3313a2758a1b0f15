"""Vowpal Wabbit: contextual bandits on lines of text. Costs are 1 - reward."""

from collections.abc import Callable
from typing import Any

import numpy as np
from player import Method, Player, Task

Lines = str | list[str]


def bagged(context: str, n_arms: int, label: tuple[int, str] | None) -> Lines:
    """One line; arms are known by number, from 1."""
    return f"| {context}" if label is None else f"{label[0] + 1}:{label[1]} | {context}"


def by_action(context: str, n_arms: int, label: tuple[int, str] | None) -> Lines:
    """A line for the context and one for each arm."""
    lines = [f"shared |s {context}", *(f"|a {arm}" for arm in range(n_arms))]
    if label is not None:
        lines[label[0] + 1] = f"0:{label[1]} {lines[label[0] + 1]}"
    return lines


class VowpalWabbit(Player):
    """Draws an arm by the probabilities that it predicts; its own draws are not offered."""

    def __init__(self, task: Task, options: str, form: Callable[..., Lines]) -> None:
        from vowpalwabbit import Workspace

        super().__init__(task)
        self.workspace: Any = Workspace(f"{options} --quiet --random_seed {task.seed + 1}")
        self.form = form
        self.shares: list[float] = []

    def prepare(self, contexts: np.ndarray) -> list[str]:
        features = super().prepare(contexts)
        return [" ".join(f"{i}:{row[i]:.6g}" for i in np.flatnonzero(row)) for row in features]

    def choose(self, prepared: list[str]) -> np.ndarray:
        self.shares = []
        return np.array([self._drawn(line) for line in prepared])

    def learn(self, prepared: list[str], arms: np.ndarray, rewards: np.ndarray) -> None:
        for line, arm, reward, share in zip(prepared, arms, rewards, self.shares, strict=True):
            label = (int(arm), f"{1 - reward:g}:{share:.6g}")
            self.workspace.learn(self.form(line, self.task.n_arms, label))

    def _drawn(self, line: str) -> int:
        shares = self.workspace.predict(self.form(line, self.task.n_arms, None))
        ends = np.cumsum(shares)
        arm = min(int(np.searchsorted(ends, self.rng.random() * ends[-1])), len(ends) - 1)
        self.shares.append(max(shares[arm], 1e-6))
        return arm


METHODS = {
    "squarecb adf": Method(
        lambda task: VowpalWabbit(task, "--cb_explore_adf --squarecb -q sa", by_action)
    ),
    "bag 10": Method(
        lambda task: VowpalWabbit(task, f"--cb_explore {task.n_arms} --bag 10", bagged)
    ),
}
