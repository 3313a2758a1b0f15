"""Every Python block of the README and of docs runs, and prints what the page says it prints."""

import contextlib
import io
import re
import sys
from types import ModuleType

import pytest

from pages import STORIES, blocks, kinds, pages

CHECKED = {"python", "text", "sh", "toml"}  # whatever else stands in a fence is not looked at

STORY_BLOCKS = [pytest.param(page, id=page) for page in sorted(STORIES)]
SINGLE_BLOCKS = [
    pytest.param(page, i, id=f"{page}-{i}")
    for page in pages()
    if page not in STORIES
    for i in range(len(blocks(page)))
]


@pytest.fixture
def module(tmp_path, monkeypatch):
    """What a block runs in: classes that are saved must be found by their module."""
    monkeypatch.chdir(tmp_path)  # some of them write files
    module = ModuleType("page")
    monkeypatch.setitem(sys.modules, "page", module)
    return module


def run(page, block, module):
    for package in re.findall(
        r"^(?:import|from) (torch|lightgbm|fastapi)\b", block.code, flags=re.M
    ):
        pytest.importorskip(package)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(block.code, page, "exec"), vars(module))
    if block.output is not None:
        again = f"if that is as it should be: python docs/outputs.py {page}"
        assert printed.getvalue() == block.output, again


@pytest.mark.parametrize("page", pages())
def test_no_block_goes_unchecked(page):
    assert kinds(page) <= CHECKED


@pytest.mark.parametrize(("page", "place"), SINGLE_BLOCKS)
def test_block_runs(page, place, module):
    run(page, blocks(page)[place], module)


@pytest.mark.parametrize("page", STORY_BLOCKS)
def test_story_runs(page, module):
    assert len(blocks(page)) >= 2
    for block in blocks(page):
        run(page, block, module)
