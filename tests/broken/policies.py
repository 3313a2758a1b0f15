"""Policies that each break one rule, and the rule. They are wrong on purpose."""

from dataclasses import dataclass, field
from typing import Any, ClassVar
from weakref import WeakSet

import numpy as np

from bandstrap import UCB1, BetaThompson, GaussianThompson
from bandstrap.policies.rewards.means import MeanState


class Narrow(GaussianThompson):
    def _scores(self, state, contexts, rng):
        return super()._scores(state, contexts, rng)[0]


class NotANumber(GaussianThompson):
    def _scores(self, state, contexts, rng):
        return super()._scores(state, contexts, rng) * np.nan


class Floating(GaussianThompson):
    def select(self, state, contexts, rng, allowed=None):
        return super().select(state, contexts, rng, allowed).astype(float)


class Deaf(GaussianThompson):
    def _select(self, state, contexts, rng, allowed):
        return super()._select(state, contexts, rng, np.ones_like(allowed))


class Moody(GaussianThompson):
    def _scores(self, state, contexts, rng):
        return super()._scores(state, contexts, np.random.default_rng())


class Hoard(MeanState):
    pass


class Hoarder(GaussianThompson):
    seen: ClassVar[list[int]] = []

    def _start(self, problem, runs):
        state = Hoard(problem, runs)
        state.seen = self.seen
        return state

    def _update(self, state, contexts, arms, rewards, rng, weights=None):
        super()._update(state, contexts, arms, rewards, rng)
        state.seen.append(int(arms[0]))


@dataclass(frozen=True)
class Changing(GaussianThompson):
    learnt: list[int] = field(default_factory=list, compare=False)

    def _update(self, state, contexts, arms, rewards, rng, weights=None):
        super()._update(state, contexts, arms, rewards, rng)
        self.learnt.append(1)


class Credulous(GaussianThompson):
    def update(self, state, contexts, arms, rewards, rng=None, weights=None):
        self._update(state, contexts, arms, np.nan_to_num(rewards), rng)


class Hasty(GaussianThompson):
    """Learns before it checks."""

    def update(self, state, contexts, arms, rewards, rng=None, weights=None):
        state.count += 1.0
        super().update(state, contexts, arms, rewards, rng)


class Unsavable(GaussianThompson):
    def _start(self, problem, runs):
        state = super()._start(problem, runs)
        state.after = lambda: None
        return state


class Forgetful(GaussianThompson):
    """Keeps what it has learnt where it is not saved."""

    # Not by id(): a loaded state may lie where another one lay.
    memory: ClassVar[WeakSet[Any]] = WeakSet()

    def _update(self, state, contexts, arms, rewards, rng, weights=None):
        super()._update(state, contexts, arms, rewards, rng)
        self.memory.add(state)

    def _scores(self, state, contexts, rng):
        favoured = np.zeros(state.count.shape[1])
        favoured[0] = 50 * (state in self.memory)
        return super()._scores(state, contexts, rng) + favoured


class Swerving(BetaThompson):
    """Chooses otherwise than it scores."""

    def _select(self, state, contexts, rng, allowed):
        return np.where(allowed, rng.random(allowed.shape), -1.0).argmax(axis=1)


class Partial(GaussianThompson):
    """Every decision makes it fonder of the first arm."""

    def _select(self, state, contexts, rng, allowed):
        state.mean[:, 0] += 0.1
        return super()._select(state, contexts, rng, allowed)


class Boasting(GaussianThompson):
    def _probabilities(self, state, contexts, allowed):
        return allowed[0] / allowed[0].sum()


class Sure(UCB1):
    """Forgets that an arm which was never tried comes first."""

    def _probabilities(self, state, contexts, allowed):
        told = super()._probabilities(state, contexts, allowed)()
        return allowed[0] / allowed[0].sum() if told.max() == 1 else told


class Unnormed(GaussianThompson):
    def _probabilities(self, state, contexts, allowed):
        return np.ones(allowed.shape[1])


class Idle(GaussianThompson):
    def _update(self, state, contexts, arms, rewards, rng, weights=None):
        pass


class Mixing(GaussianThompson):
    """What one run learns the others learn too."""

    def _update(self, state, contexts, arms, rewards, rng, weights=None):
        for shift in range(state.runs):
            state.observe(np.roll(arms, shift), np.roll(rewards, shift))


class Chorus(GaussianThompson):
    """All runs draw the same noise."""

    def _scores(self, state, contexts, rng):
        noise = rng.standard_normal(state.count.shape[1])
        return np.where(state.count > 0, state.mean + noise, np.inf)

    def _probabilities(self, state, contexts, allowed):
        return None  # they are those of another noise


POLICIES = {
    Narrow: r"scores must be an array of numbers of shape \(4, 3\)",
    NotANumber: "scores must not be NaN",
    Floating: "select must return whole numbers",
    Deaf: "only arms that are allowed",
    Moody: "same generator must give the same decisions",
    Hoarder: "what one state learns must change no other",
    Changing: "a policy must not change",
    Credulous: "update must refuse a reward like nan",
    Hasty: "must leave the state as it was",
    Unsavable: "so that it can be saved",
    Forgetful: "saved and loaded must go on",
    Swerving: "select must choose the largest of scores",
    Partial: "select must not change later decisions",
    Boasting: "select must choose as often as probabilities says",
    Sure: "select must choose as often as probabilities says",
    Unnormed: "probabilities must sum to 1",
    Idle: "mostly choose the better of two arms",
    Mixing: "what one run learns must not change what another draws",
    Chorus: "runs must choose independently",
}
