"""Every class that a file may name is in some honest file that is changed."""

from bandstrap.storage.registry import names
from fuzz import coverage
from fuzz.subjects import SUBJECTS


def test_no_class_is_left_out_without_a_reason():
    """For a new class add a subject to tests/fuzz/subjects.py; `make fuzz` notes where it is."""
    kept = coverage.kept()
    assert sorted({*names()} - {*kept} - {*coverage.LEFT_OUT}) == []
    assert not {*kept} & {*coverage.LEFT_OUT}
    assert {*kept.values()} <= {*SUBJECTS}
