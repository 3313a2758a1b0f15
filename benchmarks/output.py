"""Where benchmark results go: a table on the screen, a JSON file and a Markdown one."""

import json
import os
import platform
import shlex
import sys
from argparse import ArgumentParser
from collections.abc import Collection
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numba
import numpy as np
from rich.console import Console
from rich.table import Table

Row = dict[str, Any]
FILE_WIDTH = 160  # where there is no terminal to ask


def arguments(description: str | None) -> ArgumentParser:
    """A parser with the options that all benchmarks share."""
    parser = ArgumentParser(description=description)
    parser.add_argument("--out", type=Path, default=Path("bench-results"), help="directory")
    return parser


def report(out: Path, name: str, settings: Row, rows: list[Row], note: str) -> None:
    """Print the rows and write them."""
    screen = Console()
    wide = screen if screen.is_terminal else Console(width=FILE_WIDTH)
    wide.print(_table(f"{name}: {note}", rows))
    write(out, name, settings, rows, note)


def write(out: Path, name: str, settings: Row, rows: list[Row], note: str) -> None:
    """Write the rows, with settings and machine, to `out`/`name`.json, and to .md."""
    out.mkdir(parents=True, exist_ok=True)
    shown = _shown_settings(settings)
    ran = {"command": _command(), "date": f"{datetime.now(UTC):%Y-%m-%d}"}
    page = {"note": note, **ran, "settings": shown, "machine": _machine(), "rows": rows}
    (out / f"{name}.json").write_text(json.dumps(page, indent=2) + "\n", encoding="utf-8")
    (out / f"{name}.md").write_text(f"{note}\n\n{rows_as_markdown(rows)}\n", encoding="utf-8")


def _shown_settings(settings: Row) -> Row:
    return {
        key: str(value) if isinstance(value, Path) else value for key, value in settings.items()
    }


def rows_of(out: Path, name: str, settings: Row, but: Collection[str]) -> list[Row]:
    """The rows that were written before, by the same settings `but` for some; else none."""
    path = out / f"{name}.json"
    if not path.exists():
        return []
    page = json.loads(path.read_text(encoding="utf-8"))
    before, now = page["settings"], _shown_settings(settings)
    return page["rows"] if all(before.get(key) == now[key] for key in {*now} - {*but}) else []


def rows_as_markdown(rows: list[Row]) -> str:
    sides = ["---" if isinstance(value, str) else "---:" for value in rows[0].values()]
    lines = [list(rows[0]), sides, *([*map(_shown, row.values())] for row in rows)]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def _command() -> str:
    """The command that was run, without its output folder."""
    script, *given = sys.argv
    while "--out" in given:
        at = given.index("--out")
        del given[at : at + 2]
    return shlex.join(["python", f"benchmarks/{Path(script).name}", *given])


def _table(title: str, rows: list[Row]) -> Table:
    table = Table(title=title)
    for column in rows[0]:
        words = isinstance(rows[0][column], str)
        table.add_column(column, justify="left" if words else "right", no_wrap=words)
    for row in rows:
        table.add_row(*map(_shown, row.values()))
    return table


def _shown(value: Any) -> str:
    if isinstance(value, float) and abs(value) < 1000:
        return f"{value:.3g}"
    return "–" if value is None else value if isinstance(value, str) else f"{value:,.0f}"


def _machine() -> Row:
    return {
        "cores": os.cpu_count(),
        "platform": platform.platform(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
    }
