"""What CONTRIBUTING.md adds works: a copy of the repository with all of it passes the tests.

Nothing but the page says what is added where, and no test is changed.
"""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pages import ROOT, blocks

PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"`(src/bandstrap/\S+\.py)`[^`]*?:\n\n```python\n(.*?)^```$", re.S | re.M)
REFERENCE = re.compile(r"^```text\n(- .*?\n)```$", re.M)
ADDED = BLOCK.findall(PAGE)
FILES = {path: code for path, code in ADDED if not (ROOT / path).exists()}
LINES = {path: code for path, code in ADDED if path not in FILES}
COLLECTIONS = {"ENTRIES", "RESAMPLING", "EXPERIMENTS"}
POLICIES = ("boltzmann-gumbel", "ucb-lin-bayes")
COPIED = ("src", "tests", "docs", "pyproject.toml")
LEFT_OUT = shutil.ignore_patterns("_build", "figures")


class Copy:
    """The repository with everything that the page adds."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir()
        for name in COPIED:  # files keep their times, so that compiled kernels are not stale
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, root / name, ignore=LEFT_OUT)
            else:
                shutil.copy2(ROOT / name, root / name)
        for path, code in FILES.items():
            (root / path).write_text(code, encoding="utf-8")
        for path, code in LINES.items():
            extended = spliced((root / path).read_text(encoding="utf-8"), code)
            (root / path).write_text(extended, encoding="utf-8")
        papers = root / "docs" / "papers.md"
        references = "".join(REFERENCE.findall(PAGE))
        papers.write_text(papers.read_text(encoding="utf-8") + references, encoding="utf-8")

    def run(self, *command: str, **settings: str) -> str:
        """What a Python command prints in the copy."""
        done = subprocess.run(
            [sys.executable, *command],
            cwd=self.root,
            env={**os.environ, "PYTHONPATH": str(self.root / "src"), **settings},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
        return done.stdout


def spliced(text: str, added: str) -> str:
    """Imports at the top, the rest at the end of the module's collection of names."""
    imports, _, entry = added.rpartition("\n\n") if "\n\n" in added else ("", "", added)
    lines = text.splitlines()
    end = last_line_of_collection(text)
    lines[end:end] = entry.splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith(("from ", "import ")))
    return "\n".join([*lines[:first], *imports.splitlines(), *lines[first:], ""])


def last_line_of_collection(text: str) -> int:
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Name) and target.id in COLLECTIONS:
                value = node.value
                if isinstance(value, ast.DictComp):
                    value = value.generators[0].iter
                assert value is not None
                return (value.end_lineno or 0) - 1
    raise AssertionError("there is no collection")


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    return Copy(tmp_path_factory.mktemp("contributed") / "bandstrap")


def test_each_is_one_short_file_and_one_entry() -> None:
    assert {Path(path).parts[2] for path in FILES} == {
        "policies", "models", "resampling", "experiments",
    }  # fmt: skip
    assert all(len(code.splitlines()) < 60 for code in FILES.values())
    assert (len(FILES), len(LINES)) == (5, 5)
    assert {Path(path).parts[2] for path in LINES} == {
        "policies", "resampling", "experiments", "datasets",
    }  # fmt: skip
    scheme = ast.parse(FILES["src/bandstrap/resampling/log_normal.py"])
    (kind,) = (node for node in scheme.body if isinstance(node, ast.ClassDef))
    assert [each.name for each in kind.body if isinstance(each, ast.FunctionDef)] == ["weights"]


def contract_tests(root: Path) -> Iterator[str]:
    """Test files that go through names of policies, or of schemes."""
    for path in sorted((root / "tests").rglob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        if re.search(r"parametrize\(.*(POLICIES|CONTEXTUAL|ENTRIES|RESAMPLING)\b", text):
            yield str(path.relative_to(root))


def test_new_names_pass_the_contract_tests(copy: Copy) -> None:
    names = (*POLICIES, "log-normal")
    command = ("-m", "pytest", "-rA", "-x", *contract_tests(copy.root), "-k", " or ".join(names))
    passed = re.findall(r"^PASSED .*\[(.*)\]$", copy.run(*command), flags=re.M)
    for name, least in zip(names, (20, 5, 1), strict=True):
        assert sum(name in each for each in passed) >= least


def test_the_rules_for_classes_of_your_own_hold(copy: Copy) -> None:
    copy.run("-c", CHECKS)


CHECKS = """
from bandstrap import Bandit, Bootstrap, ContextualBootstrap, Exponential, Problem, SeenExamples
from bandstrap.models.neighbourhood import Neighbourhood
from bandstrap.policies.contextual.bayes_ucb import BayesUCB
from bandstrap.policies.rewards.boltzmann_gumbel import BoltzmannGumbel
from bandstrap.resampling.log_normal import LogNormal
from bandstrap.testing import check_model, check_policy, check_resampling

check_policy(BoltzmannGumbel(), draws=200)
check_policy(BayesUCB(), Problem(3, n_features=2), draws=100)
check_model(Neighbourhood(), rounds=60, draws=50)
check_resampling(LogNormal())
for policy in (
    BayesUCB(),
    ContextualBootstrap(LogNormal(), Neighbourhood(), SeenExamples()),
):
    bandit = Bandit(policy, ["a", "b"], seed=1)
    for hour in range(5):
        bandit.learn(bandit.decide([hour / 10, 1.0]), hour % 2)
    bandit.save("saved.bandit")
    again = Bandit.load("saved.bandit")
    assert again.decide([0.2, 0.3]).scores == bandit.decide([0.2, 0.3]).scores
"""


def test_the_list_names_everything(copy: Copy) -> None:
    cache = str(copy.root / "cache")
    found = json.loads(copy.run("-m", "bandstrap", "list", "--json", XDG_CACHE_HOME=cache))
    assert "boltzmann-gumbel" in found["policies"]
    assert "ucb-lin-bayes" in found["policies with contexts"]
    assert "log-normal" in found["resampling schemes"]
    assert "optimism" in found["experiments"]
    assert "quadrants" in found["data sets"]
    for name in POLICIES:
        assert all(found["about"][name][answer] for answer in ("what", "paper", "exact", "cost"))
    copy.run("docs/papers.py")
    page = (copy.root / "docs" / "papers.md").read_text(encoding="utf-8")
    assert all(f"| `{name}` | " in page for name in POLICIES)


def test_the_experiment_ends_in_a_verdict(copy: Copy) -> None:
    size = ("--runs", "20", "--horizon", "200", "--workers", "1", "--out", "out")
    copy.run("-m", "bandstrap", "reproduce", "optimism", *size)
    (claim,) = json.loads((copy.root / "out" / "claims.json").read_text(encoding="utf-8"))
    assert claim["id"] == "optimism"
    assert (copy.root / "out" / "optimism" / "plot.png").exists()


def test_the_data_set_is_read_and_played(copy: Copy) -> None:
    (making,) = (block for block in blocks("CONTRIBUTING.md") if block.output is not None)
    assert copy.run("-c", making.code) == making.output
    played = copy.run("-c", PLAYED, BANDSTRAP_DATA=str(copy.root), XDG_CACHE_HOME=str(copy.root))
    assert played == "Dataset('quadrants', 1600 x 2, 4 classes)\nTrue\n"


PLAYED = """
from bandstrap import simulate
from bandstrap.datasets import load
from bandstrap.environments import Labelled
from bandstrap.policies.contextual.bayes_ucb import BayesUCB

print(load("quadrants"))
print(simulate(BayesUCB(), Labelled("quadrants"), 200, runs=2).reward_per_step()[-1] > 0.5)
"""


def test_the_files_are_in_style(copy: Copy) -> None:
    pytest.importorskip("ruff")
    copy.run("-m", "ruff", "check", *FILES)
    copy.run("-m", "ruff", "format", "--check", *FILES)
