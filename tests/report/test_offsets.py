"""Rewards with an offset: policies that differ are told apart wherever rewards are shown."""

import numpy as np
import pandas as pd
import pytest

from bandstrap import compare
from bandstrap.commands.compare import ranking_table
from bandstrap.report.comparison import _table


@pytest.mark.parametrize("runs", [1, 3])
def test_prices_are_not_rounded_to_the_same(runs):
    x = np.random.default_rng(0).standard_normal(200)
    prices = pd.DataFrame({"x": x, "a": 52340 + 9 * (x > 0), "b": 52340 + 9 * (x < 0)})
    given = {"policies": "eg-lin,ts-laplace,ucb1", "rounds": 200, "runs": runs}
    found = compare(prices, rewards="a,b", **given)
    rows = _table(found).rows
    shown = [row[2].shown for row in rows]
    assert [float(each) for each in shown] == pytest.approx([row[2].value for row in rows], abs=0.2)
    assert len(set(shown)) > 2
    assert all("e+" not in row[3].shown for row in rows[:3])
    assert [*ranking_table(found).columns[2].cells][:3] == shown[:3]
    assert all("e+" not in cell for cell in ranking_table(found).columns[2].cells)
    assert "e+" not in found.recommendation
