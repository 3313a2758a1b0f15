"""Writes what the code of pages prints into the pages: python docs/outputs.py [PAGE…].

For when random streams or formats have changed. Look at what has changed: do the words around it
still hold?
"""

import contextlib
import io
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from pages import PYTHON, ROOT, STORIES, pages


def printed(code: str, module: ModuleType) -> str:
    """What a block prints; classes that it saves are found in the module."""
    sys.modules[module.__name__] = module
    out = io.StringIO()
    with contextlib.redirect_stdout(out), TemporaryDirectory() as folder:
        before = Path.cwd()
        os.chdir(folder)
        exec(compile(code, "page", "exec"), vars(module))
        os.chdir(before)
    return out.getvalue()


def renewed(page: str) -> str:
    """The text of a page with the current output of its blocks, where it shows any."""
    text, parts, end = (ROOT / page).read_text(encoding="utf-8"), [], 0
    module = ModuleType("page")
    for block in PYTHON.finditer(text):
        if page not in STORIES:
            module = ModuleType("page")
        out = printed(block["code"], module)
        if block["output"] is not None:
            parts += [text[end : block.start("output")], out]
            end = block.end("output")
    return "".join([*parts, text[end:]])


def main() -> None:
    for page in sys.argv[1:] or pages():
        text = renewed(page)
        if text != (ROOT / page).read_text(encoding="utf-8"):
            (ROOT / page).write_text(text, encoding="utf-8")
            print(f"{page} has changed: read it")


if __name__ == "__main__":
    main()
