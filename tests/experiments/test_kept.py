"""Claims of kept runs are read as they were written."""

import json

import pytest

from bandstrap.experiments import Claim, Verdict
from bandstrap.experiments.base import Statements
from bandstrap.experiments.kept import KEPT, kept_claims

CLAIMS = [
    Claim("C9", "an order", Verdict.IN_PART, "one\ntwo", Statements(hold=3, fail=1, open=1)),
    Claim("C12-mnist", "alike", Verdict.UNDECIDED, "open", Statements(open=1)).played_on(
        "digits", "x"
    ),
]


def test_claims_survive_the_file(tmp_path):
    file = tmp_path / "kept.json"
    file.write_text(json.dumps([claim.as_dict() for claim in CLAIMS]), encoding="utf-8")
    assert kept_claims(file) == {claim.id: claim for claim in CLAIMS}


def test_a_missing_file_keeps_nothing(tmp_path):
    assert kept_claims(tmp_path / "kept.json") == {}


def test_a_verdict_nobody_knows_is_an_error(tmp_path):
    file = tmp_path / "kept.json"
    file.write_text(json.dumps([{**CLAIMS[0].as_dict(), "verdict": "perhaps"}]), encoding="utf-8")
    with pytest.raises(ValueError, match="perhaps"):
        kept_claims(file)


def test_the_file_lies_in_the_package_where_wheels_take_it_from():
    assert KEPT.name == "kept.json"
    assert KEPT.parent.joinpath("kept.py").is_file()
    assert all(claim.verdict in Verdict for claim in kept_claims().values())
