"""Changes of one attribute in a saved bandit's file, for tests of what is refused."""

import numpy as np

from hostile import array_at, new_array, put_array


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
