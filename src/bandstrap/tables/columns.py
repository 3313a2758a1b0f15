"""What a bandit remembers about the columns of its contexts: names, kinds, words."""

from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from bandstrap.arrays import Array
from bandstrap.errors import InvalidInput
from bandstrap.kernels.checks import first_infinite
from bandstrap.storage import schema as saved
from bandstrap.tables.contexts import (
    CATEGORY,
    FLAG,
    NUMBER,
    TEXT,
    WORDS,
    Column,
    Name,
    NamedColumns,
    array_of,
    named_columns,
)

__all__ = ["Columns", "ContextRows"]

SOURCES = ("arrays", "dicts", "pandas", "polars", "pyarrow")
DOUBLE = np.dtype(np.float64)
USUAL = {NUMBER: (float, int), FLAG: (bool,)}  # the usual types of such a value

Vocabulary = dict[str | None, int]  # words and their codes; None is a missing value


class ContextRows(NamedTuple):
    """Contexts as rows of numbers, and whether they came as a single context.

    >>> ContextRows(np.array([[31.0, 0.0]]), one=True).rows.shape
    (1, 2)
    """

    rows: Array
    one: bool


class Columns:
    """Contexts of any kind as rows of numbers, and back to a table.

    The first contexts define the columns; later ones must have the same. One row of an array, a
    dict or a pandas Series is one context; anything with two dimensions is many. Words are coded in
    the order of first appearance.

    >>> columns = Columns()
    >>> columns.read({"age": 31, "city": "Oslo"})
    ContextRows(rows=array([[31.,  0.]]), one=True)
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
        require((self.source is None) == (self.width == 0), "columns without a source")
        wordy = {name for name, kind in self.kinds.items() if kind in WORDS}
        require(self.words.keys() == wordy, "words of other columns")
        for words in self.words.values():
            require([*words.values()] == [*range(len(words))], "codes are not in order")

    def __init__(self, missing: bool = False) -> None:
        self.missing = missing
        self.source: str | None = None  # of the first contexts; None before they came
        self.width = 0
        self.kinds: dict[Name, str] = {}  # empty for arrays, whose columns have no names
        self.words: dict[Name, Vocabulary] = {}

    @property
    def names(self) -> list[Name]:
        """The names of the columns in order; empty for arrays."""
        return [*self.kinds]

    @property
    def text(self) -> list[Name]:
        """The names of columns whose numbers are codes of words."""
        return [*self.words]

    def rows(self, contexts: Any) -> Array:
        """One context or many as an array (n, columns)."""
        return self.read(contexts).rows

    def read(self, contexts: Any) -> ContextRows:
        """One context or many as an array (n, columns) of their own, and which of the two it was.

        If any of them is wrong, nothing is remembered.
        """
        row = self._quick(contexts) if self.width else None
        if row is not None and first_infinite(row) < 0:
            return ContextRows(row, True)
        named = named_columns(contexts)
        return self._read_array(array_of(contexts)) if named is None else self._read_named(named)

    def mark(self) -> dict[Name, int]:
        """The number of words in each column, for `back_to`."""
        if not self.words:
            return {}
        return {name: len(words) for name, words in self.words.items()}

    def back_to(self, mark: dict[Name, int]) -> None:
        """Forget the words that came after the mark."""
        for name, known in mark.items():
            words = self.words[name]
            for word in [*words][known:]:  # in the order of first appearance
                del words[word]

    def frame(self, rows: Array) -> Any:
        """Rows as a polars frame if the first contexts came as one, else as a pandas frame.

        If only one of the two is installed, it is that one: scikit-learn reads both. Numbers come
        back as doubles, text and categories as such. Without names the rows are returned as is.
        """
        if not self.kinds:
            return rows
        check_width(rows.shape[1], self.width)
        table = pa.Table.from_arrays(
            [pa.array(self._values(name, rows[:, j])) for j, name in enumerate(self.kinds)],
            [*map(str, self.kinds)],
        )
        wanted, other = ("polars", "pandas") if self.source == "polars" else ("pandas", "polars")
        library = next(filter(_installed, (wanted, other)), None)
        if library is None:
            raise InvalidInput("frame", wanted, f"is not installed: pip install {wanted}")
        if library == "polars":
            return import_module("polars").from_arrow(table)
        frame = table.to_pandas(use_threads=False)  # for few rows threads cost more than they save
        frame.columns = [*self.kinds]
        return frame

    def record(self, row: Array) -> dict[Name, Any]:
        """A row as the dict that it might have come as.

        >>> columns = Columns()
        >>> columns.record(columns.rows({"age": 31, "member": True, "city": "Oslo"})[0])
        {'age': 31.0, 'member': True, 'city': 'Oslo'}
        """
        record = dict(zip(self.kinds, row.tolist(), strict=True))
        for name, kind in self.kinds.items():
            if kind == FLAG and record[name] == record[name]:
                record[name] = bool(record[name])
        for name, words in self.words.items():
            record[name] = [*words][int(record[name])]  # codes are in the order of the words
        return record

    def _quick(self, context: Any) -> Array | None:
        """One context of exactly the usual form; None if it needs a closer look."""
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

    def _read_array(self, array: Array) -> ContextRows:
        if self.kinds:
            raise InvalidInput("contexts", "without names", f"give {self.names}, as at first")
        one, width = array.ndim == 1, array.shape[-1]
        check_width(width, self.width)
        rows = array.reshape(-1, width)
        check_finite(rows, one, [], self.missing)
        self.source, self.width = self.source or "arrays", width
        return ContextRows(rows, one)

    def _read_named(self, named: NamedColumns) -> ContextRows:
        """Everything is checked before anything is remembered."""
        kinds = self.kinds or self._first_kinds(named)
        check_names([*named.columns], [*kinds])
        numbers, new = [], {}
        for name, kind in kinds.items():
            values = as_kind(name, named.columns[name], kind).values
            if kind in WORDS:
                values, new[name] = codes_of(values, self.words.get(name, {}), self.missing)
            numbers.append(np.asarray(values, dtype=DOUBLE))
        rows = np.stack(numbers, axis=1)
        check_finite(rows, named.one, [*kinds], self.missing)
        self.source, self.width, self.kinds = self.source or named.source, len(kinds), kinds
        for name, words in new.items():
            self.words.setdefault(name, {}).update(words)
        return ContextRows(rows, named.one)

    def _first_kinds(self, named: NamedColumns) -> dict[Name, str]:
        if self.source is not None:
            raise InvalidInput("columns", [*named.columns], "give arrays, as at first")
        check_width(len(named.columns), 0)
        return {name: first_kind(name, column) for name, column in named.columns.items()}

    def _values(self, name: Name, numbers: Array) -> Any:
        """A column of rows as the values that it came from."""
        kind = self.kinds[name]
        if kind in WORDS:
            return words_of(numbers, self.words[name], kind == CATEGORY)
        if kind == FLAG and not self.missing:  # a bool cannot be missing, a number can
            return numbers != 0
        return numbers.astype(DOUBLE)


@cache
def _installed(library: str) -> bool:
    try:
        import_module(library)
    except ImportError:
        return False
    return True


def codes_of(
    values: list[str | None], known: Vocabulary, missing: bool
) -> tuple[Array, Vocabulary]:
    """The codes of words, and the new words among them.

    A missing value has a code if `missing` values are allowed, else it is NaN.

    >>> codes_of(["b", "c", "b"], {"a": 0, "b": 1}, missing=False)
    (array([1., 2., 1.]), {'c': 2})
    """
    codes, new = np.empty(len(values)), Vocabulary()
    for i, word in enumerate(values):
        if word is None and not missing:
            codes[i] = np.nan
        elif word in known:
            codes[i] = known[word]
        else:
            codes[i] = new.setdefault(word, len(known) + len(new))
    return codes, new


def words_of(codes: Array, words: Vocabulary, category: bool) -> Any:
    """The words of codes, as an Arrow column; the code of None is a missing value.

    >>> words_of(np.array([1.0, 0.0]), {"a": 0, "b": 1}, category=False).to_pylist()
    ['b', 'a']
    """
    if not np.isin(codes, np.arange(len(words))).all():
        raise InvalidInput("codes", codes, f"give codes of the {len(words)} words met so far")
    indices = codes.astype(np.int32)
    missing = words.get(None, len(words))
    column = pa.DictionaryArray.from_arrays(
        pa.array(indices - (indices > missing), mask=indices == missing),
        pa.array([word for word in words if word is not None], type=pa.string()),
    )
    return column if category else column.dictionary_decode()


def check_names(names: list[Name], expected: list[Name]) -> None:
    """The same names, in any order."""
    if names == expected:
        return
    have, want = set(names), set(expected)
    missing = [name for name in expected if name not in have]
    unknown = [name for name in names if name not in want]
    if missing and unknown:
        raise InvalidInput("column", missing[0], f"is missing; {unknown[0]!r} is not known")
    if missing:
        remedy = "is missing; give every column of the first contexts"
        raise InvalidInput("column", missing[0], remedy)
    if unknown:
        raise InvalidInput("column", unknown[0], "was not in the first contexts; leave it out")


def check_width(width: int, expected: int) -> None:
    """As many numbers as in the first contexts; 0 if these are the first."""
    if width == 0:
        raise InvalidInput("contexts", "no columns", "give at least one number per context")
    if expected not in (0, width):
        raise InvalidInput("contexts", f"{width} wide", f"give {expected} numbers, as at first")


def check_finite(rows: Array, one: bool, names: list[Name], missing: bool) -> None:
    """Numbers are finite, or NaN where values may be missing."""
    if rows.dtype.kind != "f":
        return
    bad = np.isinf(rows) if missing else ~np.isfinite(rows)
    if not bad.any():
        return
    i, j = np.argwhere(bad)[0].tolist()
    column = f"column {names[j]!r}" if names else f"position {j}"
    where = f"context, {column}" if one else f"contexts, row {i}, {column}"
    if np.isinf(rows[i, j]):
        raise InvalidInput(where, float(rows[i, j]), "give a finite number")
    remedy = "fill it in; a Bandit takes no missing values, Columns(missing=True) does"
    raise InvalidInput(where, "missing", remedy)


def first_kind(name: Name, column: Column) -> str:
    """The kind of a column in the first contexts."""
    if column.kind is None:
        remedy = "give a value at first, to tell numbers from text"
        raise InvalidInput(f"column {name!r}", "missing", remedy)
    return column.kind


def as_kind(name: Name, column: Column, kind: str) -> Column:
    """The column, if it can be read as this kind."""
    if column.kind is None:
        return Column(kind, column.values)
    if (kind in WORDS) != (column.kind in WORDS):
        values = [value for value in column.values if value is not None and value == value]
        wanted = "text" if kind in WORDS else "numbers"
        value = values[0] if values else column.kind
        raise InvalidInput(f"column {name!r}", value, f"give {wanted}, as in the first contexts")
    if kind == FLAG and column.kind == NUMBER:
        numbers = column.values
        odd = numbers[~(np.isnan(numbers) | (numbers == 0) | (numbers == 1))]
        if odd.size:
            raise InvalidInput(f"column {name!r}", float(odd[0]), "give true or false, as at first")
    return column
