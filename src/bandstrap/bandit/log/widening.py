"""A bandit whose contexts have one more column, from the log of one that had not."""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any, NamedTuple

import numpy as np

from bandstrap.bandit.bandit import Bandit
from bandstrap.bandit.decision import Arm
from bandstrap.bandit.log.file import Log, Record
from bandstrap.bandit.log.recorded import read_context
from bandstrap.bandit.log.recorder import Position
from bandstrap.bandit.log.replay import Index
from bandstrap.errors import InvalidInput
from bandstrap.validation import is_finite


class Learnt(NamedTuple):
    """A reward that was learnt."""

    context: Any
    arm: Arm
    reward: float
    weight: float


def widened(bandit: Bandit, name: Arm | None, default: Any) -> Bandit:
    """One more column, with a default in all that was learnt, and in decisions that wait."""
    with bandit._lock:
        recorder, columns = bandit._recorder, bandit.contexts.columns
        if recorder is None:
            raise InvalidInput("log", None, "it learns again from a log: give the bandit one")
        if columns is None or not columns.width:
            raise InvalidInput("column", name, "there are no contexts yet: just give them with it")
        _check_column(name, default, columns.names)
        wide = _blank(bandit)
        if name is not None:
            wide.contexts.defaults = {**bandit.contexts.defaults, name: default}
        log, position = recorder.log, recorder.position
        past = [*learnt(log, position)]
        if len(past) != bandit.rewards_learnt:
            remedy = f"it has {len(past)} of {bandit.rewards_learnt} rewards; all are needed"
            raise InvalidInput("log", log, remedy)
        for each in past:
            if each.arm in wide.arms:
                context = _wider(each.context, name, default)
                wide.learn(context=context, arm=each.arm, reward=each.reward, weight=each.weight)
        _take_over(wide, bandit, name, default)
    wide._log_to(log)
    assert wide._recorder is not None
    wide._recorder.learnt_from = position
    return wide


def learnt(log: Log, position: Position | None) -> Iterator[Learnt]:
    """The rewards that a bandit has learnt up to an event, in order."""
    index = Index(log, None)
    made: dict[Any, Record] = {}
    for told in index.up_to(position):
        event = told["event"]
        if event == "decision":
            made[told["id"]] = told
        elif event == "drop":
            made.pop(told["id"], None)
        elif event in ("reward", "expiry"):
            source = made.pop(told["id"]) if "id" in told else told
            if told["reward"] is not None:
                context = read_context(source["context"], source.get("dtype"))
                yield Learnt(context, told["arm"], told["reward"], told.get("weight", 1.0))


def _blank(bandit: Bandit) -> Bandit:
    """A bandit that has learnt nothing, with everything else the same."""
    features = bandit.contexts.features
    clock = bandit._clock
    wide = Bandit(
        bandit.policy, bandit.arms if features is None else features, rewards=bandit.support,
        propensity=bandit.propensity, forgetting=bandit.forgetting, expiry=bandit.expiry,
        control=bandit.control, clock=clock,
    )  # fmt: skip
    wide._arms, wide._rng = bandit._arms, deepcopy(bandit._rng)
    return wide


def _take_over(wide: Bandit, bandit: Bandit, name: Arm | None, default: Any) -> None:
    """Decisions that wait, and what was counted."""
    pending = bandit._pending.copy_to_save()
    for each, waiting in pending.waiting.items():
        context = _wider(bandit.contexts.given(waiting.context), name, default)
        pending.waiting[each] = waiting._replace(context=wide.contexts.one_row(context))
    pending.begin_epoch()
    wide._pending, wide._tally = pending, deepcopy(bandit._tally)


def _wider(context: Any, name: Arm | None, default: Any) -> Any:
    if isinstance(context, Mapping):
        return {**context, name: default}
    return np.append(context[0], default)


def _check_column(name: Any, default: Any, names: list[Any]) -> None:
    if not names and name is not None:
        raise InvalidInput("name", name, "contexts are arrays: give None, the column comes last")
    if names and (type(name) not in (str, int) or name in names):
        raise InvalidInput("name", name, "give a name that no column has")
    if not (is_finite(default) or (names and isinstance(default, str | bool))):
        raise InvalidInput(
            "default", default, "give a number" + (", flag or text" if names else "")
        )
