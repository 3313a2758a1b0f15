"""Every Python block of the README runs by itself."""

import pytest

from pages import python_blocks

BLOCKS = python_blocks("README.md")


def test_there_are_examples() -> None:
    assert len(BLOCKS) >= 3


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_block_runs(block: str) -> None:
    exec(compile(block, "README.md", "exec"), {"__name__": "readme"})
