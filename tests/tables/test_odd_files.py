"""Files and frames that were once refused in words that were false or not ours."""

import gzip

import numpy as np
import pandas as pd
import pytest

from bandstrap.comparison.rewards import Label, RewardColumns
from bandstrap.comparison.table import prepare
from bandstrap.errors import InvalidInput, OutputError
from bandstrap.tables import text

CSV = "x,city,y\n1,Oslo,a\n2.5,Malmö,b\n4,Oslo,a\n8,Malmö,b\n"


def told(prepared):
    return dict(line.split(": ", 1) for line in prepared.decisions if ": " in line)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig"])
@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_encodings_that_say_so(tmp_path, encoding, compress):
    path = tmp_path / "table.csv"
    path.write_bytes(compress(CSV.encode(encoding)))
    if compress is gzip.compress:
        path = path.rename(tmp_path / "table.csv.gz")
    prepared = prepare(path, Label("y"))
    assert prepared.encoder.columns == ("x", "city=Malmö", "city=Oslo")
    assert prepared.decisions[0] == "4 rows read"


def test_encodings_that_say_nothing_have_a_remedy(tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(CSV.encode("utf-16-le"))
    with pytest.raises(OutputError, match="save text as UTF-8"):
        prepare(path, Label("y"))


def test_long_rows(tmp_path, monkeypatch):
    path = tmp_path / "table.csv"
    path.write_text("x,t,y\n1,u,a\n2.5," + "z" * 3_000_000 + ",b\n3,u,a\n")
    assert prepare(path, Label("y")).decisions[0] == "3 rows read"
    monkeypatch.setattr(text, "BLOCK", 1 << 20)
    with pytest.raises(OutputError, match="a row of more than 1 megabytes, or an unclosed quote"):
        prepare(path, Label("y"))


@pytest.mark.parametrize("separator", list(text.SEPARATORS))
def test_a_newline_in_the_header(tmp_path, separator):
    path = tmp_path / "table.csv"
    rows = ['"x\nlong, or | not"', "y"], ["1.5", "a"], ["2", "b"], ["3.1", "a"]
    path.write_text("".join(separator.join(row) + "\n" for row in rows))
    assert prepare(path, Label("y")).encoder.columns == ("x\nlong, or | not",)


def frame(**columns):
    return pd.DataFrame({"z": [0.1, 0.5, 0.2, 0.7], "y": ["a", "b", "a", "b"], **columns})


def test_sparse_columns_are_numbers():
    given = frame(x=pd.arrays.SparseArray([0.0, 0.0, 2.0, 5.0]))
    prepared = prepare(given, Label("y"))
    assert told(prepared)["x"] == "numbers, standardised"
    assert prepared.encoder(given) == pytest.approx(prepared.contexts, abs=1e-6)


def test_numbers_and_words_are_words_as_in_a_file(tmp_path):
    given = frame(x=[1, "a", 2.5, None])
    given.to_csv(tmp_path / "table.csv", index=False)
    for source in (given, tmp_path / "table.csv"):
        prepared = prepare(source, Label("y"))
        assert told(prepared)["x"] == "3 categories, an indicator each, one for 1 missing"
        assert prepared.encoder(given) == pytest.approx(prepared.contexts, abs=1e-6)
    mixed = prepare(frame(k=[1, "u", 1, "u"]), Label("k"))
    assert mixed.rewards.arms == ("1", "u")
    assert told(prepare(frame(x=[2**70, 1, 5, 3]), Label("y")))["x"] == "numbers, standardised"


@pytest.mark.parametrize(
    ("column", "kind"),
    [(np.array([1j, 2, 3, 4]), "complex128"), ([object(), 1, "a", b"b"], "object")],
)
def test_other_columns_are_dropped_by_themselves(column, kind):
    given = frame(x=column)
    prepared = prepare(given, Label("y"))
    assert told(prepared)["x"] == f"dropped, of type {kind}"
    assert prepared.encoder.columns == ("z",)
    with pytest.raises(InvalidInput, match="words or whole numbers"):
        prepare(given, Label("x"))
    with pytest.raises(InvalidInput, match="columns of numbers"):
        prepare(given, RewardColumns(("x", "z")))


def test_rewards_too_large_to_add_are_refused():
    for factor in (1.7e308, 1e200):
        given = frame(a=factor * np.array([1, -1, 1, -1]), b=[1.0, 2.0, 3.0, 4.0])
        with pytest.raises(InvalidInput, match=r"a,b': they range from .*; scale to 1e"):
            prepare(given, RewardColumns(("a", "b")))
