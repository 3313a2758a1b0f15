"""The wheel holds the library with its types and data, and nothing else."""

import re
import zipfile

import pytest

from bandstrap.version import __version__
from pages import ROOT


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    wheels = pytest.importorskip("hatchling.builders.wheel")
    folder = tmp_path_factory.mktemp("dist")
    (path,) = wheels.WheelBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"])
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_every_file_of_the_library_is_in_the_wheel(wheel):
    source = ROOT / "src" / "bandstrap"
    made = {"__pycache__", ".nbi", ".nbc", ".pyc"}
    files = [path for path in source.rglob("*") if path.is_file()]
    expected = {
        path.relative_to(ROOT / "src").as_posix()
        for path in files
        if not made & {*path.parts, path.suffix}
    }
    assert "bandstrap/py.typed" in expected
    assert {name for name in wheel if name.startswith("bandstrap/")} == expected


def test_the_wheel_holds_nothing_else(wheel):
    tops = {name.split("/")[0] for name in wheel}
    assert tops == {"bandstrap", f"bandstrap-{__version__}.dist-info"}


def test_metadata(wheel):
    folder = f"bandstrap-{__version__}.dist-info"
    metadata = wheel[f"{folder}/METADATA"].decode()
    assert re.search(r"^Requires-Python: >=3.11$", metadata, flags=re.MULTILINE)
    extras = re.findall(r"^Provides-Extra: (\w+)$", metadata, flags=re.MULTILINE)
    assert {"docs", "torch", "dask", "ray"} <= set(extras)
    assert "bandstrap = bandstrap.cli:main" in wheel[f"{folder}/entry_points.txt"].decode()
    assert f"{folder}/licenses/LICENSE" in wheel


def test_the_citation_is_of_this_version_and_of_the_paper():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(rf"^version: {re.escape(__version__)}$", citation, flags=re.MULTILINE)
    assert "New Insights into Bootstrapping for Bandits" in citation
    authors = re.findall(r"family-names: (\S+)", citation)
    assert authors == ["Vaswani", "Kveton", "Wen", "Rao", "Schmidt", "Abbasi-Yadkori"]
