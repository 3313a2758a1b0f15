"""Nothing is shown that was found with other rewards, another table or other code."""

import importlib
import sys

import numpy as np
import pandas as pd
import pytest

from bandstrap import (
    Bootstrap,
    ContextualEpsilonGreedy,
    Decay,
    EigenExamples,
    LinearRegression,
    compare,
    from_sklearn,
)
from bandstrap.simulation.store.fingerprint import fingerprint

PLAIN = """
from bandstrap import LinUCB


class Plain(LinUCB):
    def __init__(self, sign=1.0):
        object.__setattr__(self, "sign", sign)
        super().__init__()

    __repr__ = object.__repr__

    def _scores(self, *given):
        return {sign}self.sign * super()._scores(*given)
"""


def offers(factor):
    rng = np.random.default_rng(1)
    x = rng.standard_normal(60)
    return pd.DataFrame({"x": x, "a": factor * (x > 0), "b": factor * 2 * (x < 0)})


def test_rewards_in_other_units(tmp_path):
    given = {"rewards": "a,b", "policies": "ts-lin-fixed,ucb-lin-fixed", "rounds": 60, "runs": 2}
    euros = compare(offers(1), **given, out=tmp_path)
    cents = compare(offers(100), **given, out=tmp_path)
    for one, other in zip(euros.ranking, cents.ranking, strict=True):
        assert other.reward.mean == pytest.approx(100 * one.reward.mean)
    assert cents.ranking[0].reward.high <= 200  # no arm pays more


def test_code_of_ones_own_is_part_of_what_a_result_depends_on(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    path = tmp_path / "plain_of_test.py"

    def policy(sign, *given):
        path.write_text(PLAIN.replace("{sign}", sign))
        importlib.invalidate_caches()
        sys.modules.pop("plain_of_test", None)
        return importlib.import_module("plain_of_test").Plain(*given)

    first = fingerprint(policy("-"))
    assert " at 0x" not in first
    assert fingerprint(policy("-")) == first  # another object at another place
    assert fingerprint(policy("-", 2.0)) != first
    assert fingerprint(policy("+")) != first
    inside = ContextualEpsilonGreedy(from_sklearn(_ridge()), Decay(5.0), EigenExamples())
    assert "sklearn.linear_model" in fingerprint(inside)
    ours = ContextualEpsilonGreedy(LinearRegression(), Decay(5.0), EigenExamples())
    for native in (Bootstrap(), ours):
        assert fingerprint(native) == repr(native)


def _ridge():
    from sklearn.linear_model import Ridge

    return Ridge(alpha=2.0)
