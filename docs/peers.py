"""Writes docs/peers.md and the tables of docs/priors.md from evidence/peers: python docs/peers.py.

python docs/peers.py take FOLDER   first keep what benchmarks/peers.py left there
"""

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from scipy.special import stdtrit

HERE = Path(__file__).parent
KEPT = HERE.parent / "evidence" / "peers" / "games.parquet"
OURS = "bandstrap"
COLUMNS = {
    "data": pa.string(), "arms": pa.int32(), "features": pa.int32(), "library": pa.string(),
    "version": pa.string(), "method": pa.string(), "seed": pa.int32(), "rounds": pa.int32(),
    "state": pa.string(), "reward per step": pa.float64(), "µs per round": pa.float32(),
    "µs p95": pa.float32(), "µs at the end": pa.float32(), "prepare µs": pa.float32(),
    "batch": pa.int32(),
}  # fmt: skip
CLOSE = 0.01  # to the best of our own
LEVEL = 0.95  # of intervals over data sets
FEWEST = 3  # data sets that say anything
MARK = "<!-- tables: written by docs/peers.py -->"
COMMAND = """python benchmarks/peers.py
python docs/peers.py take bench-results"""
INTRODUCTION = f"""# Out of the box

How a newcomer fares who chooses nothing: `Auto()` as it comes, the other policies of this library,
and those of other libraries, on the same rows in the same order. Each row of a data set is a
context, each class an arm, and the right arm pays 1. No setting depends on the data set; which
models `Auto()` has was chosen by looking at these sets, and at made ones. This page is
written by `docs/peers.py` from games that are kept in evidence/peers; to play them again:

```sh
{COMMAND}
```

10,000 rounds; ± is the standard error over seeds, up to three, and where there is none a single
seed was played. Differences are those of the seeds that both played, and the best is the best in
hindsight. A dash means not played: networks beside `Auto()` were on eleven sets at most, most by a
single seed, and on MNIST little besides. A data set with fewer rows is shuffled and used again.
Libraries use their defaults unless a setting is named, and learn after every round unless that
takes too long; all are told features of comparable size, and none the law of contexts.

"""
BOOTSTRAP, ENSEMBLE = "bootstrap", "ensemble that resamples nothing"
PAIRS = (
    (BOOTSTRAP, "wb-log-gaussian-adaptive", "ts-laplace"),
    (BOOTSTRAP, "wb-log-gaussian-adaptive", "squarecb-log"),
    (BOOTSTRAP, "wb-log-gaussian-adaptive", "regcb-log"),
    (BOOTSTRAP, "wb-nn-budgeted", "neural-linear"),
    (BOOTSTRAP, "wb-nn-budgeted", "squarecb-nn"),
    (BOOTSTRAP, "wb-nn-heads", "neural-linear"),
    (BOOTSTRAP, "wb-nn-heads", "squarecb-nn"),
    (ENSEMBLE, "ensemble-nn", "neural-linear"),
    (ENSEMBLE, "ensemble-nn", "squarecb-nn"),
)
SHORT = "wb-log-gaussian-adaptive", "wb-nn-heads", "wb-nn-budgeted"
WITH = "logistic regressions", "heads on a shared network", "a network for each arm"
ANSWERS = (  # rivals of the three, one for each
    ("approximate Thompson sampling", ("ts-laplace", "neural-linear", "neural-linear")),
    ("inverse gap weighting", ("squarecb-log", "squarecb-nn", "squarecb-nn")),
)
WORDS = {"more": "better", "less": "worse", "open": "neither better nor worse that can be told"}
QUESTION = f"""## Bootstrapping, approximate Thompson sampling and inverse gap weighting

What the first earns more or less a round than the second, over the data sets that both played: ±
is half of a {LEVEL:.0%} interval, and it is more or less only if the whole interval is. Rivals are
Thompson sampling by Laplace's approximation and by a linear head on a network, inverse gap
weighting (SquareCB), and RegCB, which is optimistic instead. An ensemble whose heads keep their
priors resamples nothing and is no bootstrap.
"""


class Games:
    """All games that were played to their end, and their means."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self.rows = [row for row in rows if row["state"] == "done"]
        sizes = {row["data"]: (row["features"] * row["arms"], row["data"]) for row in rows}
        self.data = sorted(sizes, key=sizes.__getitem__)

    def rewards(self, data: str, library: str, method: str) -> dict[int, float]:
        """Reward per step by seed."""
        wanted = (data, library, method)
        found = (row for row in self.rows if _who(row) == wanted)
        return {row["seed"]: row["reward per step"] for row in found}

    def methods(self, data: str | None = None, library: str | None = None) -> list[tuple[str, str]]:
        rows = (
            row
            for row in self.rows
            if data in (None, row["data"]) and library in (None, row["library"])
        )
        return sorted({(row["library"], row["method"]) for row in rows})

    def mean(self, data: str, library: str, method: str) -> float | None:
        rewards = self.rewards(data, library, method)
        return float(np.mean([*rewards.values()])) if rewards else None

    def best(self, data: str, ours: bool) -> tuple[str, str]:
        """Of our policies but `Auto()`, or of the other libraries' methods."""
        rivals = [it for it in self.methods(data) if (it[0] == OURS) is ours and it[1] != "auto"]
        return max(rivals, key=lambda it: self.mean(data, *it) or 0.0)

    def facts(self, data: str) -> str:
        row = next(row for row in self.rows if row["data"] == data)
        return f"{data} ({row['arms']}, {row['features']})"


def _who(row: dict[str, Any]) -> tuple[str, str, str]:
    return row["data"], row["library"], row["method"]


def difference(one: dict[int, float], other: dict[int, float]) -> tuple[float, float | None]:
    """The mean difference and its standard error, paired by seed."""
    seeds = sorted({*one} & {*other})
    each = np.array([one[seed] - other[seed] for seed in seeds])
    error = float(each.std(ddof=1) / np.sqrt(each.size)) if each.size > 1 else None
    return float(each.mean()), error


def shown(value: float | None, error: float | None = None, sign: bool = False) -> str:
    """A reward in three digits, with its error.

    >>> shown(0.8437, 0.0012), shown(-0.0214, sign=True), shown(None)
    ('.844 ± .001', '-.021', '–')
    """
    if value is None:
        return "–"
    text = f"{value:{'+' if sign else ''}.3f}".replace("0.", ".", 1)
    return text if error is None else f"{text} ± {error:.3f}".replace("± 0.", "± .")


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = [*head]
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines) + "\n"


def take(folder: Path, to: Path = KEPT) -> None:
    """Keep the games of a folder, but not their traces, in place of earlier ones of that kind."""
    files = sorted((folder / "peers").glob("*.json"))
    games = [json.loads(path.read_text(encoding="utf-8")) for path in files]
    before = pq.read_table(to).to_pylist() if to.exists() else []
    rows = {
        (*_who(row), row["seed"]): {name: row.get(name) for name in COLUMNS}
        for row in [*before, *games]
    }
    to.parent.mkdir(parents=True, exist_ok=True)
    table = pa.Table.from_pylist([rows[game] for game in sorted(rows)], pa.schema(COLUMNS))
    pq.write_table(table, to, compression="zstd")


def kept() -> Games:
    return Games(pq.read_table(KEPT).to_pylist())


def page(games: Games) -> str:
    """docs/peers.md."""
    sections = (verdicts(games), costs(games), rewards(games), question(games))
    return INTRODUCTION + "\n".join(filter(None, sections))


def with_tables(text: str, games: Games) -> str:
    """docs/priors.md with new tables; words come before the mark."""
    return f"{text.partition(MARK)[0]}{MARK}\n\n{priors(games)}"


def main() -> None:
    games, other = kept(), HERE / "priors.md"
    (HERE / "peers.md").write_text(page(games), encoding="utf-8")
    text = with_tables(other.read_text(encoding="utf-8"), games)
    other.write_text(text, encoding="utf-8")


def verdicts(games: Games) -> str:
    rows, behind, close = [], [], 0
    for data in games.data:
        auto = games.rewards(data, OURS, "auto")
        if not auto:
            continue
        peer, own = games.best(data, ours=False), games.best(data, ours=True)
        more, error = difference(auto, games.rewards(data, *peer))
        least = difference(auto, games.rewards(data, *own))[0]
        behind += [data] if more < -2 * (error or 0.0) else []
        close += least >= -CLOSE
        rows.append(
            [games.facts(data), f"{peer[0]} {peer[1]}", shown(games.mean(data, *peer)),
             shown(games.mean(data, OURS, "auto")), shown(more, error, sign=True),
             f"`{own[1]}`", shown(games.mean(data, *own)), shown(least, sign=True),
             str(len(games.methods(data, OURS)) - 1), seeds(auto, games.rewards(data, *own))]
        )  # fmt: skip
    head = ["data (arms, features)", "best peer", "reward", "`Auto()`", "difference",
            "best of our others", "reward", "difference", "our others", "seeds"]  # fmt: skip
    none = f"on none of the {len(rows)} sets"
    worse = f"worse than the best peer beyond two standard errors {behind or none}"
    near = "within .01 of the best of our others that were played, or above it,"
    words = f"`Auto()` is {worse}, and {near} "
    said = (
        f"{words}on {close}. How many others of ours took part differs from set to set, and so do "
        "seeds: the last columns say how many others, and the seeds of `Auto()` and of the best."
    )
    return f"## Data set by data set\n\n{said}\n\n{table(head, rows)}"


def seeds(*played: dict[int, float]) -> str:
    """How many seeds `Auto()` and another played; once if alike.

    >>> seeds({0: 0.5, 1: 0.6}, {0: 0.7})
    '2 and 1'
    """
    return " and ".join(dict.fromkeys(str(len(each)) for each in played))


def costs(games: Games) -> str:
    """What Auto costs on each set, in the game that was disturbed least."""
    rows, names = [], ("µs per round", "µs p95", "µs at the end")
    for data in games.data:
        played = [row for row in games.rows if _who(row) == (data, OURS, "auto")]
        if played:
            least = min(played, key=lambda row: row["µs p95"])
            rows.append([games.facts(data), *(f"{least[name]:,.0f}" for name in names)])
    head = ["data (arms, features)", "mean", "95 of 100 rounds take less", "mean of the last tenth"]
    words = (
        "CPU microseconds of a round of `Auto()`, deciding and learning; its budget is 2,000. Of "
        "the seeds the one that other programs on the machine disturbed least; most games had "
        "some beside them. In a `Bandit` that has the machine to itself "
        "(`python benchmarks/auto.py`, 5,000 rounds) 95 of 100 decisions took less than 1,140 and "
        "95 of 100 rounds less than 1,450 on every set but MNIST. There it was 1,100 to 1,840 and, "
        "above the budget, 2,040 to 2,770 in three runs. In the mean over sets the last tenth cost "
        "8 % more than the first."
    )
    return f"## What it costs\n\n{words}\n\n{table(head, rows)}"


def rewards(games: Games) -> str:
    """Every method on every set."""
    parts = ["## Every method\n"]
    for title, ours in (("Other libraries", False), ("Ours", True)):
        who = [it for it in games.methods() if (it[0] == OURS) is ours]
        names = [f"`{method}`" if ours else f"{library} {method}" for library, method in who]
        rows = [
            [name, *(shown(games.mean(data, *it)) for data in games.data)]
            for name, it in zip(names, who, strict=True)
        ]
        parts.append(f"{title}:\n\n{table(['reward per step', *games.data], rows)}")
    return "\n".join(parts)


def over_sets(games: Games, one: str, other: str) -> np.ndarray:
    """The differences of two of our policies on the sets that both played."""
    both = [
        (games.rewards(data, OURS, one), games.rewards(data, OURS, other)) for data in games.data
    ]
    return np.array([difference(*pair)[0] for pair in both if {*pair[0]} & {*pair[1]}])


def interval(each: np.ndarray) -> tuple[float, float]:
    """The mean over data sets and half of its interval, by Student's t."""
    error = float(each.std(ddof=1) / np.sqrt(each.size))
    return float(each.mean()), float(stdtrit(each.size - 1, 0.5 + LEVEL / 2)) * error


def verdict(each: np.ndarray) -> str:
    """What the interval says.

    >>> verdict(np.array([0.03, 0.04, 0.05])), verdict(np.array([-0.01, 0.02, 0.0]))
    ('more', 'open')
    """
    if each.size < FEWEST:
        return f"played on {each.size} sets" if each.size else "not played"
    mean, half = interval(each)
    return "more" if mean > half else "less" if mean < -half else "open"


def over(each: np.ndarray) -> str:
    """The mean difference with its interval, and where it is above 0."""
    if each.size < FEWEST:
        return "–"
    return f"{shown(*interval(each), sign=True)} ({(each > 0).sum()} of {each.size})"


def answer(games: Games, what: str, rivals: tuple[str, ...]) -> str:
    """One sentence on whether bootstrapping is as good as something else."""
    parts = []
    for own, model, rival in zip(SHORT, WITH, rivals, strict=True):
        each = over_sets(games, own, rival)
        said = verdict(each)
        numbers = f"{shown(*interval(each), sign=True)}, " if said in WORDS else ""
        parts.append(f"{WORDS.get(said, said)} with {model} ({numbers}{each.size} sets)")
    return f"- Beside {what} bootstrapping is {', '.join(parts[:-1])}, and {parts[-1]}.\n"


def question(games: Games) -> str:
    found = [over_sets(games, own, rival) for _, own, rival in PAIRS]
    rows = [
        [f"`{own}`", f"`{rival}`", kind, verdict(each), over(each)]
        for (kind, own, rival), each in zip(PAIRS, found, strict=True)
    ]
    head = ["first", "second", "the first is", "it earns", "difference (sets above)"]
    said = "".join(answer(games, *each) for each in ANSWERS)
    return f"{QUESTION}\n{said}\n{table(head, rows)}"


def priors(games: Games) -> str:
    """The paper's prior and the adaptive one, data set by data set."""
    paper, adaptive, greedy = "wb-log-gaussian", "wb-log-gaussian-adaptive", "eg-log"
    rows, gains = [], []
    for data in games.data:
        ours = [games.rewards(data, OURS, name) for name in (paper, adaptive, greedy)]
        if not (ours[0] and ours[1]):
            continue
        more, error = difference(ours[1], ours[0])
        gains.append((more, np.nan if not ours[2] else difference(ours[1], ours[2])[0]))
        means = (games.mean(data, OURS, name) for name in (paper, adaptive, greedy))
        rows.append([games.facts(data), *map(shown, means), shown(more, error, sign=True)])
    head = ["data (arms, features)", f"`{paper}`", f"`{adaptive}`", f"`{greedy}`", "adaptive more"]
    over, than_greedy = np.nanmean(np.array(gains), axis=0)
    words = (
        f"Over {len(rows)} sets the adaptive prior earns {shown(over, sign=True)} more than the "
        f"paper's, and {shown(than_greedy, sign=True)} more than `eg-log`."
    )
    return f"{words}\n\n{table(head, rows)}"


if __name__ == "__main__":
    if sys.argv[1:2] == ["take"]:
        take(Path(sys.argv[2]))
    main()
