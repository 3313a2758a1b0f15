"""Arrays from an .npz: those that were put in, or a reason why not."""

import io
import tracemalloc
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_LZMA, ZIP_STORED, ZipFile

import numpy as np
import pytest

from bandstrap.storage.npz import NoArrays, TooLarge, read_arrays

ARRAYS = {
    "numbers": np.arange(300_000.0).reshape(300, 1000),
    "by columns": np.asfortranarray(np.arange(12).reshape(3, 4)),
    "deep": np.arange(24, dtype=np.uint8).reshape(2, 3, 4).T,
    "one": np.array(3.5),
    "none": np.zeros((0, 5), np.float32),
    "text": np.array(["a", "", "Åse"]),
    "sentence": np.array("one text"),
    "no letters": np.array(["", ""]),
    "flags": np.array([True, False]),
    "big-endian": np.arange(3, dtype=">i4"),
    "records": np.array([(1, 2.0)], dtype=[("place", "i4"), ("value", "f8")]),
}


def file_of(arrays, save=np.savez_compressed):
    file = io.BytesIO()
    save(file, **arrays)
    return file


def member(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def claiming(length):
    """An array that says it has so many numbers."""
    file = io.BytesIO()
    facts = {"descr": "<f8", "fortran_order": False, "shape": (length,)}
    np.lib.format.write_array_header_1_0(file, facts)
    return file.getvalue()


def zipped(members, kind=ZIP_DEFLATED):
    file = io.BytesIO()
    with ZipFile(file, "w", kind) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return file


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_arrays_come_back(save):
    found = read_arrays(file_of(ARRAYS, save), 10**7)
    assert [*found] == [*ARRAYS]
    for name, array in ARRAYS.items():
        assert found[name].dtype == array.dtype
        assert found[name].shape == array.shape
        assert found[name].flags.f_contiguous == array.flags.f_contiguous
        assert found[name].flags.writeable
        np.testing.assert_array_equal(found[name], array)


def test_they_may_take_so_much_and_no_more():
    file = file_of({"x": np.zeros(1000)})
    assert read_arrays(file, 8128)["x"].size == 1000
    with pytest.raises(TooLarge, match="8,128 bytes, where 8,127 are allowed"):
        read_arrays(file, 8127)


@pytest.mark.parametrize("kind", [ZIP_BZIP2, ZIP_LZMA])
def test_packings_that_unpack_without_a_limit_are_refused(kind):
    with pytest.raises(NoArrays, match="something other than arrays"):
        read_arrays(zipped([("x.npy", member(np.ones(3)))], kind), 1000)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_what_is_no_set_of_arrays_is_refused():
    good = member(np.ones(30))
    cases = {
        "same name": [("x.npy", good), ("x.npy", good)],
        "other than arrays": [("x.npy", good), ("readme.txt", b"")],
        "cut off": [("x.npy", good[:-1])],
        "after its end": [("x.npy", good + b"x")],
        "other than numbers or text": [("x.npy", claiming(-3))],
        "is cut off": [("x.npy", claiming(1 << 40))],
        "magic": [("x.npy", b"no array at all")],
        "9, 9": [("x.npy", good.replace(b"NUMPY\x01\x00", b"NUMPY\x09\x09"))],
        "EOF": [("x.npy", good[:9])],
    }
    for reason, members in cases.items():
        with pytest.raises(NoArrays, match=reason):
            read_arrays(zipped(members), 10**6)
    objects = io.BytesIO()
    np.save(objects, np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(NoArrays, match="other than numbers or text"):
        read_arrays(zipped([("x.npy", objects.getvalue())]), 10**6)
    for content in (b"", b"no zip", file_of(ARRAYS).getvalue()[:-40]):
        with pytest.raises(NoArrays):
            read_arrays(io.BytesIO(content), 10**7)


@pytest.mark.parametrize("kind", [ZIP_STORED, ZIP_DEFLATED])
def test_a_member_that_lies_about_its_size_takes_no_more(kind):
    """It says 1,000 bytes and has 32 million, in both places where a zip says it."""
    size = 32_000_000
    content = member(np.zeros(109)) + bytes(size - 1000)
    file = zipped([("x.npy", content)], kind)
    said = file.getvalue().replace(size.to_bytes(4, "little"), (1000).to_bytes(4, "little"))
    tracemalloc.start()
    with pytest.raises(NoArrays):
        read_arrays(io.BytesIO(said), 2000)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 10 << 20
