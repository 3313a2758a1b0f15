"""Files and names that mean harm: little memory is taken, nothing is run, nothing escapes."""

import io
import subprocess
import sys
import tracemalloc
from dataclasses import replace
from hashlib import sha256
from threading import Thread
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZipFile

import numpy as np
import pytest

from bandstrap.datasets import DATASETS, archives, forget, load, sources
from bandstrap.datasets.catalogue import Archive, DatasetEntry, Member
from bandstrap.datasets.raw import Raw, read_npz, write_npz
from bandstrap.errors import BandstrapError, InvalidInput, OutputError
from called import failed, in_one_line

FEATURES = np.arange(12, dtype=np.int16).reshape(6, 2)
LABELS = np.array([0, 1, 2, 0, 1, 2])
RAW = Raw(FEATURES, LABELS, ("a", "b", "c"), ("one", "two"))
ROWS = [f"{c + 1},{x},{y}" for c, (x, y) in zip(LABELS, FEATURES, strict=True)]
CSV = "\n".join(["class,one,two", *ROWS]).encode()
MEMBER = Member("some/data.csv", len(CSV), sha256(CSV).hexdigest())
ARCHIVE = Archive("some-package", "1.2", "0" * 64, (MEMBER,), "class", "int16")
ENTRY = DatasetEntry(
    "small", "", RAW.checksum, FEATURES.nbytes, RAW.classes, RAW.columns, archive=ARCHIVE
)
WHEEL = "some_package-1.2-py3-none-any.whl"
ZEROS = bytes(1 << 20)
MUCH, TOO_MUCH = 64, 256  # megabytes that a few kilobytes unpack to


@pytest.fixture(autouse=True)
def _alone(tmp_path, monkeypatch):
    monkeypatch.setenv("BANDSTRAP_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "data").mkdir()
    forget()


def refused(read, *arguments):
    """What is said of a file, for which little memory may be taken."""
    tracemalloc.start()
    try:
        with pytest.raises(OutputError) as error:
            read(*arguments)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 40 << 20
    assert str(error.value).isprintable()
    return str(error.value)


def wheel(path, content=CSV, kind=ZIP_DEFLATED, times=1):
    with ZipFile(path, "w", kind) as file, file.open(MEMBER.name, "w") as member:
        for _ in range(times):
            member.write(content)
    return path


def lying(path):
    """The file, which now says in both its headers that a member has the size it should have."""
    content = bytearray(path.read_bytes())
    real = (MUCH << 20).to_bytes(4, "little")
    place = content.find(real)
    while place >= 0:
        content[place : place + 4] = MEMBER.size.to_bytes(4, "little")
        place = content.find(real, place)
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("kind", [ZIP_DEFLATED, ZIP_BZIP2])
@pytest.mark.parametrize("lies", [False, True], ids=["says so", "does not say so"])
def test_a_wheel_that_unpacks_to_much_is_refused(tmp_path, kind, lies):
    path = wheel(tmp_path / "data" / WHEEL, ZEROS, kind, MUCH)
    if lies:
        lying(path)
    assert path.stat().st_size < 1 << 20
    assert WHEEL in refused(sources.find, ENTRY)


def test_a_large_file_is_no_wheel(tmp_path):
    path = tmp_path / "data" / WHEEL
    with path.open("wb") as file:
        file.truncate(1 << 40)  # takes no room on the disk
    assert "is cut off or not the package" in refused(sources.find, ENTRY)


def test_another_table_is_refused_before_it_is_parsed(tmp_path, monkeypatch):
    wheel(tmp_path / "data" / WHEEL, CSV.replace(b"11", b"12"))
    monkeypatch.setattr(archives.pyarrow.csv, "read_csv", None)
    said = refused(sources.find, ENTRY)
    assert f"{WHEEL}: is cut off or not the package (some/data.csv is another file)" in said
    assert "delete it or put the right one there" in said


def test_the_right_wheel_is_read(tmp_path):
    wheel(tmp_path / "data" / WHEEL)
    assert sources.find(ENTRY).checksum == RAW.checksum


def bomb(path, claimed=None):
    """Features of zeros, as many as are said to be there or as are."""
    head, size = io.BytesIO(), TOO_MUCH << 20
    shape = (claimed or size // 8, 8)
    facts = {"descr": "|i1", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(head, facts)
    labels = io.BytesIO()
    np.save(labels, LABELS)
    with ZipFile(path, "w", ZIP_DEFLATED) as file:
        file.writestr("y.npy", labels.getvalue())
        with file.open("X.npy", "w") as member:
            member.write(head.getvalue())
            for _ in range(0 if claimed else TOO_MUCH):
                member.write(ZEROS)
    return path


@pytest.mark.parametrize("name", ["small", "mine"])
@pytest.mark.parametrize("claimed", [None, 1 << 40, -1], ids=["there", "said", "negative"])
def test_data_that_unpacks_to_much_is_refused(tmp_path, name, claimed):
    bomb(tmp_path / "data" / f"{name}.npz", claimed)
    entry = ENTRY if name == "small" else DatasetEntry(name, "")
    assert f"{name}.npz: is cut off or not a data set" in refused(sources.find, entry)


def test_how_much_is_too_much_is_told(tmp_path):
    path = bomb(tmp_path / "data" / "mine.npz")
    size = path.stat().st_size
    with ZipFile(path) as file:
        total = sum(member.file_size for member in file.infolist())
    said = refused(load, "mine")
    assert f"its arrays take {total:,} bytes, where {1 << 28:,} are allowed" in said
    assert "store it without compression" in said
    assert total > 100 * size


def test_what_is_not_compressed_may_be_large(tmp_path, monkeypatch):
    monkeypatch.setattr("bandstrap.datasets.raw.ANY", 100)  # bytes that any file may unpack to
    monkeypatch.setattr("bandstrap.datasets.raw.TIMES", 2)
    features = np.zeros((500, 2))
    np.savez(tmp_path / "data" / "mine.npz", X=features, y=np.arange(500) % 2)
    assert load("mine").contexts.shape == (500, 2)
    np.savez_compressed(tmp_path / "data" / "other.npz", X=features, y=np.arange(500) % 2)
    assert "store it without compression" in refused(load, "other")


@pytest.mark.parametrize(
    "arrays",
    [
        {"columns": np.array(["one"])},
        {"categories": np.array("[1, 2]")},
        {"categories": np.array('{"one": 5}')},
        {"categories": np.array('{"one": [5]}')},
        {"categories": np.array("[" * 100_000)},
        {"X": np.array([[{}]] * 6, dtype=object)},
    ],
    ids=["too few columns", "a list", "a number", "numbers", "deep", "objects"],
)
def test_what_is_no_data_set_is_refused(tmp_path, arrays):
    np.savez(tmp_path / "data" / "mine.npz", **{"X": FEATURES, "y": LABELS, **arrays})
    assert "mine.npz: is cut off or not a data set" in refused(load, "mine")


@pytest.mark.parametrize(
    "name",
    [
        "../x",
        "../../x",
        "/etc/x",
        "a/b",
        "a\\b",
        "..\\x",
        "C:x",
        "..",
        ".",
        "",
        "a\0b",
        "n" * 300,
        3,
    ],
    ids=repr,
)
def test_names_stay_in_their_folder(tmp_path, name):
    write_npz(tmp_path / "x.npz", RAW)  # where ../x would be
    (tmp_path / "data" / "a").mkdir()
    write_npz(tmp_path / "data" / "a" / "b.npz", RAW)
    with pytest.raises(InvalidInput, match=r"name = .*give the name of a data set"):
        load(name)


def test_the_command_line_refuses_such_names_too(tmp_path):
    write_npz(tmp_path / "x.npz", RAW)
    names = ["--datasets", "iris,../x", "--policies", "eg-lin,ts-lin", "--rounds", "10"]
    said = in_one_line(failed("benchmark", *names, "--out", tmp_path / "out"))
    assert "name = '../x': give the name of a data set, such as 'iris', not a path" in said
    assert not (tmp_path / "out").exists()


def test_a_folder_with_an_odd_name_is_named(monkeypatch):
    monkeypatch.setenv("BANDSTRAP_DATA", "n" * 5000)
    with pytest.raises(OutputError, match="is not a folder"):
        sources.find(ENTRY)


@pytest.fixture
def asked(monkeypatch):
    """What pip is asked, of which nothing is run."""
    calls = []

    def run(command, **options):
        if "-r" in command:
            with open(command[command.index("-r") + 1]) as file:
                calls.append((command, file.read()))
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(archives.subprocess, "run", run)
    return calls


@pytest.mark.parametrize("name", ["covtype", "mnist"])
def test_pip_is_given_the_hash(tmp_path, asked, name):
    archive = DATASETS[name].archive
    with pytest.raises(OutputError, match="was not downloaded"):
        archives.downloaded(DATASETS[name], archive)
    ((command, wanted),) = asked
    assert wanted == f"{archive.package}=={archive.version} --hash=sha256:{archive.wheel}\n"
    for option in ("--require-hashes", "--only-binary=:all:", "--no-deps"):
        assert option in command


@pytest.mark.parametrize(
    "other",
    [
        {"package": "evil"},
        {"version": "9"},
        {"package": "--index-url=x"},
        {"wheel": "1" * 64},
        {"python": "3.7 --pre"},
    ],
    ids=str,
)
def test_only_what_is_in_the_catalogue_reaches_pip(asked, other):
    entry = DATASETS["mnist"]
    with pytest.raises(BandstrapError, match="is not in the catalogue"):
        archives.downloaded(entry, replace(entry.archive, **other))
    assert not asked


def test_pip_is_not_taken_from_where_one_is(tmp_path, monkeypatch):
    (tmp_path / "pip.py").write_text("import sys; open('ran', 'w'); sys.exit(0)")
    monkeypatch.chdir(tmp_path)
    command = archives._pip()
    assert subprocess.run([*command, "--version"], capture_output=True, check=False).stdout
    assert not (tmp_path / "ran").exists()
    assert command[0] == sys.executable


def test_two_threads_may_fill_the_cache(tmp_path):
    path, failures = tmp_path / "cache" / "small.npz", []

    def fill():
        try:
            for _ in range(50):
                write_npz(path, RAW)
                assert read_npz(path).checksum == RAW.checksum
        except BaseException as error:
            failures.append(error)

    threads = [Thread(target=fill) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert [left.name for left in path.parent.iterdir()] == ["small.npz"]
