"""What the weights of a target on a log are like, gathered slice by slice."""

import numpy as np

from bandstrap.arrays import Array
from bandstrap.evaluation.diagnostics.log_summary import BLOCKS, block_of
from bandstrap.evaluation.diagnostics.pareto import pareto_k, tail_length
from bandstrap.evaluation.feedback import Feedback
from bandstrap.evaluation.targets.base import Shares, row_counts
from bandstrap.evaluation.targets.best_arm import inverse_propensities

__all__ = ["EDGES", "TargetSummary"]

# Of the histogram of weights; below and above are two bins more.
EDGES = np.array([0.01, 0.25, 0.5, 1, 2, 4, 8, 16, 64, 256, 1024, 4096, 16_384])


class TargetSummary:
    """Sums over the rows that a target was judged on.

    A weight here is how much more probable the target makes the logged arm than the logger did, as
    many times as the row stands for decisions.
    """

    def __init__(self, feedback: Feedback, usual: float, chosen: Array) -> None:
        self._feedback, self._usual = feedback, usual
        self._unseen = chosen == 0  # arms that the log never has
        self.rows, self.draws = 0, 0
        self.decisions = 0.0  # that rows stand for
        self.total, self.squares, self.largest = 0.0, 0.0, 0.0
        self._mixed, self._counted = 0.0, 0.0  # sums of counts times weights, and of their squares
        self.odd, self.odd_squares = 0.0, 0.0  # weights times how far rewards are from the usual
        self.unsupported = 0.0  # probability of arms that the logger never chooses, summed
        self.wanted = np.zeros(len(feedback.arms))  # probability by arm, summed
        self.bins = np.zeros(len(EDGES) + 1)
        self.blocks = np.zeros((3, BLOCKS))  # of weights, weights × rewards, and squares of these
        self._tail = np.empty(0)

    def add(self, shares: Shares) -> None:
        """Look at some more rows."""
        rows, every = shares.rows, shares.every
        weights = shares.of_chosen(self._feedback) * inverse_propensities(self._feedback, rows)
        rewards = np.asarray(self._feedback.rewards[rows], dtype=np.float64)
        counts = row_counts(self._feedback, rows)
        self.rows += len(weights)
        self.draws = shares.draws
        self.bins += np.bincount(np.searchsorted(EDGES, weights), counts, minlength=len(self.bins))
        weights = weights * counts
        self._add_weights(weights, counts)
        self._add_mass(every * counts[:, None], rows, counts)
        self._add_rewards(weights, rewards, rows)

    def _add_weights(self, weights: Array, counts: Array) -> None:
        self.decisions += float(counts.sum())
        self._mixed += float((counts * weights).sum())
        self._counted += float((counts**2).sum())
        self.total += float(weights.sum())
        self.squares += float((weights**2).sum())
        self.largest = max(self.largest, float(weights.max()))
        both = np.concatenate([self._tail, weights])
        keep = tail_length(len(self._feedback)) + 1
        self._tail = np.partition(both, -keep)[-keep:] if len(both) > keep else both

    def _add_mass(self, every: Array, rows: slice, counts: Array) -> None:
        self.wanted += every.sum(axis=0)
        known = self._feedback.probabilities
        lost = every[:, self._unseen].sum() if self._unseen.any() else 0.0
        if known is not None:
            lost = np.where(np.asarray(known[rows]) == 0, every, 0.0).sum()
        self.unsupported += float(lost + (counts - every.sum(axis=1)).clip(0).sum())

    def _add_rewards(self, weights: Array, rewards: Array, rows: slice) -> None:
        came = ~np.isnan(rewards)
        some, paid = weights[came], rewards[came]
        odd = some * np.abs(paid - self._usual)
        self.odd += float(odd.sum())
        self.odd_squares += float((odd**2).sum())
        blocks = block_of(np.arange(rows.start, rows.stop)[came], len(self._feedback))
        for into, values in zip(self.blocks, (some, some * paid, (some * paid) ** 2), strict=True):
            into += np.bincount(blocks, values, minlength=BLOCKS)

    @property
    def size(self) -> float:
        """The effective sample size: that of a sample without weights that tells as much."""
        return self.total**2 / self.squares if self.squares else 0.0

    @property
    def rewards(self) -> float:
        """The same for rewards that differ from the usual one: rare clicks, say."""
        return self.odd**2 / self.odd_squares if self.odd_squares else 0.0

    @property
    def mean(self) -> float:
        """The mean weight, which is 1 on average if propensities are right and nothing is lost."""
        return self.total / self.decisions if self.rows else np.nan

    @property
    def mean_error(self) -> float:
        """Its standard error."""
        if not self.rows:
            return np.nan
        n, mean = self.decisions, self.mean
        variance = self.squares / n - mean * (2 * self._mixed / n - mean * self._counted / n)
        return float(np.sqrt(max(variance, 0.0) / n))

    @property
    def lost(self) -> float:
        """The share of the target's choices that the log cannot judge."""
        return self.unsupported / self.decisions if self.rows else 0.0

    @property
    def share_of_largest(self) -> float:
        """What part of all weight the largest one has."""
        return self.largest / self.total if self.total else 1.0

    def tail(self) -> float:
        """Pareto's k."""
        keep = min(tail_length(self.rows) + 1, len(self._tail))
        return pareto_k(np.sort(self._tail)[-keep:]) if keep else -np.inf
