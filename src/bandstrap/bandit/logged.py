"""Learning from logged decisions as in scikit-learn: `fit`, `predict` and `score`."""

from collections.abc import Iterable
from copy import deepcopy
from typing import Any

import numpy as np
import pyarrow as pa
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from bandstrap.arrays import Array, Rng
from bandstrap.bandit.arms import as_names, checked_name
from bandstrap.bandit.bandit import Bandit
from bandstrap.bandit.decision import Arm
from bandstrap.bandit.inputs import as_list, as_numbers
from bandstrap.errors import InvalidInput
from bandstrap.policies import Policy
from bandstrap.problem import Support
from bandstrap.seeding import generator
from bandstrap.tables.cells import Cells, cells_of, plain
from bandstrap.tables.contexts import is_row
from bandstrap.tables.encoder import Encoder
from bandstrap.tables.features import fitted
from bandstrap.tables.source import rows_of
from bandstrap.validation import require_whole

__all__ = ["LoggedBandit"]


class LoggedBandit(BaseEstimator):  # type: ignore[misc]
    """The best arm in a context, learnt from a log of arms that others chose and their rewards.

    * `policy` learns, one row after the other. `bandit_` is the `Bandit` that has learnt the log:
      it explores, and goes on learning.
    * `arms`: their names; those in the log if None. `classes_` holds them in order.
    * `rewards`: where rewards lie, [0, 1] if None.
    * `draws`: how many `predict` averages, and `predict_proba` where the policy does not know the
      probabilities.

    A table X without columns is for policies without contexts. Text, missing values and dates of a
    table with names become numbers by an `Encoder`, as in `bandstrap compare`, unless the policy
    reads tables itself; `encoder_` is that, or None.

    To put it to work, save the bandit and, if there is one, the encoder:
    `model.bandit_.save("live.bandit")` and `model.encoder_.save("encoder.json")`. Later,
    `Bandit.load("live.bandit").decide(Encoder.load("encoder.json")(row))` decides. In this process,
    `model.encode(row)` is the context of a row.

    >>> from bandstrap import LinThompson
    >>> X = np.array([[-1.0], [1.0]] * 20)
    >>> arms = np.repeat(["left", "right"], 20)
    >>> rewards = (X[:, 0] < 0) == (arms == "left")
    >>> model = LoggedBandit(LinThompson(), random_state=0).fit(X, arms, rewards)
    >>> model.predict([[-2.0], [2.0]]).tolist()
    ['left', 'right']
    >>> model.score(X, arms, rewards)
    1.0
    >>> model.bandit_.rewards_learnt
    40
    """

    def __init__(
        self,
        policy: Policy[Any],
        arms: Iterable[Arm] | None = None,
        rewards: Support | None = None,
        draws: int = 100,
        random_state: Any = None,
    ) -> None:
        self.policy = policy
        self.arms = arms
        self.rewards = rewards
        self.draws = draws
        self.random_state = random_state

    def fit(
        self,
        X: Any,  # noqa: N803
        arms: Any,
        rewards: Any,
        propensities: Any = None,
    ) -> "LoggedBandit":
        """Learn the log anew: in context X[i] arm `arms[i]` was chosen and paid `rewards[i]`.

        With `propensities`, the probabilities of the chosen arms, a row is weighted by the inverse
        of its own, scaled to 1 on average: contexts in which the log seldom tried an arm then count
        as much for it as others. The policy must take rewards of any weight.
        """
        chosen = [checked_name(arm, "arms") for arm in _listed(arms)]
        weights = 1.0 if propensities is None else _weights(propensities, len(chosen))
        return self._fit(X, chosen, rewards, weights)

    def fit_log(self, feedback: Any) -> "LoggedBandit":
        """Learn a log anew, as `bandstrap.evaluation.logs.read_log` returns it.

        Rows without a reward are left out. A row is weighted by the inverse of its propensity, as
        in `fit`, and by the number of decisions that it stands for.
        """
        there = np.flatnonzero(~np.isnan(feedback.rewards))
        weights = np.ones(there.size) if feedback.counts is None else feedback.counts[there]
        if feedback.propensities is not None:
            weights = weights / feedback.propensities[there]
        chosen = [feedback.arms[place] for place in feedback.chosen[there]]
        if feedback.contexts is None:
            contexts: Any = np.empty((there.size, 0))
        elif feedback.columns.kinds:
            contexts = [feedback.context(place) for place in there.tolist()]
        else:
            contexts = np.array(feedback.contexts[there])
        plain = weights.min(initial=1.0) == weights.max(initial=1.0) == 1.0
        even = 1.0 if plain else (weights / weights.mean()).tolist()
        known = feedback.arms if self.arms is None else self.arms
        return self._fit(contexts, chosen, feedback.rewards[there].tolist(), even, known)

    def _fit(
        self, table: Any, chosen: list[Arm], rewards: Any, weights: Any, arms: Any = None
    ) -> "LoggedBandit":
        require_whole(1, draws=self.draws)
        width = _width(table)
        # Numbers before text, which cannot be compared.
        known = sorted(set(chosen), key=lambda arm: (isinstance(arm, str), arm))
        given = self.arms if arms is None else arms
        names = known if given is None else given
        seed = int(check_random_state(self.random_state).randint(2**31))
        bandit = Bandit(self.policy, as_names("arms", names), seed=seed, rewards=self.rewards)
        encoder = _encoder(table, self.policy) if width else None
        context = table if encoder is None else encoder(table)
        bandit.learn(context=context if width else None, arm=chosen, reward=rewards, weight=weights)
        mixed = len(set(map(type, bandit.arms))) > 1  # numbers among text stay numbers
        self.bandit_, self.classes_ = bandit, np.array(bandit.arms, object if mixed else None)
        self.n_features_in_, self._seed, self.encoder_ = width, seed, encoder
        self._name_features(table)
        return self

    def _name_features(self, table: Any) -> None:
        columns = self.bandit_.contexts.columns
        names = [] if columns is None else columns.names
        if self.encoder_ is not None:
            names = [*_arrow(table).column_names]
        if names:
            self.feature_names_in_ = np.array(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):  # of an earlier table
            del self.feature_names_in_

    def encode(self, rows: Any) -> Any:
        """A row or a table as `bandit_` takes it: the contexts themselves without an encoder."""
        check_is_fitted(self, "bandit_")
        return rows if self.encoder_ is None else self.encoder_(rows)

    def score(
        self,
        X: Any,  # noqa: N803
        arms: Any,
        rewards: Any,
        propensities: Any = None,
    ) -> float:
        """What following `predict` would have earned a decision, estimated from a log.

        By self-normalised inverse propensity weighting: the mean reward of the rows in which the
        log chose the predicted arm, each weighted by the inverse of its propensity. Without
        `propensities` rows count alike, as if the log had chosen all arms alike. NaN if the log
        never chose the predicted arm. Give rows that were not learnt: on its own it flatters.
        """
        chosen = _listed(arms)
        weights = np.ones(len(chosen))
        if propensities is not None:
            weights = np.array(_weights(propensities, len(chosen)))
        paid = np.array(as_numbers("reward", rewards, len(chosen)))
        predicted = self.predict(X)
        if len(predicted) != len(chosen):
            raise InvalidInput("arms", len(chosen), f"give one for each of {len(predicted)} rows")
        same = [one == other for one, other in zip(predicted.tolist(), chosen, strict=True)]
        matched = weights * np.array(same, np.float64)
        return float(matched @ paid / matched.sum()) if matched.any() else float("nan")

    def predict(self, X: Any) -> Array:  # noqa: N803
        """The arm with the best mean of its draws in each context; the bandit does not change.

        For a policy that adds a bonus it is the arm with the largest score. An arm that the policy
        has not tried, and would try first, is predicted only if there is no other.
        """
        policy, state, rows, rng = self._asked(X)
        means = np.empty((len(rows), self.classes_.size))
        for i, row in enumerate(rows):
            mine = deepcopy(state)
            draws = [policy.scores(mine, row, rng)[0] for _ in range(self.draws)]
            means[i] = np.mean(draws, axis=0)
        best = np.where(np.isposinf(means), -np.inf, means).argmax(axis=1)
        predicted: Array = self.classes_[best]
        return predicted

    def predict_proba(self, X: Any) -> Array:  # noqa: N803
        """The probability of each arm in each context, (n, arms).

        Exact where the policy knows it, else the share of `draws` decisions, without the bandit's
        floor.
        """
        policy, state, rows, rng = self._asked(X)
        allowed = np.ones((1, self.classes_.size), dtype=np.bool_)
        found = []
        for row in rows:
            # A copy for each row, so that rows do not depend on each other.
            known = policy.probabilities(deepcopy(state), row, allowed)
            if known is None:
                mine = deepcopy(state)
                arms = [policy.select(mine, row, rng)[0] for _ in range(self.draws)]
                known = np.bincount(arms, minlength=self.classes_.size) / self.draws
            found.append(known)
        return np.array(found).reshape(-1, self.classes_.size)

    def _asked(self, X: Any) -> tuple[Policy[Any], Any, list[Any], Rng]:  # noqa: N803
        """The policy, what it has learnt, the contexts as rows, and random numbers."""
        check_is_fitted(self, "bandit_")
        width = _width(X)
        if width != self.n_features_in_:
            raise InvalidInput("X", f"{width} columns", f"it was fit to {self.n_features_in_}")
        rows = self.bandit_.contexts.rows(self.encode(X))[0] if width else [None] * len(X)
        memory = self.bandit_.memory(rows[0] if rows else None)
        return memory.policy, memory.state, rows, generator(self._seed, "logged")


def _encoder(table: Any, policy: Policy[Any]) -> Encoder | None:
    """How columns become numbers, if they have names and some are none."""
    if getattr(policy, "_reads_tables", False) or isinstance(table, np.ndarray):
        return None
    if not (_are_dicts(table) or hasattr(table, "columns")):
        return None
    arrow = _arrow(table)
    cells = {str(name): cells_of(arrow[name]) for name in arrow.column_names}
    if all(_complete(each, arrow[name]) for name, each in cells.items()):
        return None
    useful = [(name, each) for name, each in cells.items() if not each.useless()]
    if not useful:
        raise InvalidInput("X", [*cells], "no column says anything; give some that do")
    features = tuple(fitted(each, name).feature for name, each in useful)
    example = arrow.slice(0, 1).to_pylist()[0]
    return Encoder(features, {feature.name: example[feature.name] for feature in features})


def _complete(cells: Cells, column: pa.ChunkedArray) -> bool:
    """Whether a column holds numbers alone, not as text."""
    numbers = cells.numbers()
    words = pa.types.is_large_string(plain(column).type)
    return numbers is not None and not words and not np.isnan(numbers).any()


def _are_dicts(table: Any) -> bool:
    return isinstance(table, list | tuple) and len(table) > 0 and all(map(is_row, table))


def _arrow(table: Any) -> pa.Table:
    """A frame, or a list of dicts, as an Arrow table."""
    if _are_dicts(table):
        return pa.Table.from_pylist([{str(k): v for k, v in row.items()} for row in table])
    rows = rows_of(table)
    return pa.Table.from_batches(rows.pieces(), rows.schema)


def _width(table: Any) -> int:
    """How many columns a table has."""
    if _are_dicts(table):
        return len(table[0])
    try:
        shape = np.shape(table) if not hasattr(table, "shape") else table.shape
    except ValueError:
        raise InvalidInput("X", table, "give rows that are all of one length") from None
    if len(shape) != 2:
        raise InvalidInput("X", shape, "give a table, with a row for each decision")
    return int(shape[1])


def _listed(arms: Any) -> list[Any]:
    many = as_list(arms)
    if many is None:
        raise InvalidInput("arms", arms, "give a list: the arm that was chosen in each row of X")
    return many


def _weights(propensities: Any, count: int) -> list[float]:
    given = np.array(as_numbers("propensities", propensities, count))
    if not ((given > 0) & (given <= 1)).all():
        bad = given[~((given > 0) & (given <= 1))][0]
        raise InvalidInput("propensities", float(bad), "give probabilities above 0, at most 1")
    weights: list[float] = (1 / given / (1 / given).mean()).tolist()
    return weights
