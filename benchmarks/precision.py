"""How precisely should a draw be solved? Distance, agreement, reward and cost of every way.

One history, played by the Gaussian limit, is drawn from by all methods: solved to three
tolerances, by the paper's procedure, by every named approximation. Those that weigh examples one
by one get the same weights; the others can only agree as far as a second solved draw does, which
has a row of its own. Then each plays.
"""

from argparse import Namespace
from time import process_time

import numpy as np

from bandstrap.policies import ContextualBootstrap
from bandstrap.priors import EigenExamples
from bandstrap.resampling import Exponential
from bandstrap.seeding import generator
from draws import AGAIN, METHODS, PAPER, SOLVED, TOLERANCES, Draws, History, compared, draws_of
from output import Row, arguments, report
from streams import Stream, stream

HISTORIAN = "GaussianLimit"
ENOUGH = 0.01  # reward per step that is not worth more precision


class Played:
    """A method's rounds on a stream, until the rounds or the CPU time run out."""

    def __init__(self, name: str, rows: Stream, rounds: int, seed: int, seconds: float) -> None:
        prior = EigenExamples(rows.covariance)
        policy = ContextualBootstrap(Exponential(), METHODS[name].model, prior)
        state, rng = policy.start(rows.problem), generator(seed, "play")
        self.arms = np.zeros(rounds, dtype=np.int64)
        started, self.rounds = process_time(), 0
        while self.rounds < rounds and process_time() < started + seconds:
            here = slice(self.rounds, self.rounds + 1)
            arms = policy.select(state, rows.contexts[here], rng)
            rewards = (arms == rows.labels[here]).astype(np.float64)
            policy.update(state, rows.contexts[here], arms, rewards, rng)
            self.arms[here] = arms
            self.rounds += 1
        self.seconds = (process_time() - started) / max(self.rounds, 1)
        self.rewards = self.arms[: self.rounds] == rows.labels[: self.rounds]


def play_all(dataset: str, given: Namespace) -> dict[str, Row]:
    """Reward and cost of each method, and how much less it earns than the solved one."""
    games: dict[str, list[Played]] = {name: [] for name in METHODS}
    for seed in range(given.seed, given.seed + given.runs):
        rows = stream(dataset, given.rounds, seed)
        for name, played in games.items():
            played.append(Played(name, rows, given.rounds, seed, given.seconds))
            print(f"  {dataset}: {name} played {played[-1].rounds} rounds", flush=True)
    return {name: _earned(played, games[SOLVED]) for name, played in games.items()}


def _earned(played: list[Played], solved: list[Played]) -> Row:
    gains = list(map(_gain, played, solved))
    return {
        "reward": float(np.mean([game.rewards.mean() for game in played])),
        "− solved": float(np.mean(gains)),
        "±": float(np.std(gains, ddof=1) / np.sqrt(len(gains))) if len(gains) > 1 else None,
        "played µs": 1e6 * float(np.mean([game.seconds for game in played])),
        "rounds": min(game.rounds for game in played),
    }


def _gain(game: Played, solved: Played) -> float:
    """Reward per step beyond that of the solved draws, in the rounds that both played."""
    rounds = min(game.rounds, solved.rounds)
    return float(game.rewards[:rounds].mean() - solved.rewards[:rounds].mean())


def draw_all(dataset: str, lengths: list[int], given: Namespace) -> list[Row]:
    """Each method's draws from the same history, at each length."""
    rows = stream(dataset, lengths[-1] + given.contexts, given.seed)
    arms = Played(HISTORIAN, rows, lengths[-1], given.seed, float("inf")).arms
    out = []
    for n in lengths:
        history = History(rows, arms[:n])
        sizes = given.draws, given.contexts, given.decisions
        solved = draws_of(METHODS[SOLVED], history, given.seed, *sizes)
        ways = {name: (method, given.seed) for name, method in METHODS.items() if name != SOLVED}
        ways[AGAIN] = METHODS[SOLVED], given.seed + 1
        out.append(_row(n, SOLVED, solved, solved))
        for name, (method, seed) in ways.items():
            draws = draws_of(method, history, seed, *sizes)
            out.append(_row(n, name, draws, solved))
            print(f"  {dataset}: {name} drawn at {n:,}", flush=True)
    return out


def _row(n: int, name: str, draws: Draws, solved: Draws) -> Row:
    return {"method": name, "history": n, **compared(draws, solved), "µs": 1e6 * draws.seconds}


def bench(dataset: str, given: Namespace) -> list[Row]:
    """The table of one data set."""
    lengths = [int(n) for n in given.lengths.split(",")]
    rows = draw_all(dataset, lengths, given)
    played = play_all(dataset, given)
    nothing: Row = dict.fromkeys(next(iter(played.values())))
    rows = [row | played.get(row["method"], nothing) for row in rows]
    note = (
        f"{dataset}: draws of one history of that many rows. Distance, shift of the mean and "
        f"spread are in units of the spread of draws {SOLVED}; then the share of the same choices, "
        "with the same weights (or others, where a method has its own), how far apart the odds of "
        "choices are, and CPU µs of a decision. Playing from the start: reward per step, what it "
        f"is beyond that of {SOLVED} in the same rounds, with its standard error, CPU µs a round"
    )
    report(given.out, f"precision-{dataset}", vars(given), rows, note)
    return rows


def answer(tables: dict[str, list[Row]]) -> str:
    """How precisely a draw should be solved, in two sentences."""
    parts, verdicts = [], []
    for dataset, rows in tables.items():
        last = {row["method"]: row for row in rows if row["history"] == rows[-1]["history"]}
        cost = last[SOLVED]["µs"]
        shares = ", ".join(
            f"{100 * last[name]['agrees']:.1f}% to {tolerance:.0e} ({last[name]['µs'] / cost:.2f})"
            for tolerance, name in TOLERANCES.items()
            if name != SOLVED
        )
        paper = (
            f"{100 * last[PAPER]['agrees']:.1f}% by the {PAPER} ({last[PAPER]['µs'] / cost:.2f})"
        )
        parts.append(f"on {dataset} at {rows[-1]['history']:,} rows {shares}, {paper}")
        verdicts.append(_verdict(dataset, last))
    return (
        "Of its decisions the draw solved to 1e-10 shares, at these fractions of its cost: "
        f"{'; '.join(parts)}. In reward per step, {'; '.join(verdicts)}."
    )


def _verdict(dataset: str, last: dict[str, Row]) -> str:
    played = {name: row for name, row in last.items() if row["reward"] is not None}
    best = max(played.values(), key=lambda row: float(row["− solved"]))
    enough = {name: row for name, row in played.items() if _as_good(row, best)}
    loosest = next((name for name in TOLERANCES.values() if name in enough), None)
    cheapest = min(enough, key=lambda name: enough[name]["played µs"])
    others = ", ".join(_beyond(name, row) for name, row in played.items() if name != SOLVED)
    solving = f"{loosest} is precise enough" if loosest else "no solved draw is among the best"
    return (
        f"{dataset} paid {played[SOLVED]['reward']:.3f} {SOLVED} and beyond that {others}, so "
        f"within {ENOUGH} or two standard errors of the best {solving} and {cheapest} is cheapest "
        f"({enough[cheapest]['played µs']:,.0f} µs a round)"
    )


def _as_good(row: Row, best: Row) -> bool:
    """Whether a reward is as good as the best, as far as these runs can tell."""
    error = float(np.hypot(row["±"] or 0.0, best["±"] or 0.0))
    return bool(row["− solved"] >= best["− solved"] - max(ENOUGH, 2 * error))


def _beyond(name: str, row: Row) -> str:
    error = "" if row["±"] is None else f" ± {row['±']:.3f}"
    return f"{row['− solved']:+.3f}{error} {name}"


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--datasets", default="digits,covtype,mnist")
    parser.add_argument("--lengths", default="1000,5000,25000", help="rows of history to draw from")
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--contexts", type=int, default=200)
    parser.add_argument("--decisions", type=int, default=20, help="timed")
    parser.add_argument("--rounds", type=int, default=3000, help="to play")
    parser.add_argument("--runs", type=int, default=3, help="seeds to play with")
    parser.add_argument("--seconds", type=float, default=900.0, help="CPU limit of one run")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    tables = {name: bench(name, given) for name in given.datasets.split(",")}
    print(answer(tables))


if __name__ == "__main__":
    main()
