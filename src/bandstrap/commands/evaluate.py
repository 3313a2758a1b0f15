"""`bandstrap evaluate`: what other policies would have earned on a log."""

import signal
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from rich.console import Group, JustifyMethod, RenderableType
from rich.table import Table
from rich.text import Text

from bandstrap.commands.calling import command_line
from bandstrap.commands.terminal import line, name
from bandstrap.errors import InvalidInput, UnknownName
from bandstrap.evaluation.answer import answer, ends, number, warnings_of
from bandstrap.evaluation.diagnostics.finding import CANNOT, CARE, TRUST
from bandstrap.evaluation.diagnostics.rules import Severity
from bandstrap.evaluation.evaluation import run
from bandstrap.evaluation.feedback import Feedback
from bandstrap.evaluation.judging import Settings
from bandstrap.evaluation.result import Evaluated, Evaluation
from bandstrap.evaluation.targets.reading import ANSWERS, TargetSet, read_targets, rule_of_option
from bandstrap.report import Run
from bandstrap.report.evaluation import evaluation_report
from bandstrap.report.page import page as report_page
from bandstrap.report.report import Report
from bandstrap.simulation.progress import Bar
from bandstrap.simulation.store.folder import locked
from bandstrap.storage.files import json_text, replacing

COLOURS = {TRUST: "green", CARE: "yellow", CANNOT: "red"}
ESTIMATES, REPORT, RESULT = "estimates.parquet", "report.html", "evaluation.json"


@dataclass(frozen=True)
class Shown:
    """The result, and the folder of its files."""

    found: Evaluation
    out: Path

    def as_dict(self) -> dict[str, Any]:
        paths = {each.split(".")[0]: self.out / each for each in (REPORT, ESTIMATES, RESULT)}
        return {**self.found.as_dict(), "paths": paths}

    def __rich__(self) -> RenderableType:
        found = self.found
        parts: list[RenderableType] = [line(f"What {found.title} is like", "bold")]
        parts += [line(f"  {each}") for each in found.notes]
        fine = [each for each in found.findings if each.severity is Severity.FINE]
        parts += [line(f"  {each}") for each in fine]
        odd = warnings_of(found)
        if odd:
            parts.append(line("Before the numbers", "bold yellow"))
            parts += [line(f"  {each}", "yellow") for each in odd]
        parts += [estimates_table(found), line(answer(found), "bold")]
        return Group(*parts, line(f"report: {self.out / REPORT}"))


@dataclass(frozen=True)
class Wanted:
    """What the command line asks to evaluate."""

    policies: Sequence[str] = ()
    rules: Sequence[str] = ()
    bandits: Sequence[Path] = ()
    answers: Sequence[str] = ()
    draws: int | None = None

    def targets(self) -> TargetSet | None:
        """The targets, all of which exist; None if there are none."""
        rules = [rule_of_option(each) for each in self.rules]
        answers = [_answer(each) for each in self.answers] or ["learnt"]
        things = [*rules, *self.bandits, *self.policies]
        if self.answers and not self.policies:
            raise InvalidInput("--answer", self.answers[0], "name a policy too, as in --policy wb")
        return read_targets(things, answers, self.draws) if things else None


def _answer(text: str) -> str:
    """An answer, which may be written with dashes."""
    said = text.replace("-", " ")
    if said not in ANSWERS:
        raise UnknownName("answer", text, [each.replace(" ", "-") for each in ANSWERS])
    return said


def evaluate(
    feedback: Feedback, what: TargetSet | None, settings: Settings, title: str, out: Path
) -> Shown:
    """Evaluate, and write the estimates and the report: all of them, or none."""
    started = time.perf_counter()
    with locked(out):
        with Bar("evaluate") as bar:
            found = run(feedback, what, settings, title, bar)
        how = Run.here(command_line(), settings.seed, time.perf_counter() - started)
        write(found, evaluation_report(found, how), out)
    return Shown(found, out)


def write(found: Evaluation, report: Report, out: Path) -> None:
    """All files, which belong together: their names change when all of them are written."""
    with ExitStack() as parts:
        estimates, result, page = (
            parts.enter_context(replacing(out / name, "choose another --out"))
            for name in (ESTIMATES, RESULT, REPORT)
        )
        pq.write_table(pa.Table.from_pylist(found.rows()), estimates)
        result.write(json_text(found.as_dict()).encode())
        page.write(report_page(report).encode())
        with uninterrupted():
            parts.close()


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Put Ctrl-C off until the block ends."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pressed: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: pressed.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if pressed:
            signal.raise_signal(signal.SIGINT)


def estimates_table(found: Evaluation) -> Table:
    """What the logger earned, and what targets would have."""
    title = f"Reward per decision, {found.decisions - found.first:,} decisions"
    table = Table(title=title)
    heads = ("target", "reward", f"{found.level:.0%} interval", "more than the logger", "verdict")
    for column in heads:
        side: JustifyMethod = "left" if column in ("target", "verdict") else "right"
        table.add_column(column, justify=side, overflow="fold")
    logger = found.logger
    width = logger.interval.high - logger.interval.low
    table.add_row("the logger", number(logger.value, width), ends(logger.interval))
    for each in found.targets:
        table.add_row(name(each.label), *_cells(each))
    return table


def _cells(it: Evaluated) -> tuple[str | Text, ...]:
    width = it.interval.high - it.interval.low
    gain = ""
    if it.gain is not None:
        gap = it.gain.difference
        shown = number(gap.value, gap.interval.high - gap.interval.low, sign=True)
        gain = f"{shown} ({ends(gap.interval, sign=True)})"
    verdict = Text(it.verdict.word, COLOURS[it.verdict.word])
    return number(it.value, width), ends(it.interval), gain, verdict


def roles(pairs: Sequence[str]) -> dict[str, Any]:
    """Which column holds what, from words such as arm=variant; contexts may be several.

    >>> roles(["arm=variant", "context=age", "context=city"])
    {'arm': 'variant', 'context': ['age', 'city']}
    """
    known = ("arm", "reward", "propensity", "weight", "allowed", "time", "id", "count", "context")
    found: dict[str, Any] = {}
    for pair in pairs:
        role, equals, column = pair.partition("=")
        if not equals:
            raise InvalidInput("--column", pair, "write role=column, as in arm=variant")
        if role not in known:
            raise UnknownName("role", role, known)
        if role == "context":
            found.setdefault(role, []).append(column)
        elif role in found:
            raise InvalidInput("--column", pair, f"{role} is {found[role]!r} already: name one")
        else:
            found[role] = column
    return found
