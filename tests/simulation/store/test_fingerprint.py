"""Things that may lead to different results have different fingerprints; equal ones have one."""

import subprocess
import sys
from dataclasses import dataclass, field
from functools import lru_cache, partial

import numpy as np
import pytest
from numba import njit
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from bandstrap import (
    UCB1,
    ContextualBootstrap,
    EigenExamples,
    Exponential,
    LinUCB,
    SeenExamples,
    from_sklearn,
    simulate,
)
from bandstrap.environments import Bernoulli, ClassPayoffs, TableEnvironment
from bandstrap.simulation.store.fingerprint import fingerprint, is_complete


@dataclass(frozen=True, eq=False)
class Own(LinUCB):
    table: object = None
    hidden: object = field(default=None, repr=False)


class Slotted:
    __slots__ = ("inside",)

    def __init__(self, inside):
        self.inside = inside


def scaled(factor):
    return lambda x: factor * x


def spot(place, size=2001):
    array = np.zeros(size)
    array[place] = 1
    return array


def piped(function):
    model = from_sklearn(make_pipeline(FunctionTransformer(function), Ridge()))
    return ContextualBootstrap(Exponential(), model, SeenExamples())


def plus(x):
    return x + 1


def minus(x):
    return x - 1


PAIRS = {
    "hidden": lambda k: Own(hidden=k),
    "hidden array": lambda k: Own(hidden=spot(600 + k)),
    "long array": lambda k: Own(table=spot(600 + k)),
    "near numbers": lambda k: Own(table=np.array([0.1 + k * 1e-15])),
    "array of objects": lambda k: Own(table=np.array([{"a": k}, None])),
    "closure": lambda k: Own(hidden=scaled(k)),
    "closure in a pipeline": lambda k: piped(scaled(k)),
    "partial": lambda k: piped(partial(np.multiply, k)),
    "default": lambda k: Own(table=lambda x, factor=k: factor * x),
    "code": lambda k: Own(table=(lambda x: x + 1) if k == 1 else (lambda x: x - 1)),
    "slots": lambda k: Own(table=Slotted(k)),
    "set": lambda k: Own(hidden={"a", "b", f"c{k}"}),
    "generator": lambda k: Own(table=np.random.default_rng(k)),
    "remembered": lambda k: Own(table=lru_cache(plus if k == 1 else minus)),
    "compiled": lambda k: Own(table=njit(plus if k == 1 else minus)),
}


@pytest.mark.parametrize("name", PAIRS)
def test_what_differs_is_told_apart(name):
    make = PAIRS[name]
    assert fingerprint(make(1)) != fingerprint(make(2))
    assert fingerprint(make(1)) == fingerprint(make(1))
    assert is_complete(fingerprint(make(1)))


def test_what_writes_itself_is_told_by_that():
    prior = EigenExamples(np.eye(40))
    table = TableEnvironment("t", np.zeros((4, 1)), ClassPayoffs(np.array([0, 1, 0, 1]), 2))
    for native in (prior, table, [prior, {"a": table}]):
        assert fingerprint(native) == repr(native)


TYPED = """
from dataclasses import dataclass
import numpy as np
from bandstrap import LinUCB
from bandstrap.simulation.store.fingerprint import fingerprint, is_complete

FACTOR = {factor}

def turned(x):
    return {sign}x

@dataclass(frozen=True)
class Mine(LinUCB):
    def _scores(self, *given):
        return FACTOR * turned(super()._scores(*given))

print(fingerprint(Mine()), is_complete(fingerprint(Mine())))
"""


def test_code_that_was_typed_in_is_part_of_it():
    found = []
    for factor, sign in ((1, "+"), (1, "+"), (1, "-"), (2, "+")):
        code = TYPED.format(factor=factor, sign=sign)
        done = subprocess.run([sys.executable, "-"], input=code, capture_output=True, text=True)
        assert done.stdout.strip().endswith("True"), done.stderr
        found.append(done.stdout)
    assert found[0] == found[1]  # so that it is gone on with
    assert len(set(found)) == 3


def test_bases_and_helpers_elsewhere_are_part_of_it(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "mine_of_test.py").write_text(
        "import helper_of_test\nfrom base_of_test import Base\n\n"
        "class Mine(Base):\n    def _scores(self, *given):\n"
        "        return helper_of_test.turned(super()._scores(*given))\n"
    )
    code = (
        "import sys; sys.path.insert(0, '.'); sys.dont_write_bytecode = True\n"
        "from mine_of_test import Mine\n"
        "from bandstrap.simulation.store.fingerprint import fingerprint\n"
        "print(fingerprint(Mine()))"
    )
    found = set()
    for base, helper in ((1, 1), (1, 1), (2, 1), (1, 2)):
        text = f"from bandstrap import LinUCB\n\nclass Base(LinUCB):\n    factor = {base}\n"
        (tmp_path / "base_of_test.py").write_text(text)
        (tmp_path / "helper_of_test.py").write_text(f"def turned(x):\n    return {helper} * x\n")
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=True)
        found.add(done.stdout)
    assert len(found) == 3


class Sealed:
    """Nobody can look into it."""

    def __reduce_ex__(self, protocol):
        raise TypeError("sealed")


def test_what_cannot_be_seen_is_played_anew(tmp_path):
    assert not is_complete(fingerprint(Own(table=Sealed())))
    for policy, files in ((Own(hidden=1), 1), (Own(table=Sealed()), 2)):
        folder = tmp_path / str(files)
        for _ in range(2):
            simulate(policy, _world(), horizon=5, runs=1, checkpoint=folder)
        assert len(list(folder.glob("*.npz"))) == files


def _world():
    return TableEnvironment("t", np.zeros((4, 1)), ClassPayoffs(np.array([0, 1, 0, 1]), 2))


def test_names_are_taken_before_a_policy_changes_itself(tmp_path):
    counts = {"calls": 0}

    def count():
        counts["calls"] += 1

    @dataclass(frozen=True)
    class Counting(UCB1):
        def _update(self, *args):
            count()
            super()._update(*args)

    simulate(Counting(), Bernoulli(2), horizon=5, runs=2, checkpoint=tmp_path)
    played = counts["calls"]
    counts["calls"] = 0
    simulate(Counting(), Bernoulli(2), horizon=5, runs=2, checkpoint=tmp_path)
    assert (played > 0, counts["calls"]) == (True, 0)
