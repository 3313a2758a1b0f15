"""Snapshots whose facts are damaged: one kind of error, never a fold that is wrong."""

import json
from copy import deepcopy

import pytest
from lessons import again, evenly, experiment, played

from bandstrap import Control
from bandstrap.service.config import Gate, Guardrail
from bandstrap.service.judging import Facts
from bandstrap.service.judging.series import Series
from bandstrap.storage.schema import Refused


@pytest.fixture(scope="module")
def told():
    given = experiment(
        candidates={"ts": "ts"}, promote=Gate(), control=Control(0.2, arm="a"),
        guardrails=(Guardrail("slow", most=0.95),),
    )  # fmt: skip
    facts = Facts(given)
    deciding = evenly(given.arms, control=given.control)
    played(facts, deciding, {"ts": given.bandit("ts")}, {"a": 0.1, "b": 0.3, "c": 0.6}, 60)
    facts.model.features = 1
    facts.event(60.0, "retire_arm", {"arm": "c"})
    assert again(facts).to_dict() == facts.to_dict()
    return given, json.loads(json.dumps(facts.to_dict()))


def changed(kept, path, value):
    kept = deepcopy(kept)
    at = kept
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    return kept


DAMAGE = [
    (("version",), "1"), (("version",), -1), (("refused",), 1.5), (("deciding",), "nobody"),
    (("started",), float("nan")), (("policies",), []), (("policies", "ts"), 5),
    (("events",), [{}]), (("arms",), None),
    (("arms", "arms", 0, 1), -1), (("arms", "arms", 0, 2), {}), (("arms", "arms", 0, 5), 0),
    (("arms", "arms", 0, 2, "sides"), []), (("arms", "arms", 0, 2, "sides", 0, 0), 7),
    (("arms", "arms", 0, 2, "sides", 0, 1), float("inf")), (("arms", "arms", 0, 2, "slack"), None),
    (("series", "seconds"), 0.0), (("series", "start"), None), (("series", "buckets", 0, 0), 60),
    (("series", "buckets", 0, 1), [1, 2, 3, 4]), (("series", "buckets", 0, 2), [1.0]),
    (("delays", "given"), 1000), (("delays", "classes"), [[0, 10**9]]), (("delays", "classes"), 5),
    (("delays", "classes"), [[10**6, 1]]), (("health", "sums"), [1.0, 0.0, 1.0, 1.0]),
    (("health", "sums", 1), -1.0), (("health", "smallest"), None), (("ratio", "most"), "a"),
    (("ratio", "every"), [[1.0], [1.0], 0.0]), (("ratio", "chosen", 2), [float("inf")] * 3),
    (("rails", "rails", 0, 1), None), (("rails", "sequences", 0, 0), "unknown"),
    (("rails", "sequences", 0, 2), 1.0), (("lock_in", "due"), None), (("lock_in", "arms"), [None]),
    (("model", "counts"), [1]), (("model", "counts", 0), 1000),
    (("model", "ridge"), [[], [], [], 0.0, 1.0]), (("model", "fit"), [[[1.0]], 0.0, 1.0]),
    (("model", "due"), 0), (("lifts", "own"), {}), (("lifts", "arrivals"), -1),
    (("lifts", "candidates", "ts", "among"), 0), (("lifts", "over_control"), [1]),
    (("lifts", "candidates", "ts", "unsupported"), float("nan")),
]  # fmt: skip


@pytest.mark.parametrize(("path", "value"), DAMAGE, ids=lambda it: str(it)[:50])
def test_damaged_facts_are_refused(told, path, value):
    given, kept = told
    with pytest.raises((Refused, ValueError)):
        Facts.from_dict(given, changed(kept, path, value))


def test_a_wide_ridge_is_refused_before_it_takes_memory(told):
    given, kept = told
    row = [0.0] * 2
    ridge = [[[row, row]] * 3, [row] * 3, [row] * 3, 0.0, 1.0]
    kept = changed(kept, ("model", "ridge"), ridge)
    assert Facts.from_dict(given, kept).model._ridge is not None
    with pytest.raises(Refused):
        Facts.from_dict(given, changed(kept, ("model", "features"), 10**9))


def test_what_lacks_a_field_is_refused(told):
    given, kept = told
    for name in kept:
        with pytest.raises(Refused, match="its fields are not"):
            Facts.from_dict(given, {key: each for key, each in kept.items() if key != name})
    with pytest.raises(Refused):
        Series.from_dict(given.rewards, {})
