"""What is odd about a table is said before it is played, with what to do; the rest is not."""

import json

import messy
import numpy as np
import pandas as pd
import pytest
from shops import shop

from bandstrap import InvalidInput, compare
from bandstrap.comparison.rewards import reward_source
from bandstrap.comparison.table import prepare
from bandstrap.datasets import load
from bandstrap.tables.reading import Reading
from called import called, failed, in_one_line

SENTENCES = {
    messy.european: [
        "price: '",
        "look like numbers but were read as words; add --decimal ,",
        "look like numbers but were read as words; add --as fee=number",
        "look like numbers but were read as words; add --as share=number",
        "income: 97.5 % numbers, the rest 'error'; add --as income=number",
        "day: dates (01.01.2024) are left out; add --as day=date",
        "at: dates (2024-01-01T00:00:00+02:00) are left out; add --as at=date",
        "customer: a different whole number in every row, as identifiers are",
        "add --drop customer",
    ],
    messy.leaking: [
        "result: alone gives the label away",
        "add --drop result",
        "code: alone gives the label away",
    ],
    messy.copied: ["600 of 900 rows repeat others exactly", "add --distinct"],
    messy.two_rows: ["2 rows for 2 arms: too few to tell policies apart", "give at least 100"],
}
COUNTED = {messy.european: 7, messy.leaking: 2, messy.copied: 1, messy.two_rows: 1}
ANSWERS = Reading(
    decimal=",",
    kinds={"fee": "number", "share": "number", "income": "number", "day": "date", "at": "date"},
    dropped=("customer",),
)


def found(table, label="best", rewards=None, **more):
    return prepare(table, reward_source(label, rewards), **more).findings


def said(*given, **more):
    return "\n".join(map(str, found(*given, **more)))


@pytest.mark.parametrize("make", SENTENCES)
def test_each_odd_table_has_its_sentence(make):
    text = said(make())
    for sentence in SENTENCES[make]:
        assert sentence in text
    assert len(text.splitlines()) == COUNTED[make]


def test_what_sets_the_scale_of_rewards_is_named():
    text = said(messy.with_outlier(), label=None, rewards="a,b")
    assert text.startswith("a: a reward of 1e+06 sets the scale, while 99% of all lie from ")
    assert text.endswith("correct it, or leave its row out")
    tails = said(messy.heavy_tailed(), label=None, rewards="a,b")
    assert tails.startswith("rewards have heavy tails: 1% of them make up ")
    assert "cap them, or play their logarithms" in tails


def rare_rewards():
    paid = (np.random.default_rng(0).random((600, 2)) < 0.005).astype(float)
    return messy.offers().assign(a=paid[:, 0], b=paid[:, 1])


def test_what_is_not_odd_is_not_said():
    assert found(messy.clean()) == ()
    assert found(shop(), "bought") == ()  # whose rows repeat by chance
    assert found(messy.offers(), None, "a,b") == ()
    assert found(rare_rewards(), None, "a,b") == ()
    skewed = np.random.default_rng(0).exponential(size=(600, 2))
    assert found(messy.offers().assign(a=skewed[:, 0], b=skewed[:, 1]), None, "a,b") == ()
    for name in ("iris", "wine", "breast_cancer"):
        data = load(name)
        columns = {f"x{i}": data.contexts[:, i] for i in range(data.contexts.shape[1])}
        table = pd.DataFrame({**columns, "y": data.labels.astype(str)})
        assert not [each for each in found(table, "y") if each.check == "leak"], name


def test_options_answer_the_sentences():
    prepared = prepare(messy.european(), reward_source("best", None), reading=ANSWERS)
    assert prepared.findings == ()
    told = "\n".join(prepared.decisions)
    assert "price: numbers, standardised" in told
    assert "income: numbers, standardised; 15 missing" in told
    assert "at: dates: when, standardised" in told
    assert "customer: left out, as you said" in told
    assert not found(messy.leaking(), reading=Reading(dropped=("result", "code")))
    whole = prepare(messy.copied(), reward_source("best", None), reading=Reading(distinct=True))
    assert whole.findings == ()
    assert "600 rows left out: they repeat others" in whole.decisions
    assert len(whole.contexts) == 300


def test_a_comma_that_may_part_thousands_is_asked_about():
    cents = np.random.default_rng(0).permutation(600)
    table = messy.clean().assign(price=[f"1,{each:03d}" for each in cents])
    assert "add --decimal . or --decimal ," in said(table)
    read = {mark: found(table, reading=Reading(decimal=mark)) for mark in ".,"}
    assert [each.check for each in read["."]] == ["identifier"]  # now they are whole numbers
    assert read[","] == ()
    signed = messy.clean().assign(price=[f"{each}.{each:03d} €" for each in cents])
    assert "add --as price=number" in said(signed)  # a point parts decimals, as in a plain number
    assert found(signed, reading=Reading(kinds={"price": "number"})) == ()


PARTS = ("action", "reward", "propensity")


@pytest.mark.parametrize(
    "names",
    [PARTS, ("chosen_arm", "clicked", "p"), ("Arm", "payoff", "prob")],
)
def test_a_log_of_decisions_is_not_played(names):
    table = messy.log().rename(columns=dict(zip(PARTS, names, strict=True)))
    with pytest.raises(InvalidInput, match="looks like a log of decisions") as refused:
        prepare(table, reward_source(names[0], None))
    assert all(repr(name) in str(refused.value) for name in names)
    left = prepare(table, reward_source(names[0], None), reading=Reading(dropped=(names[2],)))
    assert len(left.contexts) == 200
    odd = table.assign(**{names[2]: 3.0 + np.arange(200)})  # no probabilities
    assert len(prepare(odd, reward_source(names[0], None)).contexts) == 200


def test_the_command_says_it_in_one_line_and_exits(tmp_path):
    path = tmp_path / "log.csv"
    messy.log().to_csv(path, index=False)
    text = in_one_line(failed("compare", path, "--label", "action", "--out", tmp_path / "out"))
    assert "compare needs a labelled table" in text
    assert "LoggedBandit" in text
    assert not (tmp_path / "out").exists()


PLAYED = ("--policies", "ucb-lin-fixed", "--rounds", "60", "--runs", "2", "--workers", "1")


def test_terminal_json_and_report_say_the_same(tmp_path):
    path, out = tmp_path / "shop.csv", tmp_path / "out"
    messy.european().to_csv(path, index=False, sep=";")
    given = ("compare", path, "--label", "best", *PLAYED, "--out", out)
    code, told, _ = called(*given, "--json")
    assert code == 0
    checks = json.loads(told)["checks"]
    assert [each["check"] for each in checks] == [
        "decimal-mark", "signed-numbers", "signed-numbers", "mostly-numbers", "dates", "dates",
        "identifier",
    ]  # fmt: skip
    page = (out / "report.html").read_text()
    _, shown, _ = called(*given)
    for each in checks:
        assert each["sentence"] in shown
        assert each["sentence"].partition(";")[2].strip() in page.replace("&#x27;", "'")
    said = "LinUCB: linear regressions and a bonus of fixed width."
    assert said in page
    assert said in shown
    options = ("--decimal", ",", "--as", "fee=number,share=number", "--as", "income=number",
               "--as", "day=date,at=date", "--drop", "customer")  # fmt: skip
    code, told, _ = called(*given, "--json", *options)
    assert json.loads(told)["checks"] == []


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--decimal", ";"), "--decimal = ';': give . or ,"),
        (("--as", "price"), "write column=number"),
        (("--as", "price=money"), "unknown kind of column 'money'"),
        (("--as", "prices=number"), "unknown column 'prices': did you mean 'price'?"),
        (("--drop", "ages"), "unknown column 'ages': did you mean 'age'?"),
        (("--drop", "best"), "rewards come from this column"),
        (("--as", "age=date"), "not every value is a date"),
    ],
)
def test_wrong_options_are_refused(tmp_path, options, problem):
    path = tmp_path / "shop.csv"
    messy.clean(40).to_csv(path, index=False)
    assert problem in in_one_line(failed("compare", path, "--label", "best", *options))


def test_causes_are_named_where_little_can_be_told():
    played = {"policies": "ucb-lin-fixed", "rounds": 60, "runs": 2}
    outlier = compare(messy.with_outlier(), rewards="a,b", **played)
    assert "an outlier sets the scale of rewards" in outlier.recommendation
    few = compare(messy.clean(30), label="best", **played)
    assert "too few rows to tell" in few.recommendation
    tails = compare(messy.heavy_tailed(), rewards="a,b", **played)
    assert "rewards have heavy tails" in tails.recommendation
