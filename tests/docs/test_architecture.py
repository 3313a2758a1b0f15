"""The map is true: what it names exists, the picture shows all rooms, journeys go as it says."""

import ast
import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import bandstrap
from bandstrap import (
    Bandit,
    Bootstrap,
    ContextualBootstrap,
    EigenExamples,
    Exponential,
    LogisticRegression,
    Support,
)
from bandstrap.cli import app
from pages import ROOT

SOURCE = Path(bandstrap.__file__).parent
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
PROSE = re.sub(r"^```.*?^```$", "", PAGE, flags=re.S | re.M)
PLANS = PAGE.partition("## The rooms")[2].partition("##")[0]
COMMANDS = re.compile(r"make \w+|python .*|bandstrap .*")


def named() -> dict[str, set[str]]:
    """Everything that the page may name, by its last words, and the functions that it can mean."""
    found: dict[str, set[str]] = {}
    for path in SOURCE.rglob("*.py"):
        module = ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
        found.setdefault(module, set())
        for name, is_function in members(ast.parse(path.read_text(encoding="utf-8")).body):
            for text in (name, f"{module.rpartition('.')[2]}.{name}", f"{module}.{name}"):
                found.setdefault(text, set()).update([f"{module}:{name}"] if is_function else [])
    return found


def members(body: list[ast.stmt]) -> Iterator[tuple[str, bool]]:
    """Names of functions, classes, their methods, and constants; which of them are functions."""
    for node in body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, True
        elif isinstance(node, ast.ClassDef):
            yield node.name, False
            yield from ((f"{node.name}.{name}", known) for name, known in members(node.body))
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from ((each.id, False) for each in targets if isinstance(each, ast.Name))


NAMED = named()


def tokens(text: str) -> list[str]:
    return [token for token in re.findall(r"`([^`\n]+)`", text) if not COMMANDS.fullmatch(token)]


def exists(token: str) -> bool:
    bare = token.partition("(")[0]
    return bare in NAMED or any((root / token).exists() for root in (SOURCE, ROOT, SOURCE / "x"))


@pytest.mark.parametrize("token", sorted(set(tokens(PROSE))))
def test_what_the_page_names_exists(token: str) -> None:
    assert exists(token)


def test_a_name_that_is_gone_is_found() -> None:
    assert not exists("Worker.decide")
    assert not exists("models/convex_arm.py")


def test_every_room_is_on_the_page() -> None:
    rooms = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    rooms |= {path.parent.name for path in SOURCE.glob("*/*/__init__.py")}
    rooms |= {path.parent.name for path in SOURCE.glob("*/*/*/__init__.py")}
    assert set(re.findall(r"(\w+)/", PLANS)) == {"src", "bandstrap", *rooms}


def test_the_picture_shows_the_rooms_of_today(monkeypatch: pytest.MonkeyPatch) -> None:
    pictures = ROOT / "docs" / "pictures"
    monkeypatch.syspath_prepend(str(pictures))
    from rooms import plan  # type: ignore[import-not-found]

    assert (pictures / "rooms.svg").read_text(encoding="utf-8") == plan(), (
        "run python docs/pictures/make.py"
    )


def traced(work: Callable[[], object]) -> list[str]:
    """The functions of ours that a call passes through, by their first time."""
    passed: dict[str, None] = {}

    def note(frame, event, _):
        if event == "call" and frame.f_code.co_filename.startswith(f"{SOURCE}{os.sep}"):
            path = Path(frame.f_code.co_filename).relative_to(SOURCE).with_suffix("")
            module = ".".join(path.parts).removesuffix(".__init__")
            passed[f"{module}:{frame.f_code.co_qualname}"] = None

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return [*passed]


def journey(title: str) -> list[str]:
    """The functions that the page says a journey passes."""
    section = PAGE.partition(f"**{title}**")[2]
    section = re.split(r"^(?:\*\*|## )", section, flags=re.M)[0]
    return [token for token in tokens(section) if NAMED.get(token)]


def goes(title: str, passed: list[str]) -> None:
    """All functions are passed, in this order; kernels are not seen, as they are compiled."""
    last = -1
    for token in journey(title):
        meant = NAMED[token] & set(passed)
        compiled = all(each.startswith("kernels.") for each in NAMED[token])
        assert meant or compiled, f"{title}: {token} is not passed"
        if meant and not compiled:
            place = max(passed.index(each) for each in meant)
            assert place > last, f"{title}: {token} comes earlier"
            last = min(passed.index(each) for each in meant if passed.index(each) > last)


def test_decide_and_learn() -> None:
    bandit = Bandit(Bootstrap(), ["a", "b", "c"], seed=1)
    for _ in range(5):
        bandit.learn(bandit.decide(), 1.0)
    passed = traced(lambda: bandit.learn(bandit.decide(), 0.5))
    goes("Decide and learn", passed)


def test_a_draw_of_a_logistic_bootstrap() -> None:
    policy = ContextualBootstrap(Exponential(), LogisticRegression(), EigenExamples())
    bandit = Bandit(policy, ["a", "b"], rewards=Support.binary(), seed=1)
    for context in np.random.default_rng(0).standard_normal((30, 3)):
        bandit.learn(bandit.decide(context), float(context[0] > 0))
    goes("A draw of a logistic bootstrap", traced(lambda: bandit.decide([0.1, 0.2, 0.3])))


def test_reproduce_figure_1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    size = ["--runs", "2", "--horizon", "50", "--workers", "1", "--out", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", ["bandstrap", "reproduce", "figure1", *size])
    goes("Reproduce figure 1", traced(lambda: app(standalone_mode=False)))


def test_compare_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = "".join(f"{x},{'yes' if x > 5 else 'no'}\n" for x in range(12) for _ in range(5))
    (tmp_path / "visits.csv").write_text(f"x,bought\n{rows}")
    size = ["--runs", "2", "--rounds", "20", "--workers", "1", "--out", str(tmp_path / "out")]
    command = ["compare", str(tmp_path / "visits.csv"), "--label", "bought", "--policies", "eg-lin"]
    monkeypatch.setattr(sys, "argv", ["bandstrap", *command, *size])
    goes("Compare a table", traced(lambda: app(standalone_mode=False)))
