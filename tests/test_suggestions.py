"""Names that may have been meant: by how they begin, else by how near they are."""

import pytest

from bandstrap.datasets import load
from bandstrap.errors import UnknownName, suggestions
from bandstrap.experiments import EXPERIMENTS
from bandstrap.policies.registry import REGISTRY
from called import failed, in_one_line


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("figure2", ["figure2-covtype", "figure2-mnist"]),
        ("Figure2-m", ["figure2-mnist"]),
        ("figre2", ["figure2-covtype", "figure2-mnist"]),
        ("figure2-covtpye", ["figure2-covtype"]),
        ("theorem", ["theorem1", "theorem2"]),
        ("run", ["runtime"]),
    ],
)
def test_an_experiment_is_found_by_its_beginning(typed, meant):
    assert suggestions(typed, EXPERIMENTS) == meant


def test_a_policy_is_found_by_its_beginning():
    found = suggestions("wb-log-", REGISTRY)
    assert "wb-log-gaussian" in found
    assert all(name.startswith("wb-log-") for name in found)
    assert suggestions("wbb", REGISTRY) == ["wb"]


def test_nothing_is_suggested_where_nothing_is_near():
    assert suggestions("zzz", ["wb", "npb"]) == []
    assert suggestions("", ["wb", "npb"]) == []
    assert suggestions("w" * 200, ["w" * 201]) == []
    assert "known are npb, wb" in str(UnknownName("policy", "zzz", ["wb", "npb"]))


def test_one_that_differs_in_its_type_alone_is_the_one():
    assert "did you mean '1'?" in str(UnknownName("arm", 1, ["1", "10", "11"]))


def test_of_many_a_few_are_shown():
    said = str(UnknownName("column", "x", [f"x{i}" for i in range(2000)]))
    assert said.endswith("did you mean 'x0', 'x1', 'x2', 'x3' or one of 1,996 others?")


def test_commands_suggest_them(tmp_path):
    said = in_one_line(failed("reproduce", "figure2", "--out", tmp_path))
    assert "did you mean 'figure2-covtype' or 'figure2-mnist'?" in said
    said = in_one_line(failed("reproduce", "figure1", "--policies", "ts-d", "--out", tmp_path))
    assert "did you mean 'ts-dirichlet'?" in said
    said = in_one_line(failed("benchmark", "--datasets", "breast", "--out", tmp_path))
    assert "did you mean 'breast_cancer'?" in said
    with pytest.raises(UnknownName, match="did you mean 'covtype'"):
        load("cov")
