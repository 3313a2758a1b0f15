"""Words as numbers: codes in the order in which words are met."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from bandstrap.arrays import Array
from bandstrap.errors import InvalidInput

Words = dict[str | None, int]  # None is the word for a missing value


def codes_of(
    values: list[str | None], known: Words, missing: bool
) -> tuple[Array, dict[str | None, int]]:
    """The codes of words, and the words among them that are new.

    A missing value has a code if there may be any, else NaN.

    >>> codes_of(["b", "c", "b"], {"a": 0, "b": 1}, missing=False)
    (array([1., 2., 1.]), {'c': 2})
    """
    codes, fresh = np.empty(len(values)), Words()
    for i, word in enumerate(values):
        if word is None and not missing:
            codes[i] = np.nan
        elif word in known:
            codes[i] = known[word]
        else:
            codes[i] = fresh.setdefault(word, len(known) + len(fresh))
    return codes, fresh


def words_of(codes: Array, words: Mapping[str | None, int], category: bool) -> Any:
    """The words again, as a column of Arrow; the code of None is a missing value.

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
