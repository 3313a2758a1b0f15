"""Where benchmark results go: a table on the screen and a JSON file."""

import json
import os
import platform
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import numba
import numpy as np
from rich.console import Console
from rich.table import Table

Row = dict[str, Any]


def arguments(description: str | None) -> ArgumentParser:
    """A parser with what all benchmarks take."""
    parser = ArgumentParser(description=description)
    parser.add_argument("--out", type=Path, default=Path("bench-results"), help="directory")
    return parser


def report(out: Path, name: str, settings: Row, rows: list[Row], note: str) -> None:
    """Print the rows and write them, with the settings and the machine, to `out`/`name`.json."""
    Console().print(_table(f"{name}: {note}", rows))
    out.mkdir(parents=True, exist_ok=True)
    shown = {
        key: str(value) if isinstance(value, Path) else value for key, value in settings.items()
    }
    page = {"note": note, "settings": shown, "machine": _machine(), "rows": rows}
    (out / f"{name}.json").write_text(json.dumps(page, indent=2) + "\n", encoding="utf-8")


def _table(title: str, rows: list[Row]) -> Table:
    table = Table(title=title)
    for column in rows[0]:
        words = isinstance(rows[0][column], str)
        table.add_column(column, justify="left" if words else "right", no_wrap=words)
    for row in rows:
        table.add_row(*map(_shown, row.values()))
    return table


def _shown(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else "–" if value is None else f"{value}"


def _machine() -> Row:
    return {
        "cores": os.cpu_count(),
        "platform": platform.platform(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
    }
