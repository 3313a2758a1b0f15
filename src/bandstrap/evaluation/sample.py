"""What estimators see of a log and a target: a few numbers for each decision."""

from dataclasses import dataclass

from bandstrap.arrays import Array

__all__ = ["Sample"]


@dataclass(frozen=True)
class Sample:
    """Decisions with a reward, some or all of a log, in order; every array is (n,).

    The probabilities of the target may be estimates without bias, from draws that are independent
    of the logger's: what is a mean of products stays unbiased, and the errors of the draws are in
    its spread.
    """

    rewards: Array
    weights: Array  # the inverse propensity of the chosen arm, known or without bias
    target: Array  # the probability of the chosen arm by the target
    fitted: Array | None = None  # what a model expects of the chosen arm, fit to other rows
    baseline: Array | None = None  # what it expects of the target: its mean over all arms
    counts: Array | None = None  # how many decisions a row stands for; None: one
    squares: Array | None = None  # Σ π² / propensity over all arms, where the log tells all of them

    @property
    def ratios(self) -> Array:
        """How much more probable the target makes the chosen arm than the logger did."""
        ratios: Array = self.target * self.weights
        return ratios

    def __len__(self) -> int:
        return len(self.rewards)
