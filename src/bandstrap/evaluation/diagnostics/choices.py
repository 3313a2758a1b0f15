"""A test, valid at every row, that arms were chosen with the probabilities that were logged.

An e-value is what a gambler has made of one unit who bets against the logged probabilities at fair
odds. If they are right it exceeds 20 with probability 1/20 at most, however often one looks
(Ville's inequality).
"""

import numpy as np

from bandstrap.evaluation.feedback import Feedback
from bandstrap.evaluation.targets.base import allowed_rows
from bandstrap.evaluation.targets.best_arm import inverse_propensities

__all__ = ["AllArms", "ChosenArm", "choice_test"]

PRIOR = 5.0  # choices of each arm as expected, before the gambler believes what is seen
LARGEST_BET = 0.5  # a share of the capital


class AllArms:
    """Where the probabilities of all arms are logged: bets on arms that come too often.

    The gambler bets as if an arm's probability were the logged one times how much oftener than
    expected it came so far.
    """

    def __init__(self, n_arms: int) -> None:
        self.seen, self.expected = np.zeros(n_arms), np.zeros(n_arms)
        self.capital, self.most = 0.0, 0.0  # logarithms

    def add(self, feedback: Feedback, rows: slice) -> None:
        """Bet on some more rows."""
        assert feedback.probabilities is not None
        every = np.asarray(feedback.probabilities[rows], dtype=np.float64)
        chosen = np.asarray(feedback.chosen[rows])
        hits = np.zeros(every.shape)
        hits[np.arange(len(chosen)), chosen] = 1.0
        seen = self.seen + hits.cumsum(axis=0)
        expected = self.expected + every.cumsum(axis=0)
        tilt = (seen - hits + PRIOR) / (expected - every + PRIOR)
        won = np.log(tilt[np.arange(len(chosen)), chosen]) - np.log((every * tilt).sum(axis=1))
        path = self.capital + won.cumsum()
        self.seen, self.expected = seen[-1], expected[-1]
        self.capital, self.most = float(path[-1]), max(self.most, float(path.max()))


class ChosenArm:
    """Where only that of the chosen arm is: bets on arms whose weights are too large.

    An arm's inverse propensity, counted 0 where it is not chosen, has the mean 1 at most, in every
    row where it is allowed. A gambler for each arm bets that it is more.
    """

    def __init__(self, n_arms: int) -> None:
        self.total, self.squares = np.zeros((2, n_arms))
        self.capital, self.most = np.zeros(n_arms), 0.0

    def add(self, feedback: Feedback, rows: slice) -> None:
        """Bet on some more rows."""
        open_ = allowed_rows(feedback, rows)
        chosen = np.asarray(feedback.chosen[rows])
        excess = np.where(open_, -1.0, 0.0)
        excess[np.arange(len(chosen)), chosen] += inverse_propensities(feedback, rows)
        total = self.total + excess.cumsum(axis=0)
        squares = self.squares + (excess**2).cumsum(axis=0)
        before, spread = total - excess, squares - excess**2
        bets = np.clip(before / (spread + PRIOR), 0.0, LARGEST_BET)
        path = self.capital + np.log1p(bets * excess).cumsum(axis=0)
        top = path.max(axis=1)
        together = top + np.log(np.exp(path - top[:, None]).mean(axis=1))
        self.total, self.squares, self.capital = total[-1], squares[-1], path[-1]
        self.most = max(self.most, float(together.max()))


def untestable(feedback: Feedback) -> bool:
    """Whether a log has propensities, but rows that stand for different numbers of decisions."""
    known = feedback.propensities is not None or feedback.weights is not None
    return known and feedback.counts is not None and bool(np.ptp(feedback.counts) > 0)


def choice_test(feedback: Feedback) -> AllArms | ChosenArm | None:
    """The test that a log allows.

    None if it has no propensities, or rows that stand for different numbers of decisions: what was
    dropped then depends on what was chosen, or on its reward, and bets on what is left are unfair.
    """
    if untestable(feedback):
        return None
    if feedback.probabilities is not None:
        return AllArms(len(feedback.arms))
    if feedback.propensities is not None or feedback.weights is not None:
        return ChosenArm(len(feedback.arms))
    return None
