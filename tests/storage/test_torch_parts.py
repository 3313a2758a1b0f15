"""Parameters and optimisers' states in files are those of the user's own functions, or refused."""

import numpy as np
import pytest

from bandstrap import Bandit, InvalidInput
from hostile import find, put_array, read, write

torch = pytest.importorskip("torch")

from torch_files import TRUSTED, bandit_of, played, refused  # noqa: E402


@pytest.fixture(scope="module")
def honest(tmp_path_factory):
    folder = tmp_path_factory.mktemp("honest")
    for name in ("shared", "buffers"):
        bandit = bandit_of(name)
        played(bandit, slice(0, 70))
        bandit.save(folder / name)
    return folder


def part(raw, *names):
    """The pair of a name and what is saved under it, of a stack."""
    [slot] = find(raw, "TorchLearner", "saved")
    node = slot.value
    for name in names:
        pairs = (
            {pair[0]: pair for pair in node[1]} if node[0] == "dict" else dict(enumerate(node[1]))
        )
        found = pairs[name]
        node = found[1] if node[0] == "dict" else found
    return found


def to(value):
    """A change of what is saved of a stack."""

    def change(raw, pair):
        pair[1] = value

    return change


def array(how):
    """A change of an array of a stack."""

    def change(raw, pair):
        put_array(raw, pair[1][1], how(np.array(array_of(raw, pair))))

    return change


def array_of(raw, pair):
    place = raw.places[pair[1][1]]
    memory = raw.arrays[place["name"]]
    return np.ndarray(
        place["shape"],
        raw.arrays[f"type{pair[1][1]}"].dtype,
        memory,
        place["start"],
        place["strides"],
    )


def spoilt(value):
    def how(numbers):
        numbers[...] = value
        return numbers

    return array(how)


MOMENTS = ("optimiser", "state", 0)
GROUP = ("optimiser", "param_groups", 0)
PARTS = [
    ("shared", ("parameters",), to(None)),
    ("shared", ("parameters", "0.weight"), array(lambda it: it[:-1])),
    ("shared", ("parameters", "0.weight"), array(lambda it: it.reshape(-1))),
    ("shared", ("parameters", "0.weight"), array(lambda it: it.astype(np.float64))),
    ("shared", ("parameters", "0.weight"), array(lambda it: it.astype(complex))),
    ("shared", ("parameters", "0.weight"), spoilt(np.nan)),
    ("shared", ("parameters", "0.weight"), to(3.0)),
    ("shared", ("draws",), to(1)),
    ("buffers", ("buffers", "shift"), array(lambda it: it[:-1])),
    ("buffers", ("buffers",), to(["dict", [], 9999])),
    ("shared", ("optimiser",), to(3)),
    ("shared", ("optimiser", "state"), to(["dict", [["0", ["dict", [], 9998]]], 9999])),
    ("shared", ("optimiser", "state"), to(["dict", [[7, ["dict", [], 9998]]], 9999])),
    ("shared", MOMENTS, to(["dict", [], 9999])),
    ("shared", (*MOMENTS, "exp_avg"), to(None)),
    ("shared", (*MOMENTS, "exp_avg"), array(lambda it: it[:-1])),
    ("shared", (*MOMENTS, "exp_avg"), spoilt(np.inf)),
    ("shared", (*MOMENTS, "step"), to("soon")),
    ("shared", ("optimiser", "param_groups"), to(["list", [], 9999])),
]
OF_GROUP = [
    ("lr", "fast"),
    ("lr", float("inf")),
    ("lr", 1e300),
    ("lr", 10**400),
    ("betas", ["tuple", [0.9], 9999]),
    ("amsgrad", True),
    ("capturable", True),
    ("fused", True),
    ("params", ["list", [0, 0, 0, 0], 9999]),
    ("params", ["list", [], 9999]),
    ("step", 3),
]


@pytest.mark.parametrize("change", PARTS, ids=lambda it: f"{it[0]}: {'.'.join(map(str, it[1]))}")
def test_parts_of_other_modules_are_refused(change, honest, tmp_path):
    name, names, how = change
    raw = read(honest / name)
    how(raw, part(raw, *names))
    refused(raw, tmp_path)


@pytest.mark.parametrize(("name", "value"), OF_GROUP)
def test_an_optimiser_of_other_settings_is_refused(name, value, honest, tmp_path):
    raw = read(honest / "shared")
    pairs = {pair[0]: pair for pair in part(raw, *GROUP)[1]}
    if name in pairs:
        pairs[name][1] = value
    else:
        part(raw, *GROUP)[1].append([name, value])
    if isinstance(value, int) and value > 2**62:
        pairs[name][1] = "HUGE"
        raw.spliced["HUGE"] = str(value)
    refused(raw, tmp_path)


@pytest.mark.parametrize(("name", "value"), [("betas", 5.0), ("lr", 1e18)])
def test_settings_that_fail_lead_to_a_clear_error(name, value, honest, tmp_path):
    """Numbers are the optimiser's own, as it may change them."""
    raw = read(honest / "shared")
    pairs = {pair[0]: pair for pair in part(raw, *GROUP)[1]}
    if name == "betas":
        pairs[name][1][1] = [value, value]
    else:
        pairs[name][1] = value
    write(raw, tmp_path / "b")
    bandit = Bandit.load(tmp_path / "b", trusted=TRUSTED)
    with pytest.raises(InvalidInput, match=r"optimiser|no longer finite"):
        played(bandit, slice(100, 140))
