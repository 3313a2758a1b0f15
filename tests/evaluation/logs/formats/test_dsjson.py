"""Vowpal Wabbit's dsjson, in and out."""

import json
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest
from logged_worlds import feedback

from bandstrap import BandstrapError, InvalidInput, OutputError
from bandstrap.evaluation.logs import read_log, stage, write_dsjson

DRINKS = ("tea", "cocoa", "juice")


def line(**changes):
    """A decision as Vowpal Wabbit's clients write it: the second of three drinks was chosen."""
    record = {
        "_label_cost": -1.5,
        "_label_probability": 0.2,
        "_label_Action": 2,
        "_labelIndex": 1,
        "o": [{"v": 1.5, "EventId": "e1", "ActionTaken": False}],
        "Timestamp": "2021-02-04T16:31:29.2460000Z",
        "Version": "1",
        "EventId": "e1",
        "a": [2, 3, 1],
        "c": {
            "User": [{"hour": "morning", "age": 31}, {"member": True}],
            "score": 0.25,
            "_multi": [{"_tag": drink, "i": {"id": drink}} for drink in DRINKS],
        },
        "p": [0.2, 0.7, 0.1],
        "VWState": {"m": "N/A"},
        "_original_label_cost": -1.5,
    }
    record |= changes
    return {name: value for name, value in record.items() if value is not None}


def written(path, *records):
    texts = [each if isinstance(each, str) else json.dumps(each) for each in records]
    path.write_text("\n".join(texts) + "\n")
    return path


OTHER = line(EventId="e2", _label_cost=0, _label_Action=1, a=[1, 2, 3], p=[0.6, 0.3, 0.1],
             _label_probability=0.6, Timestamp="2021-02-04T16:31:30Z",
             c={"User": {"hour": "night", "age": 50, "member": False}, "score": 1,
                "_multi": line()["c"]["_multi"]})  # fmt: skip


def test_costs_actions_and_probabilities(tmp_path):
    log = read_log(written(tmp_path / "log.dsjson", line(), OTHER))
    assert log.arms == ("cocoa", "juice", "tea")
    assert [log.arms[place] for place in log.chosen] == ["cocoa", "tea"]
    assert log.rewards.tolist() == [1.5, 0.0]
    assert not np.signbit(log.rewards[1])
    assert log.propensities.tolist() == [0.2, 0.6]
    assert log.probabilities.tolist() == [[0.2, 0.7, 0.1], [0.3, 0.1, 0.6]]
    assert log.allowed is None
    assert log.counts is None
    assert log.times.tolist() == [1612456289.246, 1612456290.0]
    assert log.context(0) == {"User.hour": "morning", "User.age": 31.0, "User.member": 1.0,
                              "score": 0.25}  # fmt: skip
    assert "tea.i.id" in " ".join(log.notes)  # it never changes


def test_features_of_actions_that_change_are_contexts(tmp_path):
    cheap = [{"_tag": drink, "price": 1.0} for drink in DRINKS]
    dear = [{"_tag": drink, "price": 2.0} for drink in DRINKS]
    records = [line(EventId=str(i), c={"_multi": cheap if i % 2 else dear}) for i in range(4)]
    log = read_log(written(tmp_path / "log", *records))
    assert log.context(1) == {"tea.price": 1.0, "cocoa.price": 1.0, "juice.price": 1.0}


def test_arms_without_tags_are_numbers_and_some_are_not_allowed(tmp_path):
    bare = {"_multi": [{"x": 1}] * 3}
    log = read_log(written(tmp_path / "log", line(c=bare), line(c=bare, EventId="e2", a=[2, 1],
                                                              p=[0.2, 0.8])))  # fmt: skip
    assert log.arms == (1, 2, 3)
    assert log.allowed.tolist() == [[True, True, True], [True, True, False]]
    assert log.probabilities[1].tolist() == [0.8, 0.2, 0.0]


def test_dropped_events_missing_rewards_and_lines_not_to_learn_from(tmp_path):
    labels = dict.fromkeys([name for name in line() if name.startswith("_label")])
    records = (
        line(pdrop=0.5),
        line(EventId="e2", **labels),
        line(EventId="e3", _label_cost=None),
        line(EventId="e4", _skipLearn=True),
    )
    log = read_log(written(tmp_path / "log", *records))
    assert log.counts.tolist() == [2.0, 1.0, 1.0]
    assert np.isnan(log.rewards).tolist() == [False, True, True]
    assert log.propensities.tolist() == [0.2] * 3
    assert "Left out: 1 line with _skipLearn, never shown." in log.notes
    assert "2 of 3 decisions have no reward." in log.notes


def test_without_p_only_the_chosen_arm_is_known(tmp_path):
    log = read_log(written(tmp_path / "log", line(p=None), line(EventId="e2", p=[0.2])))
    assert log.probabilities is None
    assert log.propensities.tolist() == [0.2, 0.2]


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        ("{oops", "line 2 cannot be read"),
        ('{"c": NaN}', "NaN is not a number"),
        ("[1]", "not an object"),
        (line(a=[0, 1, 2]), "counted from 1"),
        (line(a=[4, 1, 2]), "counted from 1"),
        (line(a=[2, 2, 1]), "does not rank 3 actions"),
        (line(a=["2"]), "not a list of actions"),
        (line(_label_Action=3), "not the first of `a`"),
        (line(p=[0.2, 0.3, 0.4, 0.1]), "4 numbers for 3 actions"),
        (line(p=[0.3, 0.6, 0.1]), "`_label_probability` 0.2 is not the first"),
        (line(p=["x"]), "not a number"),
        (line(_label_cost="x"), "`_label_cost` 'x' is not a number"),
        (line(_label_cost=10**400), "line 2 cannot be read"),
        (line(pdrop=1.0), "not a probability below 1"),
        (line(Timestamp="yesterday"), "not a date"),
        (line(_outcomes=[]), "several slots"),
        ({"RewardValue": 1.0, "EventId": "e9"}, "a reward for no decision"),
        ({"c": {}, "p": [1.0]}, "neither `a` nor `_label_Action`"),
        ('{"c": "\\ud800", "a": [1]}', "surrogates not allowed"),
        (line(EventId=[]), "`EventId` [] is not text"),
        (line(c=[1]), "line 2 cannot be read"),
        (line(c={"_multi": 3}), "line 2 cannot be read"),
    ],
)
def test_a_bad_line_in_the_middle(tmp_path, bad, told):
    path = written(tmp_path / "log", line(), bad, OTHER)
    with pytest.raises(OutputError, match="line 2 cannot be read") as error:
        read_log(path)
    assert told in str(error.value)
    log = read_log(path, bad_lines=1)
    assert len(log) == 2
    assert log.notes[0].startswith("Left out: 1 bad line (line 2: ")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"p": [0.0, 0.9, 0.1], "_label_probability": 0}, "propensity, line 2 = 0.0"),
        ({"p": [1.2, 0.0, 0.1], "_label_probability": 1.2}, "propensity, line 2 = 1.2"),
        ({"p": None, "_label_probability": None}, "propensity, line 2 = None"),
        ({"EventId": "e1"}, "line 1 and line 2 have the same"),
        ({"c": {"score": 1e400}}, "column 'c.score', line 2 = inf"),
    ],
)
def test_what_cannot_be_evaluated(tmp_path, change, told):
    path = written(tmp_path / "log", line(), line(EventId="e2") | change, OTHER | {"EventId": "3"})
    text = path.read_text().replace("Infinity", "1e400").replace(": null", ": null")
    path.write_text(text)
    with pytest.raises(InvalidInput) as error:
        read_log(path, bad_lines=3)
    assert told in str(error.value)


def test_a_cut_last_line(tmp_path):
    path = written(tmp_path / "log", line(), OTHER)
    path.write_text(path.read_text()[:-30])
    log = read_log(path)
    assert len(log) == 1
    assert "Line 2, the last, is cut off and left out." in log.notes


def test_beyond_the_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(stage, "ROWS", 100)
    path = written(tmp_path / "log", *(line(EventId=str(i), _label_cost=-i) for i in range(950)))
    log = read_log(path, memory=10_000)
    assert isinstance(log.rewards, np.memmap)
    assert log.rewards.tolist() == [*range(950)]


@pytest.mark.parametrize("counts", [False, True])
def test_what_we_write_comes_back(tmp_path, counts):
    log = feedback(60, missing=True, counts=counts)
    log = replace(log, weights=1 / log.propensities + np.arange(60) % 3)
    assert write_dsjson(log, tmp_path / "log") == 60
    again = read_log(tmp_path / "log")
    assert again.arms == log.arms
    for name in ("chosen", "rewards", "propensities", "weights", "probabilities", "times",
                 "contexts"):  # fmt: skip
        assert np.array_equal(getattr(again, name), getattr(log, name), equal_nan=True), name
    assert counts == (again.counts is not None)
    assert not counts or (again.counts == log.counts).all()
    assert [again.context(row) for row in range(60)] == [log.context(row) for row in range(60)]


def test_what_we_write_of_a_log_that_tells_less(tmp_path):
    log = feedback(30)
    allowed = np.ones((30, 3), np.bool_)
    allowed[np.arange(30), (log.chosen + 1) % 3] = False
    times = np.array([0.1, 1e-9, 5.5, -3.0, 1e300] * 6)
    log = replace(log, probabilities=None, allowed=allowed, times=np.sort(times))
    write_dsjson(log, tmp_path / "log")
    again = read_log(tmp_path / "log")
    assert again.probabilities is None
    assert (again.allowed == allowed).all()
    assert again.times.tolist() == log.times.tolist()
    with pytest.raises(InvalidInput, match="dsjson needs them"):
        write_dsjson(replace(log, propensities=None), tmp_path / "other")
    assert not (tmp_path / "other").exists()


def test_nothing_but_sentences_whatever_a_line_holds(tmp_path):
    rng = np.random.default_rng(0)
    odd = [None, 0, -1, 1e308, "x", [], {}, [[]], {"_multi": []}, [None], True, "", 10**30,
           {"_multi": [1]}, {"_multi": [{"_tag": 3}]}, [1, 2, 3], {"a": [{"c": []}]}]  # fmt: skip
    names, path, outcomes = [*line(), "pdrop", "bandstrap"], tmp_path / "log", set()
    for _ in range(200):
        record = line()
        for name in rng.choice(names, 2):
            record[name] = odd[rng.integers(len(odd))]
        text = json.dumps(record)
        if rng.random() < 0.1:
            text = text[: rng.integers(len(text))]
        written(path, OTHER, text)
        outcome = "refused"
        with suppress(BandstrapError):
            read_log(path, sort=True)
            outcome = "read"
        outcomes.add(outcome)
    assert outcomes == {"read", "refused"}
