"""Tables that are logs of decisions: they tell the reward of the chosen arm alone."""

import re
from collections.abc import Callable

import numpy as np
import pyarrow as pa

from bandstrap.comparison.rewards import CLASSES
from bandstrap.errors import InvalidInput
from bandstrap.printable import called
from bandstrap.tables.cells import cells_of, classes_of

Fits = Callable[[pa.ChunkedArray], bool]

# Words in the names of such columns.
ACTION = {"action", "actions", "arm", "arms", "chosen", "choice", "decision", "treatment",
          "variant", "shown", "recommended"}  # fmt: skip
REWARD = {"reward", "rewards", "payoff", "click", "clicks", "clicked", "conversion", "converted",
          "outcome", "response", "revenue"}  # fmt: skip
PROPENSITY = {"propensity", "propensities", "probability", "prob", "pscore", "p"}


def check_not_a_log(table: pa.Table, title: str) -> None:
    """Refuse a table that has an action, a reward and the probability of the action.

    >>> log = pa.table({"x": [1, 2], "arm": ["a", "b"], "reward": [0, 1], "p": [0.5, 0.5]})
    >>> try:
    ...     check_not_a_log(log, "visits")
    ... except InvalidInput as error:
    ...     print(str(error)[:78])
    data = 'visits': looks like a log of decisions (action 'arm', reward 'reward',
    """
    found = [_first(table, words, fits) for words, fits in _PARTS]
    if None in found:
        return
    action, reward, propensity = (repr(called(name)) for name in found)
    raise InvalidInput(
        "data",
        title,
        f"looks like a log of decisions (action {action}, reward {reward}, propensity "
        f"{propensity}) and is not played: a log tells the reward of the chosen arm alone, and "
        "compare needs a labelled table, which tells what every arm would have paid. "
        "bandstrap.bandit.logged.LoggedBandit learns from a log; if this is none, add "
        f"--drop {propensity}",
    )


def _first(table: pa.Table, words: set[str], fits: Fits) -> str | None:
    """The first column with such a name and such values."""
    for name in table.column_names:
        if _words(name) & words and fits(table[name]):
            return str(name)
    return None


def _words(name: str) -> set[str]:
    """The words of a name, as in chosen_arm, chosenArm or "chosen arm"."""
    parted = re.sub(r"([a-z])([A-Z])", r"\1 \2", name)
    return set(re.split(r"[\W_]+", parted.lower()))


def _few_values(column: pa.ChunkedArray) -> bool:
    classes = classes_of(column)
    return classes is not None and 1 <= len(classes.names) <= CLASSES


def _numbers(column: pa.ChunkedArray) -> bool:
    return cells_of(column).numbers() is not None


def _probabilities(column: pa.ChunkedArray) -> bool:
    values = cells_of(column).numbers()
    if values is None:
        return False
    there = values[~np.isnan(values)]
    return bool(there.size and (there > 0).all() and (there <= 1).all())


_PARTS = ((ACTION, _few_values), (REWARD, _numbers), (PROPENSITY, _probabilities))
