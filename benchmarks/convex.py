"""Convex models: what a round costs, how far draws are from solved ones, and reward, by mode.

Histories are what a policy of middling skill would have: the right arm in seven of ten rounds, else
any. Whether draws are solved is the question of solved.py.
"""

from time import thread_time
from typing import Any

import numpy as np
from scipy.special import expit

from bandstrap.datasets import load
from bandstrap.models import GaussianLimit, Grouped, LinearRegression, LogisticRegression, OneStep
from bandstrap.models.base import draw_scores
from bandstrap.policies import ContextualBootstrap
from bandstrap.priors import EigenExamples
from bandstrap.problem import Problem
from bandstrap.resampling import Exponential, GaussianNoise, Multinomial, NoResampling
from output import Row, arguments, report

SKILL = 0.7
LOGISTIC, LINEAR = LogisticRegression(), LinearRegression()
MODES: dict[str, tuple[Any, Any]] = {
    "wb-log": (Exponential(), LOGISTIC),
    "npb-log": (Multinomial(), LOGISTIC),
    "wb-log-onestep": (Exponential(), OneStep(LOGISTIC)),
    "wb-log-grouped": (Exponential(), Grouped(LOGISTIC)),
    "wb-log-gaussian": (Exponential(), GaussianLimit(LOGISTIC)),
    "greedy-log": (NoResampling(), LOGISTIC),
    "wb-lin": (Exponential(), LINEAR),
    "wb-lin-gaussian": (Exponential(), GaussianLimit(LINEAR)),
    "noise-lin": (GaussianNoise(), LINEAR),
}


class World:
    """A data set in random order, and the prior that knows its covariance."""

    def __init__(self, name: str, seed: int) -> None:
        data = load(name)
        order = np.random.default_rng(seed).permutation(data.labels.size)
        self.name = name
        self.x, self.y = data.contexts[order], data.labels[order].astype(int)
        self.n_arms = len(data.classes)
        self.problem = Problem(self.n_arms, self.x.shape[1])
        self.prior = EigenExamples(data.covariance)
        self.all_arms = np.ones(self.n_arms, dtype=np.bool_)

    def row(self, i: int) -> int:
        return i % self.y.size

    def taught(self, mode: str, n: int, model: Any = None) -> Any:
        """A learner with a history of n rows."""
        scheme, default = MODES[mode]
        learner = (model or default).learner(self.problem, scheme, self.prior)
        self.teach(learner, 0, n)
        return learner

    def teach(self, learner: Any, begin: int, end: int) -> None:
        rng = np.random.default_rng(begin)
        for i in range(begin, end):
            label = self.y[self.row(i)]
            arm = label if rng.random() < SKILL else rng.integers(self.n_arms)
            learner.learn(self.x[self.row(i)], int(arm), float(arm == label), rng)


def costs(world: World, modes: list[str], lengths: list[int], rounds: int) -> list[Row]:
    """CPU microseconds a round (choose and learn) around each history length."""
    rows = []
    for mode in modes:
        row: Row = {"data": world.name, "mode": mode}
        for n in lengths:
            learner = world.taught(mode, n)
            rng = np.random.default_rng(1)
            learner.best(world.x[0], rng, world.all_arms)
            began = thread_time()
            for i in range(n, n + rounds):
                learner.best(world.x[world.row(i)], rng, world.all_arms)
                world.teach(learner, i, i + 1)
            row[f"µs at {n}"] = 1e6 * (thread_time() - began) / rounds
        rows.append(row)
    return rows


def rewards(world: World, modes: list[str], horizon: int) -> list[Row]:
    """Mean reward and cost of playing."""
    rows = []
    for mode in modes:
        policy = ContextualBootstrap(*MODES[mode], world.prior)
        state = policy.start(world.problem)
        rng, earned, began = np.random.default_rng(1), 0.0, thread_time()
        for i in range(horizon):
            context = world.x[world.row(i)][None]
            arm = policy.select(state, context, rng)
            reward = (arm == world.y[world.row(i)]).astype(np.float64)
            policy.update(state, context, arm, reward, rng)
            earned += float(reward[0])
        cost = 1e6 * (thread_time() - began) / horizon
        row: Row = {"data": world.name, "mode": mode, "rounds": horizon}
        rows.append(row | {"reward": earned / horizon, "µs a round": cost})
    return rows


def distances(world: World, n: int, draws: int) -> list[Row]:
    """How far the modes' scores are from solved ones, in standard deviations of these."""
    context = world.x[world.row(n + 1)]
    rows = []
    center = spread = np.zeros(0)
    for mode in ("wb-log", "wb-log-onestep", "wb-log-grouped", "wb-log-gaussian"):
        learner = world.taught(mode, n, LogisticRegression(tolerance=1e-6) if not rows else None)
        rng = np.random.default_rng(2)
        drawn = np.array([draw_scores(learner, context, rng) for _ in range(draws)])
        margins = np.log(np.maximum(drawn, 1e-300)) - np.log1p(-np.minimum(drawn, 1 - 1e-16))
        if not rows:
            center, spread = margins.mean(axis=0), margins.std(axis=0)
        shift = np.abs(margins.mean(axis=0) - center) / spread
        row: Row = {"data": world.name, "mode": mode, "rows": n, "draws": draws}
        row |= {
            "shift": float(shift.mean()),
            "spread": float((margins.std(axis=0) / spread).mean()),
        }
        rows.append(row | {"mean score": float(expit(margins).mean())})
    return rows


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--data", nargs="+", default=["digits"])
    parser.add_argument("--parts", nargs="+", default=["costs", "distances"])
    parser.add_argument("--modes", nargs="+", default=list(MODES))
    parser.add_argument("--lengths", nargs="+", type=int, default=[100, 1000])
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--horizon", type=int, default=2000)
    given = parser.parse_args()
    for name in given.data:
        world = World(name, seed=0)
        makers = {
            "costs": lambda w: costs(w, given.modes, given.lengths, given.rounds),
            "distances": lambda w: distances(w, max(given.lengths), given.rounds),
            "rewards": lambda w: rewards(w, given.modes, given.horizon),
        }
        for part in given.parts:
            rows = makers[part](world)
            report(given.out, f"convex-{part}-{name}", vars(given), rows, part)


if __name__ == "__main__":
    main()
