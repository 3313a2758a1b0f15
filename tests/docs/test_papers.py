"""The tables of policies name each one that the registries hold, once, with its class."""

import re

from bandstrap.policies import POLICIES
from bandstrap.policies.contextual import CONTEXTUAL
from bandstrap.priors import EigenExamples
from pages import ROOT

TEXT = (ROOT / "docs/papers.md").read_text(encoding="utf-8")


def rows(title):
    """The class that each name of a table has."""
    section = TEXT.partition(f"## {title}\n")[2].partition("\n## ")[0]
    found = []
    for line in re.findall(r"^\| `.*$", section, flags=re.MULTILINE):
        names, made, *rest = (cell.strip() for cell in line.strip("|").split("|"))
        assert len(rest) == 2
        assert all(rest)
        kind = re.match(r"`(\w+)", made)[1]
        found += [(name, kind) for name in re.findall(r"`(.*?)`", names)]
    assert len(found) == len(dict(found)), "a name stands in two rows"
    return dict(found)


def test_every_policy_without_contexts():
    assert rows("Without contexts") == {
        name: type(make()).__name__ for name, make in POLICIES.items()
    }


def test_every_policy_with_contexts():
    prior = EigenExamples()
    assert rows("With contexts") == {
        name: type(make(prior)).__name__ for name, make in CONTEXTUAL.items()
    }
