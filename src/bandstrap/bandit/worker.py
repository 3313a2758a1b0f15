"""What a bandit does, one thing at a time: decide, learn, go on with other arms."""

import warnings
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from bandstrap.bandit.arm_features import ArmFeatures
from bandstrap.bandit.arms import Arms
from bandstrap.bandit.contexts import Contexts
from bandstrap.bandit.decision import Arm, Decision
from bandstrap.bandit.forgetting import Forgetting
from bandstrap.bandit.given import many_of, reward_of, rewards_of, weight_of, weights_of
from bandstrap.bandit.lockin import Watchman
from bandstrap.bandit.memory import Memory
from bandstrap.bandit.pending import Expiry, Pending
from bandstrap.bandit.propensity import Chances, Propensity, check_draw
from bandstrap.checks import require_whole
from bandstrap.errors import InvalidInput
from bandstrap.policies import Policy
from bandstrap.problem import Support
from bandstrap.rearming import Before

Clock = Callable[[], float]
T = TypeVar("T")


class Worker:
    """The parts of a bandit and how they work together; `Bandit` lets one thread in at a time."""

    policy: Policy[Any]
    support: Support
    propensity: Propensity
    forgetting: Forgetting
    expiry: Expiry | None
    contexts: Contexts
    rewards_learnt: int
    _arms: Arms
    _memory: Memory | None
    _pending: Pending
    _rng: np.random.Generator
    _watchman: Watchman
    _clock: Clock

    def _or_unchanged(self, work: Callable[..., T], *given: Any) -> T:
        """Do something; if it is refused nothing of it is left behind but rewards learnt before."""
        memory, made, learnt = self._memory, self._pending.made, self.rewards_learnt
        columns = self.contexts.mark()
        # A policy without contexts refuses nothing once it draws; this would cost it a tenth.
        numbers = None if self.policy.context_free else self._rng.bit_generator.state
        try:
            return work(*given)
        except Exception:
            self._pending.back_to(made)
            if self.rewards_learnt == learnt:
                self._memory = memory
                self.contexts.back_to(columns)
                if numbers is not None:
                    self._rng.bit_generator.state = numbers
            raise

    def _decided(self, context: Any, allowed: Iterable[Arm] | None) -> Any:
        mask = None if allowed is None else self._arms.mask(allowed)
        rows, one = self.contexts.rows(context)
        # One alone the policy refuses itself, before anything else has happened. Joined to features
        # of arms, contexts are for it to refuse too.
        if self.contexts.features is None and not (one and self.expiry is None):
            for row in rows:
                self._check_context(row)
        if one:
            return self._decide(rows[0], mask)
        return [self._decide(row, mask) for row in rows]

    def _ranked(self, context: Any, k: int | None, mask: np.ndarray) -> list[Arm]:
        count = int(mask.sum())
        require_whole(1, k=k)
        if k is not None and k > count:
            raise InvalidInput("k", k, f"{count} arms are allowed; ask for 1 to {count}")
        row = self.contexts.one_row(context)
        memory = self.memory(row)
        scores = memory.policy.scores(memory.state, self.contexts.seen(row), self._rng)[0]
        shuffled = self._rng.permutation(len(scores))  # so that ties are broken evenly
        ranked = shuffled[np.argsort(-scores[shuffled], kind="stable")]
        return [self._arms.names[place] for place in ranked if mask[place]][:k]

    def _decide(self, row: np.ndarray | None, mask: np.ndarray | None) -> Decision:
        memory = self.memory(row)
        if self.expiry is not None:
            self._expire(self.expiry)
        policy, state, seen = memory.policy, memory.state, self.contexts.seen(row)
        names, floor = self._arms.names, self.propensity.floor
        place, scores, shares, draws = policy.decide(
            state, seen, self._rng, mask, self.propensity.draws
        )
        check_draw(scores, shares, place, draws)
        if self._rng.random() < floor:
            every = range(len(names)) if mask is None else np.flatnonzero(mask[0])
            place = int(self._rng.choice(every))
        earlier = self._pending.made
        name = self._pending.add(row, names[place], self._clock())
        if earlier >= self._watchman.due:
            self._watchman.look(policy, state, seen, names, earlier)
        chances = Chances(shares, mask, floor, draws)
        return Decision(name, earlier, names, place, chances, scores, row, self.contexts.columns)

    def _expire(self, expiry: Expiry) -> int:
        late = self._pending.expired(expiry, self._clock())
        for name in late:
            waiting = self._pending.waiting.pop(name)  # first, or it might come up for ever
            if expiry.reward is None or waiting.arm not in self._arms.places:
                continue
            learnt = waiting.context, self._arms.places[waiting.arm], expiry.reward, 1.0
            try:
                self._check(*learnt)
                self._take_in(*learnt)
            except InvalidInput as error:
                warnings.warn(
                    f"decision {name} has expired and is dropped, its reward is refused: {error}",
                    stacklevel=2,
                )
        return len(late)

    def _learn_decided(self, decision: Any, reward: Any, weight: Any) -> None:
        many = many_of(decision)
        if many is not None:
            self._learn_many(many, reward, weight)
            return
        name, waiting = self._pending.find(decision)
        place = self._arms.place(waiting.arm)
        learnt = waiting.context, place, reward_of(reward, self.support), weight_of(weight)
        self._check(*learnt)
        self._take_in(*learnt)
        del self._pending.waiting[name]

    def _learn_many(self, decisions: list[Any], reward: Any, weight: Any) -> None:
        waiting = dict(map(self._pending.find, decisions))
        if len(waiting) < len(decisions):
            raise InvalidInput("decision", [*waiting], "a decision has only one reward")
        places = [self._arms.place(each.arm) for each in waiting.values()]
        rewards = rewards_of(reward, len(places), self.support)
        weights = weights_of(weight, len(places))
        rows = [each.context for each in waiting.values()]
        learnt = list(zip(rows, places, rewards, weights, strict=True))
        for each in learnt:
            self._check(*each)
        for name, each in zip(waiting, learnt, strict=True):
            self._take_in(*each)
            del self._pending.waiting[name]

    def _learn_logged(self, context: Any, arm: Any, reward: Any, weight: Any) -> None:
        many = many_of(arm)
        places = [self._arms.place(name) for name in ([arm] if many is None else many)]
        rewards = rewards_of([reward] if many is None else reward, len(places), self.support)
        weights = weights_of(weight, len(places))
        rows = self.contexts.rows(context)[0] if context is not None else [None] * len(places)
        if len(rows) != len(places):
            raise InvalidInput("arm", len(places), f"give one for each of {len(rows)} contexts")
        learnt = list(zip(rows, places, rewards, weights, strict=True))
        for each in learnt:
            self._check(*each)
        for each in learnt:
            self._take_in(*each)

    def _check(self, row: np.ndarray | None, place: int, reward: float, weight: float) -> None:
        """Refuse what the policy would refuse to learn."""
        memory = self.memory(row)
        memory.policy.check_context(memory.state, self.contexts.learnt(row, place))
        memory.policy.check_reward(memory.state, reward, weight)

    def _check_context(self, row: np.ndarray | None) -> None:
        """Refuse to decide where the policy would refuse to learn."""
        if row is not None:
            memory = self.memory(row)
            memory.policy.check_context(memory.state, row)

    def _take_in(self, row: np.ndarray | None, place: int, reward: float, weight: float) -> None:
        memory = self.memory(row)
        memory.learn(self.contexts.learnt(row, place), place, reward, weight, self._rng)
        self.rewards_learnt += 1

    def _rearm(self, arms: Arms, before: Before, features: ArmFeatures | None) -> None:
        """Go on with other arms; a policy that cannot says so before anything is changed."""
        if self._memory is not None:
            self._memory.rearm(replace(self._memory.problem, n_arms=len(arms)), before)
        self._arms, self.contexts.features = arms, features
        self._watchman.rearm(arms.names)

    def memory(self, row: np.ndarray | None) -> Memory:
        """What was learnt, begun with the first context, which says how wide contexts are."""
        if self._memory is None:
            self._memory = self._begun(row)
        return self._memory

    def _begun(self, row: np.ndarray | None) -> Memory:
        problem = self.contexts.problem(len(self._arms), self.support, row)
        memory = self.forgetting.memory(self.policy, problem)
        for reward in self._coming():
            memory.policy.check_reward(memory.state, reward, 1.0)
        return memory

    def _coming(self) -> list[float]:
        """The rewards that are known to come."""
        reward = None if self.expiry is None else self.expiry.reward
        return [] if reward is None else [reward]
