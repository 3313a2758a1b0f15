"""Policies of one's own in every command that names policies, with workers and resumption."""

import pyarrow.parquet as pq
import pytest

from called import called, failed, in_one_line
from own_code import own_folder

SMALL = ("--runs", "6", "--horizon", "20")


@pytest.fixture
def mine(tmp_path):
    with own_folder(tmp_path) as module:
        yield module


def played(path):
    return {*pq.read_table(path / "results.parquet")["policy"].to_pylist()}


def test_reproduce_plays_them_beside_the_others(mine, tmp_path):
    texts = ("--policies", f"wb,{mine}:Soft(temperature=0.3)", "--policy", f"{mine}:Soft")
    for workers in ("1", "2"):
        out = tmp_path / workers
        code, shown, said = called(
            "reproduce", "figure1", *SMALL, *texts, "--out", out, "--workers", workers
        )
        assert (code, said) == (0, "")
        assert "soft(temperature=0.3)" in shown
        assert played(out / "figure1") == {"wb", "soft", "soft(temperature=0.3)"}
    one, two = (tmp_path / workers / "figure1" / "results.parquet" for workers in ("1", "2"))
    assert one.read_bytes() == two.read_bytes()


def test_alone_they_join_the_usual_ones_and_among_policies_they_do_not(mine, tmp_path):
    size = ("--runs", "2", "--horizon", "5", "--workers", "1")
    for option, others in (
        ("--policy", {"wb", "npb", "npb-binomial", "ts"}),
        ("--policies", set()),
    ):
        out = tmp_path / option
        assert called("reproduce", "figure1", *size, option, f"{mine}:Soft", "--out", out)[0] == 0
        assert played(out / "figure1") == {*others, "soft"}


def test_figure_2_and_runtime_take_those_with_contexts(mine, tmp_path):
    size = ("--quick", "--runs", "1", "--horizon", "10", "--workers", "1", "--out", tmp_path / "o")
    given = ("--policies", f"eg-lin,{mine}:Soft(temperature=0.3)")
    code, shown, _ = called("reproduce", "figure2-covtype", "runtime", *size, *given)
    assert code == 0
    for name in ("figure2-covtype", "runtime"):
        assert "soft(temperature=0.3)" in played(tmp_path / "o" / name)
    assert shown.count("soft(temperature=0.3)") >= 2


def test_what_is_stored_depends_on_parameters(mine, tmp_path):
    """The same command plays nothing; another temperature plays that alone."""
    out = tmp_path / "out"

    def batches(text):
        given = ("--policies", f"ucb1,{mine}:{text}", "--workers", "1", "--out", out)
        assert called("reproduce", "figure1", *SMALL, *given)[0] == 0
        return {path.name for path in (out / "batches").glob("*.npz")}

    first = batches("Soft(temperature=0.3)")
    assert len(first) == 8
    assert batches("Soft(temperature=0.3)") == first
    second = batches("Soft(temperature=0.4)")
    assert first < second
    assert len(second) == 12


def test_compare_and_benchmark_take_them(mine, tmp_path):
    (tmp_path / "t.csv").write_text("x,y\n" + "0.5,a\n0.1,b\n" * 20)
    length = ("--rounds", "10", "--runs", "2", "--workers", "1")
    texts = ("--policies", f"eg-lin,{mine}:Soft(temperature=0.3, words=('a', 'b'))")
    out = tmp_path / "compared"
    code, shown, said = called("compare", "t.csv", "--label", "y", *texts, *length, "--out", out)
    assert (code, said) == (0, "")
    assert played(out) == {"eg-lin", "soft(temperature=0.3, words=('a', 'b'))"}
    out = tmp_path / "benchmarked"
    code, shown, said = called("benchmark", "--datasets", "iris", *texts, *length, "--out", out)
    assert (code, said) == (0, "")
    assert "soft(temperature=0.3" in shown


@pytest.mark.parametrize("command", ["reproduce", "compare", "benchmark"])
def test_refusals_name_the_text_and_the_reason(mine, tmp_path, command):
    (tmp_path / "t.csv").write_text("x,y\n" + "0.5,a\n0.1,b\n" * 5)
    more = {"reproduce": ("figure1",), "compare": ("t.csv", "--label", "y")}.get(command, ())
    for option in ("--policy", "--policies"):
        for text, told in (
            (f"{mine}:Soft(temperature=-1)", "temperature = -1: give a positive number"),
            (f"{mine}:Gone", "has no Gone"),
            ("gone_module_z:Soft", "there is no module 'gone_module_z'"),
            (f"{mine}:NoPolicy", "NoPolicy is none"),
        ):
            said = in_one_line(failed(command, *more, option, text, "--out", tmp_path / "out"))
            assert told in said
            assert text in said
    assert not (tmp_path / "out").exists()


def test_an_experiment_without_a_place_for_them_says_which_have_one(mine, tmp_path):
    out = ("--out", tmp_path / "out")
    said = in_one_line(failed("reproduce", "theorem2", "--policy", f"{mine}:Soft", *out))
    assert "theorem2 plays no policies of your own; these do: figure1" in said
    given = ("--quick", "--policy", f"{mine}:Plain")
    said = in_one_line(failed("reproduce", "figure2-mnist", *given, *out))
    assert "it cannot play figure2-mnist (n_features = 64: it takes no contexts)" in said
    given = ("--policy", f"{mine}:Soft", "--kept", tmp_path / "kept")
    assert "kept runs are of ours" in failed("reproduce", "figure1", *given, *out)
