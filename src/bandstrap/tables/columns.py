"""What a bandit remembers of its contexts' columns: names, kinds, words."""

from typing import Any, NamedTuple

import numpy as np

from bandstrap.arrays import Array
from bandstrap.errors import InvalidInput
from bandstrap.kernels.checks import first_infinite
from bandstrap.storage import schema as saved
from bandstrap.tables.checks import as_kind, check_finite, check_known, check_names, check_width
from bandstrap.tables.column_frames import frame_of
from bandstrap.tables.contexts import Table, array_of, table_of
from bandstrap.tables.values import CATEGORY, FLAG, NUMBER, TEXT, WORDS, Name
from bandstrap.tables.words import Words, codes_of, words_of

__all__ = ["Columns", "Given"]

SOURCES = ("arrays", "dicts", "pandas", "polars", "pyarrow")
DOUBLE = np.dtype(np.float64)
USUAL = {NUMBER: (float, int), FLAG: (bool,)}  # what such a value mostly is


class Given(NamedTuple):
    """Contexts as rows of numbers, and whether they came as a single context."""

    rows: Array
    one: bool


class Columns:
    """Contexts of any kind as rows of numbers, and back to a table.

    The first contexts say which columns there are; later ones must have the same. One row of an
    array, a dict or a pandas Series is one context; whatever has two dimensions is many. Words get
    codes in the order in which they are met.

    >>> columns = Columns()
    >>> columns.read({"age": 31, "city": "Oslo"})
    Given(rows=array([[31.,  0.]]), one=True)
    >>> columns.rows([{"city": "Rome", "age": 5}, {"city": "Oslo", "age": 7}])
    array([[5., 1.],
           [7., 0.]])
    """

    schema = saved.Schema(
        missing=saved.Flag(),
        source=saved.Choice(None, *SOURCES),
        width=saved.Whole(),
        kinds=saved.DictOf(saved.Name(), saved.Choice(NUMBER, FLAG, TEXT, CATEGORY)),
        words=saved.DictOf(saved.Name(), saved.DictOf(saved.Maybe(saved.Text()), saved.Whole())),
    )

    def verify_saved(self) -> None:
        require = saved.require
        require(not self.kinds or len(self.kinds) == self.width, "names and columns differ")
        require((self.source is None) == (self.width == 0), "columns came from nothing")
        wordy = {name for name, kind in self.kinds.items() if kind in WORDS}
        require(self.words.keys() == wordy, "words are of other columns")
        for words in self.words.values():
            require([*words.values()] == [*range(len(words))], "codes are not in order")

    def __init__(self, missing: bool = False) -> None:
        self.missing = missing
        self.source: str | None = None  # what the first contexts came as; None before they came
        self.width = 0
        self.kinds: dict[Name, str] = {}  # empty for arrays, whose columns have no names
        self.words: dict[Name, Words] = {}

    @property
    def names(self) -> list[Name]:
        """The names of the columns in order; none for arrays."""
        return [*self.kinds]

    @property
    def text(self) -> list[Name]:
        """The names of columns whose numbers are only codes of words."""
        return [*self.words]

    def rows(self, contexts: Any) -> Array:
        """One context or many as an array (n, columns)."""
        return self.read(contexts).rows

    def read(self, contexts: Any) -> Given:
        """One context or many as an array (n, columns) of their own, and which of the two it was.

        If anything is wrong with any of them nothing is remembered of any.
        """
        row = self._quick(contexts) if self.width else None
        if row is not None and first_infinite(row) < 0:
            return Given(row, True)
        table = table_of(contexts)
        return self._read_array(array_of(contexts)) if table is None else self._read_table(table)

    def mark(self) -> dict[Name, int]:
        """How many words are known of each column, to go back to."""
        return {name: len(words) for name, words in self.words.items()}

    def back_to(self, mark: dict[Name, int]) -> None:
        """Forget the words that were met since."""
        for name, known in mark.items():
            words = self.words[name]
            for word in [*words][known:]:  # they are in the order in which they were met
                del words[word]

    def frame(self, rows: Array) -> Any:
        """Rows as a polars frame if the first contexts came as one, else as a pandas frame.

        The other of the two does where only one is installed: scikit-learn reads both.

        Numbers come back as doubles, text and categories as such. Where columns have no names
        the rows themselves are returned.
        """
        if not self.kinds:
            return rows
        check_width(rows.shape[1], self.width)
        assert self.source is not None
        made = {name: self._made(name, rows[:, j]) for j, name in enumerate(self.kinds)}
        return frame_of(self.source, made)

    def record(self, row: Array) -> dict[Name, Any]:
        """A row as one context: the dict that it might have come as.

        >>> columns = Columns()
        >>> columns.record(columns.rows({"age": 31, "member": True, "city": "Oslo"})[0])
        {'age': 31.0, 'member': True, 'city': 'Oslo'}
        """
        made = dict(zip(self.kinds, row.tolist(), strict=True))
        for name, kind in self.kinds.items():
            if kind == FLAG and made[name] == made[name]:
                made[name] = bool(made[name])
        for name, words in self.words.items():
            made[name] = [*words][int(made[name])]  # codes are in the order of the words
        return made

    def _quick(self, context: Any) -> Array | None:
        """One context that is as expected in every way; None if it has to be looked at."""
        if type(context) is dict:
            return self._quick_dict(context) if len(context) == len(self.kinds) else None
        if type(context) is not np.ndarray or self.kinds:
            return None
        usual = context.dtype == DOUBLE and context.shape == (self.width,)
        return context.reshape(1, -1).copy() if usual else None

    def _quick_dict(self, context: dict[Name, Any]) -> Array | None:
        row = []
        for name, kind in self.kinds.items():
            value = context.get(name)
            if kind in WORDS:
                value = self.words[name].get(value) if type(value) is str else None
                if value is None:
                    return None
            elif type(value) not in USUAL[kind]:
                return None
            row.append(value)
        try:
            return np.array([row], dtype=DOUBLE)
        except OverflowError:
            return None

    def _read_array(self, array: Array) -> Given:
        if self.kinds:
            raise InvalidInput("contexts", "without names", f"give {self.names}, as at first")
        one, width = array.ndim == 1, array.shape[-1]
        check_width(width, self.width)
        rows = array.reshape(-1, width)
        check_finite(rows, one, [], self.missing)
        self.source, self.width = self.source or "arrays", width
        return Given(rows, one)

    def _read_table(self, table: Table) -> Given:
        """Everything is looked at before anything is remembered."""
        kinds = self.kinds or self._first_kinds(table)
        check_names([*table.columns], [*kinds])
        numbers, fresh = [], {}
        for name, kind in kinds.items():
            values = as_kind(name, table.columns[name], kind).values
            if kind in WORDS:
                values, fresh[name] = codes_of(values, self.words.get(name, {}), self.missing)
            numbers.append(np.asarray(values, dtype=DOUBLE))
        rows = np.stack(numbers, axis=1)
        check_finite(rows, table.one, [*kinds], self.missing)
        self.source, self.width, self.kinds = self.source or table.source, len(kinds), kinds
        for name, words in fresh.items():
            self.words.setdefault(name, {}).update(words)
        return Given(rows, table.one)

    def _first_kinds(self, table: Table) -> dict[Name, str]:
        if self.source is not None:
            raise InvalidInput("columns", [*table.columns], "give arrays, as at first")
        check_width(len(table.columns), 0)
        return {name: check_known(name, column) for name, column in table.columns.items()}

    def _made(self, name: Name, numbers: Array) -> Any:
        kind = self.kinds[name]
        if kind in WORDS:
            return words_of(numbers, self.words[name], kind == CATEGORY)
        if kind == FLAG and not self.missing:  # a truth value cannot be missing, a number can
            return numbers != 0
        return numbers.astype(DOUBLE)
