"""Every bad log is one clear sentence, with the first place and how many there are."""

import json
from contextlib import suppress

import numpy as np
import pyarrow as pa
import pytest

from bandstrap import BandstrapError, InvalidInput, Support
from bandstrap.evaluation.logs import read_log

HEADER = "id,time,age,arm,reward,propensity"
GOOD = ["1,1.0,30,a,1,0.5", "2,2.0,40,b,0,0.25", "3,3.0,50,a,0,0.5", "4,4.0,35,b,1,0.75"]


def refused(tmp_path, *changes, **options):
    """What is said of a log in which the cells of some rows are others."""
    rows = [row.split(",") for row in GOOD]
    for row, name, cell in changes:
        rows[row][HEADER.split(",").index(name)] = cell
    path = tmp_path / "log.csv"
    path.write_text("\n".join([HEADER, *map(",".join, rows)]) + "\n")
    with pytest.raises(BandstrapError) as error:
        read_log(path, **options)
    told = str(error.value)
    assert "\n" not in told
    return told


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ([(1, "propensity", "0")], ("propensity, row 2 = 0.0", "above 0", "1 of 4 rows")),
        ([(1, "propensity", "-0.1")], ("propensity, row 2 = -0.1", "above 0")),
        ([(1, "propensity", "0"), (3, "propensity", "0")], ("row 2", "2 of 4 rows")),
        ([(2, "propensity", "1.5")], ("propensity, row 3 = 1.5", "at most 1")),
        ([(2, "propensity", "")], ("propensity, row 3 = None", "is missing", "1 of 4")),
        ([(2, "propensity", "nan")], ("propensity, row 3 = nan", "not a number")),
        ([(2, "propensity", "inf")], ("propensity, row 3 = inf", "at most 1")),
        ([(2, "propensity", "high")], ("propensity, row 3 = 'high'", "give a number")),
        ([(3, "reward", "NaN")], ("reward, row 4 = nan", "leave the cell empty")),
        ([(3, "reward", "-inf")], ("reward, row 4 = -inf", "up to 1e+150")),
        ([(3, "reward", "yes")], ("reward, row 4 = 'yes'", "give a number")),
        ([(3, "reward", "1e400")], ("reward, row 4 = inf", "up to 1e+150")),
        ([(0, "age", "inf")], ("column 'age', row 1 = inf", "up to 1e+150")),
        ([(1, "arm", "")], ("arm, row 2 = None", "every row is a decision")),
        ([(3, "id", "2")], ("id = 'id'", "row 2 and row 4", "1 of 4")),
    ],
)
def test_cells(tmp_path, changes, told):
    sentence = refused(tmp_path, *changes, propensity="propensity", reward="reward")
    for part in told:
        assert part in sentence


def test_a_guess_does_not_hide_what_is_wrong(tmp_path):
    assert "propensity, row 2 = 0.0" in refused(tmp_path, (1, "propensity", "0"))
    assert "id = 'id'" in refused(tmp_path, (3, "id", "2"))


def test_an_unknown_arm(tmp_path):
    told = refused(tmp_path, (1, "arm", "x"), (2, "arm", "x"), arms=["a", "b"])
    assert "arm, row 2 = 'x': is not an arm; known are a, b (2 of 4 rows)" in told


def test_times_that_go_back(tmp_path):
    told = refused(tmp_path, (1, "time", "5.0"), (3, "time", "2.5"))
    assert "time, row 3 = '3.0': is before the row above (2 of 4 rows)" in told
    assert "sort the log by 'time', which --sort or sort=True does" in told
    log = read_log(tmp_path / "log.csv", sort=True)
    assert log.times.tolist() == [1.0, 2.5, 3.0, 5.0]


def test_times_that_go_back_in_a_later_piece():
    """The cell is shown as it was given."""
    days = ["2024-01-01", "2024-01-02", "2024-01-04", "2024-01-03"]
    table = pa.table({"day": days, "arm": [*"abab"], "reward": [1, 0, 0, 1]})
    pieces = pa.concat_tables([table[:3], table[3:]])
    with pytest.raises(InvalidInput, match="time, row 4 = '2024-01-03': is before the row above"):
        read_log(pieces, time="day")


def test_lines_of_json_whose_times_go_back(tmp_path):
    path = tmp_path / "log.jsonl"
    rows = [{"time": time, "arm": "ab"[time % 2], "reward": 1} for time in (1, 3, 2)]
    path.write_text("\n".join(["", *map(json.dumps, rows)]) + "\n")
    with pytest.raises(InvalidInput, match=r"time, line 4 = 2\.0"):
        read_log(path)


def test_rewards_beyond_what_was_declared(tmp_path):
    told = refused(tmp_path, (1, "reward", "7"), rewards=Support.binary())
    assert "reward, row 2 = 7.0: you declared rewards in [0, 1]" in told


def test_propensities_that_are_all_missing_are_none(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("arm,reward,propensity\na,1,\nb,0,\n")
    log = read_log(path)
    assert log.propensities is None
    assert "The log has no propensities." in log.notes


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "empty"),
        (" \n \n", "empty"),
        (HEADER + "\n", "nothing in it to evaluate"),
        (
            HEADER + "\n" + GOOD[0] + "\n2,2.0,b,0,1\n",
            "line 3 has 5 columns, the header 6",
        ),
        ("[1, 2]", "one list of JSON"),
        ("a,a,reward\n1,2,3\n", "2 columns have this name"),
        ("just words\n", "not a table"),
    ],
)
def test_files_that_are_no_logs(tmp_path, text, told):
    path = tmp_path / "log.csv"
    path.write_text(text)
    with pytest.raises(BandstrapError, match=told):
        read_log(path)


@pytest.mark.parametrize("given", [None, 3, {"x": [1]}, [1, 2], np.zeros((2, 2)), "no such log",
                                   "nothing:random/all", "", "\0"])  # fmt: skip
def test_things_that_are_no_logs(given):
    with pytest.raises(BandstrapError):
        read_log(given)


def test_a_list_of_one_arm_is_a_list_where_others_hold_it():
    columns = {"arm": ["a", "b", "a"], "reward": [1, 0, 1]}
    found = read_log(pa.table({**columns, "allowed": ["a|b", "b", "b|a"]})).allowed
    assert found.tolist() == [[True, True], [False, True], [True, True]]
    with pytest.raises(InvalidInput, match=r"allowed, row 3 = 'b': does not hold the arm"):
        read_log(pa.table({**columns, "allowed": ["a|b", "b", "b"]}))
    assert read_log(pa.table({**columns, "allowed": ["yes", "no", "yes"]})).allowed is None


def test_an_arm_that_was_not_allowed_and_one_that_does_not_exist():
    columns = {"arm": ["a", "b", "c"], "reward": [1, 0, 1], "allowed": ["a|b", "a|c", "c|a"]}
    with pytest.raises(InvalidInput, match=r"allowed, row 2 = 'a\|c': does not hold the arm"):
        read_log(pa.table(columns))
    with pytest.raises(InvalidInput, match=r"allowed, row 1 = 'a\|x': holds an unknown arm"):
        read_log(pa.table({**columns, "allowed": ["a|x", "b|a", "c|a"]}), arms=["a", "b", "c"])


def test_settings_are_checked():
    table = pa.table({"arm": ["a", "b"], "reward": [1, 0]})
    for wrong in ({"arms": []}, {"arms": ["a", "a"]}, {"bad_lines": -1}, {"memory": -1}):
        with pytest.raises(InvalidInput):
            read_log(table, **wrong)


def test_nothing_but_sentences_whatever_is_in_the_cells(tmp_path):
    """Random cells in a good log."""
    rng = np.random.default_rng(0)
    odd = ["", "nan", "inf", "-1", "0", "1e999", "x", '"', ",", "\x00", "é", "None", "2024-01-01",
           "1,5", "{}", "[", "9" * 400, "\n", "true", " ", "|"]  # fmt: skip
    path, outcomes = tmp_path / "log.csv", set()
    for _ in range(100):
        cells = [row.split(",") for row in [HEADER, *GOOD]]
        for _ in range(rng.integers(1, 4)):
            row, column = rng.integers(0, 5), rng.integers(0, 6)
            cells[row][column] = odd[rng.integers(len(odd))]
        path.write_text("\n".join(map(",".join, cells)))
        with suppress(BandstrapError):
            read_log(path)
            outcomes.add("read")
            continue
        outcomes.add("refused")
    assert outcomes == {"read", "refused"}
