"""Recognises the format of a log, by its content."""

from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from bandstrap.datasets.own import path_of
from bandstrap.errors import BandstrapError, InvalidInput, OutputError
from bandstrap.evaluation.feedback import Feedback
from bandstrap.evaluation.logs.columns import NONE, LogColumns
from bandstrap.evaluation.logs.formats.dsjson import is_dsjson, read_dsjson
from bandstrap.evaluation.logs.formats.json_lines import read_json_lines
from bandstrap.evaluation.logs.formats.obp import is_obp, read_obp
from bandstrap.evaluation.logs.formats.open_bandit import read_npz_log
from bandstrap.evaluation.logs.formats.own import read_own
from bandstrap.evaluation.logs.formats.tables import read_table
from bandstrap.evaluation.logs.gathering import EMPTY, Options
from bandstrap.evaluation.logs.lines import BadLine, Record, opened, parsed

HEAD = 1 << 10  # bytes to recognise a format by
LOOKED_AT = 100  # lines
SQLITE, NPZ = b"SQLite format 3\0", b"PK\3\4"
BLANK = b" \t\r\n\xef\xbb\xbf"
EVENTS = {"start", "decision", "reward", "expiry", "drop", "save", "rank"}

Reader = Callable[[Path, LogColumns, Options], Feedback]


def read(source: Any, told: LogColumns, options: Options) -> Feedback:
    """A log of any format that is known; one that was read already is returned as it is."""
    if options.reading.distinct:
        remedy = "rows of a log are decisions, and equal ones are no copies: leave it out"
        raise InvalidInput("--distinct", True, remedy)
    if isinstance(source, Feedback):
        return source
    if isinstance(source, str | Path):
        return _read_named(str(source), told, options)
    if isinstance(source, Mapping):
        if not is_obp(source):
            remedy = "give obp's feedback, with at least action and reward, or a table"
            raise InvalidInput("log", sorted(map(str, source)), remedy)
        _check_untold(told, "obp's feedback")
        return read_obp(source, told, options)
    if all(callable(getattr(source, name, None)) for name in ("append", "read")):
        _check_untold(told, "a log of ours")
        return read_own(source, told, options)
    return read_table(source, told, options)


def _read_named(name: str, told: LogColumns, options: Options) -> Feedback:
    """A file, or a log in one of the data sets, as open_bandit_small:random/all."""
    path = Path(name)
    if _exists(path):
        return _read_file(path, None, told, options)
    stem, mark, log = name.rpartition(":")
    for place, part in ((stem, log), (name, None)) if mark else ((name, None),):
        found = Path(place) if _exists(Path(place)) else _in_data(place)
        if found is not None:
            return _read_file(found, part, told, options)
    return _read_file(path, None, told, options)  # which says that there is none


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _in_data(name: str) -> Path | None:
    try:
        return path_of(name)
    except (BandstrapError, OSError, ValueError):
        return None


def _read_file(path: Path, log: str | None, told: LogColumns, options: Options) -> Feedback:
    with opened(path) as file:
        head = file.read(HEAD)
    if head.startswith(NPZ):
        return read_npz_log(path, log, told, options)
    if log is not None:
        raise OutputError(path, f"has no logs inside of it, so none is {log!r}", "leave that out")
    if head.startswith(SQLITE):
        _check_untold(told, "a store of ours")
        from bandstrap.bandit.log.store import DecisionStore

        return read_own(DecisionStore(path), told, options)
    return _text_reader(path, head, told)(path, told, options)


def _text_reader(path: Path, head: bytes, told: LogColumns) -> Reader:
    begin = head.lstrip(BLANK)[:1]
    if not begin and len(head) < HEAD:
        raise OutputError(path, "is empty", EMPTY)
    if begin == b"[":
        problem = "is one list of JSON"
        raise OutputError(path, problem, "write an object for each decision, one in a line")
    if begin != b"{":
        return read_table
    records = _first_records(path)
    if any(_is_own(record) for record in records):
        _check_untold(told, "a log of ours")
        return read_own
    if any(is_dsjson(record) for record in records):
        _check_untold(told, "dsjson")
        return read_dsjson
    return read_json_lines


def _is_own(record: Record) -> bool:
    event = record.get("event")
    return type(event) is str and event in EVENTS and ("bandit" in record or "number" in record)


def _first_records(path: Path) -> list[Record]:
    found = []
    with opened(path) as file:
        for line in islice(file, LOOKED_AT):
            try:
                record = parsed(line)
            except BadLine:
                continue
            if record is not None:
                found.append(record)
    return found


def _check_untold(told: LogColumns, what: str) -> None:
    """Only tables have columns to be named; but any log may go without propensities."""
    given = {name: value for name, value in told.given.items() if value != NONE}
    for name, value in given.items():
        raise InvalidInput(name, value, f"{what} has its own names: only of tables name columns")
