"""locks/ has what pyproject.toml asks for: each file by its hash, from no particular place."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
LOCKS = sorted((ROOT / "locks").glob("*.txt"))
DECLARED = tomllib.loads((ROOT / "pyproject.toml").read_text())


def pinned(lock):
    """Versions by name, and how many hashes each has."""
    entries = re.split(r"\n(?=\S)", re.sub(r"^ *#.*\n", "", lock.read_text(), flags=re.MULTILINE))
    found = {}
    for entry in filter(None, entries):
        name, version = re.fullmatch(r"([\w.-]+)==(\S+) \\", entry.splitlines()[0]).groups()
        hashes = re.findall(r"--hash=sha256:[0-9a-f]{64}\b", entry)
        found[canonicalize_name(name)] = (version, len(hashes))
    return found


def asked(lock):
    """The requirements of the package, and of its development if the lock is for that."""
    project, needed = DECLARED["project"], [*DECLARED["build-system"]["requires"]]
    needed += project["dependencies"]
    if lock.stem.endswith("-dev"):
        extras = project["optional-dependencies"]
        needed += extras["dev"] + extras["docs"]
    return [each for each in map(Requirement, needed) if each.name != project["name"]]


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.stem)
def test_every_requirement_is_locked_within_its_range(lock):
    versions = pinned(lock)
    assert "torch" not in versions
    for each in asked(lock):
        assert each.specifier.contains(versions[canonicalize_name(each.name)][0]), str(each)


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.stem)
def test_every_file_is_named_by_hash_and_no_place_is(lock):
    assert all(hashes for _, hashes in pinned(lock).values())
    said = [line for line in lock.read_text().splitlines() if not line.startswith("#")]
    assert not re.search(r"://|^ *-[^-]|--(?!hash=)|file:", "\n".join(said), flags=re.MULTILINE)


def test_results_are_run_with_the_versions_that_are_tested():
    assert LOCKS
    for small in (lock for lock in LOCKS if not lock.stem.endswith("-dev")):
        assert pinned(small).items() <= pinned(small.with_stem(f"{small.stem}-dev")).items()
