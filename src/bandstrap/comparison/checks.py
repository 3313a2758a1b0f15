"""What is odd about a table, found before it is played: each in one sentence, with what to do.

Nothing is changed: the sentence names the option, or what to do with the file.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from shlex import quote

import numpy as np
import pyarrow as pa

from bandstrap.arrays import Array
from bandstrap.comparison.rewards import TableRewards
from bandstrap.printable import called
from bandstrap.tables.cells import LEVELS, Cells, words_of
from bandstrap.tables.numerals import COMMA, POINT, is_signed, readable
from bandstrap.tables.reading import repeats

MOSTLY = 0.9  # share of numbers from which a column of words should perhaps be numbers
LOOKED_AT = 1000  # distinct words, of which none is a number, end the search for others
GIVEN_AWAY = 0.98  # of what a column could tell about the label
FEW_ROWS, ROWS_PER_ARM = 100, 20  # with fewer, little can be told
REPEATED = 0.01  # share of rows that repeat others, from which it matters
BY_CHANCE = 2.0  # times as many repeated pairs as chance explains
NEARLY_ALL = 0.99  # of the rewards
FAR, RARE = 10.0, 0.001  # times the range of those, and share of rewards beyond, of outliers
TAIL, HEAVY = 0.01, 0.3  # share of rewards, and of all deviations from the median, that are theirs
SHOWN = 3  # values in a sentence


@dataclass(frozen=True)
class Finding:
    """What is odd, in which columns, and what to do."""

    check: str
    columns: tuple[str, ...]
    sentence: str

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True, eq=False)
class Checked:
    """A table that is about to be played."""

    table: pa.Table  # every column, of the rows that have rewards
    cells: dict[str, Cells]  # of the columns that may be contexts
    rewards: TableRewards

    @property
    def used(self) -> Iterator[tuple[str, Cells]]:
        """The columns that become contexts."""
        return ((name, each) for name, each in self.cells.items() if not each.useless())

    @property
    def labelled(self) -> bool:
        """Whether rewards are 0 and 1, by a label."""
        return self.rewards.values.ndim == 1

    @property
    def classes(self) -> Array:
        """The class of each row, or the arm that pays most."""
        values = self.rewards.values
        best: Array = values if self.labelled else values.argmax(axis=1)
        return best


Check = Callable[[Checked], Iterable[Finding]]


def findings(checked: Checked) -> tuple[Finding, ...]:
    """All that is odd, the gravest first."""
    return tuple(finding for check in CHECKS for finding in check(checked))


def too_few_rows(checked: Checked) -> Iterator[Finding]:
    rows, arms = checked.table.num_rows, len(checked.rewards.arms)
    wanted = max(FEW_ROWS, ROWS_PER_ARM * arms)
    if rows < wanted:
        yield Finding(
            "few-rows", (),
            f"{_counted(rows, 'row')} for {arms} arms: too few to tell policies apart, since they "
            f"learn these by heart; give at least {wanted:,}",
        )  # fmt: skip


def leaks(checked: Checked) -> Iterator[Finding]:
    """Neighbours in the order of a column that gives the label away have the same label."""
    what = "label" if checked.labelled else "best arm"
    for name, cells in checked.used:
        if _told(cells, checked.classes) >= GIVEN_AWAY:
            yield Finding(
                "leak", (name,),
                f"{called(name)}: alone gives the {what} away; if it is known only after the "
                f"decision, results are too good to be true: add --drop {_quoted(name)}",
            )  # fmt: skip


def _told(cells: Cells, classes: Array) -> float:
    """How much of the label the column tells: 0 for chance, 1 for all."""
    rows, count = classes.size, int(classes.max()) + 1
    shares = np.bincount(classes) / rows
    chance = float(shares @ shares)
    if rows < LEVELS or chance == 1:
        return 0.0
    shuffled = np.random.default_rng(0).permutation(rows)  # of equal values none comes first
    order = shuffled[np.argsort(cells.keys()[shuffled], kind="stable")]
    same = int((classes[order[1:]] == classes[order[:-1]]).sum())
    agree = min(1.0, same / (rows - count))  # each class but the first begins somewhere
    return (agree - chance) / (1 - chance)


def copies(checked: Checked) -> Iterator[Finding]:
    """More rows repeat others than chance explains in columns of so few values."""
    again = repeats(checked.table)
    rows, copied = again.size, int(again.sum())
    if copied < max(1, REPEATED * rows) or rows < LEVELS:
        return
    contexts = checked.table.select([*checked.cells])
    by_chance = rows * (rows - 1) / 2 * np.prod([_collision(each) for each in contexts.columns])
    if copied > BY_CHANCE * by_chance:
        yield Finding(
            "copies", (),
            f"{copied:,} of {rows:,} rows repeat others exactly: a policy is asked again what it "
            "has learnt, and rewards look too good; if they are copies, add --distinct",
        )  # fmt: skip


def _collision(column: pa.ChunkedArray) -> float:
    """The probability that two rows have the same value."""
    counts = column.value_counts().field("counts").to_numpy(zero_copy_only=False)
    shares = counts / counts.sum()
    return float(shares @ shares)


def numbers_as_words(checked: Checked) -> Iterator[Finding]:
    for name, cells in checked.cells.items():
        words = None if cells.numbers() is not None else words_of(checked.table[name])
        if words is not None and words[1] and not cells.is_date:
            yield from _misread(name, *words)


def _misread(name: str, codes: Array, levels: list[str]) -> Iterator[Finding]:
    if not any(readable(levels[:LOOKED_AT]).values()):
        return
    found = readable(levels)
    counts = np.bincount(codes[codes >= 0], minlength=len(levels))
    share = {mark: _share(some, levels, counts) for mark, some in found.items()}
    mark = max(share, key=lambda each: share[each])
    numbers = [word for word in levels if word in found[mark]]
    rest = [word for word in levels if word not in found[mark]]
    if share[mark] < MOSTLY or len(numbers) < 2:
        return
    what = f"{called(name)}: {_shown(numbers)} look like numbers but were read as words"
    as_number = f"add --as {_quoted(name + '=number')}"
    if rest:
        yield Finding(
            "mostly-numbers", (name,),
            f"{called(name)}: {100 * share[mark]:.3g} % numbers, the rest {_shown(rest)}; "
            f"{as_number} to take the rest as missing",
        )  # fmt: skip
    elif share[POINT] == share[COMMA] and any(COMMA in word for word in numbers):
        remedy = "the comma may part thousands or decimals: add --decimal . or --decimal ,"
        yield Finding("decimal-mark", (name,), f"{what}; {remedy}")
    elif any(map(is_signed, numbers)):
        yield Finding("signed-numbers", (name,), f"{what}; {as_number}")
    else:
        yield Finding("decimal-mark", (name,), f"{what}; add --decimal {mark}")


def _share(some: set[str], levels: list[str], counts: Array) -> float:
    inside = np.array([word in some for word in levels])
    return float(counts[inside].sum() / max(1, counts.sum()))


def dates(checked: Checked) -> Iterator[Finding]:
    for name, cells in checked.cells.items():
        if cells.is_date:
            shown = called(next((str(each) for each in checked.table[name] if each.is_valid), ""))
            yield Finding(
                "dates", (name,),
                f"{called(name)}: dates ({shown}) are left out; add --as {_quoted(name + '=date')} "
                "to play when they are in the year, the week and the day",
            )  # fmt: skip


def identifiers(checked: Checked) -> Iterator[Finding]:
    """Whole numbers of which no two are equal; words like that are left out anyway."""
    for name, cells in checked.used:
        values = cells.numbers()
        if values is not None and _are_distinct(values):
            yield Finding(
                "identifier", (name,),
                f"{called(name)}: a different whole number in every row, as identifiers are; if it "
                f"is one, add --drop {_quoted(name)}",
            )  # fmt: skip


def _are_distinct(values: Array) -> bool:
    whole = values.size > LEVELS and bool((values == np.rint(values)).all())
    return whole and np.unique(values).size == values.size


def outliers(checked: Checked) -> Iterator[Finding]:
    """A few rewards are so far from nearly all others that these look alike; not in a tail, where
    there are always some."""
    if checked.labelled:
        return
    values, far = extremes(checked.rewards)
    if far.any() and not tail_share(checked.rewards):
        row, arm = np.unravel_index(np.abs(np.where(far, values, 0)).argmax(), values.shape)
        low, high = _most(values)
        name = called(checked.rewards.arms[arm])
        yield Finding(
            "outlier", (checked.rewards.arms[arm],),
            f"{name}: a reward of {values[row, arm]:g} sets the scale, while {NEARLY_ALL:.0%} of "
            f"all lie from {low:.4g} to {high:.4g} and look alike to policies; correct it, or "
            "leave its row out",
        )  # fmt: skip


def extremes(rewards: TableRewards) -> tuple[Array, Array]:
    """The rewards in their units, and which of them are far out and few, (rows, arms)."""
    values = rewards.in_units()
    low, high = _most(values)
    far = np.abs(values - (low + high) / 2) > FAR * max(high - low, 1e-9 * abs(high))
    few = far.sum() <= max(1, RARE * values.size) and np.unique(values).size > 2
    return values, far if few else np.zeros_like(far)


def _most(values: Array) -> tuple[float, float]:
    """The interval that holds nearly all values."""
    low, high = np.quantile(values, (0.5 - NEARLY_ALL / 2, 0.5 + NEARLY_ALL / 2))
    return float(low), float(high)


def heavy_tails(checked: Checked) -> Iterator[Finding]:
    tail = 0.0 if checked.labelled else tail_share(checked.rewards)
    if tail:
        yield Finding(
            "heavy-tails", checked.rewards.arms,
            f"rewards have heavy tails: {TAIL:.0%} of them make up {tail:.0%} of all deviations "
            "from the median, so few rounds decide every mean; cap them, or play their logarithms",
        )  # fmt: skip


def tail_share(rewards: TableRewards) -> float:
    """The share that the largest deviations have in all; 0 where it is not large.

    Outliers are not a tail, nor are the rarer of two values.
    """
    values, far = extremes(rewards)
    there = values[~far]
    if np.unique(there).size <= 2:
        return 0.0
    deviations = np.sort(np.abs(there - np.median(there)))
    share = float(deviations[-max(1, round(TAIL * there.size)) :].sum() / deviations.sum())
    return share if share > HEAVY else 0.0


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _shown(words: list[str]) -> str:
    shown = ", ".join(repr(called(word, 20)) for word in words[:SHOWN])
    return shown + (" …" if len(words) > SHOWN else "")


def _quoted(name: str) -> str:
    """A name as a shell and the option take it."""
    plain = called(name)
    return quote(f'"{plain}"' if "," in plain else plain)


CHECKS: tuple[Check, ...] = (
    too_few_rows,
    leaks,
    copies,
    outliers,
    heavy_tails,
    numbers_as_words,
    dates,
    identifiers,
)
