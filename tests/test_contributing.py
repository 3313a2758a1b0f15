"""The worked examples of CONTRIBUTING.md do what the page says, and learn."""

import sys
from types import ModuleType
from typing import Any

import pytest

from bandstrap import Bootstrap, Policy, simulate
from bandstrap.environments import Bernoulli, Beta, Environment
from bandstrap.policies.entry import Entry
from bandstrap.policies.registry import REGISTRY
from bandstrap.resampling import RESAMPLING
from bandstrap.testing import check_policy
from pages import python_blocks

MEANS = (0.2, 0.5, 0.8)
HORIZON = 300
UNIFORM_REGRET = HORIZON * (max(MEANS) - sum(MEANS) / len(MEANS))

POLICY, POLICY_ENTRY, SCHEME, SCHEME_LINE = python_blocks("CONTRIBUTING.md")


def registered(block: str, line: str) -> dict[str, Any]:
    """The entry that the one line adds to a registry, given the file that the block shows."""
    names: dict[str, Any] = {"__name__": "contributed"}
    exec(compile(block, "CONTRIBUTING.md", "exec"), names)
    entry: dict[str, Any] = eval("{" + line + "}", names)
    return entry


def entered(block: str, text: str) -> Entry:
    """The entry that the page adds to the registry."""
    module = sys.modules["contributed"] = ModuleType("contributed")  # where files look for it
    exec(compile(block, "CONTRIBUTING.md", "exec"), vars(module))
    (entry,) = eval(f"({text})", {**vars(module), "Entry": Entry})
    assert isinstance(entry, Entry)
    return entry


def final_regret(policy: Policy[Any], environment: Environment) -> float:
    trace = simulate(policy, environment, HORIZON, runs=20)
    return float(trace.mean()[-1])


@pytest.fixture(params=[Bernoulli, Beta])
def environment(request: pytest.FixtureRequest) -> Environment:
    made: Environment = request.param(means=MEANS)
    return made


def test_examples_are_short() -> None:
    assert len(POLICY.splitlines()) < 60
    assert len(POLICY_ENTRY.splitlines()) <= 5
    assert len(SCHEME_LINE.splitlines()) == 1


def test_new_policy_learns(environment: Environment) -> None:
    entry = entered(POLICY, POLICY_ENTRY)
    assert entry.name not in REGISTRY
    assert all(entry.facts()[answer] for answer in ("what", "paper", "exact", "cost"))
    assert final_regret(entry.make(), environment) < UNIFORM_REGRET / 2
    check_policy(entry.make(), draws=120)


def test_new_scheme_learns(monkeypatch: pytest.MonkeyPatch, environment: Environment) -> None:
    ((name, scheme),) = registered(SCHEME, SCHEME_LINE).items()
    assert name not in RESAMPLING
    monkeypatch.setitem(RESAMPLING, name, scheme)
    assert final_regret(Bootstrap(RESAMPLING[name]()), environment) < UNIFORM_REGRET / 2
