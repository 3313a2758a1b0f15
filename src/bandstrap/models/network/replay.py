"""All examples of a run, handed out a fixed number at a time."""

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.kernels.network import prioritise
from bandstrap.models.features import Examples, RunningScale, as_numbers
from bandstrap.priors import ExamplePrior, PseudoExamples
from bandstrap.problem import Problem
from bandstrap.remapping import ArmMap
from bandstrap.storage.schema import ArrayOf, Fixed, Grows, Of, Schema, Whole, require

CANDIDATES = 8  # for each example handed out
FLOOR = 0.05  # added to errors, so that examples without error are not forgotten


class Replay:
    """Rewards of all arms in the order they came, and pseudo-examples, each once for every arm.

    Examples that the network last got wrong are handed out more often (prioritised replay, Schaul
    et al., 2016): once most decisions are right, a uniform sample would teach little. Each comes
    with a weight, the square root of what would compensate in full. `touched` counts the examples
    handed out so far.
    """

    schema = Schema(
        n_arms=Fixed(Whole(1)),
        pseudo=Of(PseudoExamples),
        scale=Of(RunningScale),
        rows=Of(Examples),
        arms=ArrayOf(np.int64, Grows("room"), low=0),
        errors=ArrayOf(np.float64, Grows("room"), low=0.0, high=2.0),
        pulls=ArrayOf(np.int64, "arms", low=0),
        new=Whole(),
        touched=Whole(),
    )

    def verify_saved(self) -> None:
        rows, width = self.rows, self.rows.n_features
        require(self.arms.size > 0, "rows have no room")  # it doubles
        require(rows.count <= self.arms.size, "rows have no arms")
        require((self.arms[: rows.count] < self.n_arms).all(), "a row is of no arm")
        require(self.pulls.size == self.n_arms, "pulls are of other arms")
        require(self.new <= rows.count, "more rows are new than there are")
        require(self.scale.mean.size == width, "the scale is of another width")
        require(self.pseudo.contexts.shape[1] == width, "pseudo-examples are of another width")

    def __init__(self, problem: Problem, prior: ExamplePrior) -> None:
        self.n_arms = problem.n_arms
        self.pseudo = prior.start(problem)
        self.scale = RunningScale(problem.n_features)
        self.rows = Examples(problem.n_features)
        self.arms = np.zeros(64, dtype=np.int64)
        self.errors = np.ones(64)  # of the network when it last met the row; 1 at first
        self.pulls = np.zeros(problem.n_arms, dtype=np.int64)
        self.new = 0  # rows never handed out
        self.touched = 0

    @property
    def count(self) -> int:
        """All examples, pseudo-examples included."""
        return self.rows.count + self.pseudo.count * self.n_arms

    def add(self, context: Array, arm: int, reward: float, weight: float = 1.0) -> None:
        self.pseudo.see(context, reward)
        self.scale.see(context)
        if self.rows.count == self.arms.size:
            self.arms = np.concatenate([self.arms, np.zeros_like(self.arms)])
            self.errors = np.concatenate([self.errors, np.ones_like(self.errors)])
        self.arms[self.rows.count] = arm
        self.rows.add(context, reward, weight)
        self.pulls[arm] += 1
        self.new += 1

    def of_arms(self, before: ArmMap) -> Array:
        """Which rows belong to arms that stay."""
        return np.isin(self.arms[: self.rows.count], [arm for arm in before if arm is not None])

    def remap_arms(self, before: ArmMap) -> None:
        """Go on with other arms; all rows must belong to arms that stay."""
        places = np.zeros(self.n_arms, dtype=np.int64)
        for place, earlier in enumerate(before):
            if earlier is not None:
                places[earlier] = place
        self.n_arms = len(before)
        self.arms[: self.rows.count] = places[self.arms[: self.rows.count]]
        self._count_pulls()

    def keep(self, kept: Array) -> None:
        n = int(kept.sum())
        self.new = int(kept[kept.size - self.new :].sum())
        self.arms[:n] = self.arms[: kept.size][kept]
        self.errors[:n] = self.errors[: kept.size][kept]
        self.errors[n:] = 1.0
        self.rows.keep(kept)
        self._count_pulls()

    def _count_pulls(self) -> None:
        self.pulls = np.bincount(self.arms[: self.rows.count], minlength=self.n_arms)

    def pick(self, size: int, rng: Rng) -> tuple[Array, Array]:
        """Positions and weights of the newest rows, then of others; pseudo-examples come last."""
        candidates = rng.integers(0, self.count, CANDIDATES * size)
        picks, weights = np.empty(size, dtype=np.int64), np.empty(size)
        prioritise(
            candidates, self.errors, self.rows.count, FLOOR, rng.random(),
            np.empty(candidates.size), picks, weights,
        )  # fmt: skip
        newest = min(self.new, size)
        picks[:newest] = np.arange(self.rows.count - newest, self.rows.count)
        weights[:newest] = 1.0
        self.new = 0
        self.touched += size
        return picks, weights

    def counts(self, picks: Array) -> Array:
        counts = np.ones(len(picks))
        if not self.rows.plain:
            rows = picks < self.rows.count
            counts[rows] = self.rows.weights[picks[rows]]
        return counts

    def note(self, picks: Array, errors: Array) -> None:
        """Record how far off the network was at these examples."""
        rows = picks < self.rows.count
        self.errors[picks[rows]] = errors[rows]

    def examples(self, picks: Array) -> tuple[Array, Array, Array]:
        """Scaled contexts, arms and rewards of the examples at `picks`."""
        beyond = picks - self.rows.count
        if (beyond < 0).all():
            return self.scale(self.rows.contexts[picks]), self.arms[picks], self.rows.rewards[picks]
        pseudo = beyond >= 0
        which, arm = np.divmod(beyond[pseudo], self.n_arms)
        contexts = np.empty((len(picks), self.rows.n_features))
        contexts[pseudo] = self.pseudo.contexts[which]
        contexts[~pseudo] = as_numbers(self.rows.contexts[picks[~pseudo]])
        arms, rewards = np.empty(len(picks), dtype=np.int64), np.empty(len(picks))
        arms[pseudo], rewards[pseudo] = arm, self.pseudo.rewards[which]
        arms[~pseudo] = self.arms[picks[~pseudo]]
        rewards[~pseudo] = self.rows.rewards[picks[~pseudo]]
        return self.scale(contexts), arms, rewards
