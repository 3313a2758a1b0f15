"""Do intervals hold for logs of bandits that learnt as they went?

Bandits decide with a floor of 0.02 and learn: bootstraps of rewards alone, and logistic ones of
contexts. Each log is asked what uniformly random arms earn, what an arm earns that is not the best
one, and what the best arm or a rule does. "stabilised" is how often the 95% interval of doubly
robust estimates of stabilised variance holds the truth, "where ESS ≥ 100" the same for logs whose
weights are worth at least 100 decisions. Where only some logs are, these are not like others: in
them an arm was chosen often because it had paid well. So look at all logs of rows whose median is
100 or more. "IPS" is the same for weighted rewards and a normal interval. "ever missed" is how
often a confidence sequence leaves the truth after any decision.

Logs are made and judged in batches, each kept in a file, so that a run goes on where it was left.
Other logs of the same kind, which nobody has looked at, are those of --first 1000 and so on.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import numpy as np
from scipy.special import betainc, betaln, expit

from bandstrap import Bandit, Bootstrap, EigenExamples, Problem, Propensity, Support
from bandstrap.evaluation.estimators import IPS
from bandstrap.evaluation.feedback import Feedback
from bandstrap.evaluation.intervals import (
    Betting,
    EmpiricalBernstein,
    StabilisedDR,
    dr_terms,
    ips_terms,
    normal,
)
from bandstrap.evaluation.moments import Moments
from bandstrap.evaluation.regression import forward_fit, sampled
from bandstrap.policies.registry import CONTEXTUAL
from output import Row, arguments, report

BATCHES = {"arms": 250, "contexts": 25}  # logs that are made at once
FLOOR, ENOUGH = 0.02, 100
PAYS = np.array([0.5, 0.45, 0.3])
SLOPES = np.array([[0.5, 0.0], [-0.5, 0.25], [0.0, 0.5]])
LEVELS = np.array([0.0, -0.1, -0.2])
NODES, SHARES = np.polynomial.legendre.leggauss(10)
PANELS = 8  # errors are below 10⁻⁶
Judge = Callable[[Feedback, str, dict[str, float]], np.ndarray]  # (targets, columns) of a log
COLUMNS = ("ess", "stabilised", "width", "ips", "ips_width", "bernstein", "betting")


def wins(ones: np.ndarray, zeros: np.ndarray) -> np.ndarray:
    """The probability of each arm to have the highest of Beta draws, (runs, arms)."""
    mean = ones / (ones + zeros)
    reach = 8 * np.sqrt(mean * (1 - mean) / (ones + zeros + 1))
    low = np.clip((mean - reach).max(axis=1), 0, 1 - 1e-9)
    half = (np.clip((mean + reach).max(axis=1), 1e-9, 1) - low) / PANELS / 2
    middles = low[:, None] + half[:, None] * (2 * np.arange(PANELS) + 1)
    x = (middles[:, :, None] + half[:, None, None] * NODES).reshape(len(ones), 1, -1)
    a, b = ones[:, :, None], zeros[:, :, None]
    density = np.exp((a - 1) * np.log(x) + (b - 1) * np.log1p(-x) - betaln(a, b))
    below = np.maximum(betainc(a, b, x), 1e-300)
    others = below.prod(axis=1, keepdims=True) / below
    found = (density * others) @ np.tile(SHARES, PANELS)
    return found / found.sum(axis=1, keepdims=True)


def of_arms(decisions: int, runs: int, seed: int) -> Iterator[Feedback]:
    """Logs of bootstraps of rewards, played side by side; their weights are exact."""
    policy, rng, each = Bootstrap(), np.random.default_rng([seed, 1]), np.arange(runs)
    state = policy.start(Problem(PAYS.size, 0, Support.binary()), runs)
    counts = np.ones((2, runs, PAYS.size))  # of ones and zeros; the prior has one of both
    chosen, rewards = np.empty((decisions, runs), dtype=int), np.empty((decisions, runs))
    logged = np.empty((decisions, runs, PAYS.size))
    for t in range(decisions):
        logged[t] = FLOOR / PAYS.size + (1 - FLOOR) * wins(*counts)
        drawn = policy.select(state, None, rng)
        evenly = rng.random(runs) < FLOOR
        chosen[t] = np.where(evenly, rng.integers(PAYS.size, size=runs), drawn)
        rewards[t] = rng.random(runs) < PAYS[chosen[t]]
        policy.update(state, None, chosen[t], rewards[t])
        counts[(1 - rewards[t]).astype(int), each, chosen[t]] += 1
    for run in range(runs):
        yield logs(chosen[:, run], rewards[:, run], logged[:, run], None)


def of_contexts(decisions: int, runs: int, seed: int) -> Iterator[Feedback]:
    """Logs of bandits on a logistic bootstrap, one after the other."""
    for run in range(runs):
        rng = np.random.default_rng([seed, run, 2])
        policy = CONTEXTUAL["wb-log-gaussian"](EigenExamples(np.eye(2)))
        given = {"rewards": Support.binary(), "seed": 1000 * seed + run}
        bandit = Bandit(policy, range(len(LEVELS)), propensity=Propensity(floor=FLOOR), **given)
        contexts = rng.standard_normal((decisions, 2))
        chosen, rewards = np.empty(decisions, dtype=int), np.empty(decisions)
        logged = np.empty((decisions, len(LEVELS)))
        for t, context in enumerate(contexts):
            decision = bandit.decide(context)
            chosen[t], logged[t] = decision.arm, list(decision.propensities.values())
            rewards[t] = rng.random() < paid(context)[decision.arm]
            bandit.learn(decision, rewards[t])
        yield logs(chosen, rewards, logged, contexts)


def logs(
    chosen: np.ndarray, rewards: np.ndarray, logged: np.ndarray, contexts: np.ndarray | None
) -> Feedback:
    own = logged[np.arange(len(chosen)), chosen]
    arms = tuple(range(logged.shape[1]))
    return Feedback(arms, chosen, rewards, contexts, own, probabilities=logged)


def paid(contexts: np.ndarray) -> np.ndarray:
    """What each arm pays on average, (…, arms)."""
    return expit(contexts @ SLOPES.T + LEVELS)


def fixed(arm: int, n: int, arms: int = 3) -> np.ndarray:
    return np.tile(np.eye(arms)[arm], (n, 1))


def rule(contexts: np.ndarray) -> np.ndarray:
    return np.eye(3)[np.where(contexts[:, 0] > 0, 0, 1)]


def targets(world: str, contexts: np.ndarray | None, n: int) -> dict[str, np.ndarray]:
    """The probabilities of arms by each target, (n, arms)."""
    even = np.full((n, 3), 1 / 3)
    if world == "arms":
        return {"uniform": even, "best arm": fixed(0, n), "second arm": fixed(1, n)}
    return {"uniform": even, "one arm": fixed(2, n), "rule": rule(contexts)}


@cache
def truths(world: str) -> dict[str, float]:
    """What each target earns: exactly, or by a fine grid of contexts."""
    if world == "arms":
        every = targets(world, None, 1)
        return {name: float(target[0] @ PAYS) for name, target in every.items()}
    line = np.linspace(-7, 7, 1401)[:-1] + 0.005
    grid = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    mass = np.exp(-(grid**2).sum(axis=1) / 2)
    earned = paid(grid) * (mass / mass.sum())[:, None]
    every = targets(world, grid, len(grid))
    return {name: float((target * earned).sum()) for name, target in every.items()}


def judged(feedback: Feedback, world: str, truth: dict[str, float]) -> np.ndarray:
    """What all methods make of a log, (targets, columns)."""
    n = len(feedback)
    model = forward_fit(feedback)(0, n)
    rows = []
    for name, target in targets(world, feedback.contexts, n).items():
        sample = sampled(feedback, 0, n, target, model)
        most = target / feedback.probabilities
        cut = dr_terms(sample, feedback.chosen, model, target, most)
        rows.append(
            [
                sample.ratios.sum() ** 2 / (sample.ratios**2).sum(),
                *stabilised(sample, truth[name]),
                *plain(sample, truth[name]),
                ever_missed(EmpiricalBernstein().start(), ips_terms(sample), truth[name]),
                ever_missed(Betting().start(), cut, truth[name]),
            ]
        )
    return np.array(rows, dtype=float)


def stabilised(sample, truth: float) -> tuple[bool, float]:
    tally = StabilisedDR().start()
    tally.add(sample)
    interval = tally.interval()
    return truth in interval, interval.high - interval.low


def plain(sample, truth: float) -> tuple[bool, float]:
    moments = Moments([IPS()])
    moments.add([sample])
    [estimate] = moments.estimates()
    interval = normal(estimate.value, estimate.error)
    return truth in interval, interval.high - interval.low


def ever_missed(tally, terms, truth: float) -> bool:
    return bool((tally.evidence(terms, truth) >= tally.threshold).any())


def batch(
    world: str, index: int, runs: int, decisions: int, kept: Path, judge: Judge = judged
) -> np.ndarray:
    """What was made of a batch of logs, (logs, targets, columns), now or by an earlier run."""
    path = kept / f"{world}-{decisions}-{index}-{runs}.npy"
    if path.exists():
        return np.load(path)
    make, truth = (of_arms if world == "arms" else of_contexts), truths(world)
    found = np.array([judge(each, world, truth) for each in make(decisions, runs, index)])
    kept.mkdir(parents=True, exist_ok=True)
    np.save(path.with_suffix(".part.npy"), found)
    path.with_suffix(".part.npy").rename(path)
    return found


def batches(
    world: str, logs: int, decisions: int, kept: Path, judge: Judge = judged, first: int = 0
) -> np.ndarray:
    """What was made of all logs from the `first` on, (logs, targets, columns)."""
    found, most = [], BATCHES[world]
    for index, start in enumerate(range(0, logs, most), first // most):
        runs = min(most, logs - start)
        found.append(batch(world, index, runs, decisions, kept, judge))
        print(f"{world}: {start + runs} of {logs} logs", flush=True)
    return np.concatenate(found)


def rows_of(world: str, decisions: int, found: np.ndarray) -> list[Row]:
    rows = []
    for place, name in enumerate(truths(world)):
        of = dict(zip(COLUMNS, found[:, place].T, strict=True))
        enough = of["ess"] >= ENOUGH
        rows.append(
            {
                "world": world,
                "target": name,
                "decisions": decisions,
                "logs": len(found),
                "median ESS": float(np.median(of["ess"])),
                "ESS ≥ 100": int(enough.sum()),
                "stabilised": share(of["stabilised"]),
                "where ESS ≥ 100": share(of["stabilised"][enough]),
                "width": float(of["width"].mean()),
                "IPS": share(of["ips"]),
                "IPS, ESS ≥ 100": share(of["ips"][enough]),
                "IPS width": float(of["ips_width"].mean()),
                "Bernstein ever missed": share(of["bernstein"]),
                "betting ever missed": share(of["betting"]),
            }
        )
    return rows


def share(which: np.ndarray) -> str:
    return f"{which.mean():.1%}" if which.size else "–"


def others(parser: ArgumentParser) -> None:
    """The option for logs that nobody has looked at."""
    words = "the number of the first log: another multiple of 250 gives other logs"
    parser.add_argument("--first", type=int, default=0, help=words)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--logs", type=int, default=1000)
    parser.add_argument("--decisions", type=int, default=2000, help="of arms alone")
    parser.add_argument("--contextual", type=int, default=1000, help="decisions with contexts")
    others(parser)
    parser.add_argument("--quick", action="store_true", help="a few short logs")
    given: Namespace = parser.parse_args()
    if given.quick:
        given.logs, given.decisions, given.contextual = 12, 300, 200
    rows: list[Row] = []
    for world, decisions in (("arms", given.decisions), ("contexts", given.contextual)):
        kept = given.out / "intervals"
        found = batches(world, given.logs, decisions, kept, first=given.first)
        rows += rows_of(world, decisions, found)
    report(given.out, "intervals", vars(given), rows, "95% intervals of what targets earn")


if __name__ == "__main__":
    main()
