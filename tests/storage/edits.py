"""Changes of one attribute in a saved bandit's file, for tests of what is refused."""

import numpy as np
import pytest

from bandstrap import Bandit, OutputError
from hostile import array_at, find, new_array, put_array, read, write


def put(value):
    """A value in its place."""
    return lambda raw, slot: slot.put(value)


def entry(place, value):
    """A number in its array."""

    def change(raw, slot):
        array_at(raw, slot)[place] = value

    return change


def filled(values):
    """Other numbers in all of its array."""
    return entry(slice(None), values)


def resized(more):
    """Its array longer or shorter, along the first axis."""

    def change(raw, slot):
        array = array_at(raw, slot)
        rows = np.resize(array, (len(array) + more, *array.shape[1:]))
        put_array(raw, slot.value[1], rows)

    return change


def another(*shape):
    """An array of zeros in place of one that others may hold, too."""
    return lambda raw, slot: slot.put(new_array(raw, np.zeros(shape)))


def item(place, value):
    """Another item of its list or tuple."""

    def change(raw, slot):
        slot.value[1][place] = value

    return change


def fewer(raw, slot):
    """One item less of its list."""
    slot.value[1].pop()


def ids(change):
    """A name for a change: of which policy, class and attribute."""
    policy, owner, attribute, _ = change
    return f"{policy}: {owner}.{attribute}"


def refused(raw, tmp_path, match="damaged", trusted=()):
    """The file is not loaded."""
    write(raw, tmp_path / "b")
    with pytest.raises(OutputError, match=match):
        Bandit.load(tmp_path / "b", trusted=trusted)


def check_refused(change, honest, tmp_path):
    """A change of one attribute in an honest file is refused."""
    name, owner, attribute, how = change
    raw = read(honest / name)
    how(raw, find(raw, owner, attribute)[0])
    refused(raw, tmp_path)
