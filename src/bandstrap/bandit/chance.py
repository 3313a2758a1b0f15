"""How probable a decision's arm was: known, counted by more draws, or left for later."""

from math import inf, log, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.errors import InvalidInput
from bandstrap.kernels.checks import sums_to_one
from bandstrap.kernels.random.beside import fill_limits, seed_stream
from bandstrap.policies import Policy
from bandstrap.policies.base import Probabilities
from bandstrap.policies.decision_sampler import DecisionSampler
from bandstrap.policies.validation import checked_decision
from bandstrap.seeding import brief_generator

if TYPE_CHECKING:
    from bandstrap.bandit.bandit import Bandit
    from bandstrap.bandit.decision import Decision

TOLERANCE = 1e-6  # of the sum of probabilities found by quadrature
WORD = 2**63 - 1  # half of what tells a stream from others
EXACT, GEOMETRIC, SHARES, DEFERRED = "exact", "geometric", "shares", "deferred"


Controlled = tuple[float, int, bool]  # a control's share, its arm, and whether it has decided


class Beside(NamedTuple):
    """The random numbers that a generator's seed and a number give; nothing is drawn from it.

    >>> rng = np.random.Generator(np.random.PCG64DXSM(1))
    >>> before = Beside(rng, 7).stream().tolist()
    >>> _ = rng.random(5)
    >>> Beside(rng, 7).stream().tolist() == before != Beside(rng, 8).stream().tolist()
    True
    """

    rng: Rng
    number: int

    def stream(self) -> Array:
        """A kernel's stream, from its start. To ask a generator takes long, so not before."""
        own = self.rng.bit_generator.state["state"].get("inc", 0)  # tells its stream from others
        stream = np.empty(4, dtype=np.uint64)
        seed_stream(own & WORD, own >> 63 & WORD, self.number, stream)
        return stream


def keyed(key: str) -> Rng:
    """The random numbers of a decision by a key."""
    if not isinstance(key, str):
        raise InvalidInput("key", key, "give text")
    return brief_generator("decision", key)


class Floor(NamedTuple):
    """What arms are chosen by, whatever the policy draws.

    A control decides first, in its share of cases. Of the others, in a share the arm is any of
    those allowed.
    """

    share: float
    arms: int  # that are allowed
    control: Controlled | None = None

    @classmethod
    def among(
        cls, share: float, n_arms: int, allowed: Array | None, control: Controlled | None = None
    ) -> "Floor":
        """The floor of a decision among so many arms, or those of them that are allowed."""
        return cls(share, n_arms if allowed is None else int(np.count_nonzero(allowed)), control)

    @property
    def uncontrolled(self) -> float:
        """The probability that no control decides."""
        return 1.0 if self.control is None else 1.0 - self.control[0]

    @property
    def drawn(self) -> float:
        """The probability that the policy's draw decides."""
        return self.uncontrolled * (1 - self.share)

    def beside(self, at: int) -> float:
        """The probability of an allowed arm, without the draws."""
        evenly = self.uncontrolled * self.share / self.arms
        chosen = self.control is not None and self.control[1] == at
        return evenly + (1 - self.uncontrolled if chosen else 0.0)


class Chance(NamedTuple):
    """The probability of a decision's arm, its inverse, and how they were found."""

    propensity: float
    weight: float  # without bias: exactly the inverse only where that is known
    method: str  # EXACT, GEOMETRIC or SHARES
    error: float = 0.0  # standard error of the propensity
    weight_error: float = 0.0
    every: Array | None = None  # the probability of each arm, (arms,)

    def settled(self, decision: "Decision") -> "Chance":
        return self


class Known(NamedTuple):
    """A chance that the policy knows, worked out when somebody asks."""

    probabilities: Any  # of each arm to win the draw, or what finds them
    allowed: Array | None  # (1, arms); None for all
    at: int
    floor: float
    control: Controlled | None = None

    @property
    def method(self) -> str:
        return EXACT

    def settled(self, decision: "Decision") -> Chance:
        known = self.probabilities
        by_draw = checked(known()) if callable(known) else known
        floor = Floor.among(self.floor, by_draw.size, self.allowed, self.control)
        every = mixed(by_draw, floor, self.allowed)
        p = float(every[self.at])
        return Chance(p, 1 / p, EXACT, every=every)


class Choice(NamedTuple):
    """A decision's arm, and all that it takes to draw again."""

    policy: Policy[Any]
    state: Any
    context: Array | None
    allowed: Array | None  # (1, arms); None for all
    at: int  # the arm
    floor: Floor

    def voted(self, stream: Array, first: int, draws: int) -> Chance:
        """By the shares of draws that arms win, of which the `first` arm's decided.

        Given the draws, each was equally likely to come first, so a share is the arm's exact
        probability given the draws, and with the floor its inverse weighs without bias.
        """
        counts = self._sampler().choices(stream, draws - 1)
        counts[first] += 1
        every = mixed(counts / draws, self.floor, self.allowed)
        p = float(every[self.at])
        error = sqrt(p * (1 - p) / draws)
        return Chance(p, 1 / p, SHARES, error, error / p**2, every)

    def counted(self, stream: Array, repeats: int, cap: int) -> Chance:
        """By geometric resampling (Neu and Bartók, 2016): draws until the arm wins again.

        Their number has the mean 1/p, whatever p is; what is wanted is the inverse of the mixture
        with the floor. So a repeat ends when the arm wins a draw, or when the floor would have
        picked it before: after a geometric number of draws too, so that one random number stands
        for all coins of the floor, and of a control. What is drawn when these pick another arm is
        the factor.
        """
        kept = self.floor.drawn + self.floor.beside(self.at)
        stay = self.floor.drawn / kept
        limits = np.empty(repeats, dtype=np.int64)
        fill_limits(stream, log(stay) if stay > 0 else -inf, float(cap), limits)
        length = self._sampler().waits(stream, self.at, limits) / repeats
        weight = length / kept
        # The variance of a mean of geometric numbers, from that mean and without bias.
        weight_error = sqrt((length**2 - length) / (repeats + 1)) / kept
        return Chance(1 / weight, weight, GEOMETRIC, weight_error / weight**2, weight_error)

    def _sampler(self) -> DecisionSampler:
        contexts, allowed = checked_decision(self.state, self.context, self.allowed)
        sampler: DecisionSampler = self.state.sampler(self.policy, contexts, allowed)
        return sampler


class Later(NamedTuple):
    """A chance that is counted when somebody asks, by draws from what is remembered."""

    recall: Any  # what makes the state again
    choice: Choice
    beside: Beside
    repeats: int
    cap: int

    @property
    def method(self) -> str:
        return GEOMETRIC

    def settled(self, decision: "Decision") -> Chance:
        choice = self.choice._replace(state=self.recall())
        return choice.counted(self.beside.stream(), self.repeats, self.cap)


class Deferred:
    """A chance that nobody has asked for, of a policy whose draws are costly.

    Asked for in time it is found by the bandit, as `Bandit.sharpen` does: until it learns more.
    """

    method = DEFERRED

    def __init__(self, bandit: "Bandit | None" = None) -> None:
        self.bandit = bandit

    def __reduce__(self) -> tuple[Any, ...]:
        return Deferred, ()  # a copy, or a pickle, of a decision does not take the bandit along

    def settled(self, decision: "Decision") -> Chance:
        if self.bandit is None:
            remedy = (
                "it was deferred: ask a bandit that is as it was then, bandit.sharpen(decision)"
            )
            raise InvalidInput("propensity", decision.id, remedy)
        found: Decision = self.bandit.sharpen(decision)
        return found.chance


def mixed(by_draw: Array, floor: Floor, allowed: Array | None) -> Array:
    """The probability of every arm, by its probability to win the draw."""
    open_ = np.ones(by_draw.size) if allowed is None else allowed[0]
    every: Array = floor.drawn * by_draw + floor.uncontrolled * floor.share / floor.arms * open_
    if floor.control is not None:
        share, place, _ = floor.control
        every[place] += share
    return every


def checked(probabilities: Array) -> Array:
    """Refuse what does not add up to 1."""
    if not sums_to_one(probabilities, TOLERANCE):
        raise _not_finite(probabilities)
    return probabilities


def check_draw(scores: Array, probabilities: Probabilities, arm: int) -> None:
    """Refuse a choice by NaN scores."""
    score = scores[arm]
    if score != score:
        raise _not_finite(scores)
    if type(probabilities) is np.ndarray and not sums_to_one(probabilities, TOLERANCE):
        raise _not_finite(scores)


def _not_finite(scores: Array) -> InvalidInput:
    remedy = "scores are not finite: scale contexts and rewards down, or load an earlier save"
    return InvalidInput("scores", scores.tolist(), remedy)
