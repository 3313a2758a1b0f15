"""Logs to read and write."""

from dataclasses import replace

import numpy as np
import pyarrow as pa

from bandstrap.evaluation.feedback import Feedback
from bandstrap.evaluation.logs import read_log

ARMS = ("blue", "green", "red")


def frame(rows=200, seed=0):
    """Columns of a table as another system may have written them."""
    rng = np.random.default_rng(seed)
    chances = rng.dirichlet([4.0, 4.0, 4.0], rows)
    chosen = np.array([rng.choice(3, p=each) for each in chances])
    return {
        "when": [f"2024-03-{1 + i // 50:02d}T10:{i % 50:02d}:00" for i in range(rows)],
        "age": rng.integers(18, 80, rows).astype(float),
        "city": rng.choice(["Oslo", "Rome", "Bern"], rows).tolist(),
        "variant": [ARMS[arm] for arm in chosen],
        "prob": chances[np.arange(rows), chosen],
        "clicked": (rng.random(rows) < 0.3).astype(float),
    }


def feedback(rows=200, seed=0, missing=False, counts=False) -> Feedback:
    """A log with text, numbers, all probabilities and times."""
    rng = np.random.default_rng(seed)
    made = read_log(pa.table(frame(rows, seed)))
    others = rng.dirichlet([1.0, 1.0], rows)
    probabilities = np.zeros((rows, 3))
    for row, arm in enumerate(made.chosen):
        probabilities[row, [each for each in range(3) if each != arm]] = (
            1 - made.propensities[row]
        ) * others[row]
        probabilities[row, arm] = made.propensities[row]
    rewards = rng.normal(size=rows)
    if missing:
        rewards[::7] = np.nan
    return replace(
        made,
        rewards=rewards,
        probabilities=probabilities,
        times=made.times + rng.random(rows),
        counts=rng.choice([1.0, 2.0, 4.0], rows) if counts else None,
    )
