"""The tables of policies name each one that the registries hold, once, with the object it is."""

import re

import bandstrap
from bandstrap.policies import POLICIES
from bandstrap.policies.registry import CONTEXTUAL
from bandstrap.priors import EigenExamples
from pages import ROOT

TEXT = (ROOT / "docs/papers.md").read_text(encoding="utf-8")
PRIOR = EigenExamples()


def rows(title):
    """The object that each name of a table has."""
    section = TEXT.partition(f"## {title}\n")[2].partition("\n## ")[0]
    known = {name: getattr(bandstrap, name) for name in dir(bandstrap)}
    found = []
    for line in re.findall(r"^\| `.*$", section, flags=re.MULTILINE):
        names, objects, *rest = (cell.strip() for cell in line.strip("|").split("|"))
        assert len(rest) == 2
        assert all(rest)
        made = [eval(code, {**known, "prior": PRIOR}) for code in re.findall(r"`(.*?)`", objects)]
        found += zip(re.findall(r"`(.*?)`", names), made, strict=True)
    assert len(found) == len(dict(found)), "a name stands in two rows"
    return dict(found)


def test_every_policy_without_contexts():
    assert rows("Without contexts") == {name: make() for name, make in POLICIES.items()}


def test_every_policy_with_contexts():
    assert rows("With contexts") == {name: make(PRIOR) for name, make in CONTEXTUAL.items()}
