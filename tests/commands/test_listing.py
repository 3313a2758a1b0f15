"""`bandstrap list` shows and explains every name, at once."""

import json

from bandstrap.commands import names
from bandstrap.commands.listing import registered
from bandstrap.datasets import DATASETS
from bandstrap.environments import ENVIRONMENTS
from bandstrap.experiments import EXPERIMENTS
from bandstrap.policies import POLICIES
from bandstrap.policies.registry import REGISTRY
from bandstrap.resampling import RESAMPLING
from called import called


def test_list_shows_every_name(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    code, out, _ = called("list")
    assert code == 0
    words = out.split()
    for name in [*POLICIES, *RESAMPLING, *ENVIRONMENTS, *EXPERIMENTS, *DATASETS]:
        assert name in words
    assert "LogisticRegression" in words
    assert "WeightedModel" not in words  # nothing that one can make


def test_list_explains_every_policy(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    about = json.loads(called("list", "--json")[1])["about"]
    assert about.keys() == REGISTRY.keys()
    for entry in REGISTRY.values():
        answers = about[entry.name]
        assert all(answers[each] for each in ("what", "paper", "exact", "cost"))
        assert answers["what"] == entry.sentence
    out = called("list")[1]
    assert max(map(len, out.splitlines())) <= 80
    said = " ".join(out.split())
    assert "fixed replicas · cost d" in said
    assert "Tang et al. (2015)" in said


def test_names_are_remembered_until_the_code_changes(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("BANDSTRAP_DATA", raising=False)
    first = called("list", "--json")
    kept = tmp_path / "bandstrap" / "names.json"
    cached = json.loads(kept.read_text())
    listed = registered()
    assert json.loads(first[1]) == {**cached["names"], "about": cached["about"]}
    assert (cached["names"], cached["about"]) == (listed.groups, listed.about)
    kept.write_text(json.dumps(cached | {"names": {"policies": ["from the cache"]}}))
    assert "from the cache" in called("list")[1]
    monkeypatch.setattr(names, "SOURCE", names.SOURCE / "policies")  # other files than before
    assert called("list", "--json") == first
    for damage in ("", "[]", "{}"):
        kept.write_text(damage)
        assert called("list", "--json") == first
