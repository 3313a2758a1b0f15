"""The law of bootstrap draws on 0/1 rewards, beside the posterior that it should be."""

from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from scipy.stats import beta

from bandstrap import Bootstrap, Problem, Support
from svg import COLOURS

HISTORIES = ((1, 2), (8, 5), (60, 60))  # ones and zeros
DRAWS = 20_000


def scores(ones: int, zeros: int) -> np.ndarray:
    """Draws of what `Bootstrap()` takes an arm to be worth, given a history."""
    policy, rng = Bootstrap(), np.random.default_rng(1)
    state = policy.start(Problem(2, support=Support.binary()), runs=DRAWS)
    arms = np.zeros(DRAWS, dtype=np.int64)
    for reward in [1.0] * ones + [0.0] * zeros:
        policy.update(state, None, arms, np.full(DRAWS, reward))
    return policy.scores(state, None, rng)[:, 0]


def draw_laws(path: Path) -> None:
    grid = np.linspace(0.001, 0.999, 400)
    with mpl.rc_context({"svg.hashsalt": "bandstrap", "font.size": 11}):
        figure = Figure(figsize=(9, 3), layout="constrained")
        axes = figure.subplots(1, len(HISTORIES))
        for axis, (ones, zeros) in zip(axes, HISTORIES, strict=True):
            drawn = scores(ones, zeros)
            style = {"color": COLOURS[0], "alpha": 0.35}
            axis.hist(drawn, bins=60, range=(0, 1), density=True, **style, label="bootstrap draws")
            posterior = beta(1 + ones, 1 + zeros).pdf(grid)
            axis.plot(grid, posterior, color=COLOURS[1], lw=2, label="Beta posterior")
            axis.set(title=f"{ones} ones, {zeros} zeros", xlim=(0, 1), yticks=[], xlabel="worth")
            axis.spines[["top", "left", "right"]].set_visible(False)
        handles, labels = axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=2, frameon=False)
        figure.savefig(path, metadata={"Date": None})
