"""Decisions and contexts as JSON holds them, and back."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from bandstrap.arrays import Array
from bandstrap.bandit.chance import DEFERRED
from bandstrap.bandit.decision import Arm, Decision
from bandstrap.errors import InvalidInput
from bandstrap.storage.schema import FLOATS
from bandstrap.validation import is_finite, is_whole

TYPES = {np.dtype(each).name: np.dtype(each) for each in (*FLOATS, np.uint8)}  # of contexts
REMEDY = "give what Decision.to_dict returned, or a decision from a log"


class RecordedDecision(Decision):
    """A decision as it was written down.

    Without scores and the probabilities of other arms.
    """

    __slots__ = ("_kept",)

    def __init__(self, kept: Mapping[str, Any]) -> None:
        self._kept = checked(kept)
        context, mask = self._kept["context"], None
        self.row = context if isinstance(context, np.ndarray) else None
        self.id, self.number, self.arm = (self._kept[name] for name in ("id", "number", "arm"))
        self.time, self.learnt, self.mask = self._kept["time"], self._kept["learnt"], mask
        self._names, self._at, self._columns = [self.arm], 0, None

    def __reduce__(self) -> tuple[Any, ...]:
        return RecordedDecision, (self.to_dict(),)

    @property
    def context(self) -> Any:
        return self._kept["context"]

    @property
    def allowed(self) -> tuple[Arm, ...]:
        """The arms that the decision was among; none if all were, which it does not know."""
        return tuple(self._kept["allowed"] or ())

    @property
    def control(self) -> bool:
        return bool(self._kept["control"])

    @property
    def method(self) -> str:
        return str(self._kept["method"])

    @property
    def propensity(self) -> float:
        return self._known("propensity")

    @property
    def weight(self) -> float:
        return self._known("weight")

    @property
    def error(self) -> float:
        return self._known("error")

    @property
    def weight_error(self) -> float:
        return self._known("weight_error")

    @property
    def propensities(self) -> dict[Arm, float]:
        raise InvalidInput("propensities", self.id, "only that of the chosen arm was kept")

    @property
    def scores(self) -> dict[Arm, float]:
        return {}

    def to_dict(self) -> dict[str, Any]:
        return {**self._kept, "context": json_context(self._kept["context"])}

    def chose(self, arm: Arm, row: Array | None) -> bool:
        """Whether it chose this arm; in which context is known only of arrays."""
        return self.arm == arm if self.row is None else super().chose(arm, row)

    def __repr__(self) -> str:
        found = self._kept["propensity"]
        shown = self.method if found is None else f"{found:.4g}"
        return f"Decision(number={self.number}, arm={self.arm!r}, propensity={shown})"

    def _known(self, name: str) -> float:
        found = self._kept[name]
        if found is None:
            remedy = "it was deferred: Bandit.rebuild(log, upto=decision) can tell"
            raise InvalidInput(name, self.id, remedy)
        return float(found)


def kept(decision: Decision) -> dict[str, Any]:
    """A decision as JSON can hold it."""
    told: dict[str, Any] = {"id": decision.id, "number": decision.number, "time": decision.time}
    told["context"] = json_context(decision.context)
    if decision.row is not None and decision.row.dtype != np.float64:
        told["dtype"] = decision.row.dtype.name
    told["allowed"] = None if decision.mask is None else [*decision.allowed]
    told |= {"arm": decision.arm, **_chances(decision)}
    return {**told, "learnt": decision.learnt, "control": decision.control}


def _chances(decision: Decision) -> dict[str, Any]:
    """How probable the arm was, and how that is known."""
    if decision.method == DEFERRED:
        unknown = dict.fromkeys(("propensity", "weight", "error", "weight_error"))
        return {**unknown, "method": DEFERRED}
    found = decision.chance
    return {
        "propensity": found.propensity,
        "weight": found.weight,
        "method": found.method,
        "error": found.error,
        "weight_error": found.weight_error,
    }


def json_context(context: Any) -> Any:
    """A context as JSON can hold it: pairs where columns have numbers for names."""
    if context is None:
        return None
    if not isinstance(context, Mapping):
        return context[0].tolist()
    named = all(type(name) is str for name in context)
    return dict(context) if named else [[name, value] for name, value in context.items()]


def read_context(given: Any, dtype: Any = None) -> Any:
    """A context from JSON, as `Decision.context` has it."""
    if given is None or isinstance(given, Mapping):
        return given
    if not isinstance(given, list) or (dtype is not None and dtype not in TYPES):
        raise InvalidInput("context", given, "no context is like this")
    if given and isinstance(given[0], list):
        return dict(given)
    if not all(map(is_finite, given)):
        raise InvalidInput("context", given, "give finite numbers")
    return np.array([given], dtype=TYPES[dtype or "float64"])


def checked(kept: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a decision that was written down, with its context as `read_context` has it."""
    fields = ("id", "number", "time", "context", "allowed", "arm", "propensity", "weight",
              "method", "error", "weight_error", "learnt", "control")  # fmt: skip
    lacking = [name for name in fields if not isinstance(kept, Mapping) or name not in kept]
    if lacking:
        raise InvalidInput("decision", kept, f"it has no {lacking[0]!r}: {REMEDY}")
    told = {name: kept[name] for name in (*fields, "dtype") if name in kept}
    plain = type(told["id"]) in (str, int) and type(told["arm"]) in (str, int)
    if not (plain and is_whole(told["number"]) and is_finite(told["time"])):
        raise InvalidInput("decision", told["id"], REMEDY)
    for name in ("propensity", "weight", "error", "weight_error"):
        if told[name] is not None and not (is_finite(told[name]) and told[name] >= 0):
            raise InvalidInput(name, told[name], REMEDY)
    try:
        told["context"] = read_context(told["context"], told.get("dtype"))
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInput("context", told["context"], REMEDY) from error
    return told
