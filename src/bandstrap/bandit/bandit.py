"""The object that a product holds: it decides, and learns rewards as they come."""

import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from threading import Lock, RLock
from time import time
from typing import TYPE_CHECKING, Any, ClassVar, overload
from weakref import WeakSet

import numpy as np

from bandstrap.arrays import Array
from bandstrap.bandit.arms import Arms, checked_name
from bandstrap.bandit.chance import (
    EXACT,
    Beside,
    Choice,
    Controlled,
    Floor,
    Known,
    check_draw,
    keyed,
)
from bandstrap.bandit.contexts import ArmFeatures, ContextReader, features_and_names
from bandstrap.bandit.control import Control
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
from bandstrap.bandit.log.file import Log, as_log, log_to_read
from bandstrap.bandit.pending import Expiry, Id, Pending
from bandstrap.bandit.propensity import MOST_DRAWS, REPEATS, Propensity
from bandstrap.bandit.saving import from_bytes, load, save, taken, to_bytes
from bandstrap.bandit.stats import Stats, Tally, ages, arm_stats, propensity_stats
from bandstrap.errors import InvalidInput, OutputError
from bandstrap.models.cost import no_cost_warnings
from bandstrap.policies import Default, Policy
from bandstrap.policies.validation import check_update, checked_contexts
from bandstrap.problem import Problem, Support
from bandstrap.remapping import ArmMap
from bandstrap.seeding import generator
from bandstrap.storage.schema import (
    Flag,
    Generator,
    Maybe,
    Of,
    Row,
    Schema,
    Text,
    Whole,
    check_like,
    require,
)
from bandstrap.validation import require_whole, require_within

if TYPE_CHECKING:
    from bandstrap.bandit.log.recorder import Position

Clock = Callable[[], float]

SHOWN = 10  # arms in a `repr`
Lesson = tuple[Array | None, int, float, float]  # a context, an arm, its reward and weight
OWN = ("_lock", "_saving", "_work", "_recorder")  # what copies have their own of
LIVING: "WeakSet[Bandit]" = WeakSet()  # those of this process
HELD: "list[Bandit]" = []  # locked while a process forks


class Bandit:
    """Chooses among arms that have names, by any policy, and learns from rewards as they come.

    * `policy` decides, by default `Auto()` if the first decision has a context and `Bootstrap()` if
      it has none; `arms` are names, or `{name: features}` for a policy with one model for all.
    * `seed`: bandits with equal seeds and inputs make equal decisions; random if None.
    * `rewards`: the support of rewards, [0, 1] if None.
    * `propensity`: how probabilities are found that the policy does not know, and how small they
      may be.
    * `forgetting`: how fast rewards lose weight; never if None.
    * `expiry`: when decisions without a reward expire, and with which reward; never if None.
    * `clock` returns seconds, for `expiry`. It is not saved: give your own to `load` again.
    * `control`: a share of decisions that the policy does not make; none if None.
    * `log`: a path, a `LogFile`, or an object with `append` and `read`, to which everything that
      the bandit does is written before the call returns. `Bandit.rebuild(log)` does it again.

    >>> from bandstrap import Bandit
    >>> bandit = Bandit(arms=["red", "green"], seed=1)
    >>> decision = bandit.decide()
    >>> bandit.learn(decision, reward=0.7)
    >>> bandit.rewards_learnt
    1
    """

    unsaved: ClassVar[tuple[str, ...]] = (*OWN, "_clock")
    former_fields: ClassVar[dict[str, str]] = {"_watchman": "_lock_in"}
    own_clock = False  # files of earlier versions do not say
    control: Control | None = None
    _tally = Tally(0)
    _position: "Position | None" = None
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
        control=Maybe(Of(Control)),
        _tally=Of(Tally),
        _position=Maybe(Row(Text(), Whole(-1))),
    )

    def __init__(
        self,
        policy: Policy[Any] | None = None,
        arms: Iterable[Arm] | Mapping[Arm, Any] | ArmFeatures = (),
        *,
        seed: int | None = None,
        rewards: Support | None = None,
        propensity: Propensity | None = None,
        forgetting: Forgetting | None = None,
        expiry: Expiry | None = None,
        clock: Clock = time,
        control: Control | None = None,
        log: Log | str | Path | None = None,
    ) -> None:
        policy = Default() if policy is None else policy
        check_settings(
            policy, seed, clock, rewards=rewards, propensity=propensity, forgetting=forgetting,
            expiry=expiry, control=control,
        )  # fmt: skip
        self.policy = policy
        self.support = rewards or Support.interval()
        self.propensity = propensity or Propensity()
        self.forgetting = forgetting or NoForgetting()
        self.expiry = expiry
        self.control = control
        for reward in self._coming():
            checked_reward(reward, self.support)
        self.rewards_learnt = 0
        features, names = features_and_names(arms)
        self.contexts = ContextReader(features)
        self._arms = Arms(names)
        self._tally = Tally(len(self._arms))
        if control is not None and control.arm is not None:
            self._arms.place(control.arm)
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
        self._log_to(as_log(log))

    def restore(self) -> None:
        """Make again what is not saved."""
        if not hasattr(self, "_clock"):
            self._clock = time
        if "_tally" not in vars(self):  # a file of an earlier version
            self._tally = Tally(len(self._arms))
        self._lock, self._saving = RLock(), Lock()
        self._log_to(None)
        LIVING.add(self)

    def _log_to(
        self, log: Log | None, after: "Position | None" = None, has_state: bool = False
    ) -> None:
        """Write events to a log, see `Recorder`, or to none."""
        from bandstrap.bandit.log.recorder import Recorder, check_generator

        self._recorder: Recorder | None = None
        if log is not None:
            check_generator(self._rng)
            self._recorder = Recorder(self, log, after, has_state)
        # What is held while the bandit works.
        self._work: RLock | Recorder = self._recorder or self._lock

    def verify_saved(self) -> None:
        """Policy, arms, contexts and memory of a file must fit each other."""
        for reward in self._coming():
            checked_reward(reward, self.support)
        if self.control is not None and self.control.arm is not None:
            require(self.control.arm in self._arms.places, "the control's arm is missing")
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
                check_like(self._memory, self._started(problem))
        if "_tally" in vars(self):
            require(len(self._tally.rewards) == len(self._arms), "counts are of other arms")

    def go_on_alone(self) -> None:
        """In a forked process: new ids, new random numbers, and a free lock."""
        self._lock, self._saving = RLock(), Lock()
        self._pending.begin_epoch()
        self._rng = np.random.Generator(np.random.PCG64DXSM())
        self._log_to(self.log)

    def __getstate__(self) -> dict[str, Any]:
        """For copies and pickles: a consistent copy of everything but locks and the log."""
        with self._lock:
            return deepcopy({name: it for name, it in vars(self).items() if name not in OWN})

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _position=None)
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

    @property
    def log(self) -> Log | None:
        """Where it writes what it does. Copies have none; one in a forked process goes on there."""
        return None if self._recorder is None else self._recorder.log

    @overload
    def decide(
        self, context: Mapping[Any, Any] | Sequence[float] | None = None,
        allowed: Iterable[Arm] | None = None, key: str | None = None
    ) -> Decision: ...  # fmt: skip

    @overload
    def decide(
        self, context: Sequence[Mapping[Any, Any]] | Sequence[Sequence[float]],
        allowed: Iterable[Arm] | None = None
    ) -> list[Decision]: ...  # fmt: skip

    @overload  # an array or a table: one or many by its dimensions
    def decide(
        self, context: Any, allowed: Iterable[Arm] | None = None, key: str | None = None
    ) -> Any: ...

    def decide(
        self, context: Any = None, allowed: Iterable[Arm] | None = None, key: str | None = None
    ) -> Any:
        """A `Decision` for one context, or a list of them for many: each by its own draw.

        With a `key` all that is random in it follows from the key: bandits that have learnt the
        same decide alike by equal keys, in any process, whatever they decided before. (Those
        excepted that train as they draw, as networks do.)

        >>> from bandstrap import Bandit, Bootstrap
        >>> one, other = (Bandit(Bootstrap(), range(100), seed=seed) for seed in (1, 2))
        >>> other.decide().number, other.decide(key="user 7").arm == one.decide(key="user 7").arm
        (0, True)
        """
        if key is not None:
            return self._decide_by(key, context, allowed, waits=True)
        with self._work:
            before = self._mark()
            try:
                mask = self._arms.usual if allowed is None else self._arms.mask(allowed)
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

    def foresee(
        self, key: str, context: Any = None, allowed: Iterable[Arm] | None = None
    ) -> Decision:
        """What `decide` would decide by the key, in less time: the decision does not wait here.

        For those who remember decisions themselves. It is not counted, and cannot be learnt by its
        id: that is the key.

        >>> from bandstrap import Bandit, Bootstrap
        >>> bandit = Bandit(Bootstrap(), range(100), seed=1)
        >>> decision = bandit.foresee("user 7")
        >>> decision.arm == bandit.decide(key="user 7").arm, bandit.decisions_waiting
        (True, 1)
        """
        return self._decide_by(key, context, allowed, waits=False)

    def rank(
        self, context: Any = None, k: int | None = None, allowed: Iterable[Arm] | None = None
    ) -> list[Arm]:
        """The best `k` arms of one draw, best first."""
        with self._work:
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
            arms = [self._arms.names[place] for place in ranked if mask[place]][:k]
            if self._recorder is not None:
                given = (
                    None
                    if allowed is None
                    else [self._arms.names[at] for at in np.flatnonzero(mask)]
                )
                self._recorder.ranked(row, given, k, arms)
            return arms

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
        with self._work:
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

    @property
    def unsettled(self) -> bool:
        """Whether `settle` has something to do."""
        return self._memory is not None and self._memory.unsettled

    def settle(self) -> None:
        """Do now what learning has put off, after a long log, say: networks train as they decide.

        A decision then costs what it costs in the long run.
        """
        with self._lock:
            if self._memory is not None:
                self._memory.settle(self._rng)

    def drop(self, decision: Any) -> None:
        """Drop a decision that will have no reward, because it was never shown, say."""
        with self._work:
            name, _ = self._pending.find(decision)
            del self._pending.waiting[name]
            self._tally.dropped += 1
            if self._recorder is not None:
                self._recorder.record("drop", id=name)

    def expire(self) -> int:
        """Drop expired decisions, as `decide` does, and return how many."""
        with self._work:
            return 0 if self.expiry is None else self._expire(self.expiry, self._clock())

    def add_arm(self, name: Arm, features: Any = None) -> None:
        """Add an arm; it starts from the prior, so it is explored at once.

        If arms have features the new one needs some too, and profits from what arms like it taught.
        """
        with self._work:
            if self.contexts.features is None and features is not None:
                raise InvalidInput("features", features, "the other arms have none")
            arms, before = self._arms.added(name)
            known = self.contexts.features
            wider = known and known.added(arms.names[-1], features)
            self._remap_arms(arms, before, wider)
            if self._recorder is not None:
                told = None if wider is None else wider.told(len(arms) - 1)
                self._recorder.record("add_arm", arm=arms.names[-1], features=told)

    def remove_arm(self, name: Arm) -> None:
        """Remove an arm and what was learnt of it; its later rewards are refused.

        To wait for rewards that are on their way, retire it first.
        """
        with self._work:
            self._check_leaving(name)
            arms, before = self._arms.removed(name)
            known = self.contexts.features
            self._remap_arms(arms, before, known and known.kept(before))
            if self._recorder is not None:
                self._recorder.record("remove_arm", arm=checked_name(name))

    def retire_arm(self, name: Arm) -> None:
        """Choose an arm no longer; rewards of earlier decisions are still learnt."""
        with self._work:
            self._check_leaving(name)
            self._arms = self._arms.retire(name)
            if self._recorder is not None:
                self._recorder.record("retire_arm", arm=checked_name(name))

    def reinstate_arm(self, name: Arm) -> None:
        """Choose a retired arm again, with all that was learnt of it."""
        with self._work:
            self._arms = self._arms.reinstate(name)
            if self._recorder is not None:
                self._recorder.record("reinstate_arm", arm=checked_name(name))

    def stats(self) -> Stats:
        """How it is doing: decisions, rewards by arm, propensities, how long decisions wait.

        Counts of a file of an earlier version start when it is loaded. Propensities are those that
        a log has asked for: without a log they are worked out only for you.
        """
        with self._lock:
            tally, times = self._tally, [it.time for it in self._pending.waiting.values()]
            return Stats(
                self._pending.made, len(times), tally.dropped, tally.expired, tally.controlled,
                self.rewards_learnt, arm_stats(self.arms, self._arms.retired, tally),
                propensity_stats(tally), ages(times, self._clock()),
            )  # fmt: skip

    def with_column(self, name: Arm | None, default: Any) -> "Bandit":
        """A bandit whose contexts have one more column; this one does not change.

        It learns again, from the log, all that this one has learnt, with the `default` in the new
        column. Decisions that wait are learnt by their ids, and it goes on in the same log. Dicts
        that lack the column are read with the default. Where contexts are arrays, `name` is None
        and the column comes last.
        """
        from bandstrap.bandit.log.widening import widened

        return widened(self, name, default)

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

    def sharpen(self, decision: Any, repeats: int = REPEATS) -> Any:
        """The same decision, or list of them, with a weight by `repeats` more repeats.

        For weights that were deferred, or that more repeats are to make sharper. This bandit must
        be as it was at the decision: nothing learnt since, or saved or rebuilt from then. Its state
        does not change, and random numbers are those of the decision's own stream, so that the
        weight is the one that `Propensity(repeats=…)` would have given at once.

        >>> from bandstrap import Bandit, Bootstrap
        >>> bandit = Bandit(Bootstrap(), range(100), seed=1)  # a repeat takes 100 draws
        >>> bandit.learn(arm=range(100), reward=[0.3, 0.7] * 50)
        >>> decision = bandit.decide()
        >>> decision.method, bandit.sharpen(decision, repeats=20).method
        ('deferred', 'geometric')
        """
        require_within(1, MOST_DRAWS, repeats=repeats)
        many = as_list(decision)
        if many is not None:
            return [self.sharpen(each, repeats) for each in many]
        check_decision(decision)
        return self._sharpened(decision, repeats)

    def save(self, path: str | Path) -> None:
        """Write everything, with the random generator, to one file without pickle or code."""
        with self._saving:  # the last one to begin is the one that stays
            with self._work:  # only to copy: writing takes long
                snapshot, position = taken(self, path), self._position
            save(snapshot, Path(path))
        if self._recorder is not None and position is not None:
            self._recorder.saved(str(path), position)

    def to_bytes(self) -> bytes:
        """What `save` would write, to keep in a database, say."""
        with self._lock:
            snapshot = taken(self)
        return to_bytes(snapshot)

    @classmethod
    def load(
        cls,
        path: str | Path,
        trusted: Iterable[Any] = (),
        *,
        clock: Clock | None = None,
        seed: int | None = None,
        most_bytes: int | None = None,
        log: Log | str | Path | None = None,
    ) -> "Bandit":
        """Read a saved bandit; it goes on as the saved one would have, bit for bit.

        A file can name only classes of this package and those that are `trusted`: your own policies
        and models. A bandit with its own `clock` needs it again.

        Waiting decisions keep their ids; new ones are unique. With a `seed` it is a copy with new
        random numbers.

        A file that would unpack to more than 256 MiB and 50 times its size is refused before memory
        is allocated; `most_bytes` sets another limit.

        With a `log` it writes there what it does from now on. To go on with what a log has told
        since the file was saved, see `rebuild`.
        """
        require_whole(1, most_bytes=most_bytes)
        where = Path(path)
        return cls._loaded(lambda: load(where, trusted, most_bytes), where, clock, seed, log)[0]

    @classmethod
    def from_bytes(
        cls,
        data: bytes,
        trusted: Iterable[Any] = (),
        *,
        clock: Clock | None = None,
        seed: int | None = None,
        most_bytes: int | None = None,
        log: Log | str | Path | None = None,
    ) -> "Bandit":
        """As `load`, from what `to_bytes` returned."""
        require_whole(1, most_bytes=most_bytes)
        read = lambda: from_bytes(data, "the bytes", trusted, most_bytes)  # noqa: E731
        return cls._loaded(read, "the bytes", clock, seed, log)[0]

    @classmethod
    def rebuild(
        cls,
        log: Log | str | Path,
        start: str | Path | None = None,
        *,
        upto: Any = None,
        trusted: Iterable[Any] = (),
        clock: Clock | None = None,
        most_bytes: int | None = None,
    ) -> "Bandit":
        """The bandit that wrote a log, bit for bit as it was after the last line.

        Everything happens again, from the beginning or, which takes less time, from `start`, a file
        that the bandit was saved to on the way. Each arm must come out as it did: other versions
        of libraries may not give it, and are told. If several bandits wrote the log it is the one
        that began last.

        It goes on in the same log, with new ids. With `upto` it writes nothing: it is a look back
        to just before a decision, given as such or by its id, or to a time in seconds.
        """
        from bandstrap.bandit.log.replay import rebuilt

        source = log_to_read(log)
        first, position = None, None
        if start is not None:
            file = Path(start)
            first, position = cls._loaded(
                lambda: load(file, trusted, most_bytes), file, clock, None, None
            )
            if position is None:
                raise OutputError(start, "was saved without a log", "rebuild without it")
        where = "the log's state"
        read = lambda data: cls._loaded(  # noqa: E731
            lambda: from_bytes(data, where, trusted, most_bytes), where, clock, None, None
        )[0]
        bandit, at = rebuilt(source, first, position, upto, read)
        bandit._log_to(source if upto is None else None, at, has_state=True)
        return bandit

    @classmethod
    def _loaded(
        cls,
        read: Callable[[], Any],
        path: object,
        clock: Clock | None,
        seed: int | None,
        log: Any,
    ) -> tuple["Bandit", "Position | None"]:
        """What was read, if it is a bandit, with the clock, seed and log it is given.

        And the event of a log that it was saved after.
        """
        check_clock(clock or time)
        check_seed(seed)
        into = as_log(log)
        bandit = read()
        if type(bandit) is not cls:
            raise OutputError(path, f"holds a {type(bandit).__name__}", "give a saved bandit")
        if bandit.own_clock and clock is None:
            remedy = "give it again: Bandit.load(path, clock=…)"
            raise OutputError(path, "was saved with its own clock", remedy)
        if clock is not None:
            bandit._clock, bandit.own_clock = clock, clock is not time
        if seed is not None:
            bandit._rng = generator(seed, "copy")
        position, bandit._position = bandit._position, None  # it goes on from there, or elsewhere
        bandit._log_to(into, position if seed is None else None)
        return bandit, position

    def _mark(self) -> tuple[Any, ...]:
        """What a call may change, for `_back_to`."""
        # A policy without contexts refuses nothing once it draws; this would cost it a tenth.
        numbers = None if self.policy.context_free else self._rng.bit_generator.state
        columns = self.contexts.mark()
        return self._pending.made, self.rewards_learnt, self._memory, columns, numbers

    def _back_to(self, mark: tuple[Any, ...]) -> None:
        """Undo all of a refused call but the rewards that it had learnt before."""
        made, learnt, memory, columns, numbers = mark
        if self._recorder is not None:
            self._recorder.failed()
        for arm in self._pending.back_to(made):
            self._tally.decisions[self._arms.places[arm]] -= 1
        if self.rewards_learnt == learnt:
            self._memory = memory
            self.contexts.back_to(columns)
            if numbers is not None:
                self._rng.bit_generator.state = numbers

    def _decide_by(
        self, key: str, context: Any, allowed: Iterable[Arm] | None, waits: bool
    ) -> Decision:
        """Decide by the random numbers of a key, and leave the bandit's own where they are."""
        with self._lock:
            if self._recorder is not None:
                remedy = "a log can do again only what the bandit's own random numbers decided"
                raise InvalidInput(
                    "key", key, f"{remedy}: leave it out, or use a bandit without log"
                )
            before, own = self._mark(), self._rng
            try:
                mask = self._arms.usual if allowed is None else self._arms.mask(allowed)
                row = self.contexts.one_row(context)
                if self.expiry is not None:  # which learns, by the bandit's own numbers
                    if row is not None and self.contexts.features is None:
                        checked_contexts(self.memory(row).state, row)
                    self._expire(self.expiry, self._clock())
                self._rng = keyed(key)
                return self._decide(row, mask, key, waits)
            except Exception:
                self._rng = own
                self._back_to(before)
                raise
            finally:
                self._rng = own

    def _decide(
        self, row: Array | None, mask: Array | None, key: str | None = None, waits: bool = True
    ) -> Decision:
        memory, now = self._memory or self.memory(row), self._clock()
        if self.expiry is not None and key is None:
            self._expire(self.expiry, now)
        control = None if self.control is None else self._controlled(self.control, row, mask)
        policy, state, seen = memory.policy, memory.state, self.contexts.seen(row)
        names, propensity, rng = self._arms.names, self.propensity, self._rng
        first, scores, probabilities = policy.decide(state, seen, rng, mask)
        check_draw(scores, probabilities, first)
        place, floor = first, propensity.floor
        if rng.random() < floor:
            every = range(len(names)) if mask is None else np.flatnonzero(mask[0])
            place = int(rng.choice(every))
        if control is not None and control[2]:
            place = control[1]
        earlier, name = self._pending.made, key
        if waits or name is None:
            name = self._pending.add(row, names[place], now)
            self._tally.decisions[place] += 1
            self._tally.controlled += control is not None and control[2]
            if earlier >= self._lock_in.due:
                self._lock_in.look(policy, state, seen, names, earlier)
        chance: Any
        if probabilities is not None:
            chance = Known(probabilities, mask, place, floor, control)
        else:
            among = Floor.among(floor, len(names), mask, control)
            choice = Choice(policy, state, seen, mask, place, among)
            beside = Beside(rng, earlier if key is None else 0)
            chance = propensity.chance(self, choice, first, beside)
        decision = Decision(
            name, earlier, names, place, chance, scores, row, self.contexts.columns,
            mask, self.rewards_learnt, now, control, key,
        )  # fmt: skip
        if self._recorder is not None:
            self._recorder.decided(decision)
        return decision

    def _sharpened(self, decision: Decision, repeats: int) -> Decision:
        """With the state as it is, which is that of the decision."""
        if decision.method == EXACT:
            return decision
        with self._lock:  # only to copy: draws take long
            self._check_as_then(decision)
            memory = self._memory or self._begun(decision.row)
            state, seen = deepcopy(memory.state), self.contexts.seen(decision.row)
            mask = None if decision.mask is None else self._arms.mask(decision.allowed)
            key = decision.key
            beside = Beside(self._rng, decision.number) if key is None else Beside(keyed(key), 0)
            share, control = self.propensity.floor, decision.controlled
            floor = Floor.among(share, len(self._arms), mask, control)
            place, cap = self._arms.place(decision.arm), self.propensity.cap
        choice = Choice(memory.policy, state, seen, mask, place, floor)
        return decision.with_chance(choice.counted(beside.stream(), repeats, cap))

    def _check_as_then(self, decision: Decision) -> None:
        """Refuse a decision of another state than this."""
        if decision.arms != self.arms:
            raise InvalidInput("decision", decision.id, "it was made among other arms")
        if decision.learnt not in (None, self.rewards_learnt):
            remedy = (
                f"it was made after {decision.learnt} rewards and this bandit has learnt "
                f"{self.rewards_learnt}: ask before more is learnt, or a bandit that was saved or "
                "rebuilt as it was then; or let decisions pay for it, by Propensity(repeats=…)"
            )
            raise InvalidInput("decision", decision.id, remedy)

    def _controlled(
        self, control: Control, row: Array | None, mask: Array | None
    ) -> Controlled | None:
        """The control's share, its arm here and whether it decides; None if it cannot."""
        place = control.place(lambda: self.contexts.given(row), self._arms, mask)
        if place is None:
            return None
        return control.share, place, bool(self._rng.random() < control.share)

    def _expire(self, expiry: Expiry, now: float) -> int:
        late = self._pending.expired(expiry, now)
        for name in late:
            self._give_up(name, expiry.reward, now)
        return len(late)

    def _give_up(self, name: Id, reward: float | None, now: float) -> None:
        """Learn the reward of an expired decision, if it has one that can be learnt."""
        waiting = self._pending.waiting.pop(name)  # first, or it would come up forever
        self._tally.expired += 1
        if waiting.arm not in self._arms.places:
            reward = None
        if reward is not None:
            learnt = waiting.context, self._arms.places[waiting.arm], reward, 1.0
            try:
                self._take_in(self._lesson(*learnt))
            except InvalidInput as error:
                reward = None
                warnings.warn(
                    f"decision {name} has expired and its reward was refused: {error}", stacklevel=3
                )
        if self._recorder is not None:
            self._recorder.record("expiry", id=name, arm=waiting.arm, reward=reward, time=now)

    def _learn_decided(self, decision: Any, reward: Any, weight: Any) -> None:
        many = as_list(decision)
        if many is not None:
            self._learn_many(many, reward, weight)
            return
        name, waiting = self._pending.find(decision)
        place, counted = self._arms.place(waiting.arm), checked_reward(reward, self.support)
        learnt = waiting.context, place, counted, checked_weight(weight)
        self._take_in(self._lesson(*learnt))
        del self._pending.waiting[name]
        if self._recorder is not None:
            self._recorder.learnt(name, *learnt)

    def _learn_many(self, decisions: list[Any], reward: Any, weight: Any) -> None:
        waiting = dict(map(self._pending.find, decisions))
        if len(waiting) < len(decisions):
            raise InvalidInput("decision", [*waiting], "a decision has only one reward")
        places = [self._arms.place(each.arm) for each in waiting.values()]
        rewards = checked_rewards(reward, len(places), self.support)
        weights = checked_weights(weight, len(places))
        rows = [each.context for each in waiting.values()]
        learnt = list(zip(rows, places, rewards, weights, strict=True))
        lessons = [self._lesson(*each) for each in learnt]
        for name, each, lesson in zip(waiting, learnt, lessons, strict=True):
            self._take_in(lesson)
            del self._pending.waiting[name]
            if self._recorder is not None:
                self._recorder.learnt(name, *each)

    def _learn_logged(self, context: Any, arm: Any, reward: Any, weight: Any) -> None:
        many = as_list(arm)
        places = [self._arms.place(name) for name in ([arm] if many is None else many)]
        rewards = checked_rewards([reward] if many is None else reward, len(places), self.support)
        weights = checked_weights(weight, len(places))
        rows = self.contexts.rows(context)[0] if context is not None else [None] * len(places)
        if len(rows) != len(places):
            raise InvalidInput("arm", len(places), f"give one for each of {len(rows)} contexts")
        learnt = list(zip(rows, places, rewards, weights, strict=True))
        lessons = [self._lesson(*each) for each in learnt]
        for each, lesson in zip(learnt, lessons, strict=True):
            self._take_in(lesson)
            if self._recorder is not None:
                self._recorder.learnt(None, *each)

    def _check_leaving(self, name: Arm) -> None:
        if self.control is not None:
            self.control.check_leaving(name)

    def _lesson(self, row: Array | None, place: int, reward: float, weight: float) -> Lesson:
        """What is to be learnt, as the policy sees it; refuses what the policy would refuse."""
        seen = self.contexts.learnt(row, place)
        check_update(self.memory(row).state, seen, reward, weight)
        return seen, place, reward, weight

    def _take_in(self, lesson: Lesson) -> None:
        assert self._memory is not None  # it has checked the lesson
        _, place, reward, _ = lesson
        self._memory.learn(*lesson, self._rng)
        self.rewards_learnt += 1
        tally = self._tally
        tally.rewards[place] += 1
        tally.sums[place] += reward

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
        self._tally.remap_arms(before)

    def memory(self, row: Array | None) -> Memory:
        """What was learnt, started at the first context, which says how wide contexts are."""
        if self._memory is None:
            self._memory = self._begun(row)
        return self._memory

    def _begun(self, row: Array | None) -> Memory:
        problem = self.contexts.problem(len(self._arms), self.support, row)
        memory = self._started(problem)
        for reward in self._coming():
            memory.state.check_reward(reward, 1.0)
        return memory

    def _started(self, problem: Problem) -> Memory:
        return self.forgetting.memory(self.policy.suited(problem), problem)

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
