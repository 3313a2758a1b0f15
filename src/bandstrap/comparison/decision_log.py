"""Tables that are logs of decisions: they have the reward of the chosen arm alone."""

import pyarrow as pa

from bandstrap.errors import InvalidInput
from bandstrap.printable import called
from bandstrap.tables.roles import (
    ACTION,
    PROPENSITY,
    REWARD,
    are_numbers,
    are_probabilities,
    few_values,
    named,
)

PARTS = ((ACTION, few_values), (REWARD, are_numbers), (PROPENSITY, are_probabilities))


def check_not_a_log(table: pa.Table, title: str) -> None:
    """Refuse a table that has an action, a reward and the probability of the action.

    >>> log = pa.table({"x": [1, 2], "arm": ["a", "b"], "reward": [0, 1], "p": [0.5, 0.5]})
    >>> try:
    ...     check_not_a_log(log, "visits")
    ... except InvalidInput as error:
    ...     print(str(error)[:78])
    data = 'visits': looks like a log of decisions (action 'arm', reward 'reward',
    """
    found = [next(named(table, words, fits), None) for words, fits in PARTS]
    if None in found:
        return
    action, reward, propensity = (repr(called(name)) for name in found)
    raise InvalidInput(
        "data",
        title,
        f"looks like a log of decisions (action {action}, reward {reward}, propensity "
        f"{propensity}) and is not played: a log has the reward of the chosen arm alone, and "
        "compare needs a labelled table, which says what every arm would have paid. "
        "bandstrap evaluate says what another policy would have earned on a log, LoggedBandit "
        f"learns from it; if this is none, add --drop {propensity}",
    )
