"""What a lazy bootstrap choice costs as the history grows, against drawing every weight.

Few runs with long histories would mostly measure calls from Python, so decisions are repeated
inside compiled loops. A choice is timed on a frozen history, which WB built by playing; what
learning adds is in the cost of playing, timed over whole runs.
"""

from statistics import median
from time import thread_time
from typing import Any

import numpy as np
from numba import njit

from bandstrap.environments import Beta
from bandstrap.history.compiled import Compiled
from bandstrap.history.fractions import FractionalRewards
from bandstrap.history.rewards import GRAIN, RewardHistory
from bandstrap.kernels.argmax import argmax
from bandstrap.kernels.codes import EXPONENTIAL, MULTINOMIAL
from bandstrap.kernels.lazy.choose import choose
from bandstrap.kernels.lazy.direct import direct_scores
from bandstrap.kernels.lazy.history import KNOWN_LEVEL
from bandstrap.kernels.lazy.observe import REWARDS
from bandstrap.kernels.random.streams import exponential
from bandstrap.seeding import generator, kernel_stream
from output import Row, arguments, report

SCHEMES = {"wb": EXPONENTIAL, "npb": MULTINOMIAL}
# Not cached: Numba would not notice when the kernels that these loops call change.
loop = njit(error_model="numpy", _nrt=False)


@loop
def lazy_choices(times, stream, scheme, h, fractions, allowed, arms, scores):
    for _ in range(times):
        choose(stream, scheme, h, allowed, arms)


@loop
def direct_choices(times, stream, scheme, h, fractions, allowed, arms, scores):
    for _ in range(times):
        direct_scores(stream, scheme, h, fractions, scores)
        argmax(stream, scores, allowed, 1.0, arms)


class Game:
    """Runs of a bootstrap on Beta rewards, and their CPU time."""

    def __init__(self, scheme: int, n_arms: int, runs: int) -> None:
        self.rng = generator(0, "lazy", scheme)
        self.environment = Beta(n_arms)
        self.world = self.environment.start(runs, generator(0, "arms"))
        self.history = RewardHistory.start(runs, n_arms, (0.0, 1.0), (1.0, 1.0), REWARDS, scheme)
        self.stream = kernel_stream(self.rng)
        self.allowed = np.ones((runs, n_arms), dtype=np.bool_)
        self.arms = np.zeros(runs, dtype=np.int64)
        self.seconds = 0.0

    def play_until(self, rounds: int) -> None:
        """Play on, as simulations do; the drawing of rewards is timed with the decisions."""
        known = self.world.parameters, self.world.means
        accounts = np.zeros(self.arms.size), np.zeros(self.arms.size)
        compiled = Compiled(self.history, np.zeros(known[1].shape, dtype=np.int64))
        started = thread_time()
        left = rounds - self.history.rounds
        compiled.play(left, self.environment.law, known, accounts, self.rng, self.rng)
        self.seconds += thread_time() - started

    def microseconds_played(self) -> float:
        return 1e6 * self.seconds / (self.history.rounds * self.arms.size)

    def microseconds(self, choices: Any, scheme: int, least_seconds: float) -> float:
        """CPU microseconds per choice on the history as it is."""
        moments = self.history.arrays.moments
        kept = moments.copy()
        moments[:, :, KNOWN_LEVEL] = np.inf  # what one scheme learnt is not true of another
        scores = np.empty(moments.shape[:2])
        rest = (
            self.stream, scheme, self.history.arrays, FractionalRewards(*scores.shape).arrays,
            self.allowed, self.arms, scores,
        )  # fmt: skip
        times, spent = 1, _seconds(choices, 1, rest)
        while spent < least_seconds:
            times = times * 2 if spent <= 0 else int(times * min(10, 1 + least_seconds / spent))
            spent = _seconds(choices, times, rest)
        typical = median([spent, *(_seconds(choices, times, rest) for _ in range(2))])
        moments[:] = kept
        return 1e6 * typical / (times * self.arms.size)


def _seconds(choices: Any, times: int, rest: tuple[Any, ...]) -> float:
    started = thread_time()
    choices(times, *rest)
    return thread_time() - started


def choices_by_length(
    lengths: list[int], n_arms: int, runs: int, least_seconds: float
) -> list[Row]:
    """A row per length of the history, with the direct draw in the same run as the reference."""
    game = Game(EXPONENTIAL, n_arms, runs)
    for scheme in SCHEMES.values():  # compile
        game.play_until(GRAIN)
        game.microseconds(lazy_choices, scheme, 0.0)
        game.microseconds(direct_choices, scheme, 0.0)
    rows = []
    for length in lengths:
        game.play_until(length)
        row: Row = {"history": length}
        for name, scheme in SCHEMES.items():
            lazy = game.microseconds(lazy_choices, scheme, least_seconds)
            direct = game.microseconds(direct_choices, scheme, least_seconds)
            row[f"{name} lazy µs"] = lazy
            row[f"{name} direct µs"] = direct
            row[f"{name} lazy / direct"] = lazy / direct
        rows.append(row)
        print(f"  history {length} done", flush=True)
    return rows


@loop
def play_direct(stream, table, rewards, counts):
    """WB as it is defined: a weight for every reward of every arm in every round."""
    for step in range(table.shape[0]):
        for run in range(table.shape[1]):
            best, best_draw = -1, -1.0
            for arm in range(table.shape[2]):
                weighted = exponential(stream)  # the pseudo-reward 1
                total = weighted + exponential(stream)  # and 0
                for i in range(counts[run, arm]):
                    weight = exponential(stream)
                    weighted += weight * rewards[run, arm, i]
                    total += weight
                if weighted / total > best_draw:
                    best, best_draw = arm, weighted / total
            rewards[run, best, counts[run, best]] = table[step, run, best]
            counts[run, best] += 1


def direct_microseconds(rounds: int, n_arms: int, runs: int) -> float:
    """What playing costs by the plain loop, on the same arms, with the same generator."""
    rng = generator(0, "direct")
    means = Beta(n_arms).start(runs, generator(0, "arms")).means
    for horizon in (2, rounds):  # the first call compiles
        table = rng.beta(means, 1.0 - means, (horizon, runs, n_arms))
        rewards = np.zeros((runs, n_arms, horizon))
        counts = np.zeros((runs, n_arms), dtype=np.int64)
        started = thread_time()
        play_direct(kernel_stream(rng), table, rewards, counts)
        spent = thread_time() - started
    return 1e6 * spent / (rounds * runs)


def playing(lengths: list[int], n_arms: int, runs: int) -> list[Row]:
    """What a decision with its update costs on average over a run, short and long."""
    short, long = lengths
    direct = direct_microseconds(short, n_arms, runs)
    nothing = {f"T = {long} µs": None, "long / short": None, "direct wb / short": None}
    rows: list[Row] = [{"policy": "wb, direct loop", f"T = {short} µs": direct, **nothing}]
    for name, scheme in SCHEMES.items():
        Game(scheme, n_arms, runs).play_until(GRAIN)  # compile
        game = Game(scheme, n_arms, runs)
        game.play_until(short)
        first = game.microseconds_played()
        game.play_until(long)
        whole = game.microseconds_played()
        row: Row = {"policy": name, f"T = {short} µs": first, f"T = {long} µs": whole}
        row["long / short"] = whole / first
        row["direct wb / short"] = direct / first
        rows.append(row)
    return rows


def _integers(text: str) -> list[int]:
    return [int(float(number)) for number in text.split(",")]


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--lengths", type=_integers, default=[10**k for k in range(2, 7)])
    parser.add_argument("--play", type=_integers, default=[10**4, 10**6], help="short,long")
    parser.add_argument("--arms", type=int, default=10)
    parser.add_argument("--runs", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=0.2, help="least time per measurement")
    given = parser.parse_args()
    where = f"Beta rewards, K = {given.arms}, {given.runs} runs, calls from Python excluded"
    rows = choices_by_length(given.lengths, given.arms, given.runs, given.seconds)
    note = f"CPU microseconds per choice on a history that WB built; {where}"
    report(given.out, "lazy", vars(given), rows, note)
    rows = playing(given.play, given.arms, given.runs)
    note = f"CPU microseconds per decision (choose, reward, learn), mean of all rounds; {where}"
    report(given.out, "playing", vars(given), rows, note)


if __name__ == "__main__":
    main()
