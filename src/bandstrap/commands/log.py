"""`bandstrap log`: the decisions of a log, or of a store, as a table."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType

from bandstrap.bandit.log.file import LogFile
from bandstrap.bandit.log.table import write_parquet
from bandstrap.commands.terminal import line
from bandstrap.storage.files import reading

SQLITE = b"SQLite format 3\0"


@dataclass(frozen=True)
class Converted:
    """A log that was converted."""

    log: Path
    table: Path
    decisions: int

    def as_dict(self) -> dict[str, object]:
        return {"log": self.log, "table": self.table, "decisions": self.decisions}

    def __rich__(self) -> RenderableType:
        return Group(line(f"{self.decisions} decisions written to {self.table}"))


def convert(log: Path, table: Path) -> Converted:
    """Write the decisions of a log to a Parquet file."""
    return Converted(log, table, write_parquet(_opened(log), table))


def _opened(path: Path) -> Any:
    with reading(path) as file:
        is_store = file.read(len(SQLITE)) == SQLITE
    if not is_store:
        return LogFile(path)
    from bandstrap.bandit.log.store import DecisionStore

    return DecisionStore(path)
