"""Every named policy is one entry that answers all questions, and renaming changes no result."""

import re
from itertools import chain

import numpy as np
import pytest

from bandstrap.comparison.candidates import EXPLORERS, Selection
from bandstrap.environments import Labelled
from bandstrap.errors import Renamed
from bandstrap.experiments.base import Settings
from bandstrap.policies import Policy
from bandstrap.policies.contextual.entries import ENTRIES as WITH_CONTEXTS
from bandstrap.policies.entry import OURS
from bandstrap.policies.registry import CONTEXTUAL, FORMER, POLICIES, REGISTRY, current, stream
from bandstrap.policies.rewards.entries import ENTRIES as WITHOUT_CONTEXTS
from bandstrap.priors import EigenExamples
from bandstrap.simulation import Cell
from pages import ROOT

ENTRIES = (*WITHOUT_CONTEXTS, *WITH_CONTEXTS)
MODELS = {"", "linear", "logistic", "network", "tree", "several"}
RENAMED = {
    "tang": "ensemble-log",
    "heads-nn": "ensemble-nn",
    "wb-log-gauss-prior": "wb-log-random-prior",
    "tree-bootstrap-fresh": "npb-tree",
}
every_entry = pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)


def test_names_are_unique():
    names = [*chain.from_iterable((entry.name, *entry.formerly) for entry in ENTRIES)]
    assert len(names) == len(set(names))
    assert [*REGISTRY] == [*POLICIES, *CONTEXTUAL]


@every_entry
def test_every_question_is_answered(entry):
    assert re.fullmatch("[a-z]+", entry.family)
    assert entry.model in MODELS
    assert bool(entry.model) == entry.contextual
    assert entry.sentence.endswith(".")
    assert len(entry.sentence) <= 100
    assert entry.cost in {"constant", "log n", "n", "d", "d²", "n d"}
    assert 0 < len(entry.exact) <= 25
    made = entry.make(EigenExamples()) if entry.contextual else entry.make()
    assert isinstance(made, Policy)


@every_entry
def test_the_paper_is_one_that_the_page_lists(entry):
    if entry.paper == OURS:
        return
    references = (ROOT / "docs/papers.md").read_text(encoding="utf-8").partition("## References")[2]
    for key in entry.paper.split("; "):
        first, year = re.fullmatch(r"([\w-]+).* \((\d{4}[ab]?)\)(?:, section .*)?", key).groups()
        assert re.search(rf"^- {first},? .*\({year}\)", references, flags=re.MULTILINE), key


@every_entry
def test_a_model_is_joined_by_the_name_that_the_policy_has(entry):
    if entry.joins:
        assert entry.family in EXPLORERS
        assert entry.name == f"{entry.family}-{entry.joins}"


def test_former_names_work_with_a_notice():
    assert FORMER == RENAMED
    for old, new in RENAMED.items():
        with pytest.warns(Renamed, match=f"'{old}' is now called '{new}'"):
            assert current(old) == new
        with pytest.warns(Renamed):
            assert Settings(policies=("eg-lin", old)).policies == ("eg-lin", new)
        with pytest.warns(Renamed):
            assert [*Selection((old,)).candidates(())] == [new]
    assert current("wb") == "wb"
    assert current("of nobody") == "of nobody"


def test_streams_are_seeded_by_the_first_name():
    world = Labelled("digits")
    policy = CONTEXTUAL["ensemble-log"](EigenExamples(np.eye(2)))
    batch = Cell("any", "digits", "ensemble-log", world, policy, 5, 1).batches(0)[0]
    assert batch.label == stream("ensemble-log") == "tang"
    assert stream("wb") == "wb"
    assert stream("mine") == "mine"
