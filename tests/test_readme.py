"""Every Python block of the README and of the pages in docs runs by itself."""

import pytest

from pages import python_blocks

PAGES = ["README.md", "docs/bandit.md", "docs/simulation.md"]
BLOCKS = [
    pytest.param(page, block, id=f"{page}-{i}")
    for page in PAGES
    for i, block in enumerate(python_blocks(page))
]


@pytest.mark.parametrize("page", PAGES)
def test_there_are_examples(page: str) -> None:
    assert len(python_blocks(page)) >= 3


@pytest.mark.parametrize(("page", "block"), BLOCKS)
def test_block_runs(page: str, block: str, tmp_path, monkeypatch) -> None:
    if "import torch" in block:
        pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)  # some of them write files
    exec(compile(block, page, "exec"), {"__name__": "page"})
