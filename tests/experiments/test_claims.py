"""Claims and the tallies of their statements."""

import pytest

from bandstrap.experiments import Claim, Verdict
from bandstrap.experiments.base import Statements, tally


@pytest.mark.parametrize(
    ("verdict", "counted"),
    [
        (Verdict.REPRODUCED, Statements(hold=1)),
        (Verdict.IN_PART, Statements(fail=1)),
        (Verdict.NOT_REPRODUCED, Statements(fail=1)),
        (Verdict.UNDECIDED, Statements(open=1)),
    ],
)
def test_a_claim_without_statements_counts_as_one(verdict, counted):
    assert Claim("C1", "a", verdict, "b").statements == counted


def test_statements_of_claims_add_up():
    claims = [
        Claim("C1", "a", Verdict.REPRODUCED, ""),
        Claim("C9", "b", Verdict.IN_PART, "", Statements(hold=3, fail=1, open=1)),
        Claim("C10", "c", Verdict.UNDECIDED, "", Statements(open=8)),
    ]
    assert tally(claims) == Statements(hold=4, fail=1, open=9)
    assert str(tally(claims)) == "4 of 14 statements hold, 1 fails, 9 open"
    assert tally([]).total == 0


def test_other_data_leave_every_statement_open():
    claim = Claim("C9", "an order", Verdict.IN_PART, "0.1", Statements(hold=3, fail=1, open=1))
    other = claim.played_on("digits", "covtype")
    assert (other.verdict, other.statements) == (Verdict.UNDECIDED, Statements(open=5))
    assert other.stand_in == "digits"
    assert other.claim == "on digits in place of covtype: an order"
    said, rest = other.evidence.split("\n")
    assert said.endswith("there the rules say: reproduced in part, 3 of 5 statements hold, "
                         "1 fails, 1 open")  # fmt: skip
    assert rest == "0.1"


def test_claims_are_numbered_as_in_the_paper():
    ids = ["C10", "optimism", "C9", "C8-k5", "C8"]
    claims = [Claim(id_, "a", Verdict.REPRODUCED, "") for id_ in ids]
    ordered = sorted(claims, key=lambda claim: claim.number)
    assert [claim.id for claim in ordered] == ["C8-k5", "C8", "C9", "C10", "optimism"]


def test_a_claim_for_json_is_flat_but_for_its_statements():
    claim = Claim("C9", "an order", Verdict.IN_PART, "0.1", Statements(hold=3, fail=1, open=1))
    assert claim.as_dict() == {
        "id": "C9",
        "claim": "an order",
        "verdict": "reproduced in part",
        "evidence": "0.1",
        "statements": {"hold": 3, "fail": 1, "open": 1},
        "stand_in": "",
    }
    assert type(claim.as_dict()["verdict"]) is str
    assert Claim.from_dict(claim.as_dict()) == claim
