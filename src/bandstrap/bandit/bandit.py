"""The object that a product holds: ask it for decisions, tell it rewards when they come."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from threading import RLock
from time import time
from typing import Any, ClassVar

import numpy as np

from bandstrap.bandit.arm_features import ArmFeatures, features_and_names
from bandstrap.bandit.arms import Arms
from bandstrap.bandit.contexts import Contexts
from bandstrap.bandit.decision import Arm, Decision
from bandstrap.bandit.explanation import Explanation, explained
from bandstrap.bandit.forgetting import Forgetting, NoForgetting
from bandstrap.bandit.given import number_of, reward_of, rewards_of, weight_of, weights_of
from bandstrap.bandit.lockin import Watchman
from bandstrap.bandit.memory import Memory
from bandstrap.bandit.pending import Expiry, Pending
from bandstrap.bandit.propensity import Chances, Propensity
from bandstrap.bandit.store import load, save
from bandstrap.errors import InvalidInput, OutputError
from bandstrap.policies import Policy
from bandstrap.problem import Support
from bandstrap.rearming import Before

Clock = Callable[[], float]


class Bandit:
    """Chooses among arms that have names, by any policy, and learns from rewards as they come.

    >>> from bandstrap import Bandit, Bootstrap
    >>> bandit = Bandit(Bootstrap(), arms=["red", "green"], seed=1)
    >>> decision = bandit.decide()
    >>> bandit.learn(decision, reward=0.7)
    >>> bandit.rewards_learnt
    1
    """

    unsaved: ClassVar[tuple[str, ...]] = ("_lock", "_clock")

    def __init__(
        self,
        policy: Policy[Any],
        arms: Iterable[Arm] | Mapping[Arm, Any] | ArmFeatures,
        *,
        seed: int | None = None,
        rewards: Support | None = None,
        propensity: Propensity | None = None,
        forgetting: Forgetting | None = None,
        expiry: Expiry | None = None,
        clock: Clock = time,
    ) -> None:
        self.policy = policy
        self.support = rewards or Support.interval()
        self.propensity = propensity or Propensity()
        self.forgetting = forgetting or NoForgetting()
        self.expiry = expiry
        if expiry is not None and expiry.reward is not None:
            reward_of(expiry.reward, self.support)
        self.rewards_learnt = 0
        features, names = features_and_names(arms)
        self.contexts = Contexts(features)
        self._arms = Arms(names)
        self._memory: Memory | None = None  # begun with the first decision or reward
        self._pending = Pending()
        self._rng = np.random.Generator(np.random.PCG64DXSM(seed))
        self._watchman = Watchman()
        self._clock = clock
        self.restore()

    def restore(self) -> None:
        """What is not saved with a bandit."""
        self._lock = RLock()
        if not hasattr(self, "_clock"):
            self._clock = time

    @property
    def arms(self) -> tuple[Arm, ...]:
        return self._arms.names

    @property
    def decisions_waiting(self) -> int:
        """Decisions that have no reward yet."""
        return len(self._pending)

    def decide(self, context: Any = None, allowed: Iterable[Arm] | None = None) -> Any:
        """A `Decision` for one context, or a list of them for many: each by a draw of its own."""
        with self._lock:
            mask = None if allowed is None else self._arms.mask(allowed)
            rows, one = self.contexts.rows(context)
            if one:
                return self._decide(rows[0], mask)
            return [self._decide(row, mask) for row in rows]

    def rank(
        self, context: Any = None, k: int | None = None, allowed: Iterable[Arm] | None = None
    ) -> list[Arm]:
        """The best `k` arms of one draw, best first."""
        with self._lock:
            mask = self._arms.mask(allowed)[0]
            row = self.contexts.one_row(context)
            count = int(mask.sum())
            if k is not None and not 1 <= k <= count:
                raise InvalidInput("k", k, f"{count} arms are allowed; ask for 1 to {count}")
            memory = self.memory(row)
            scores = memory.policy.scores(memory.state, self.contexts.seen(row), self._rng)[0]
            shuffled = self._rng.permutation(len(scores))  # so that ties are broken evenly
            ranked = shuffled[np.argsort(-scores[shuffled], kind="stable")]
            return [self._arms.names[place] for place in ranked if mask[place]][:k]

    def learn(
        self,
        decision: Any = None,
        reward: Any = None,
        *,
        context: Any = None,
        arm: Arm | Sequence[Arm] | None = None,
        weight: Any = 1.0,
    ) -> None:
        """Learn a decision's reward, or that of an `arm` in a `context` that others chose.

        Decisions may be given as such or by their `id`, in any order and any time later. Lists of
        decisions, or of contexts and arms, take a list of rewards; all of them are checked before
        the first is learnt.
        """
        with self._lock:
            if (decision is None) == (arm is None):
                raise InvalidInput("decision", decision, "give a decision, or arm=… and context=…")
            if decision is None:
                self._learn_logged(context, arm, reward, weight)
            else:
                self._learn_decided(decision, reward, weight)

    def drop(self, decision: Any) -> None:
        """Give a decision up: it was never shown, say, and will have no reward."""
        with self._lock:
            number = number_of(decision)
            self._pending.find(number)
            del self._pending.waiting[number]

    def expire(self) -> int:
        """Give up decisions whose time is over, and say how many; `decide` does so too."""
        with self._lock:
            if self.expiry is None:
                return 0
            late = self._pending.expired(self.expiry, self._clock())
            for number in late:
                waiting = self._pending.waiting[number]
                if self.expiry.reward is not None and waiting.arm in self._arms.places:
                    place = self._arms.places[waiting.arm]
                    self._take_in(waiting.context, place, self.expiry.reward, 1.0)
                del self._pending.waiting[number]
            return len(late)

    def add_arm(self, name: Arm, features: Any = None) -> None:
        """One more arm; it starts from the prior, so it is explored at once.

        Where arms have features the new one needs some too; what others like it taught is known.
        """
        with self._lock:
            if self.contexts.features is None and features is not None:
                raise InvalidInput("features", features, "the other arms have none")
            arms, before = self._arms.added(name)
            matrix = (
                None if self.contexts.features is None else self.contexts.features.added(features)
            )
            self._rearm(arms, before, matrix)

    def remove_arm(self, name: Arm) -> None:
        """One arm less; what was learnt of it is forgotten, and rewards for it are refused."""
        with self._lock:
            arms, before = self._arms.removed(name)
            matrix = None if self.contexts.features is None else self.contexts.features.kept(before)
            self._rearm(arms, before, matrix)

    def explain(self, decision: Decision, draws: int = 1000) -> Explanation:
        """Mean and spread of each arm's draws in the decision's context, beside its own draw.

        Means and spreads are those of now. They come from random numbers of their own, so that
        asking for an explanation changes no later decision.
        """
        with self._lock:
            memory = self.memory(decision.context)
            seen = self.contexts.seen(decision.context)
            return explained(memory.policy, memory.state, seen, decision, self.arms, draws)

    def save(self, path: str | Path) -> None:
        """Write everything, the random generator too, to one file: no pickle, no code."""
        with self._lock:
            save(self, Path(path))

    @classmethod
    def load(cls, path: str | Path, trusted: Iterable[Any] = ()) -> "Bandit":
        """Read what `save` has written; it goes on as the saved one would have, bit for bit.

        A file can name classes of this package only, besides those that are `trusted`: policies
        and models of your own.
        """
        found = load(Path(path), trusted)
        if type(found) is not cls:
            raise OutputError(path, f"holds a {type(found).__name__}", "give a saved bandit")
        bandit: Bandit = found
        return bandit

    def _decide(self, row: np.ndarray | None, mask: np.ndarray | None) -> Decision:
        memory = self.memory(row)
        if self.expiry is not None:
            self.expire()
        policy, state, seen = memory.policy, memory.state, self.contexts.seen(row)
        names, floor = self._arms.names, self.propensity.floor
        place, scores, shares, draws = policy.decide(
            state, seen, self._rng, mask, self.propensity.draws
        )
        if self._rng.random() < floor:
            every = range(len(names)) if mask is None else np.flatnonzero(mask[0])
            place = int(self._rng.choice(every))
        number = self._pending.add(row, names[place], self._clock())
        if number >= self._watchman.due:
            self._watchman.look(policy, state, seen, names, number)
        return Decision(number, names, place, Chances(shares, mask, floor, draws), scores, row)

    def _learn_decided(self, decision: Any, reward: Any, weight: Any) -> None:
        if isinstance(decision, list | tuple):
            self._learn_many(decision, reward, weight)
            return
        number = number_of(decision)
        waiting = self._pending.find(number)
        place = self._arms.place(waiting.arm)
        told = reward_of(reward, self.support)
        self._take_in(waiting.context, place, told, weight_of(weight))
        del self._pending.waiting[number]

    def _learn_many(self, decisions: Sequence[Any], reward: Any, weight: Any) -> None:
        numbers = [number_of(each) for each in decisions]
        if len(set(numbers)) < len(numbers):
            raise InvalidInput("decision", numbers, "a decision has only one reward")
        waiting = [self._pending.find(number) for number in numbers]
        places = [self._arms.place(each.arm) for each in waiting]
        rewards = rewards_of(reward, len(numbers), self.support)
        weights = weights_of(weight, len(numbers))
        for i, number in enumerate(numbers):
            self._take_in(waiting[i].context, places[i], rewards[i], weights[i])
            del self._pending.waiting[number]

    def _learn_logged(self, context: Any, arm: Any, reward: Any, weight: Any) -> None:
        one = isinstance(arm, str | int)
        places = [self._arms.place(name) for name in ([arm] if one else arm)]
        rows = self.contexts.rows(context)[0] if context is not None else [None] * len(places)
        if len(rows) != len(places):
            raise InvalidInput("arm", len(places), f"give one for each of {len(rows)} contexts")
        rewards = rewards_of([reward] if one else reward, len(places), self.support)
        weights = weights_of(weight, len(places))
        if rows:
            memory = self.memory(rows[0])
            memory.policy.check_context(memory.state, self.contexts.learnt(rows[0], places[0]))
        for i, place in enumerate(places):
            self._take_in(rows[i], place, rewards[i], weights[i])

    def _take_in(self, row: np.ndarray | None, place: int, reward: float, weight: float) -> None:
        memory = self.memory(row)
        memory.learn(self.contexts.learnt(row, place), place, reward, weight, self._rng)
        self.rewards_learnt += 1

    def _rearm(self, arms: Arms, before: Before, features: np.ndarray | None) -> None:
        """Go on with other arms; a policy that cannot says so before anything is changed."""
        if self._memory is not None:
            self._memory.rearm(replace(self._memory.problem, n_arms=len(arms)), before)
        self._arms = arms
        if self.contexts.features is not None and features is not None:
            self.contexts.features.matrix = features
        self._watchman = Watchman()

    def memory(self, row: np.ndarray | None) -> Memory:
        """What was learnt, begun with the first context, which says how wide contexts are."""
        if self._memory is None:
            problem = self.contexts.problem(len(self._arms), self.support, row)
            try:
                self._memory = self.forgetting.memory(self.policy, problem)
            except InvalidInput:
                self.contexts.columns = None  # others may do
                raise
        return self._memory
