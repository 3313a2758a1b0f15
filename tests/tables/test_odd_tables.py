"""Tables as people really have them: each was once read wrongly."""

import gzip
import math

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from bandstrap.comparison import Encoder
from bandstrap.comparison.rewards import Label, RewardColumns, reward_source
from bandstrap.comparison.table import prepare
from bandstrap.errors import InvalidInput, OutputError
from bandstrap.tables.cells import Numbers
from bandstrap.tables.features import NumberFeature

ROWS = "1,0,a\n2,1,b\n4,0,a\n8,1,b\n"


def written(tmp_path, text, encoding="utf-8"):
    path = tmp_path / "table.csv"
    path.write_text(text, encoding=encoding, newline="")
    return path


def told(prepared):
    return dict(line.split(": ", 1) for line in prepared.decisions if ": " in line)


@pytest.mark.parametrize(
    "header", ["\n\nx,z,y\n", '"x",z,y\n', '"x\nm",z,y\n', "\ufeffx,z,y\r\n", " x , z,y\n"]
)
def test_the_header_is_no_row(tmp_path, header):
    prepared = prepare(written(tmp_path, header + ROWS), Label("y"))
    assert prepared.decisions[0] == "4 rows read"
    assert prepared.rewards.arms == ("a", "b")
    assert [name.split("\n")[0] for name in prepared.encoder.columns] == ["x", "z"]


def test_separators_in_quotes_do_not_count(tmp_path):
    table = '"x, a, b";k;y\n1;2;a\n2;2;b\n4;3;a\n'
    assert prepare(written(tmp_path, table), Label("y")).encoder.columns == ("x, a, b", "k")


def test_a_late_byte_of_another_encoding(tmp_path):
    table = "x,city,y\n" + "1,Oslo,a\n2,Rome,b\n" * 5000 + "4,Malmö,b\n" * 20
    prepared = prepare(written(tmp_path, table, "latin-1"), Label("y"))
    assert "city=Malmö" in prepared.encoder.columns


def test_a_cut_archive_is_refused_in_one_sentence(tmp_path):
    rng = np.random.default_rng(0)
    text = "x,y\n" + "".join(f"{value},{value > 0}\n" for value in rng.standard_normal(20_000))
    path = tmp_path / "cut.csv.gz"
    path.write_bytes(gzip.compress(text.encode())[:-2000])
    with pytest.raises(OutputError, match="is not a table"):
        prepare(path, Label("y"))


def test_an_index_is_no_column():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=60), "y": np.repeat(["a", "b"], 30)})
    for shuffled in (frame.sample(frac=1, random_state=1), frame[frame.x > 0]):
        assert prepare(shuffled, Label("y")).encoder.columns == ("x",)
    named = frame.set_index(pd.Index(range(0, 120, 2), name="id"))
    assert prepare(named, Label("y")).encoder.columns == ("x",)


def test_names_that_are_numbers():
    frame = pd.DataFrame({0: [1.0, 2.0, 4.0, 8.0], 1: ["a", "b", "a", "b"]})
    prepared = prepare(frame, reward_source(1, None))
    assert prepared.rewards.arms == ("a", "b")
    assert prepared.encoder(frame) == pytest.approx(prepared.contexts, abs=1e-6)


@pytest.mark.parametrize("step", [1, -1, 3])
@pytest.mark.parametrize("gap", [False, True])
def test_row_numbers_are_dropped_also_where_rows_are(step, gap):
    labels = ["a"] * 50 + ["b"] * 50
    if gap:
        labels[7] = None
    numbers = np.arange(100) * step
    table = pa.table({"id": numbers, "x": [0.5, 0.1] * 50, "y": labels})
    prepared = prepare(table, Label("y"))
    assert told(prepared)["id"] == "dropped, it counts the rows"
    rising = pa.table({"time": numbers / 7, "y": labels})  # not whole
    assert prepare(rising, Label("y")).encoder.columns == ("time",)


@pytest.mark.parametrize(
    ("labels", "arms"),
    [
        (["01", "1", "02134"], ("01", "1", "02134")),
        (["10000000000001", "10000000000003"], ("10000000000001", "10000000000003")),
        ([2**60, 2**60 + 1], (str(2**60), str(2**60 + 1))),
        ([10, 9, None], ("9", "10")),
        ([1.0, 2.0, math.nan], ("1", "2")),
        ([0.1, 1 / 3], ("0.1", "0.3333333333333333")),
        ([True, False], ("false", "true")),
        ([" yes", "no ", "?"], ("no", "yes")),
    ],
)
def test_arms_are_called_as_the_table_calls_them(labels, arms):
    rows = labels * 4
    table = pa.table({"x": np.linspace(0, 1, len(rows)), "y": rows})
    prepared = prepare(table, Label("y"))
    assert prepared.rewards.arms == arms
    there = [label for label in rows if label not in (None, "?") and label == label]
    assert np.bincount(prepared.rewards.values).sum() == len(there)


def test_what_neither_numbers_nor_words_hold_is_dropped_or_refused():
    frame = pd.DataFrame({"x": [1.0, 2.0, 4.0, 9.0], "y": ["a", "b", "a", "b"]})
    frame["bins"] = pd.cut(frame.x, 2)
    assert told(prepare(frame, Label("y")))["bins"].startswith("dropped, of type dictionary")
    with pytest.raises(InvalidInput, match="words or whole numbers"):
        prepare(frame, Label("bins"))
    with pytest.raises(InvalidInput, match="columns of numbers"):
        prepare(frame, RewardColumns(("x", "bins")))


def test_a_file_of_text_is_read_as_one_with_types(tmp_path):
    table = pa.table(
        {
            "flag": [True, False, None, True] * 6,
            "when": pa.array(range(24), pa.date32()),
            "x": [1.5, 2.5, -0.25, 1e3] * 6,
            "y": ["a", "b"] * 12,
        }
    )
    lines = [",".join(table.column_names)] + [
        ",".join("" if value is None else str(value) for value in row.values())
        for row in table.to_pylist()
    ]
    typed, text = (
        prepare(source, Label("y")) for source in (table, written(tmp_path, "\n".join(lines)))
    )
    assert (typed.contexts == text.contexts).all()
    assert told(text)["when"] == "dropped, of type date"
    assert told(text)["flag"].startswith("zeros and ones")


def test_decimal_commas(tmp_path):
    prepared = prepare(
        written(tmp_path, "x;k;y\n1,5;1,234;a\n2;9,876;b\n-0,25;12,345;a\n"), Label("y")
    )
    assert told(prepared)["x"] == "numbers, standardised"
    assert prepared.encoder.features[0].mean == pytest.approx(3.25 / 3)
    assert prepared.encoder({"x": "1,5", "k": "?"})[0] == pytest.approx(prepared.contexts[0, 0])
    assert "categories" in told(prepared)["k"]  # thousands or decimals: who knows


def test_the_encoder_takes_the_very_frame_that_was_compared(tmp_path):
    frame = pd.DataFrame(
        {
            "x": pd.array([1, None, 4, 9], dtype="Int64"),
            "when": pd.date_range("2024-01-01", periods=4),
            "size": pd.Categorical([1, 2, 1, 2]),
            "y": ["a", "b", "a", "b"],
        }
    )
    prepared = prepare(frame, Label("y"))
    assert prepared.encoder(frame) == pytest.approx(prepared.contexts, abs=1e-6)
    assert prepared.encoder(frame.iloc[0].to_dict()) == pytest.approx(prepared.contexts[0])
    assert prepared.encoder(frame.iloc[1]) == pytest.approx(prepared.contexts[1])
    assert prepared.encoder([frame.iloc[1].to_dict()]).shape == (1, prepared.contexts.shape[1])


def test_the_encoder_knows_numbers_and_flags_as_words(tmp_path):
    lines = "member,code,y\n" + "true,1,a\nfalse,2,b\nmaybe,A,a\n" * 4
    encoder = prepare(written(tmp_path, lines), Label("y")).encoder
    for row in ({"member": "true", "code": "1"}, {"member": True, "code": 1}):
        lit = np.flatnonzero(encoder(row))
        assert [encoder.columns[i] for i in lit] == ["member=true", "code=1"]
    assert encoder({"member": np.bool_(False), "code": 2.0}).sum() == 2
    assert encoder({"member": False, "code": 7}).sum() == 1


def test_huge_numbers_and_a_first_row_of_none(tmp_path):
    large = NumberFeature.fit("x", Numbers(np.array([1e200, -1e200, 3e200])))
    assert large.encoded([1e200, -1e200, 3e200]).std() == pytest.approx(1.0)
    table = pa.table({"x": [math.inf, 1.0, 2.0], "y": ["a", "b", "a"]})
    prepared = prepare(table, Label("y"))
    prepared.encoder.save(tmp_path / "encoder.json")
    assert "Infinity" not in (tmp_path / "encoder.json").read_text()
    assert Encoder.load(tmp_path / "encoder.json").example == {"x": None}


def test_none_is_a_word_among_words_and_missing_among_numbers(tmp_path):
    rows = "".join(f"{i % 7},{'None' if i % 3 == 0 else i % 5},s{i % 2},a\n" for i in range(30))
    rows += "".join(f"{i % 5},{i % 3},None,None\n" for i in range(15))
    prepared = prepare(written(tmp_path, "x,taken,smokes,y\n" + rows), Label("y"))
    assert prepared.rewards.arms == ("None", "a")
    assert prepared.decisions[0] == "45 rows read"
    assert "10 missing" in told(prepared)["taken"]
    assert told(prepared)["smokes"].startswith("3 categories")
    assert "smokes=None" in prepared.encoder.columns
    row = {"x": 1, "taken": "None", "smokes": "None"}
    encoded = dict(zip(prepared.encoder.columns, prepared.encoder(row), strict=True))
    assert encoded["taken=(missing)"] == 1
    assert encoded["smokes=None"] == 1
    numbered = written(tmp_path, "x,y\n1,0\n3,1\n2,None\n5,1\n4,0\n")
    assert prepare(numbered, Label("y")).rewards.arms == ("0", "1")


def test_an_arrow_file_whose_offsets_lead_elsewhere_is_refused(tmp_path):
    """Arrow itself believes them: reading such a text ended the process."""
    table = pa.table({"colour": ["red", "green", "blue"] * 40, "x": range(120)})
    path = tmp_path / "bad.arrow"
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    honest = np.frombuffer(table["colour"].chunk(0).buffers()[1], np.int32)[:121].tobytes()
    forged = (np.frombuffer(honest, np.int32) + 2**30).astype(np.int32).tobytes()
    data = path.read_bytes()
    assert honest in data
    path.write_bytes(data.replace(honest, forged))
    with pytest.raises(OutputError, match="is damaged or not an Arrow file"):
        prepare(path, Label("colour"))
