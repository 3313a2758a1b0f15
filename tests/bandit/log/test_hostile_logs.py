"""Logs that somebody has changed: rebuilt, or refused with one error."""

import json
import random
import warnings
from contextlib import suppress

import pytest

from bandstrap import Bandit, Bootstrap, LinThompson, LogFile, OutputError
from bandstrap.bandit.log.table import log_table

ODD = [None, True, -1, 0, 1.5, 10**30, 1e308, "", "x", "ü" * 50, [], [1], [[]], {}, {"a": 1},
       [1.0, "x"], [[1, 2, 3]], "0" * 32, "zz+1", "a", ["a"], ["a", "a"]]  # fmt: skip


def played(path, contextual):
    bandit = Bandit(LinThompson() if contextual else Bootstrap(), ["a", "b"], seed=1, log=path)
    for i in range(4):
        decision = bandit.decide({"x": i / 4, "new": True} if contextual else None)
        if i % 2:
            bandit.learn(decision, 0.5)
    bandit.add_arm("c")
    bandit.drop(bandit.decide({"x": 0.5, "new": False} if contextual else None))
    bandit.retire_arm("b")
    bandit.rank({"x": 0.1, "new": True} if contextual else None, k=1)
    bandit.learn(context={"x": 1, "new": True} if contextual else None, arm="a", reward=1.0)
    return [json.loads(line) for line in path.read_text().splitlines()]


def changed(records, moments):
    """Fields replaced, left out or doubled; lines left out, doubled or swapped."""
    records = json.loads(json.dumps(records))
    for _ in range(moments.choice([1, 1, 2])):
        at = moments.randrange(len(records))
        kind, record = moments.randrange(8), records[at]
        if kind == 0:
            del records[at]
        elif kind == 1:
            records.insert(moments.randrange(len(records)), record)
        elif kind == 2:
            record.pop(moments.choice([*record]))
        else:
            name = moments.choice([*record, "words", "columns", "dtype", "moved", "after"])
            record[name] = moments.choice(ODD)
        if not records:
            break
    return records


@pytest.mark.parametrize("contextual", [False, True])
def test_a_log_is_rebuilt_or_refused(contextual, tmp_path):
    path, moments, refused = tmp_path / "log", random.Random(contextual), 0
    records = played(path, contextual)
    for _ in range(150):
        lines = [json.dumps(record) for record in changed(records, moments)]
        path.write_text("".join(f"{line}\n" for line in lines))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                bandit = Bandit.rebuild(path)
                context = {"x": 0.5, "new": True} if contextual else None
                assert bandit.decide(context).arm in bandit.arms
            except OutputError:
                refused += 1
            with suppress(OutputError):
                log_table(LogFile(path))
    assert refused > 50


@pytest.mark.parametrize("name", ["propensity", "weight"])
@pytest.mark.parametrize("value", [-0.5, 0, 1e200, "1"])
def test_a_propensity_that_is_none_is_refused(name, value, tmp_path):
    """Else the bandit would count it, and be saved into a file that cannot be loaded."""
    path = tmp_path / "log"
    records = played(path, contextual=False)
    at = next(i for i, each in enumerate(records) if each["event"] == "decision")
    records[at][name] = value
    path.write_text("".join(f"{json.dumps(each)}\n" for each in records))
    with pytest.raises(OutputError, match=rf"its {name} is .*, not between 0 and 1"):
        Bandit.rebuild(path)
