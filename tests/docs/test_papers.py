"""The tables of policies are what the registry says, and their code makes what is played."""

import re

import bandstrap
from bandstrap.policies.registry import REGISTRY
from pages import ROOT, load

papers = load("papers")
TEXT = (ROOT / "docs/papers.md").read_text(encoding="utf-8")


def test_the_page_is_what_the_registry_gives():
    assert papers.renewed(TEXT) == TEXT, "run python docs/papers.py"


def test_a_stale_row_is_written_anew():
    stale = re.sub(r"^\| `wb` .*\n", "| `old` |\n", TEXT, flags=re.MULTILINE)
    assert "| `old` |" in stale
    assert papers.renewed(stale) == TEXT


def test_the_code_of_every_row_makes_its_policy():
    known = {name: getattr(bandstrap, name) for name in dir(bandstrap)}
    rows = re.findall(r"^\| `(\S+)` \| `(.*?)` \|", TEXT, flags=re.MULTILINE)
    assert [name for name, _ in rows] == [*REGISTRY]
    for name, code in rows:
        entry = REGISTRY[name]
        policy = entry.make(papers.PRIOR) if entry.contextual else entry.make()
        assert eval(code, {**known, "prior": papers.PRIOR}) == policy
