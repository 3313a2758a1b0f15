"""Pseudo-examples at contexts that were really seen: sensible for any kind of column."""

from dataclasses import dataclass

import numpy as np

from bandstrap.arrays import Array
from bandstrap.contexts import as_numbers
from bandstrap.errors import InvalidInput
from bandstrap.priors.pseudo_examples import ExamplePrior, PseudoExamples, both_rewards
from bandstrap.problem import Problem
from bandstrap.seeding import generator
from bandstrap.storage.schema import Fixed, Generator, Real, Row, Schema, Whole, require
from bandstrap.validation import require_whole, require_within

MOST_PAIRS = 10_000  # every arm is fit to all of them


@dataclass(frozen=True)
class SeenExamples(ExamplePrior):
    """`pairs` contexts out of those seen so far, each with the lowest and the highest reward.

    At any time each context seen is among them with equal probability, and they are the same for
    every arm; there are 10,000 at most. They keep an arm from being given up for good after its
    first rewards were low: some draws weigh the highest reward most. Unlike `EigenExamples` and
    `GaussianExamples` they need no arithmetic on contexts, so text and categories may be columns.
    Before the first context there are none, and arms are tried first.

    >>> pseudo = SeenExamples().start(Problem(3, n_features=2))
    >>> pseudo.count
    0
    >>> pseudo.see(np.array([4.0, 5.0]), 1.0)
    >>> pseudo.contexts.tolist(), pseudo.rewards.tolist()
    ([[4.0, 5.0], [4.0, 5.0]], [0.0, 1.0])
    """

    pairs: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        if self.pairs < 1:
            raise InvalidInput("pairs", self.pairs, "give at least one; without any: NoExamples()")
        require_within(1, MOST_PAIRS, pairs=self.pairs)
        require_whole(0, seed=self.seed)

    def start(self, problem: Problem) -> PseudoExamples:
        return Reservoir(self, problem)


class Reservoir(PseudoExamples):
    """Arrays are replaced, not written to: fits remember what they were made from."""

    schema = Schema(
        ends=Fixed(Row(Real(), Real())),
        pairs=Fixed(Whole(1, MOST_PAIRS)),
        seen=Whole(),
        rng=Generator(),
    )

    def verify_saved(self) -> None:
        super().verify_saved()
        require(self.count == 2 * min(self.seen, self.pairs), "contexts kept are others than seen")

    def __init__(self, prior: SeenExamples, problem: Problem) -> None:
        none = np.zeros((0, problem.n_features))
        super().__init__(none, np.zeros(0), none)
        self.ends = both_rewards(problem)
        self.pairs = prior.pairs
        self.seen = 0
        self.rng = generator(prior.seed, "seen examples")

    def see(self, context: Array, reward: float) -> None:
        self.seen += 1
        # The n-th context replaces one of the k kept with probability k / n.
        place = self.seen - 1 if self.seen <= self.pairs else int(self.rng.integers(self.seen))
        if place >= self.pairs:
            return
        kept = list(self.contexts[::2])
        kept[place : place + 1] = [as_numbers(context).astype(np.float64)]
        self.contexts = np.repeat(np.array(kept), 2, axis=0)
        self.rewards = np.tile(np.array(self.ends), len(kept))
        self.version += 1
