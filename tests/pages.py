"""The Python blocks of a Markdown page."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent


def python_blocks(page: str) -> list[str]:
    """What stands between ```python and ``` on a page of the repository, in order."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)
