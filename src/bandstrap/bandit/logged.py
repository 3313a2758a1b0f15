"""Learning from logged decisions as in scikit-learn: `fit` and `predict`.

Not among the names of `bandstrap.bandit`: importing scikit-learn takes long.
"""

from collections.abc import Iterable
from copy import deepcopy
from typing import Any

import numpy as np
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

    A table X without columns is for policies without contexts.

    >>> from bandstrap import LinThompson
    >>> X = np.array([[-1.0], [1.0]] * 20)
    >>> arms = np.repeat(["left", "right"], 20)
    >>> rewards = (X[:, 0] < 0) == (arms == "left")
    >>> model = LoggedBandit(LinThompson(), random_state=0).fit(X, arms, rewards)
    >>> model.predict([[-2.0], [2.0]]).tolist()
    ['left', 'right']
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
        require_whole(1, draws=self.draws)
        chosen, width = [checked_name(arm, "arms") for arm in _listed(arms)], _width(X)
        # Numbers before text, which cannot be compared.
        known = sorted(set(chosen), key=lambda arm: (isinstance(arm, str), arm))
        names = known if self.arms is None else self.arms
        seed = int(check_random_state(self.random_state).randint(2**31))
        bandit = Bandit(self.policy, as_names("arms", names), seed=seed, rewards=self.rewards)
        weights = 1.0 if propensities is None else _weights(propensities, len(chosen))
        context = X if width else None
        bandit.learn(context=context, arm=chosen, reward=rewards, weight=weights)
        mixed = len(set(map(type, bandit.arms))) > 1  # numbers among text stay numbers
        self.bandit_, self.classes_ = bandit, np.array(bandit.arms, object if mixed else None)
        self.n_features_in_, self._seed = width, seed
        columns = bandit.contexts.columns
        if columns is not None and columns.names:
            self.feature_names_in_ = np.array(columns.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):  # of an earlier table
            del self.feature_names_in_
        return self

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
        rows = self.bandit_.contexts.rows(X)[0] if width else [None] * len(X)
        memory = self.bandit_.memory(rows[0] if rows else None)
        return memory.policy, memory.state, rows, generator(self._seed, "logged")


def _width(table: Any) -> int:
    """How many columns a table has."""
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
