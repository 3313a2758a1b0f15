"""What users of bandit libraries ask for, most often first: where each wish is shown and tested."""

import ast
import re
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "bandit.md").read_text(encoding="utf-8")
BANDIT, COSTS = "tests/bandit/test_bandit.py", "tests/benchmarks/test_bandit_benchmarks.py"

# A wish, the heading in docs/bandit.md that answers it, and tests of it.
REQUESTS = [
    ("only arms available now", "Only the arms that are there now",
     [(BANDIT, "test_only_allowed_arms_are_chosen_and_have_a_chance")]),
    ("save and restore without pickle", "Save and restore without pickle",
     [("tests/bandit/test_saving.py", "test_a_file_of_each_format_loads_and_decides"),
      ("tests/bandit/test_saving.py", "test_a_hostile_file_names_nothing_outside")]),
    ("late and batched rewards", "Late, batched and lost rewards",
     [(BANDIT, "test_rewards_come_in_any_order_and_by_number"),
      (BANDIT, "test_decisions_without_a_reward_expire")]),
    ("the probability of the chosen arm", "The probability of the chosen arm",
     [("tests/bandit/test_propensity.py", "test_decisions_follow_their_propensities")]),
    ("rewards that are not binary", "Rewards that are not binary",
     [(BANDIT, "test_it_finds_the_best_arm")]),
    ("cold start and new arms", "New arms",
     [(BANDIT, "test_a_new_arm_is_explored_at_once_and_an_old_one_is_kept")]),
    ("latency with many arms", "Thousands of arms, and one model over their features",
     [("tests/kernels/lazy/test_decide.py", "test_few_nodes_are_opened_however_long_the_history"),
      (COSTS, "test_what_a_decision_costs")]),
    ("drifting worlds", "A world that drifts",
     [(COSTS, "test_forgetting_pays_where_the_world_drifts")]),
    ("one model over arm features", "Thousands of arms, and one model over their features",
     [("tests/policies/contextual/test_shared_bootstrap.py", "test_it_learns_which_features_pay")]),
    ("top-k and slates", "The best few", [(BANDIT, "test_ranking_is_that_of_one_draw")]),
    ("installs on current Python", "Installs today, and examples that run",
     [("tests/bandit/test_requests.py", "test_this_python_is_one_of_those_declared")]),
    ("sample weights", "Weights, and history that others logged",
     [("tests/policies/test_state.py", "test_a_whole_weight_counts_as_so_many_rewards"),
      ("tests/policies/test_state.py", "test_halves_of_a_weight_count_as_the_whole")]),
    ("why this arm", "Why this arm",
     [(BANDIT, "test_scores_are_those_of_the_draw_that_decided"),
      ("tests/bandit/test_explanation.py",
       "test_an_explanation_shows_every_arm_and_changes_nothing")]),
    ("fair simulation and evaluation", "A fair comparison before it goes live",
     [("tests/simulation/test_runner.py", "test_policies_meet_the_same_arms")]),
    ("runnable examples", "Installs today, and examples that run",
     [("tests/examples/test_programs.py", "test_a_shop_with_late_purchases"),
      ("tests/docs/test_pages.py", "test_block_runs")]),
]  # fmt: skip


@pytest.mark.parametrize(("wish", "heading", "shown"), REQUESTS, ids=[row[0] for row in REQUESTS])
def test_each_wish_has_a_paragraph_and_tests(wish, heading, shown):
    assert re.search(rf"^## {re.escape(heading)}\n\n\S", PAGE, flags=re.MULTILINE), wish
    for path, name in shown:
        tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        tests = {each.name for each in tree.body if isinstance(each, ast.FunctionDef)}
        assert name in tests, f"{wish}: {path} has no {name}"


def test_all_fifteen_are_there():
    assert len(REQUESTS) == 15


def test_this_python_is_one_of_those_declared():
    """`make test-pythons` installs and tries the package under the others."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    marks = "\n".join(project["classifiers"])
    minors = [int(minor) for minor in re.findall(r"Python :: 3\.(\d+)$", marks, re.MULTILINE)]
    assert project["requires-python"] == f">=3.{min(minors)}"
    assert minors == list(range(min(minors), max(minors) + 1))
    assert sys.version_info[:2] >= (3, min(minors))
    made = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert f"PYTHONS ?= {' '.join(f'python3.{minor}' for minor in minors)}\n" in made
