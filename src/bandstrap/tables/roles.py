"""What the names of columns say they hold, where a table is a log of decisions."""

import re
from collections.abc import Callable, Iterator

import numpy as np
import pyarrow as pa

from bandstrap.tables.cells import cells_of, classes_of

Fits = Callable[[pa.ChunkedArray], bool]

# Words in the names of such columns.
ACTION = {"action", "actions", "arm", "arms", "chosen", "choice", "decision", "treatment",
          "variant", "shown", "recommended"}  # fmt: skip
ITEM = {"item", "offer", "banner", "ad", "creative", "article", "version", "option", "group"}
REWARD = {"reward", "rewards", "payoff", "click", "clicks", "clicked", "conversion", "converted",
          "outcome", "response", "revenue"}  # fmt: skip
EARLIER = {"last", "prior", "previous", "past", "before", "history", "historical", "avg", "mean"}
PROPENSITY = {"propensity", "propensities", "probability", "prob", "pscore", "p"}
SURELY_PROPENSITY = {"propensity", "propensities", "pscore"}
ALLOWED = {"allowed", "eligible", "available", "candidates"}
TIME = {"time", "timestamp", "ts", "date", "datetime", "at", "when"}
IDENTIFIER = {"id", "uuid", "guid", "key"}
MOST_ARMS = 100  # with more, the values of a column are hardly arms


def words_in(name: str) -> set[str]:
    """The words of a name.

    >>> sorted(words_in("chosenArm")), sorted(words_in("chosen_arm")), sorted(words_in("Arm 2"))
    (['arm', 'chosen'], ['arm', 'chosen'], ['2', 'arm'])
    """
    parted = re.sub(r"([a-z])([A-Z])", r"\1 \2", name)
    return set(re.split(r"[\W_]+", parted.lower()))


def named(table: pa.Table, words: set[str], fits: Fits) -> Iterator[str]:
    """The columns with such a name and such values."""
    for name in table.column_names:
        if words_in(name) & words and fits(table[name]):
            yield str(name)


def few_values(column: pa.ChunkedArray) -> bool:
    """Whether these may be arms."""
    classes = classes_of(column)
    return classes is not None and 1 <= len(classes.names) <= MOST_ARMS


def are_numbers(column: pa.ChunkedArray) -> bool:
    return cells_of(column).numbers() is not None


def are_probabilities(column: pa.ChunkedArray) -> bool:
    return share_of_probabilities(column) == 1.0


def share_of_probabilities(column: pa.ChunkedArray) -> float:
    """How many of the values that are there are probabilities above 0; 0 if none is there."""
    values = cells_of(column).numbers()
    if values is None:
        return 0.0
    there = values[~np.isnan(values)]
    return float(((there > 0) & (there <= 1)).mean()) if there.size else 0.0
