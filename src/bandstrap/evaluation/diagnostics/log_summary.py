"""What a log tells by itself: how often arms were chosen, what they paid, and when."""

from dataclasses import dataclass

import numpy as np
from scipy.stats import chi2

from bandstrap.arrays import Array
from bandstrap.bandit.decision import Arm
from bandstrap.evaluation.diagnostics.choices import choice_test, untestable
from bandstrap.evaluation.feedback import Feedback
from bandstrap.evaluation.targets.base import row_counts, row_slices
from bandstrap.evaluation.targets.best_arm import inverse_propensities

__all__ = ["BLOCKS", "LogSummary", "summarised"]

BLOCKS = 20  # of rows, in order
VARIES = 1e-6  # by which share propensities are not the same
FEW = 10  # rewards of an arm in a block that are too few to look at


@dataclass(frozen=True)
class LogSummary:
    """Sums over a log, by block of rows and by arm.

    A row that stands for c decisions is one draw: its reward counts c times in means and c² times
    in the spread of means.
    """

    arms: tuple[Arm, ...]
    rows: Array  # (blocks,), decisions that rows stand for
    missing: Array  # (blocks,), those whose rewards have not come
    counts: Array  # (blocks, arms), those whose rewards have: Σ c
    sums: Array  # (blocks, arms), Σ c r
    spreads: Array  # (3, blocks, arms), Σ c² rᵏ for k from 0 to 2
    chosen: Array  # (arms,), in how many rows
    shares: Array  # (arms,), how often, of all decisions
    least: Array  # (arms,), the smallest propensity of its choices; NaN without any
    most: Array  # (arms,), the largest
    evidence: float  # the largest e-value against the logged propensities; NaN without any
    every: bool  # whether the test could look at the probabilities of all arms
    untestable: bool  # whether rows stand for different numbers of decisions

    @property
    def mean(self) -> float:
        """The mean reward: what the logger earned a decision."""
        return float(self.sums.sum() / self.counts.sum()) if self.counts.sum() else np.nan

    @property
    def varies(self) -> bool:
        """Whether propensities of an arm differ from row to row, as of a logger that learns."""
        return bool((self.most > self.least * (1 + VARIES)).any())

    def drift(self) -> tuple[float, float]:
        """Of the hypothesis that each arm's rewards have one mean at all times, the p-value.

        And by how much the mean reward has changed from the first to the second half, at the same
        shares of arms.
        """
        enough = self._sizes >= FEW
        counts, sums = (np.where(enough, each, 0) for each in (self.counts, self.sums))
        total = counts.sum(axis=0)
        used = np.where(enough, self._sizes, 0).sum(axis=0) > 2 * FEW
        means = sums.sum(axis=0) / np.maximum(total, 1)
        none, once, twice = np.where(enough, self.spreads, 0).sum(axis=1) / np.maximum(total, 1)
        variances = twice - means * (2 * once - means * none)
        used &= (variances > 0) & (enough.sum(axis=0) > 1)
        gaps = np.where(enough, sums / np.maximum(counts, 1) - means, 0.0)
        scaled = counts * gaps**2 / np.where(used, variances, 1.0)
        freedom = int((enough.sum(axis=0) - 1)[used].sum())
        if freedom < 1:
            return 1.0, 0.0
        return float(chi2.sf(scaled[:, used].sum(), freedom)), self._change()

    @property
    def _sizes(self) -> Array:
        """How many rewards tell as much as those of a block and arm, (blocks, arms)."""
        squares = self.spreads[0]
        sizes: Array = self.counts**2 / np.where(squares > 0, squares, 1.0)
        return sizes

    def _change(self) -> float:
        half = len(self.rows) // 2
        parts = [slice(0, half), slice(half, None)]
        counts = [self.counts[part].sum(axis=0) for part in parts]
        first, second = (
            self.sums[part].sum(axis=0) / np.maximum(count, 1)
            for part, count in zip(parts, counts, strict=True)
        )
        both = np.minimum(*counts) > 0
        shares = self.counts.sum(axis=0) * both
        return float(((second - first) * shares).sum() / max(shares.sum(), 1))


def summarised(feedback: Feedback) -> LogSummary:
    """One walk over the log."""
    n_arms = len(feedback.arms)
    rows, missing = np.zeros((2, BLOCKS))
    counts, sums, *spreads = np.zeros((5, BLOCKS * n_arms))
    shares = np.zeros(n_arms)
    chosen, least = np.zeros(n_arms, dtype=np.int64), np.full(n_arms, np.inf)
    largest = np.full(n_arms, -np.inf)
    test = choice_test(feedback)
    for each in row_slices(feedback):
        arms = np.asarray(feedback.chosen[each])
        rewards = np.asarray(feedback.rewards[each], dtype=np.float64)
        blocks = block_of(np.arange(each.start, each.stop), len(feedback))
        came = ~np.isnan(rewards)
        many = row_counts(feedback, each)
        cells, some, paid = (blocks * n_arms + arms)[came], many[came], rewards[came]
        powers = (some**2, some**2 * paid, some**2 * paid**2)
        for into, values in zip(
            (counts, sums, *spreads), (some, some * paid, *powers), strict=True
        ):
            into += np.bincount(cells, values, minlength=into.size)
        rows += np.bincount(blocks, many, minlength=BLOCKS)
        missing += np.bincount(blocks[~came], many[~came], minlength=BLOCKS)
        shares += np.bincount(arms, many, minlength=n_arms)
        chosen += np.bincount(arms, minlength=n_arms)
        propensities = 1 / inverse_propensities(feedback, each)
        np.minimum.at(least, arms, propensities)
        np.maximum.at(largest, arms, propensities)
        if test is not None:
            test.add(feedback, each)
    shape = (BLOCKS, n_arms)
    return LogSummary(
        feedback.arms, rows, missing, counts.reshape(shape), sums.reshape(shape),
        np.reshape(spreads, (3, *shape)), chosen, shares / max(shares.sum(), 1),
        np.where(chosen > 0, least, np.nan), np.where(chosen > 0, largest, np.nan),
        np.nan if test is None else float(np.exp(min(test.most, 700.0))),
        feedback.probabilities is not None, untestable(feedback),
    )  # fmt: skip


def block_of(rows: Array, count: int) -> Array:
    """The block that each row is in."""
    blocks: Array = rows * BLOCKS // max(count, 1)
    return blocks
