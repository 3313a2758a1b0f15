"""A million updates on features that are near copies, badly scaled, or growing.

Whatever a learner keeps up one reward at a time is compared with the same thing computed at once
from the whole history: the mean of a margin in units of its spread, and the spread itself.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import fresh
from bandstrap.models import GaussianLimit, LinearRegression, LogisticRegression, Replicas
from bandstrap.models.online.replicas import OnlineLogistic
from bandstrap.policies import (
    GLMUCB,
    ContextualBootstrap,
    FixedSpread,
    FixedWidth,
    LaplaceThompson,
    LinThompson,
    LinUCB,
    LogBonus,
    Policy,
)
from bandstrap.priors import NoExamples
from bandstrap.problem import Problem, Support
from bandstrap.resampling import Exponential, GaussianNoise
from output import Row, arguments, report

FEATURES = 5
DRAWS = 4000
TINY = 1e-6  # what rounding may do to a score, in units of its spread and size
Reference = Callable[[np.ndarray, np.ndarray, np.ndarray], fresh.Moments]


def copies(n: int, rng: np.random.Generator) -> np.ndarray:
    """Three features that differ in the sixth digit, and two of their own."""
    x = rng.normal(size=(n, FEATURES))
    x[:, 1:3] = x[:, :1] + 1e-5 * x[:, 1:3]
    return x


def scales(n: int, rng: np.random.Generator) -> np.ndarray:
    """Features of sizes from a ten-thousandth to ten thousand."""
    return rng.normal(size=(n, FEATURES)) * 10.0 ** np.linspace(-4, 4, FEATURES)


def drift(n: int, rng: np.random.Generator) -> np.ndarray:
    """Features that grow from a thousandth to a thousand over time."""
    return rng.normal(size=(n, FEATURES)) * 10.0 ** np.linspace(-3, 3, n)[:, None]


STREAMS = {"copies": copies, "scales": scales, "drift": drift}


@dataclass(frozen=True)
class Case:
    """A policy, what its scores should be, and by how much they may differ.

    `margins` turns scores into margins. Where scores are not drawn, `fixed` makes them from the
    mean and the spread. `mean` is a tolerance in units of the spread, `spread` a relative one;
    where features grow both may be larger by a factor of `lag`.
    """

    policy: Policy[Any]
    reference: Reference
    mean: float = TINY
    spread: float = TINY
    margins: Callable[[np.ndarray], np.ndarray] = np.asarray
    fixed: Callable[[fresh.Moments, int], np.ndarray] | None = None
    lag: float = 1.0


def logit(shares: np.ndarray) -> np.ndarray:
    return np.log(shares) - np.log1p(-shares)


def glm_scores(moments: fresh.Moments, rounds: int) -> np.ndarray:
    bonus = LogBonus().size(rounds, FEATURES + 1)
    return 1.0 / (1.0 + np.exp(-moments[0])) + bonus * moments[1]


def glm(contexts: np.ndarray, rewards: np.ndarray, probes: np.ndarray) -> fresh.Moments:
    """Margins of the logistic model, with the spread of the linear one."""
    means, _ = fresh.assumed_density(contexts, rewards, probes)
    return means, fresh.ridge(contexts, rewards, probes)[1]


def shares(contexts: np.ndarray, rewards: np.ndarray, probes: np.ndarray) -> fresh.Moments:
    """Probabilities without any penalty, to be met within a share of 1 and not of a spread."""
    margins, _ = fresh.logistic(contexts, rewards, probes, 0.0, 1.0)
    return 1.0 / (1.0 + np.exp(-margins)), np.ones(len(probes))


# Sampling leaves 1.6% of the spread in a mean of 4000 draws and 1.1% in their deviation. The
# Gaussian limit lags a little by design: θ̂ takes one step a reward until it is made anew. Where
# features grow for ever, so that old rewards mean nothing, that is two spreads and not thirty.
# Small steps come near the fit, not to it, and lose the way where features grow within thousands.
CASES = {
    "LinUCB": Case(
        LinUCB(FixedWidth(1.0)), fresh.ridge, fixed=lambda moments, rounds: sum(moments)
    ),
    "GLM-UCB": Case(GLMUCB(), glm, fixed=glm_scores),
    "LinThompson": Case(LinThompson(FixedSpread(1.0)), fresh.ridge, 0.1, 0.06),
    "LaplaceThompson": Case(LaplaceThompson(), fresh.assumed_density, 0.1, 0.06),
    "AdditiveLearner": Case(
        ContextualBootstrap(GaussianNoise(0.5), LinearRegression(), NoExamples()),
        lambda x, y, probes: fresh.noisy(x, y, probes, 1e-4, 0.5),
        0.1,
        0.06,
    ),
    "GaussianLimit": Case(
        ContextualBootstrap(Exponential(), GaussianLimit(LogisticRegression()), NoExamples()),
        lambda x, y, probes: fresh.logistic(x, y, probes, 1e-4, 1.0),
        0.3,
        0.15,
        logit,
        lag=6.0,
    ),
    "Replicas": Case(
        ContextualBootstrap(Exponential(), Replicas(OnlineLogistic()), NoExamples()),
        shares,
        0.1,
        np.inf,
        lag=6.0,
    ),
}


def history(stream: str, rounds: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Contexts, and rewards that depend on three of them in units of their size at the time."""
    rng = np.random.default_rng(seed)
    contexts = STREAMS[stream](rounds, rng)
    growth = 10.0 ** np.linspace(-3, 3, rounds)[:, None] if stream == "drift" else 1.0
    units = contexts[:, [0, 3, 4]] / growth
    margins = units / units.std(axis=0) @ np.array([1.0, -0.7, 0.4]) - 0.3
    rewards = rng.random(rounds) < 1.0 / (1.0 + np.exp(-margins))
    return contexts, rewards.astype(np.float64)


def endure(name: str, stream: str, rounds: int, seed: int = 0) -> Row:
    """Play one arm for `rounds` rounds; how far its scores are from what they should be."""
    case, (contexts, rewards) = CASES[name], history(stream, rounds, seed)
    rng = np.random.default_rng([seed, 1])
    state = case.policy.start(Problem(1, FEATURES, Support.binary()))
    arm = np.zeros(1, dtype=np.int64)
    for i in range(rounds):
        case.policy.update(state, contexts[i : i + 1], arm, rewards[i : i + 1], rng)
    probes = contexts[rng.integers(rounds - rounds // 10, rounds, 3)]
    times = 1 if case.fixed else DRAWS
    draws = np.array(
        [[case.policy.scores(state, x[None], rng)[0, 0] for x in probes] for _ in range(times)]
    )
    mean, spread = errors(case, draws, case.reference(contexts, rewards, probes), rounds)
    lag = case.lag if stream == "drift" else 1.0
    near = mean <= lag * case.mean and spread <= lag * case.spread
    row: Row = {"learner": name, "features": stream, "mean": mean, "spread": spread}
    return row | {"holds": bool(np.isfinite(draws).all()) and near}


def errors(
    case: Case, draws: np.ndarray, moments: fresh.Moments, rounds: int
) -> tuple[float, float]:
    """The largest errors over the probes; NaN if there is any, which no tolerance admits."""
    means, spreads = moments
    if case.fixed is not None:
        truth = case.fixed(moments, rounds)
        return float((np.abs(draws[0] - truth) / (spreads + np.abs(truth))).max()), 0.0
    margins = case.margins(draws)
    error = np.abs(margins.mean(axis=0) - means) / spreads
    return float(error.max()), float(np.abs(margins.std(axis=0) / spreads - 1.0).max())


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--rounds", type=lambda text: int(float(text)), default=10**6)
    parser.add_argument("--learners", default=",".join(CASES))
    given = parser.parse_args()
    rows: list[Row] = []
    for name in given.learners.split(","):
        for stream in STREAMS:
            rows.append(endure(name, stream, given.rounds))
            print(f"  {name} on {stream} done", flush=True)
    note = f"Error of means in spreads and of spreads, after {given.rounds:,} updates of one arm"
    report(given.out, "endurance", vars(given), rows, note)
    if not all(row["holds"] for row in rows):
        raise SystemExit("what is kept up has drifted from what it should be")


if __name__ == "__main__":
    main()
