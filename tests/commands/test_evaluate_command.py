"""`bandstrap evaluate`: one command from a log to an answer, and one sentence for a bad log."""

import json
import os
import signal
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from bandstrap import Bandit, Bootstrap
from bandstrap.commands.evaluate import roles
from bandstrap.errors import InvalidInput, UnknownName
from bandstrap.simulation.store.folder import locked
from called import called, failed, in_one_line
from small_logs import log_of_arms


def table(rows=600):
    log, rng = log_of_arms(rows, [0.2, 0.5, 0.6], [0.6, 0.25, 0.15]), np.random.default_rng(0)
    return pd.DataFrame(
        {
            "city": rng.choice(["Oslo", "Rome", "Lima"], rows),
            "age": rng.integers(18, 80, rows),
            "variant": np.array(["red", "green", "blue"])[log.chosen],
            "clicked": log.rewards.astype(int),
            "propensity": log.propensities,
        }
    )


def answered(*arguments):
    """What a command prints."""
    code, out, said = called(*arguments)
    assert (code, said) == (0, "")
    return out


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table().to_csv("visits.csv", index=False)
    return tmp_path


def test_one_command_and_no_mapping(here):
    out = answered("evaluate", "visits.csv")
    assert "Choices agree with the logged propensities" in out
    assert "wb-log-replicas (learnt)" in out
    assert out.rstrip().endswith(os.path.join("evaluated", "report.html"))
    assert {each.name for each in (here / "evaluated").iterdir()} == {
        "report.html", "estimates.parquet", "evaluation.json",
    }  # fmt: skip
    page = (here / "evaluated" / "report.html").read_text(encoding="utf-8")
    for title in ("Estimates with intervals", "Weights of decisions", "Overlap by arm"):
        assert title in page


def test_json_and_parquet_say_the_same(here):
    said = json.loads(
        answered("evaluate", "visits.csv", "--rule", "always=blue", "--rule", "uniform", "--json")
    )
    assert [each["target"] for each in said["targets"]] == ["always blue", "uniform"]
    written = json.loads((here / "evaluated" / "evaluation.json").read_text())
    assert written == {name: value for name, value in said.items() if name != "paths"}
    rows = pq.read_table(said["paths"]["estimates"]).to_pandas()
    shown = rows[rows.shown].set_index("target").value
    assert shown["always blue"] == said["targets"][0]["value"]


def test_policies_of_three_answers_and_of_ones_own(here):
    (here / "mine.py").write_text("def choose(context):\n    return 'blue'\n")
    said = json.loads(
        answered(
            "evaluate", "visits.csv", "--policy", "wb,bandstrap:UCB1", "--answer",
            "learnt,had-it-run", "--rule", "mine:choose", "--column", "context=city", "--json",
        )
    )  # fmt: skip
    labels = [(each["target"], each["answer"]) for each in said["targets"]]
    assert labels == [
        ("choose", "fixed"), ("wb", "learnt"), ("ucb1", "learnt"),
        ("wb", "had it run"), ("ucb1", "had it run"),
    ]  # fmt: skip


def spoilt(column, row, value):
    bad = table().astype({column: object})
    bad.loc[row, column] = value
    return bad


NOT_ALLOWED = ["red|blue|green"] * 7 + ["pink|brown"] + ["red|blue|green"] * 592
BAD = {  # a log, and what is said of it
    "propensity 0": (lambda: spoilt("propensity", 7, 0.0), "propensity, row 8 = 0.0: "),
    "propensity above 1": (lambda: spoilt("propensity", 7, 1.5), "propensity, row 8 = 1.5: "),
    "propensity missing": (lambda: spoilt("propensity", 7, None), "propensity, row 8 = None: "),
    "propensity NaN": (lambda: spoilt("propensity", 7, "NaN"), "propensity, row 8 = nan: "),
    "arm missing": (lambda: spoilt("variant", 7, None), "arm, row 8 = None: "),
    "unknown arm": (lambda: table().assign(allowed=NOT_ALLOWED), "allowed, row 8 = 'pink|brown': "),
    "reward NaN": (lambda: spoilt("clicked", 7, "NaN"), "reward, row 8 = nan: "),
    "infinite reward": (lambda: spoilt("clicked", 7, "inf"), "reward, row 8 = inf: "),
    "empty": (lambda: table().iloc[:0], "at least one decision"),
    "no reward": (lambda: table().drop(columns="clicked"), "reward"),
    "no arm": (lambda: table().drop(columns="variant"), "arm"),
    "duplicate ids": (
        lambda: table().assign(decision_id=[1, 1, *range(2, 600)]),
        "row 1 and row 2 have the same",
    ),
    "unsorted times": (
        lambda: table().assign(time=[2, 1, *range(2, 600)]),
        "time, row 2 = '1': is before the row above (1 of 600 rows)",
    ),
}


@pytest.mark.parametrize("bad", BAD)
def test_a_bad_log_is_one_sentence(bad, here):
    log, said = BAD[bad]
    log().to_csv("visits.csv", index=False)
    assert said in in_one_line(failed("evaluate", "visits.csv", "--rule", "uniform"))
    assert not (here / "evaluated").exists()


def test_a_row_of_another_width(here):
    with open("visits.csv", "a") as file:
        file.write("Oslo,31,red\n")
    assert "line 602 has 3 columns, the header 5" in in_one_line(failed("evaluate", "visits.csv"))


def test_a_reward_for_no_decision(here):
    bandit = Bandit(Bootstrap(), ["red", "green"], seed=1, log="decisions.log")
    for _ in range(3):
        bandit.learn(bandit.decide(), reward=1.0)
    lines = Path("decisions.log").read_text().splitlines()
    at = next(at for at, line in enumerate(lines) if json.loads(line)["event"] == "decision")
    Path("decisions.log").write_text("\n".join(lines[:at] + lines[at + 1 :]) + "\n")
    said = in_one_line(failed("evaluate", "decisions.log", "--rule", "uniform"))
    assert f"line {at + 1} has a reward for no decision" in said


def test_rows_are_sorted_if_asked(here):
    table().assign(time=[2, 1, *range(2, 600)]).to_csv("visits.csv", index=False)
    out = answered("evaluate", "visits.csv", "--rule", "uniform", "--sort")
    assert "have been sorted: 1 came before the row above" in " ".join(out.split())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["absent.csv"], "absent.csv"),
        (["visits.csv", "--policy", "wbb"], "unknown policy"),
        (["visits.csv", "--rule", "allways=red"], "unknown rule"),
        (["visits.csv", "--rule", "always=violet"], "unknown arm"),
        (["visits.csv", "--answer", "learnt"], "name a policy too"),
        (["visits.csv", "--policy", "wb", "--answer", "ran"], "unknown answer"),
        (["visits.csv", "--level", "95", "--rule", "uniform"], "level = 95"),
        (["visits.csv", "--column", "arms=variant"], "unknown role"),
        (["visits.csv", "--column", "arm=colour"], "unknown column"),
        (["visits.csv", "--bandit", "absent.bandit"], "absent.bandit"),
    ],
)
def test_mistakes_are_one_sentence(arguments, said, here):
    assert said in in_one_line(failed("evaluate", *arguments))


def test_roles():
    assert roles(["arm=a=b", "context=x", "context=y"]) == {"arm": "a=b", "context": ["x", "y"]}
    with pytest.raises(InvalidInput, match="role=column"):
        roles(["arm"])
    with pytest.raises(UnknownName, match="role"):
        roles(["colour=red"])
    with pytest.raises(InvalidInput, match="already"):
        roles(["arm=x", "arm=y"])


def test_an_interrupt_leaves_nothing(here, monkeypatch):
    def interrupted(self, rounds):
        raise KeyboardInterrupt

    monkeypatch.setattr("bandstrap.simulation.progress.Bar.done", interrupted)
    arguments = ("evaluate", "visits.csv", "--rule", "uniform", "--out", "found")
    code, out, said = called(*arguments)
    assert (code, out) == (130, "")
    assert said == f"interrupted; start again with: bandstrap {' '.join(arguments)}\n"
    assert not (here / "found").exists()


def files():
    return {each.name: each.read_bytes() for each in Path("evaluated").iterdir()}


def test_files_of_two_runs_never_mix(here, monkeypatch):
    """An interrupt leaves those of the run before; one between renames waits for the last."""
    answered("evaluate", "visits.csv", "--rule", "uniform")
    before, replace = files(), os.replace

    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("bandstrap.commands.evaluate.report_page", interrupted)
        assert called("evaluate", "visits.csv", "--rule", "always=blue")[0] == 130
    assert files() == before

    def pressed(*paths):
        signal.raise_signal(signal.SIGINT)
        replace(*paths)

    monkeypatch.setattr("os.replace", pressed)
    assert called("evaluate", "visits.csv", "--rule", "always=blue")[0] == 130
    after = files()
    assert after.keys() == before.keys()
    assert all(after[name] != before[name] for name in before)


def test_rows_that_repeat_are_decisions(here):
    said = in_one_line(failed("evaluate", "visits.csv", "--distinct"))
    assert "--distinct" in said
    assert "equal ones are no copies" in said


def test_a_folder_in_use_is_refused(here):
    with locked(here / "found"):
        said = failed("evaluate", "visits.csv", "--rule", "uniform", "--out", "found")
    assert "is in use" in in_one_line(said)
