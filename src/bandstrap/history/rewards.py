"""The rewards seen so far, kept in arrays that kernels read and that grow as rewards come."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import ClassVar

import numpy as np

from bandstrap.arrays import Array, Rng, Weights
from bandstrap.errors import InvalidInput
from bandstrap.history import checks
from bandstrap.history.fractions import FractionalRewards
from bandstrap.history.laws import end_probabilities
from bandstrap.kernels.codes import DOUBLE, EXPONENTIAL, MULTINOMIAL, NO_SCHEME, POISSON
from bandstrap.kernels.lazy import history as kernels
from bandstrap.kernels.lazy.again import count_choices, count_waits
from bandstrap.kernels.lazy.choose import choose
from bandstrap.kernels.lazy.decide import decide
from bandstrap.kernels.lazy.direct import direct_scores
from bandstrap.kernels.lazy.ends import count_ends
from bandstrap.kernels.lazy.history import BUCKET, COUNT, KNOWN_LEVEL, MEAN, NODE, QUEUE
from bandstrap.kernels.lazy.observe import ATOMS, MOMENTS, REWARDS, ROUNDED, observe, observe_one
from bandstrap.problem import Support
from bandstrap.remapping import ArmMap, remapped
from bandstrap.seeding import kernel_stream
from bandstrap.storage.schema import Fixed, Maybe, Of, Schema, Whole, require
from bandstrap.validation import LEAST_COUNT

NO_STREAM = np.zeros(4, dtype=np.uint64)  # where nothing is drawn
GRAIN = 64  # rewards per run between two looks at whether the arrays still suffice


@dataclass
class RewardHistory:
    """Rewards of every arm in every run, with the pseudo-rewards among them.

    `arrays` is what kernels take. A history of finite support keeps counts only; any other keeps
    its rewards too, in a tree that a lazy bootstrap draw opens from the top. Rewards that count
    more or less than once are `fractions` of counts where counts are all that a draw needs, and
    otherwise rows of their own, which a draw must walk.
    """

    arrays: kernels.History
    keeps: int  # REWARDS, ATOMS, ROUNDED, SHARES or MOMENTS
    scheme: int
    room: int = 0  # rewards that surely fit before the arrays must grow
    rounds: int = 0
    fractions: FractionalRewards | None = None

    former_fields: ClassVar[dict[str, str]] = {"keeping": "keeps"}
    schema = Schema(
        arrays=Of(kernels.History),
        keeps=Fixed(Whole(REWARDS, MOMENTS)),
        scheme=Fixed(Whole(NO_SCHEME, DOUBLE)),
        room=Whole(0, GRAIN),
        rounds=Whole(),
        fractions=Maybe(Of(FractionalRewards)),
    )

    def verify_saved(self) -> None:
        arrays = self.arrays
        if self.keeps == REWARDS:
            checks.check_room(arrays, self.rounds, self.room)
            checks.check_trees(arrays)
        else:
            bare = arrays.nodes.shape[1] == arrays.flat.size == 0 and not arrays.queued.any()
            require(bare, "rewards are kept that should not be")
        (checks.check_counts if self.keeps == MOMENTS else checks.check_moments)(arrays)
        if self.fractions is not None:
            same = self.fractions.arrays.used.shape == arrays.moments.shape[:2]
            require(same, "fractions are of other arms")

    def check_support(self, support: Support) -> None:
        """Refuse rewards of another problem, in a file."""
        checks.check_support(self.arrays, support, self.keeps == MOMENTS)
        if self.fractions is not None:
            rows = self.fractions.arrays
            taken = np.arange(rows.rewards.shape[2]) < rows.used[..., None]
            inside = (rows.rewards >= support.low) & (rows.rewards <= support.high)
            require(inside[taken].all(), "a reward is beyond the support")

    @classmethod
    def start(
        cls,
        runs: int,
        n_arms: int,
        values: Sequence[float],
        counts: Sequence[float],
        keeps: int,
        scheme: int = NO_SCHEME,
    ) -> "RewardHistory":
        """A history that holds each of `values` as often as `counts` says, and nothing else.

        `keeps` says what is kept of a reward and `scheme` how the history is resampled, as codes
        of kernels.
        """
        atoms = np.array(values, dtype=np.float64)
        pseudo = np.array(counts, dtype=np.float64)
        roots = n_arms if keeps == REWARDS else 0
        nodes = np.zeros((runs, roots), NODE)
        nodes["link"] = ~np.arange(roots)
        arrays = kernels.History(
            moments=np.tile(_moments(atoms, pseudo), (runs, n_arms, 1)),
            values=atoms,
            counts=np.tile(pseudo, (runs, n_arms, 1)),
            nodes=nodes,
            buckets=np.zeros((runs, roots, BUCKET)),
            used=np.full((runs, 2), roots, dtype=np.int64),
            queue=np.zeros((runs, QUEUE)),
            queue_arms=np.zeros((runs, QUEUE), dtype=np.int64),
            queued=np.zeros(runs, dtype=np.int64),
            flat=np.zeros(0),
            gains=np.zeros(0),
            terms=np.zeros(0),
            bracket=np.zeros((2, 9)),
            open_nodes=np.zeros((3, 0), dtype=np.int64),
            open_weights=np.zeros((2, 0, 2)),
        )
        return cls(arrays, keeps, scheme)

    @property
    def count(self) -> Array:
        """How many rewards and pseudo-rewards there are, (runs, arms)."""
        return self.arrays.moments[:, :, COUNT]

    @property
    def mean(self) -> Array:
        """Their mean, (runs, arms)."""
        return self.arrays.moments[:, :, MEAN]

    @property
    def counts_fractions(self) -> bool:
        """Whether a draw needs only counts, which may be fractions of a reward."""
        by_count = self.keeps in (ATOMS, ROUNDED) and self.scheme in (EXPONENTIAL, POISSON)
        return by_count or self.keeps == MOMENTS

    @property
    def lazy(self) -> bool:
        """Whether kernels can find the largest draw without drawing everything."""
        return EXPONENTIAL <= self.scheme <= POISSON and self.fractions is None

    def observe(
        self, arms: Array, rewards: Array, rng: Rng | None = None, weights: Weights = None
    ) -> None:
        """One reward per run; a generator is needed where rewards are rounded at random.

        Rewards with weights are fractions of counts if counts are all that a draw needs, and
        otherwise rows of their own.
        """
        if weights is None:
            self.ensure_room()
            stream = NO_STREAM if rng is None else kernel_stream(rng)
            observe(stream, self.arrays, self.scheme, self.keeps, arms, rewards)
            self.advance(1)
            return
        weigh = self._count if self.counts_fractions else self._add_row
        for run, (arm, reward, weight) in enumerate(zip(arms, rewards, weights, strict=True)):
            weigh(run, arm, reward, weight)

    def _count(self, run: int, arm: int, reward: float, weight: float) -> None:
        moments = self.arrays.moments[run, arm]
        if self.keeps == MOMENTS:
            moments[COUNT] += weight
            moments[MEAN] += weight * (reward - moments[MEAN]) / moments[COUNT]
        else:
            counts, values = self.arrays.counts[run, arm], self.arrays.values
            counts += weight * (values == reward)
            moments[:] = _moments(values, counts)

    def _add_row(self, run: int, arm: int, reward: float, weight: float) -> None:
        self.fractions = self._rows()
        self.fractions.add(run, arm, np.array([reward]), weight)

    def remapped(self, fresh: "RewardHistory", before: ArmMap) -> "RewardHistory":
        """The rewards of the arms that stay, and the pseudo-rewards of new ones."""
        runs = self.arrays.moments.shape[0]
        if self.keeps == REWARDS:
            for run, (arm, was) in product(range(runs), enumerate(before)):
                for reward in self.rewards(run, was) if was is not None else ():
                    fresh.observe_one(run, arm, float(reward))
        for name in ("moments", "counts"):
            old, new = getattr(self.arrays, name), getattr(fresh.arrays, name)
            new[:] = remapped(old, new, before, axis=1)
        fresh.fractions = self.fractions and self.fractions.remapped(before)
        return fresh

    def observe_one(self, run: int, arm: int, reward: float) -> None:
        """A reward in one run alone."""
        self.ensure_room()
        observe_one(NO_STREAM, self.arrays, self.scheme, self.keeps, run, arm, reward)
        self.advance(1)

    def discount(self, fresh: "RewardHistory", factor: float) -> None:
        """Let rewards count only `factor` as much; `fresh` holds the pseudo-rewards."""
        if self.keeps == MOMENTS:
            moments, prior = self.arrays.moments, fresh.arrays.moments
            count, mean = moments[..., COUNT], moments[..., MEAN]
            total = factor * (count * mean - prior[..., COUNT] * prior[..., MEAN])
            total += prior[..., COUNT] * prior[..., MEAN]
            count[:] = factor * (count - prior[..., COUNT]) + prior[..., COUNT]
            np.divide(total, count, out=mean, where=count > 0)
            return
        if not self.counts_fractions:
            raise InvalidInput("factor", factor, "this policy cannot discount; forget by Window()")
        counts, prior = self.arrays.counts, fresh.arrays.counts
        extra = factor * (counts - prior)
        extra[np.abs(extra) < LEAST_COUNT] = 0.0  # weights of so little are all 0, again and again
        counts[:] = prior + extra
        for run, arm in np.ndindex(counts.shape[:2]):
            self.arrays.moments[run, arm] = _moments(self.arrays.values, counts[run, arm])

    def fade(self, fresh: "RewardHistory", factor: float) -> None:
        """As `discount`, of histories whose rewards become rows of their own by it."""
        rows = self._rows()
        extra = np.rint(self.arrays.counts - fresh.arrays.counts).astype(np.int64)
        for run, arm in np.ndindex(self.count.shape):
            rows.add(run, arm, np.repeat(self.arrays.values, extra[run, arm]), 1.0)
            rows.add(run, arm, self.rewards(run, arm), 1.0)
        rows.fade(factor)
        self.arrays, self.room, self.rounds = fresh.arrays, fresh.room, fresh.rounds
        self.fractions = rows

    def _rows(self) -> FractionalRewards:
        return self.fractions or FractionalRewards(*self.count.shape)

    def draw(self, rng: Rng) -> Array:
        """A bootstrapped mean for each arm, (runs, arms), by a weight for every reward."""
        scores = np.empty(self.count.shape)
        rows = self._rows().arrays
        direct_scores(kernel_stream(rng), self.scheme, self.arrays, rows, scores)
        return scores

    def choose(self, allowed: Array, rng: Rng) -> Array:
        """The allowed arm with the largest bootstrapped mean in each run."""
        arms = np.empty(self.arrays.moments.shape[0], dtype=np.int64)
        choose(kernel_stream(rng), self.scheme, self.arrays, allowed, arms)
        return arms

    def decide(self, allowed: Array, rng: Rng) -> tuple[int, Array]:
        """For one run: the arm of a draw, and its scores."""
        scores = np.empty(self.arrays.moments.shape[1])
        return decide(kernel_stream(rng), self.scheme, self.arrays, allowed, scores), scores

    def waits(self, allowed: Array, stream: Array, arm: int, limits: Array) -> int:
        """For one run: all draws until the arm wins, as often as there are limits, up to each."""
        return int(count_waits(stream, self.scheme, self.arrays, allowed, arm, limits))

    def count_choices(self, allowed: Array, stream: Array, draws: int) -> Array:
        """For one run: how many of some draws each arm wins."""
        counts = np.zeros(allowed.shape[1], dtype=np.int64)
        count_choices(stream, self.scheme, self.arrays, allowed, draws, counts)
        return counts

    def law(self, allowed: Array) -> Callable[[], Array] | None:
        """For one run: what finds the probability of each arm, of what is known now.

        None where there is no closed form: rewards of more than two values, most schemes.
        """
        if self.fractions is not None or self.scheme not in (EXPONENTIAL, MULTINOMIAL):
            return None
        ends, moments = np.empty((allowed.shape[1], 2)), self.arrays.moments[0]
        if not count_ends(moments, self.scheme, allowed[0], ends):
            return None
        return partial(end_probabilities, self.scheme, ends, allowed[0])

    def recall(self) -> Callable[[], "RewardHistory"] | None:
        """What makes a history again that draws as this one does now, if it is but a few counts."""
        if self.keeps == REWARDS or self.fractions is not None:
            return None
        moments, counts = self.arrays.moments.copy(), self.arrays.counts.copy()
        return partial(_recalled, self.arrays, moments, counts, self.keeps, self.scheme)

    def rewards(self, run: int, arm: int) -> Array:
        """One arm's rewards that are not kept as counts, in no particular order."""
        if self.arrays.flat.size == 0:
            return np.zeros(0)
        return self.arrays.flat[: kernels.gather(self.arrays, run, arm)].copy()

    def ensure_room(self) -> int:
        """Make room for more rewards, and return how many fit in each run."""
        if self.room == 0:
            if self.keeps == REWARDS:
                self._make_room()
            self.room = GRAIN
        return self.room

    def advance(self, rounds: int) -> None:
        """Note that kernels have observed `rounds` rewards in each run."""
        self.room -= rounds
        self.rounds += rounds

    def _make_room(self) -> None:
        """Make room for the next GRAIN rewards; arrays double, so that copying them stays rare."""
        old = self.arrays
        # An insertion takes up to four nodes and two buckets; the queue is still to be inserted.
        used_nodes, used_buckets = (int(most) for most in old.used.max(axis=0))
        nodes = _doubled(old.nodes.shape[1], used_nodes + 4 * (GRAIN + QUEUE))
        buckets = _doubled(old.buckets.shape[1], used_buckets + 2 * (GRAIN + QUEUE))
        flat = _doubled(old.flat.size, self.rounds + GRAIN)
        if (nodes, buckets, flat) != (old.nodes.shape[1], old.buckets.shape[1], old.flat.size):
            self.arrays = old._replace(
                nodes=_extended(old.nodes, nodes),
                buckets=_extended(old.buckets, buckets),
                flat=np.zeros(flat),
                gains=np.zeros(flat),
                terms=np.zeros(flat),
                open_nodes=np.zeros((3, 2 * nodes), dtype=np.int64),
                open_weights=np.zeros((2, 2 * nodes, 2)),
            )


def _moments(values: Array, counts: Array) -> Array:
    """Count, mean, squared deviations and range of values repeated `counts` times."""
    count = counts.sum()
    seen = values[counts > 0]
    mean = float(counts @ values / count) if count > 0 else 0.0
    squares = float(counts @ (values - mean) ** 2)
    low, high = (seen.min(), seen.max()) if seen.size else (np.inf, -np.inf)
    moments = np.array([count, mean, squares, low, high, 0.0, 0.0, 0.0])
    moments[KNOWN_LEVEL] = np.inf
    return moments


def _recalled(
    arrays: kernels.History, moments: Array, counts: Array, keeps: int, scheme: int
) -> RewardHistory:
    """With scratch space of its own: draws may be under way in the other."""
    own = arrays._replace(moments=moments, counts=counts, bracket=np.zeros_like(arrays.bracket))
    return RewardHistory(own, keeps, scheme)


def _doubled(size: int, least: int) -> int:
    return size if size >= least else max(2 * size, least)


def _extended(array: Array, size: int) -> Array:
    if array.shape[1] == size:
        return array
    larger = np.zeros((array.shape[0], size, *array.shape[2:]), array.dtype)
    larger[:, : array.shape[1]] = array
    return larger
