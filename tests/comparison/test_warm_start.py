"""A bandit learns a table before its first decision: all arms, or those that it chooses."""

import json

import messy
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from bandstrap import Bandit, FixedWidth, InvalidInput, LinUCB, OutputError, Support, WarmStart
from bandstrap.comparison import measured
from bandstrap.comparison.candidates import Selection
from bandstrap.comparison.ceiling import ceiling, representatives
from bandstrap.comparison.comparison import compare
from bandstrap.comparison.measured import Measured, kept, late
from bandstrap.comparison.product import cost, live_bandit
from bandstrap.comparison.rewards import reward_source
from bandstrap.comparison.table import prepare
from bandstrap.comparison.warm_start import ARMS, Rehearsed, Told
from bandstrap.simulation import Trace
from bandstrap.simulation.store.tables import write_table


def lines(rows=400):
    """Two arms of which a linear model tells the better one; rewards in euros."""
    x = np.random.default_rng(0).standard_normal(rows)
    return prepare(
        pd.DataFrame({"x": x, "a": 50 + 10 * x, "b": 50 - 10 * x}), reward_source(None, "a,b")
    )


def test_all_arms_of_every_row_are_learnt():
    table = lines()
    bandit = live_bandit(LinUCB(), table.rewards, seed=1)
    known = WarmStart.of(table, 30)
    known.teach(bandit)
    assert bandit.rewards_learnt == 60
    assert bandit.decide([2.0]).arm == "a"
    assert bandit.decide([-2.0]).arm == "b"
    with pytest.raises(InvalidInput, match="the table has"):
        known.teach(Bandit(LinUCB(), ["a", "c"]))


def test_a_rehearsal_learns_what_the_bandit_chooses():
    table = lines()
    bandit = live_bandit(LinUCB(FixedWidth(0.3)), table.rewards, seed=1)
    chosen = []
    rank = bandit.rank
    bandit.rank = lambda *given, **more: chosen.append(rank(*given, **more)) or chosen[-1]
    known = WarmStart.of(table, 30)
    known.rehearse(bandit, rounds=70)  # rows come again
    assert bandit.rewards_learnt == 70
    assert bandit.decisions_waiting == 0
    better = np.where(known.rewards[:, 0] > known.rewards[:, 1], "a", "b")
    late = [arm == better[place % 30] for place, (arm,) in enumerate(chosen)][40:]
    assert np.mean(late) > 0.9
    with pytest.raises(InvalidInput, match="rounds"):
        known.rehearse(bandit, rounds=0)


def test_it_is_read_as_it_was_written_or_refused(tmp_path):
    known, path = WarmStart.of(lines(), 50), tmp_path / "warm.parquet"
    known.save(path)
    again = WarmStart.load(path)
    assert again.arms == ("a", "b")
    assert (again.contexts == known.contexts).all()
    assert (again.rewards == known.rewards).all()
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 255
    path.write_bytes(content)
    with pytest.raises(OutputError, match=r"damaged|cannot be read"):
        WarmStart.load(path)
    with pytest.raises(OutputError):
        WarmStart.load(tmp_path / "none.parquet")


def test_arms_that_are_too_deep_are_refused(tmp_path):
    path = tmp_path / "warm.parquet"
    table = pa.table({"x": [1.0], "y": [0.0]})
    write_table(table.replace_schema_metadata({ARMS: b"[" * 100_000}), path)
    with pytest.raises(OutputError, match="is not a warm start"):
        WarmStart.load(path)


def test_how_much_is_learnt():
    assert Told(3000, rows=500, arms=3).learnt == 500
    assert Told(3000, rows=9000, arms=3).learnt == 3000
    assert Told(3000, rows=9000, arms=100).learnt == 1000
    assert Rehearsed(3000, rows=9000, arms=3).learnt == 6000
    assert Rehearsed(3000, rows=9000, arms=3).code.startswith("rehearse(bandit)")
    assert Rehearsed(3000, rows=500, arms=3).code.startswith("rehearse(bandit, rounds=6000)")


def test_what_is_told_all_is_a_ceiling_in_the_units_of_the_table():
    table = lines()
    found = ceiling(LinUCB(), table, rounds=200, seed=0)
    best = table.rewards.in_units().max(axis=1).mean()
    assert found.whole < found.late
    assert found.late == pytest.approx(best, rel=0.03)
    assert ceiling(LinUCB(), table, rounds=200, seed=0) == found


def test_ceilings_are_of_the_cheapest_policy_of_each_kind():
    costs = {"wb-log": 9.0, "ts-laplace": 2.0, "ucb-lin": 3.0, "mine": 1.0, "ucb1": 0.5}
    assert representatives(costs, costs) == {
        "mine": "mine", "logistic": "ts-laplace", "linear": "ucb-lin",
    }  # fmt: skip


def test_the_late_half_of_a_run():
    rounds, reward = np.array([1, 2, 4, 8]), np.array([[0.0, 1.0, 2.0, 6.0]])
    trace = Trace("e", "t", "p", rounds, reward, reward, np.ones(4))
    assert late(trace) == 1.0
    only = Trace("e", "t", "p", rounds[:1], reward[:, 1:2], reward[:, 1:2], np.ones(1))
    assert late(only) == 1.0


def test_costs_are_measured_of_the_bandit_that_is_printed(monkeypatch):
    """Decisions with propensities, on raw rows, after the lesson."""
    table = prepare(messy.clean(200), reward_source("best", None))
    seen = []
    decide = Bandit.decide
    monkeypatch.setattr(Bandit, "decide", lambda *given: seen.append(given[0]) or decide(*given))
    policy = Selection(("wb-log",)).candidates(())["wb-log"]
    found = cost(policy, table, Told(20, 200, 3))
    assert found > 0
    assert {id(each) for each in seen} == {id(seen[0])}
    assert seen[0].rewards_learnt == 20 * 3 + len(seen)
    assert seen[0].support == Support.binary()
    assert len(seen) >= 23


def test_a_decision_that_costs_much_counts(monkeypatch):
    """Looks for frozen arms come at the decisions 64, 128 and 256, each as dear as 64 draws."""
    table = prepare(messy.clean(200), reward_source("best", None))
    spent, decided = [0.0], [0]
    monkeypatch.setattr("bandstrap.comparison.product.process_time", lambda: spent[0])
    decide = Bandit.decide

    def counted(*given):
        decided[0] += 1
        spent[0] += 65e-6 if decided[0] in (64, 128, 256) else 1e-6
        return decide(*given)

    monkeypatch.setattr(Bandit, "decide", counted)
    policy = Selection(("ucb-lin-fixed",)).candidates(())["ucb-lin-fixed"]
    assert cost(policy, table, Told(20, 200, 3)) == pytest.approx(1 + 3 * 64 / 500)


def test_costs_are_kept_with_what_they_are_of(tmp_path, monkeypatch):
    given = {"label": "best", "policies": "eg-lin", "rounds": 30, "runs": 2, "out": tmp_path}
    first = compare(messy.clean(100), **given)
    monkeypatch.setattr("bandstrap.comparison.comparison.measure", lambda: 1 / 0)  # not called
    assert compare(messy.clean(100), **given).ranking == first.ranking
    path, found = tmp_path / "costs.json", Measured({"a": 1.0}, {"linear": 0.5}, ["a"])
    for content in (b"", b"[]", b"{}", path.read_bytes(), json.dumps({"of": "x"}).encode()):
        path.write_bytes(content)
        assert kept(path, "digest", ["a"], lambda: found) == found
        assert kept(path, "digest", ["a"], None) == found
        assert measured._read(path, "digest", ["b"]) is None
