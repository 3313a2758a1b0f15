"""Formats are recognised by content: JSON lines, Open Bandit, obp."""

import gzip
import json
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bandstrap import BandstrapError, InvalidInput, OutputError, UnknownName
from bandstrap.evaluation.logs import read_log


def lines(path, *records):
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    return path


RECORDS = [
    {"when": f"2024-01-0{i}", "user": {"age": 20 + i * i, "city": city}, "action": action,
     "reward": i / 10, "propensity": 0.5, "allowed": ["a", "b"]}
    for i, (city, action) in enumerate([("x", "a"), ("y", "b"), ("x", "b")], 1)
]  # fmt: skip


def test_json_lines(tmp_path):
    log = read_log(lines(tmp_path / "log.txt", *RECORDS))
    assert log.arms == ("a", "b")
    assert log.rewards.tolist() == [0.1, 0.2, 0.3]
    assert log.context(2) == {"user.age": 29.0, "user.city": "x"}
    assert np.diff(log.times).tolist() == [86400.0, 86400.0]
    packed = tmp_path / "log.gz"
    packed.write_bytes(gzip.compress((tmp_path / "log.txt").read_bytes()))
    assert (read_log(packed).contexts == log.contexts).all()


def test_json_lines_with_other_columns_in_some_and_a_bad_line(tmp_path):
    more = {**RECORDS[0], "user": {"age": 40, "city": "z", "plan": "pro"}}
    more["when"] = "2024-01-04"
    path = lines(tmp_path / "log", *RECORDS, more, more | {"user": {"age": "old", "plan": "free"}})
    log = read_log(path)
    assert log.context(0)["user.plan"] is None
    assert log.context(3)["user.plan"] == "pro" or log.context(1)["user.plan"] == "pro"
    path.write_text(path.read_text().replace('"action": "b"', '"action": b', 1))
    with pytest.raises(OutputError, match="line 2 cannot be read"):
        read_log(path)
    assert len(read_log(path, bad_lines=1)) == 4
    lines(path, RECORDS[0], RECORDS[1] | {"propensity": 0})
    with pytest.raises(InvalidInput, match=r"propensity, line 2 = 0\.0"):
        read_log(path)


SMALL = "open_bandit_small:random/all"
FILE = Path(os.environ.get("BANDSTRAP_DATA", "")) / "open_bandit_small.npz"
with_the_sample = pytest.mark.skipif(not FILE.is_file(), reason="the sample is not at hand")


@with_the_sample
def test_the_open_bandit_sample():
    log = read_log(SMALL)
    assert log.arms == tuple(range(80))
    assert len(log) == 10_000
    target = np.exp(np.linspace(-1, 1, 80))
    ratios = (target / target.sum())[log.chosen] / log.propensities
    assert (ratios * log.rewards).mean() == pytest.approx(0.003449626192, abs=1e-9)
    assert (ratios * log.rewards).sum() / ratios.sum() == pytest.approx(0.003464371971, abs=1e-9)
    assert log.context(0)["position"] == 3.0
    assert "user_feature_2=7" in log.columns.names  # codes are words
    assert (np.diff(log.times) >= 0).all()


@with_the_sample
def test_logs_of_one_file_have_names():
    with pytest.raises(OutputError, match=r"holds 6 logs \(bts/all, .*name one, as in open_bandit"):
        read_log("open_bandit_small")
    with pytest.raises(UnknownName, match="did you mean 'random/all'"):
        read_log("open_bandit_small:random/al")
    assert len(read_log("open_bandit_small:bts/men").arms) == 34


def test_an_open_bandit_csv(tmp_path):
    rows = 6
    table = {"timestamp": [f"2019-11-24 00:00:{i:02d}.762830+00:00" for i in range(rows)],
             "item_id": [0, 2, 1, 0, 2, 0], "position": [1, 2, 3, 1, 2, 3], "click": [0, 1] * 3,
             "propensity_score": 0.25, "user_feature_0": ["81ce", "03a5"] * 3}  # fmt: skip
    table |= {f"user-item_affinity_{j}": np.arange(rows) * j for j in range(4)}
    path = tmp_path / "all.csv"
    pd.DataFrame(table).to_csv(path)  # with row numbers, as published
    log = read_log(path)
    assert log.arms == (0, 1, 2, 3)  # the last was never shown
    assert log.rewards.tolist() == [0, 1] * 3
    assert log.columns.names[:3] == ["position", "user_feature_0=03a5", "user_feature_0=81ce"]
    assert log.times[0] == 1574553600.76283


def obp(**changes):
    rng = np.random.default_rng(0)
    behaviour = rng.dirichlet(np.ones(3), 8)
    action = np.arange(8) % 3
    given = {
        "n_rounds": 8,
        "n_actions": 4,
        "action": action,
        "position": None,
        "reward": rng.normal(size=8),
        "pscore": behaviour[np.arange(8), action],
        "context": rng.normal(size=(8, 2)),
        "action_context": np.eye(4),
        "pi_b": np.concatenate([behaviour, np.zeros((8, 1))], axis=1)[:, :, None],
    }
    return {**given, **changes}


def test_feedback_of_obp():
    given = obp()
    log = read_log(given)
    assert log.arms == (0, 1, 2, 3)
    assert (log.chosen == given["action"]).all()
    assert (log.rewards == given["reward"]).all()
    assert (log.propensities == given["pscore"]).all()
    assert (log.contexts == given["context"]).all()
    assert (log.probabilities == given["pi_b"][:, :, 0]).all()
    assert log.context(1).tolist() == given["context"][1].tolist()
    assert "action_context: left out, features of arms." in log.notes
    assert read_log(obp(), arms=["a", "b", "c", "d"]).arms == ("a", "b", "c", "d")
    assert read_log(obp(pscore=None)).propensities is None


def test_several_positions_of_obp():
    position = np.array([0, 1] * 4)
    twice = np.concatenate([obp()["pi_b"], obp()["pi_b"][::-1]], axis=2)
    pscore = twice[np.arange(8), obp()["action"], position]
    log = read_log(obp(position=position, pi_b=twice, pscore=pscore))
    assert log.contexts.shape == (8, 3)
    assert (log.contexts[:, -1] == position).all()
    assert (log.probabilities[1] == twice[1, :, 1]).all()
    alone = read_log(obp(position=position, context=None, pi_b=None))
    assert alone.contexts.tolist() == position[:, None].tolist()
    assert read_log(obp(position=np.zeros(8))).contexts.shape == (8, 2)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"action": [0, 9, 1]}, "action, row 2 = 9"),
        ({"action": []}, "nothing in it to evaluate"),
        ({"action": [0.5]}, "whole numbers"),
        ({"action": "x"}, "array of numbers"),
        ({"reward": np.zeros(3)}, "shape"),
        ({"reward": np.full(8, np.inf)}, "reward, row 1 = inf"),
        ({"pscore": np.zeros(8), "pi_b": None}, "propensity, row 1 = 0.0"),
        ({"pscore": np.full(8, 0.5)}, "pscore, row 1 = 0.5: pi_b says"),
        ({"context": np.zeros(8)}, "shape"),
        ({"context": np.full((8, 2), np.nan)}, "context, row 1"),
        ({"pi_b": np.zeros((8, 4, 1))}, "sum 1"),
        ({"pi_b": np.zeros((8, 3))}, "4 probabilities"),
        ({"n_actions": "x"}, "n_actions"),
    ],
)
def test_bad_feedback_of_obp(changes, told):
    with pytest.raises(BandstrapError) as error:
        read_log(obp(**changes))
    assert told in str(error.value)


def test_a_damaged_file_of_arrays(tmp_path):
    path = tmp_path / "logs.npz"
    np.savez(path, random_all_item_id=np.zeros(3), random_all_click=np.zeros(3))
    with pytest.raises(OutputError, match="not whole"):
        read_log(f"{path}:random/all")
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(OutputError, match="cut off"):
        read_log(path)
    with pytest.raises(OutputError, match="has no logs inside"):
        read_log(f"{lines(tmp_path / 'log', *RECORDS)}:random/all")
