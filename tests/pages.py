"""The blocks of a Markdown page: code, what it prints, and commands; and scripts of docs."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
# Pages that are read from top to bottom: a block goes on where the one before has ended. On all
# others each block stands by itself, so that it can be copied.
STORIES = {"docs/start.md", "docs/idea.md"}
_FENCE = re.compile(r"^ *```(\w+)\n(.*?)^ *```$", flags=re.DOTALL | re.MULTILINE)
PYTHON = re.compile(
    r"^```python\n(?P<code>.*?)^```\n(?:\n```text\n(?P<output>.*?)^```$)?",
    flags=re.DOTALL | re.MULTILINE,
)


class Block(NamedTuple):
    """Python on a page, and the text below it that it prints, if there is one."""

    code: str
    output: str | None


def pages() -> list[str]:
    """README, release checklist and every page of docs that is not made anew by each build."""
    written = sorted((ROOT / "docs").rglob("*.md"))
    made = {ROOT / "docs" / "_build", ROOT / "docs" / "api"}
    return ["README.md", "RELEASING.md"] + [
        path.relative_to(ROOT).as_posix() for path in written if not made & set(path.parents)
    ]


def blocks(page: str) -> list[Block]:
    """The Python of a page of the repository, in order."""
    found = PYTHON.finditer(_text(page))
    return [Block(each["code"], each["output"]) for each in found]


def python_blocks(page: str) -> list[str]:
    """What stands between ```python and ``` on a page of the repository, in order."""
    return [block.code for block in blocks(page)]


def kinds(page: str) -> set[str]:
    """The languages of a page's blocks."""
    return {kind for kind, _ in _FENCE.findall(_text(page))}


def commands(page: str) -> list[str]:
    """The lines that a reader may type into a shell, without comments."""
    fenced = "".join(text for kind, text in _FENCE.findall(_text(page)) if kind == "sh")
    lines = (line.partition("  #")[0].strip() for line in fenced.replace("\\\n", " ").splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def load(name: str, folder: str = "docs") -> ModuleType:
    """A script of the repository as a module."""
    spec = importlib.util.spec_from_file_location(f"{folder}_{name}", ROOT / folder / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _text(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")
