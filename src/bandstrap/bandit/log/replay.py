"""A bandit from its log: every event happens again, by the methods that it happened by at first.

What a decision draws follows from the state and the random generator, so deciding again gives the
same arm; that it does is checked. Policies that train as they draw are trained again on the way.
"""

import warnings
from base64 import b64decode
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import inf
from typing import Any, NamedTuple

from bandstrap.bandit.bandit import Bandit
from bandstrap.bandit.decision import Decision
from bandstrap.bandit.log.file import Log, Record, damaged
from bandstrap.bandit.log.recorded import read_context
from bandstrap.bandit.log.recorder import FORMAT, Position, move, position_of
from bandstrap.errors import BandstrapError, InvalidInput, OutputError
from bandstrap.models.cost import no_cost_warnings
from bandstrap.storage.schema import ROUNDING, require
from bandstrap.tables import Columns
from bandstrap.tables.contexts import WORDS
from bandstrap.validation import is_finite

Loader = Callable[[bytes], Bandit]
OLDEST: Position = ("", 0)  # before all that a log has
MOST = 1e100  # of a weight: squares of many add up


class Diverged(BandstrapError, ValueError):  # noqa: N818
    """What happens again is not what happened."""


@dataclass
class Series:
    """The events of one recorder: from the state that is written down, or after another event."""

    after: Position | None
    learnt_from: Position | None  # where its rewards were learnt before, by a bandit of other kind
    has_state: bool
    why: str
    until: float = -1.0  # the last event that is wanted


class Step(NamedTuple):
    """The events of a series up to a number."""

    name: str
    until: float


class Numbered(NamedTuple):
    """A record and its place in the log."""

    line: int
    told: Record


def rebuilt(
    log: Log, start: Bandit | None, position: Position | None, upto: Any, load: Loader
) -> tuple[Bandit, Position]:
    """The bandit at the end of a log, or before that, and the event that it is at.

    It goes on from `start`, which was saved at a position, or from a state in the log.
    """
    index = Index(log, upto)
    steps = index.steps(position)
    with warnings.catch_warnings(), no_cost_warnings():
        warnings.simplefilter("ignore")  # they were given when it happened
        bandit = index.first(steps[0].name, load) if start is None else start
        replay = Replay(bandit)
        at = position or (steps[0].name, 0)
        for line, told in index.wanted(steps, at):
            _replayed(replay, log, line, told)
            at = told["bandit"], told["seq"]
    replay.finish()
    return bandit, at


class Index:
    """The series of events in a log, and where to stop."""

    def __init__(self, log: Log, upto: Any) -> None:
        self.log = log
        self.series: dict[str, Series] = {}
        self._upto = _checked_upto(upto)
        self._found: Step | None = None  # the decision to stop before
        for _, told in self.records():
            self._note(told)
        if isinstance(self._upto, str) and self._found is None:
            raise InvalidInput("upto", self._upto, "the log has no such decision")

    def records(self) -> Iterator[Numbered]:
        """All records; one that a bandit cannot have written is refused."""
        for line, told in enumerate(self.log.read(), 1):
            named = type(told.get("bandit")) is str and type(told.get("event")) is str
            if not (named and type(told.get("seq")) is int):
                raise damaged(_name(self.log), line, "it has no event, bandit and seq")
            yield Numbered(line, told)

    def steps(self, position: Position | None) -> list[Step]:
        """What to replay, from a position or from the state that is written down."""
        last = self._found or self._latest(position)
        if last is None:
            problem = "has no bandit" if position is None else "does not go on from the saved one"
            raise OutputError(_name(self.log), problem, "give the log that it wrote to")
        steps = self._chain(last, position)
        if position is not None and not _begins(steps, position):
            remedy = "give a file that was saved earlier"
            raise OutputError(_name(self.log), "does not go on from the saved one", remedy)
        return steps

    def up_to(self, position: Position | None) -> Iterator[Record]:
        """All events that led to a position."""
        if position is not None and position[0] in self.series:
            steps = self._chain(Step(*position), OLDEST)
            for _, told in self.wanted(steps, (steps[0].name, 0)):
                yield told

    def wanted(self, steps: list[Step], at: Position) -> Iterator[Numbered]:
        """The events of steps after a position, none of them missing."""
        until, (name, done) = dict(steps), at
        for line, told in self.records():
            series, number = told["bandit"], told["seq"]
            if series != name and series in until and number == 0:
                self._require(done >= until.pop(name), line, name, done)
                name, done = series, 0
            elif series == name and done < number <= until[name]:
                self._require(number == done + 1, line, name, done)
                done = number
                yield Numbered(line, told)

    def _require(self, complete: bool, line: int, name: str, done: int) -> None:
        if not complete:
            problem = f"lacks event {done + 1} of bandit {name} before line {line}"
            raise OutputError(_name(self.log), problem, "take another copy of it")

    def first(self, name: str, load: Loader) -> Bandit:
        """The bandit that a series starts with."""
        series = self.series[name]
        if not series.has_state:
            where = f"begins after event {series.after}, which it does not have"
            problem = f"has no state to start from: {series.why}" if series.why else where
            raise OutputError(_name(self.log), problem, "give a saved bandit: start=path")
        told = next(it.told for it in self.records() if _is_start(it.told, name))
        try:
            return load(b64decode(told["state"], validate=True))
        except (ValueError, TypeError) as error:
            raise OutputError(_name(self.log), f"has a damaged state ({error})",
                              "take another copy of it") from error  # fmt: skip

    def _note(self, told: Record) -> None:
        name, number = told["bandit"], told["seq"]
        if told["event"] == "start":
            self._begin(name, told)
        series = self.series.get(name)
        if series is None:
            series = self.series[name] = Series(None, None, False, "its beginning is missing")
        if self._upto == told.get("id") and told["event"] == "decision":
            self._found = Step(name, number - 1)
        within = not isinstance(self._upto, float) or (told.get("time") or -inf) <= self._upto
        if within and series.until == number - 1:
            series.until = number

    def _begin(self, name: str, told: Record) -> None:
        if told.get("format") != FORMAT:
            version = f"{told.get('version')!s:.40}"
            raise OutputError(_name(self.log), f"is of bandstrap {version}", "upgrade bandstrap")
        after, origin = (_position(told.get(field)) for field in ("after", "learnt_from"))
        why = f"{told['why']!s:.300}" if "why" in told else ""
        self.series[name] = Series(after, origin, told.get("state") is not None, why)

    def _latest(self, position: Position | None) -> Step | None:
        """The series that began last, of those that go on from a position."""
        for name, series in reversed(self.series.items()):
            begun = series.until >= 0 or not isinstance(self._upto, float)
            steps = self._chain(Step(name, inf), position)
            if begun and (position is None or _begins(steps, position)):
                return Step(name, inf if self._upto is None else series.until)
        return None

    def _chain(self, last: Step, position: Position | None) -> list[Step]:
        """A series and those that it goes on from, oldest first.

        Back to the series of a position, or else to the last state that is written down.
        """
        steps, met = [last], {last.name}
        while True:
            name = steps[-1].name
            series = self.series.get(name)
            reached = position is not None and position[0] == name
            if series is None or reached or (position is None and series.has_state):
                break
            after = series.after
            if after is None and position == OLDEST:
                after = series.learnt_from
            if after is None or after[0] in met:
                break
            if after[0] not in self.series and after != position:
                break
            steps.append(Step(*after))
            met.add(after[0])
        return steps[::-1]


class Replay:
    """Lets events happen again."""

    def __init__(self, bandit: Bandit) -> None:
        self.bandit = bandit
        self._clock = bandit._clock
        self._events: dict[str, Callable[[Record], None]] = {
            "decision": self._decision,
            "reward": self._reward,
            "expiry": self._expiry,
            "drop": lambda told: bandit.drop(told["id"]),
            "rank": self._rank,
            "add_arm": lambda told: bandit.add_arm(told["arm"], told["features"]),
            "remove_arm": lambda told: bandit.remove_arm(told["arm"]),
            "retire_arm": lambda told: bandit.retire_arm(told["arm"]),
            "reinstate_arm": lambda told: bandit.reinstate_arm(told["arm"]),
        }

    def apply(self, told: Record) -> None:
        """Let one event happen again."""
        event = self._events.get(told["event"])
        require(event is not None, f"no event is called {told['event']!r:.40}")
        assert event is not None
        time = told["time"]
        self.bandit._clock = lambda: inf if time is None else float(time)
        self._columns(told)
        self._move(told)
        event(told)

    def finish(self) -> None:
        """Go on alone: with new ids, by the bandit's own clock."""
        self.bandit._clock = self._clock
        self.bandit._pending.begin_epoch()

    def _decision(self, told: Record) -> None:
        bandit, name = self.bandit, told["id"]
        require(type(name) is str, "an id is not text")
        bandit._pending.resume_epoch(name.partition("-")[0])
        decision: Decision = bandit.decide(_context(told), told["allowed"])
        if (decision.id, decision.arm) != (name, told["arm"]):
            raise Diverged(f"arm {told['arm']!r} was chosen, and is now {decision.arm!r}")
        bandit._tally.weigh(*_weighed(told))

    def _reward(self, told: Record) -> None:
        if "id" in told:
            self.bandit.learn(told["id"], told["reward"], weight=told["weight"])
            return
        context, weight = _context(told), told["weight"]
        self.bandit.learn(context=context, arm=told["arm"], reward=told["reward"], weight=weight)

    def _expiry(self, told: Record) -> None:
        name, _ = self.bandit._pending.find(told["id"])
        self.bandit._give_up(name, told["reward"], self.bandit._clock())

    def _rank(self, told: Record) -> None:
        arms = self.bandit.rank(_context(told), told["k"], told["allowed"])
        if arms != told["arms"]:
            raise Diverged(f"{told['arms']} were ranked so, and are now {arms}")

    def _columns(self, told: Record) -> None:
        """Columns and words as they were known when the event happened."""
        reader, new = self.bandit.contexts, told.get("columns")
        if new is not None:
            columns = reader.columns = Columns()
            columns.source, columns.width = new["source"], new["width"]
            columns.kinds = dict(zip(new["names"], new["kinds"], strict=True))
            columns.words = {name: {} for name, kind in columns.kinds.items() if kind in WORDS}
        for name, words in told.get("words", ()):
            assert reader.columns is not None
            known = reader.columns.words[name]
            for word in words:
                known.setdefault(word, len(known))
        if new is not None or "words" in told:
            assert reader.columns is not None
            reader.columns.verify_saved()

    def _move(self, told: Record) -> None:
        """To where the random generator was."""
        rng = self.bandit._rng
        if position_of(rng) == told["random"]:
            return
        if not told.get("moved"):
            raise Diverged("random numbers have come to another place")
        move(rng, told["random"])


def _replayed(replay: Replay, log: Log, line: int, told: Record) -> None:
    try:
        replay.apply(told)
    except Diverged as error:
        remedy = "rebuild with the versions that wrote it, or go on from a saved bandit"
        raise OutputError(
            _name(log), f"line {line} does not happen again: {error}", remedy
        ) from error
    except Exception as error:  # whatever a record of another shape leads to
        problem = f"line {line} cannot happen again: {error or type(error).__name__}"
        raise OutputError(_name(log), problem, "take another copy of it") from error


def _begins(steps: list[Step], position: Position) -> bool:
    """Whether steps go on from a position."""
    return steps[0].name == position[0] and position[1] <= steps[0].until


def _weighed(told: Record) -> tuple[float | None, float | None]:
    """The propensity and the weight of a decision, if they were known then."""
    propensity, weight = told["propensity"], told["weight"]
    for name, value, most in (("propensity", propensity, 1 + ROUNDING), ("weight", weight, MOST)):
        fits = value is None or (is_finite(value) and 0 < value <= most)
        require(fits, f"its {name} is {value!r:.40}, not between 0 and {most:g}")
    return propensity, weight


def _context(told: Record) -> Any:
    """As the bandit was given it: one context."""
    context = read_context(told["context"], told.get("dtype"))
    return context[0] if hasattr(context, "shape") else context


def _position(told: Any) -> Position | None:
    if isinstance(told, dict) and type(told.get("bandit")) is str:
        return told["bandit"], int(told.get("seq", -1))
    return None


def _is_start(told: Record, name: str) -> bool:
    return bool(told["event"] == "start" and told["bandit"] == name)


def _checked_upto(upto: Any) -> Any:
    """An id, seconds, or None."""
    name = getattr(upto, "id", upto)
    if name is None or isinstance(name, str):
        return name
    if not is_finite(name):
        remedy = "give a decision, its id, or seconds by the bandit's clock"
        raise InvalidInput("upto", upto, remedy)
    return float(name)


def _name(log: Log) -> object:
    return getattr(log, "path", type(log).__name__)
