"""What a benchmark plays: data sets by name, and the tables in a folder."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from bandstrap.comparison.rewards import Label
from bandstrap.comparison.table import prepare_sample
from bandstrap.datasets import DATASETS, available
from bandstrap.environments import Environment, Labelled
from bandstrap.errors import BandstrapError, OutputError, UnknownName
from bandstrap.printable import called
from bandstrap.tables.source import SUFFIXES, read, title_of


@dataclass(frozen=True)
class Task:
    """An environment, its name in results, and a few words about it."""

    name: str
    environment: Environment
    description: str


def named_tasks(names: tuple[str, ...] = ()) -> list[Task]:
    """Data sets by name, each once; by default all that can be read without a network."""
    for name in names:
        if name not in DATASETS:
            raise UnknownName("data set", name, DATASETS)
    wanted = dict.fromkeys(names) or available()
    return [Task(name, Labelled(name), DATASETS[name].title) for name in wanted]


def folder_tasks(
    folder: Path, label: str | None, seed: int, taken: Iterable[str] = ()
) -> tuple[list[Task], list[str]]:
    """The tables in a folder, and a sentence on each that cannot be played.

    The classes are in the column `label` if a table has it, else in the last. A task has the name
    of its file, with the suffix only if the name is `taken` without it.
    """
    if not folder.is_dir():
        raise OutputError(folder, "is not a folder", "give --folder one that holds tables")
    tasks, skipped, names = [], [], set(taken)
    for path in sorted(folder.iterdir()):
        if path.name.lower().endswith(SUFFIXES):
            try:
                name = path.name if title_of(path) in names else title_of(path)
                tasks.append(_task(path, name, label, seed))
                names.add(name)
            except BandstrapError as error:
                skipped.append(f"{called(path.name)}: skipped, {error}")
    return tasks, skipped


def _task(path: Path, name: str, label: str | None, seed: int) -> Task:
    sample = read(path, seed)
    names = sample.table.column_names
    column = label if label is not None and label in names else str(names[-1])
    prepared = prepare_sample(sample, name, Label(column))
    description = f"{called(path.name)}, classes in column {called(column)!r}"
    return Task(name, prepared.environment, description)
