"""The object that a product holds: it decides, and learns rewards as they come."""

import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from threading import RLock
from time import time
from typing import Any, ClassVar, overload
from weakref import WeakSet

import numpy as np

from bandstrap.arrays import Array
from bandstrap.bandit.arms import Arms
from bandstrap.bandit.contexts import ArmFeatures, ContextReader, features_and_names
from bandstrap.bandit.decision import Arm, Decision
from bandstrap.bandit.explanation import Explanation, explain
from bandstrap.bandit.forgetting import Forgetting, Memory, NoForgetting
from bandstrap.bandit.inputs import (
    as_list,
    check_clock,
    check_decision,
    check_seed,
    check_settings,
    checked_reward,
    checked_rewards,
    checked_weight,
    checked_weights,
)
from bandstrap.bandit.lock_in import LockInDetector
from bandstrap.bandit.pending import Expiry, Pending
from bandstrap.bandit.propensity import Propensity, check_draw
from bandstrap.bandit.saving import load, save
from bandstrap.errors import InvalidInput, OutputError
from bandstrap.models.cost import no_cost_warnings
from bandstrap.policies import Policy
from bandstrap.policies.validation import check_update, checked_contexts
from bandstrap.problem import Support
from bandstrap.remapping import ArmMap
from bandstrap.seeding import generator
from bandstrap.storage.schema import Flag, Generator, Maybe, Of, Schema, Whole, check_like, require
from bandstrap.validation import require_whole

Clock = Callable[[], float]

SHOWN = 10  # arms in a `repr`
LIVING: "WeakSet[Bandit]" = WeakSet()  # those of this process
HELD: "list[Bandit]" = []  # locked while a process forks


class Bandit:
    """Chooses among arms that have names, by any policy, and learns from rewards as they come.

    * `policy` decides; `arms` are names, or `{name: features}` for a policy with one model for all.
    * `seed`: bandits with equal seeds and inputs make equal decisions; random if None.
    * `rewards`: the support of rewards, [0, 1] if None.
    * `propensity`: how many draws estimate probabilities that the policy does not know, and how
      small they may be.
    * `forgetting`: how fast rewards lose weight; never if None.
    * `expiry`: when decisions without a reward expire, and with which reward; never if None.
    * `clock` returns seconds, for `expiry`. It is not saved: give your own to `load` again.

    >>> from bandstrap import Bandit, Bootstrap
    >>> bandit = Bandit(Bootstrap(), arms=["red", "green"], seed=1)
    >>> decision = bandit.decide()
    >>> bandit.learn(decision, reward=0.7)
    >>> bandit.rewards_learnt
    1
    """

    unsaved: ClassVar[tuple[str, ...]] = ("_lock", "_clock")
    former_fields: ClassVar[dict[str, str]] = {"_watchman": "_lock_in"}
    own_clock = False  # files of earlier versions do not say
    schema = Schema(
        policy=Of(Policy),
        support=Of(Support),
        propensity=Of(Propensity),
        forgetting=Of(Forgetting),
        expiry=Maybe(Of(Expiry)),
        rewards_learnt=Whole(),
        contexts=Of(ContextReader),
        _arms=Of(Arms),
        _memory=Maybe(Of(Memory)),
        _pending=Of(Pending),
        _rng=Generator(),
        _lock_in=Of(LockInDetector),
        own_clock=Flag(),
    )

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
        check_settings(
            policy, seed, clock,
            rewards=rewards, propensity=propensity, forgetting=forgetting, expiry=expiry,
        )  # fmt: skip
        self.policy = policy
        self.support = rewards or Support.interval()
        self.propensity = propensity or Propensity()
        self.forgetting = forgetting or NoForgetting()
        self.expiry = expiry
        for reward in self._coming():
            checked_reward(reward, self.support)
        self.rewards_learnt = 0
        features, names = features_and_names(arms)
        self.contexts = ContextReader(features)
        self._arms = Arms(names)
        self._memory: Memory | None = None  # started at the first decision or reward
        # Refuse now what can be refused without a context.
        problem = self.contexts.problem(len(self._arms), self.support, None)
        policy.check(problem, self._coming())
        if policy.context_free:
            self.forgetting.memory(policy, problem)
        self._pending = Pending()
        self._rng = np.random.Generator(np.random.PCG64DXSM(seed))
        self._lock_in = LockInDetector()
        self._clock, self.own_clock = clock, clock is not time
        self.restore()

    def restore(self) -> None:
        """Make again what is not saved."""
        self._lock = RLock()
        if not hasattr(self, "_clock"):
            self._clock = time
        LIVING.add(self)

    def verify_saved(self) -> None:
        """Policy, arms, contexts and memory of a file must fit each other."""
        for reward in self._coming():
            checked_reward(reward, self.support)
        blank = self.contexts.problem(len(self._arms), self.support, None)
        self.policy.check(blank, self._coming())
        self.contexts.verify_arms(self._arms)
        width = 0 if self.contexts.columns is None else self.contexts.columns.width
        for waiting in self._pending.waiting.values():
            if waiting.context is not None:
                require(waiting.context.shape[1] == width, "a waiting context has the wrong width")
        if self._memory is not None:
            problem = self._memory.problem
            own = self.contexts.problem(len(self._arms), self.support, np.empty((1, width)))
            require(problem == own, "the memory is of another problem")
            fits = problem.columns is None or problem.columns is self.contexts.columns
            require(fits, "the memory is of other columns")
            with no_cost_warnings():  # its cost was reported before it was saved
                check_like(self._memory, self.forgetting.memory(self.policy, problem))

    def go_on_alone(self) -> None:
        """In a forked process: new ids, new random numbers, and a free lock."""
        self._lock = RLock()
        self._pending.begin_epoch()
        self._rng = np.random.Generator(np.random.PCG64DXSM())

    def __getstate__(self) -> dict[str, Any]:
        """For copies and pickles: a consistent copy of everything but the lock."""
        with self._lock:
            return deepcopy({name: it for name, it in vars(self).items() if name != "_lock"})

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.restore()

    def __repr__(self) -> str:
        names = self.arms
        arms = f"{list(names)}" if len(names) <= SHOWN else f"[{names[0]!r}, … {len(names)} arms]"
        return (
            f"Bandit({self.policy!r}, {arms}: {self._pending.made} decisions, "
            f"{self.decisions_waiting} waiting, {self.rewards_learnt} rewards learnt)"
        )

    @property
    def arms(self) -> tuple[Arm, ...]:
        """The names of the current arms, oldest first."""
        return self._arms.names

    @property
    def decisions_waiting(self) -> int:
        """The number of decisions that have no reward yet."""
        return len(self._pending)

    @overload
    def decide(
        self, context: Mapping[Any, Any] | Sequence[float] | None = None,
        allowed: Iterable[Arm] | None = None
    ) -> Decision: ...  # fmt: skip

    @overload
    def decide(
        self, context: Sequence[Mapping[Any, Any]] | Sequence[Sequence[float]],
        allowed: Iterable[Arm] | None = None
    ) -> list[Decision]: ...  # fmt: skip

    @overload  # an array or a table: one or many by its dimensions
    def decide(self, context: Any, allowed: Iterable[Arm] | None = None) -> Any: ...

    def decide(self, context: Any = None, allowed: Iterable[Arm] | None = None) -> Any:
        """A `Decision` for one context, or a list of them for many: each by its own draw."""
        with self._lock:
            before = self._mark()
            try:
                mask = None if allowed is None else self._arms.mask(allowed)
                rows, one = self.contexts.rows(context)
                # The policy refuses a single context itself, before anything else has happened,
                # and contexts that are joined to features of arms.
                if self.contexts.features is None and not (one and self.expiry is None):
                    for row in rows:
                        if row is not None:
                            checked_contexts(self.memory(row).state, row)
                if one:
                    return self._decide(rows[0], mask)
                return [self._decide(row, mask) for row in rows]
            except Exception:
                self._back_to(before)
                raise

    def rank(
        self, context: Any = None, k: int | None = None, allowed: Iterable[Arm] | None = None
    ) -> list[Arm]:
        """The best `k` arms of one draw, best first."""
        with self._lock:
            mask = self._arms.mask(allowed)[0]
            count = int(mask.sum())
            require_whole(1, k=k)
            if k is not None and k > count:
                raise InvalidInput("k", k, f"{count} arms are allowed; ask for 1 to {count}")
            before = self._mark()
            try:
                row = self.contexts.one_row(context)
                memory = self.memory(row)
                scores = memory.policy.scores(memory.state, self.contexts.seen(row), self._rng)[0]
            except Exception:
                self._back_to(before)
                raise
            shuffled = self._rng.permutation(len(scores))  # breaks ties evenly
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
        """Learn a decision's reward, or that of an `arm` that others chose in a `context`.

        Give a `Decision` or its `id`, in any order, any time later. Lists of decisions, or of
        contexts and arms, take a list of rewards, all checked before the first is learnt. (Some
        refusals show only in learning: a row that `partial_fit` refuses, a torch module that
        diverges.)
        """
        with self._lock:
            if (decision is None) == (arm is None):
                raise InvalidInput("decision", decision, "give a decision, or arm=… and context=…")
            if decision is not None and context is not None:
                remedy = "a decision has its own context: leave it out"
                raise InvalidInput("context", type(context).__name__, remedy)
            before = self._mark()
            try:
                if decision is None:
                    self._learn_logged(context, arm, reward, weight)
                else:
                    self._learn_decided(decision, reward, weight)
            except Exception:
                self._back_to(before)
                raise

    def settle(self) -> None:
        """Do now what learning has put off, after a long log, say: networks train as they decide.

        A decision then costs what it costs in the long run.
        """
        with self._lock:
            if self._memory is not None:
                self._memory.settle(self._rng)

    def drop(self, decision: Any) -> None:
        """Drop a decision that will have no reward, because it was never shown, say."""
        with self._lock:
            del self._pending.waiting[self._pending.find(decision)[0]]

    def expire(self) -> int:
        """Drop expired decisions, as `decide` does, and return how many."""
        with self._lock:
            return 0 if self.expiry is None else self._expire(self.expiry)

    def add_arm(self, name: Arm, features: Any = None) -> None:
        """Add an arm; it starts from the prior, so it is explored at once.

        If arms have features the new one needs some too, and profits from what arms like it taught.
        """
        with self._lock:
            if self.contexts.features is None and features is not None:
                raise InvalidInput("features", features, "the other arms have none")
            arms, before = self._arms.added(name)
            known = self.contexts.features
            self._remap_arms(arms, before, known and known.added(arms.names[-1], features))

    def remove_arm(self, name: Arm) -> None:
        """Remove an arm and what was learnt of it; its later rewards are refused."""
        with self._lock:
            arms, before = self._arms.removed(name)
            known = self.contexts.features
            self._remap_arms(arms, before, known and known.kept(before))

    def explain(self, decision: Decision, draws: int = 1000) -> Explanation:
        """Mean and spread of each arm's draws in the decision's context, beside its own draw.

        Means and spreads are current. They come from separate random numbers, so that an
        explanation changes no later decision.
        """
        require_whole(2, draws=draws)
        check_decision(decision)
        with self._lock:  # only to copy: draws take long
            memory, names = self._memory or self._begun(decision.row), self.arms
            state, seen = deepcopy(memory.state), self.contexts.seen(decision.row)
        return explain(memory.policy, state, seen, decision, names, draws)

    def save(self, path: str | Path) -> None:
        """Write everything, with the random generator, to one file without pickle or code."""
        with self._lock:
            save(self, Path(path))

    @classmethod
    def load(
        cls,
        path: str | Path,
        trusted: Iterable[Any] = (),
        *,
        clock: Clock | None = None,
        seed: int | None = None,
        most_bytes: int | None = None,
    ) -> "Bandit":
        """Read a saved bandit; it goes on as the saved one would have, bit for bit.

        A file can name only classes of this package and those that are `trusted`: your own policies
        and models. A bandit with its own `clock` needs it again.

        Waiting decisions keep their ids; new ones are unique. With a `seed` it is a copy with new
        random numbers.

        A file that would unpack to more than 256 MiB and 50 times its size is refused before memory
        is allocated; `most_bytes` sets another limit.
        """
        check_clock(clock or time)
        check_seed(seed)
        require_whole(1, most_bytes=most_bytes)
        found = load(Path(path), trusted, most_bytes)
        if type(found) is not cls:
            raise OutputError(path, f"holds a {type(found).__name__}", "give a saved bandit")
        bandit: Bandit = found
        if bandit.own_clock and clock is None:
            remedy = "give it again: Bandit.load(path, clock=…)"
            raise OutputError(path, "was saved with its own clock", remedy)
        if clock is not None:
            bandit._clock, bandit.own_clock = clock, clock is not time
        if seed is not None:
            bandit._rng = generator(seed, "copy")
        return bandit

    def _mark(self) -> tuple[Any, ...]:
        """What a call may change, for `_back_to`."""
        # A policy without contexts refuses nothing once it draws; this would cost it a tenth.
        numbers = None if self.policy.context_free else self._rng.bit_generator.state
        columns = self.contexts.mark()
        return self._pending.made, self.rewards_learnt, self._memory, columns, numbers

    def _back_to(self, mark: tuple[Any, ...]) -> None:
        """Undo all of a refused call but the rewards that it had learnt before."""
        made, learnt, memory, columns, numbers = mark
        self._pending.back_to(made)
        if self.rewards_learnt == learnt:
            self._memory = memory
            self.contexts.back_to(columns)
            if numbers is not None:
                self._rng.bit_generator.state = numbers

    def _decide(self, row: Array | None, mask: Array | None) -> Decision:
        memory = self._memory or self.memory(row)
        if self.expiry is not None:
            self._expire(self.expiry)
        policy, state, seen = memory.policy, memory.state, self.contexts.seen(row)
        names, propensity, rng = self._arms.names, self.propensity, self._rng
        place, scores, probabilities, draws = policy.decide(
            state, seen, rng, mask, propensity.draws
        )
        check_draw(scores, probabilities, place, draws)
        floor = propensity.floor
        if rng.random() < floor:
            every = range(len(names)) if mask is None else np.flatnonzero(mask[0])
            place = int(rng.choice(every))
        earlier = self._pending.made
        name = self._pending.add(row, names[place], self._clock())
        if earlier >= self._lock_in.due:
            self._lock_in.look(policy, state, seen, names, earlier)
        chosen = probabilities, mask, floor, draws
        return Decision(name, earlier, names, place, chosen, scores, row, self.contexts.columns)

    def _expire(self, expiry: Expiry) -> int:
        late = self._pending.expired(expiry, self._clock())
        for name in late:
            waiting = self._pending.waiting.pop(name)  # first, or it would come up forever
            if expiry.reward is None or waiting.arm not in self._arms.places:
                continue
            learnt = waiting.context, self._arms.places[waiting.arm], expiry.reward, 1.0
            try:
                self._check(*learnt)
                self._take_in(*learnt)
            except InvalidInput as error:
                warnings.warn(
                    f"decision {name} has expired and its reward was refused: {error}", stacklevel=2
                )
        return len(late)

    def _learn_decided(self, decision: Any, reward: Any, weight: Any) -> None:
        many = as_list(decision)
        if many is not None:
            self._learn_many(many, reward, weight)
            return
        name, waiting = self._pending.find(decision)
        place, counted = self._arms.place(waiting.arm), checked_reward(reward, self.support)
        learnt = waiting.context, place, counted, checked_weight(weight)
        self._check(*learnt)
        self._take_in(*learnt)
        del self._pending.waiting[name]

    def _learn_many(self, decisions: list[Any], reward: Any, weight: Any) -> None:
        waiting = dict(map(self._pending.find, decisions))
        if len(waiting) < len(decisions):
            raise InvalidInput("decision", [*waiting], "a decision has only one reward")
        places = [self._arms.place(each.arm) for each in waiting.values()]
        rewards = checked_rewards(reward, len(places), self.support)
        weights = checked_weights(weight, len(places))
        rows = [each.context for each in waiting.values()]
        learnt = list(zip(rows, places, rewards, weights, strict=True))
        for each in learnt:
            self._check(*each)
        for name, each in zip(waiting, learnt, strict=True):
            self._take_in(*each)
            del self._pending.waiting[name]

    def _learn_logged(self, context: Any, arm: Any, reward: Any, weight: Any) -> None:
        many = as_list(arm)
        places = [self._arms.place(name) for name in ([arm] if many is None else many)]
        rewards = checked_rewards([reward] if many is None else reward, len(places), self.support)
        weights = checked_weights(weight, len(places))
        rows = self.contexts.rows(context)[0] if context is not None else [None] * len(places)
        if len(rows) != len(places):
            raise InvalidInput("arm", len(places), f"give one for each of {len(rows)} contexts")
        learnt = list(zip(rows, places, rewards, weights, strict=True))
        for each in learnt:
            self._check(*each)
        for each in learnt:
            self._take_in(*each)

    def _check(self, row: Array | None, place: int, reward: float, weight: float) -> None:
        """Refuse what the policy would refuse to learn."""
        memory = self.memory(row)
        check_update(memory.state, self.contexts.learnt(row, place), reward, weight)

    def _take_in(self, row: Array | None, place: int, reward: float, weight: float) -> None:
        memory = self.memory(row)
        memory.learn(self.contexts.learnt(row, place), place, reward, weight, self._rng)
        self.rewards_learnt += 1

    def _remap_arms(self, arms: Arms, before: ArmMap, features: ArmFeatures | None) -> None:
        """Go on with other arms; a policy that cannot refuses before anything changes."""
        if self._memory is not None:
            known = deepcopy(self._memory)  # a learner may refuse midway
            try:
                self._memory.remap_arms(replace(self._memory.problem, n_arms=len(arms)), before)
            except Exception:
                self._memory = known
                raise
        self._arms, self.contexts.features = arms, features
        self._lock_in.remap_arms(arms.names)

    def memory(self, row: Array | None) -> Memory:
        """What was learnt, started at the first context, which says how wide contexts are."""
        if self._memory is None:
            self._memory = self._begun(row)
        return self._memory

    def _begun(self, row: Array | None) -> Memory:
        problem = self.contexts.problem(len(self._arms), self.support, row)
        memory = self.forgetting.memory(self.policy, problem)
        for reward in self._coming():
            memory.state.check_reward(reward, 1.0)
        return memory

    def _coming(self) -> list[float]:
        """The rewards that are known beforehand."""
        reward = None if self.expiry is None else self.expiry.reward
        return [] if reward is None else [reward]


def _hold_all() -> None:
    HELD.extend(LIVING)
    for bandit in HELD:
        bandit._lock.acquire()


def _release_all() -> None:
    while HELD:
        HELD.pop()._lock.release()


def _part_all() -> None:
    while HELD:
        HELD.pop().go_on_alone()


if hasattr(os, "register_at_fork"):  # so that a child finds no bandit half changed
    os.register_at_fork(before=_hold_all, after_in_parent=_release_all, after_in_child=_part_all)
