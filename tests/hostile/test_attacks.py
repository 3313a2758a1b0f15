"""Files that somebody made on purpose: each of them did harm once, and is refused now.

The digest of every file is right. What a file asks for is looked at before anything is built.
"""

import gc
import os
import resource
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import bandstrap.datasets.archives
from bandstrap import Bandit, Bootstrap, HalfLife, OutputError, Support
from bandstrap.policies.registry import CONTEXTUAL
from bandstrap.priors import EigenExamples
from bandstrap.storage.layout import laid_out
from bandstrap.storage.schema import Refused
from hostile import array_at, find, objects, read, write

ABC = ["a", "b", "c"]


def played(policy=None, rounds=400, support=None, **more):
    """A bandit whose arms have trees with inner nodes, and a queue."""
    bandit = Bandit(policy or Bootstrap(), ABC, seed=1, rewards=support, **more)
    rng = np.random.default_rng(0)
    for i in range(rounds):
        decision = bandit.decide()
        if i % 9:
            bandit.learn(decision, float(rng.integers(2) if support else rng.random()))
    return bandit


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "b"
    played().save(path)
    return path


@pytest.fixture
def raw(saved):
    return read(saved)


def only(raw, owner, name):
    """The place of an attribute of the first object of a class."""
    return find(raw, owner, name)[0]


def array_in(raw, owner, name):
    return array_at(raw, only(raw, owner, name))


def refused(raw, tmp_path, match="is damaged"):
    write(raw, tmp_path / "forged")
    with pytest.raises(OutputError, match=match):
        Bandit.load(tmp_path / "forged")


def test_the_toolkit_changes_nothing_by_itself(raw, tmp_path):
    write(raw, tmp_path / "same")
    assert Bandit.load(tmp_path / "same").decide().arm in ABC


# Code.


def test_an_attribute_cannot_take_the_place_of_a_method(tmp_path, monkeypatch):
    """`TorchLearner._make` set to a bound function of ours made pip build a package."""
    called = []
    monkeypatch.setattr(bandstrap.datasets.archives, "_download", lambda *given: called.append(1))
    policy = CONTEXTUAL["wb-log"](EigenExamples(np.eye(2)))
    bandit = Bandit(policy, ABC, seed=1, rewards=Support.binary())
    bandit.learn(bandit.decide([1.0, 2.0]), 1.0)
    bandit.save(tmp_path / "b")
    for owner, name in (
        ("Bandit", "decide"),
        ("LearnerState", "remap_arms"),
        ("ConvexArms", "learn"),
    ):
        for value in (
            ["global", "bandstrap.datasets.archives:_download", 10**6],
            ["object", "functools:partial", {}, 10**6],
            ["same", 0],
            3,
        ):
            raw = read(tmp_path / "b")
            objects(raw, owner)[0][2][name] = value
            refused(raw, tmp_path, match="is damaged|asks for")
    assert not called


@pytest.mark.parametrize(
    "name",
    [
        "os:system",
        "builtins:eval",
        "subprocess:Popen",
        "bandstrap.datasets.archives:_download",
        "bandstrap.bandit.saving:save",
        "bandstrap.bandit.bandit:Bandit.save",
        "bandstrap.storage.files:replacing",
        "bandstrap.simulation.runner:simulate",
        "bandstrap.models.torch_stack:Stack",
        "bandstrap.environments.labelled:Labelled",
        "pathlib:PosixPath",
    ],
)
def test_a_file_names_nothing_but_what_is_registered(raw, tmp_path, name):
    for kind in ("global", "object", "named", "enum"):
        forged = raw.copy()
        more = {"global": [], "object": [{}], "named": [[]], "enum": ["A"]}[kind]
        only(forged, "Bandit", "expiry").put([kind, name, *more, 10**6])
        refused(forged, tmp_path, match="asks for")


def test_a_loaded_bandit_writes_where_it_is_told_to_and_nowhere_else(raw, tmp_path):
    """`Bandit.save` bound to a path of the attacker's was called in place of a method."""
    victim = tmp_path / "victim"
    victim.write_text("precious")
    forged = raw.copy()
    holder = objects(forged, "Bandit")[0][2]
    holder["restore"] = ["object", "bandstrap.models.torch_model:Bound", {
        "function": ["same", 0], "arguments": ["tuple", [str(victim)], 10**6 + 1],
        "keywords": ["tuple", [], 10**6 + 2],
    }, 10**6]  # fmt: skip
    refused(forged, tmp_path)
    assert victim.read_text() == "precious"


def test_a_file_imports_no_module_that_it_need_not(raw, tmp_path):
    loaded = set(sys.modules)
    only(raw, "Bandit", "policy").value[1] = "antigravity:fly"
    refused(raw, tmp_path, match="asks for antigravity:fly")
    assert set(sys.modules) - loaded == set()


# Memory.


def nodes_of(raw):
    return array_in(raw, "History", "nodes")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("link", 2**31 - 1),
        ("link", -(2**31)),
        ("link", -(2**20)),
        ("link", 0),
        ("count", 2**31 - 1),
        ("count", -5),
        ("low", np.nan),
        ("high", np.inf),
        ("sum", -np.inf),
    ],
)
@pytest.mark.parametrize("place", [0, 5])
def test_nodes_that_lead_elsewhere_are_refused(raw, tmp_path, field, value, place):
    nodes_of(raw)[field][0, place] = value
    refused(raw, tmp_path)


def test_nodes_that_lead_back_are_refused(raw, tmp_path):
    nodes = nodes_of(raw)
    inner = [i for i in range(12) if nodes["link"][0, i] >= 3]
    nodes["link"][0, inner[1]] = nodes["link"][0, inner[0]]
    refused(raw, tmp_path)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("used", 2**40),
        ("used", -1),
        ("used", 0),
        ("queued", 65),
        ("queued", 2**40),
        ("queued", -1),
        ("queue_arms", 7),
        ("queue_arms", -1),
        ("queue_arms", 2**40),
        ("counts", -1.0),
        ("counts", np.nan),
        ("counts", 1e300),
        ("moments", np.nan),
        ("moments", 1e300),
        ("queue", np.inf),
        ("buckets", np.nan),
    ],
)
def test_indices_and_counts_that_are_out_of_range_are_refused(raw, tmp_path, name, value):
    array_in(raw, "History", name).reshape(-1)[0] = value
    refused(raw, tmp_path)


def test_a_mean_that_is_not_that_of_the_rewards_is_refused(raw, tmp_path):
    """A draw would be looked for, for ever, where no draw can be."""
    array_in(raw, "History", "moments")[0, :, 1] += 0.3
    refused(raw, tmp_path, match="a mean is wrong")


def test_fractions_beyond_their_rows_are_refused(tmp_path):
    played(rounds=60, forgetting=HalfLife(20)).save(tmp_path / "b")
    for value in (2**40, -1):
        raw = read(tmp_path / "b")
        array_in(raw, "Fractions", "used")[0, 0] = value
        refused(raw, tmp_path)
    raw = read(tmp_path / "b")
    array_in(raw, "Fractions", "factors")[:] = 0.0
    refused(raw, tmp_path, match="a row counts nothing")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("shape", [2**40, 8]),
        ("shape", [2**62, 2**62]),
        ("shape", [0, 2**62]),
        ("shape", [-1, 8]),
        ("shape", [True]),
        ("shape", None),
        ("strides", [2**40, 8, 8]),
        ("strides", [-8, -8, -8]),
        ("strides", [0, 0, 0]),
        ("start", 2**40),
        ("start", -8),
        ("start", 2**63),
        ("name", "nothing"),
        ("name", ["memory0"]),
    ],
)
def test_arrays_beyond_their_memory_are_refused(raw, tmp_path, key, value):
    place = only(raw, "History", "moments").value[1]
    raw.places[place][key] = value
    refused(raw, tmp_path)


def test_empty_memory_has_no_arrays():
    """NumPy makes an array of any shape over no bytes at all."""
    stored = {"memory0": np.zeros(0), "type0": np.zeros(0)}
    for shape, strides in (([2**40], [8]), ([2**30, 2**40], [2**62, 8]), ([1], [8])):
        place = {"name": "memory0", "start": 0, "shape": shape, "strides": strides}
        with pytest.raises(Refused):
            laid_out(stored, [{**place, "writeable": True}])


def test_arrays_that_share_memory_are_refused(raw, tmp_path):
    """What is written to one would change the other, after it was checked."""
    forged = raw.copy()
    used, queued = (only(forged, "History", name).value[1] for name in ("used", "queued"))
    forged.places[queued]["name"] = forged.places[used]["name"]
    refused(forged, tmp_path)
    forged = raw.copy()
    only(forged, "History", "gains").put(["same", only(forged, "History", "flat").value[-1]])
    refused(forged, tmp_path, match="shares a part of another object")


def test_an_arm_that_is_none_is_refused(raw, tmp_path):
    objects(raw, "Arms")[0][2]["places"] = ["dict", [["a", 7]], 10**6]
    write(raw, tmp_path / "forged")
    again = Bandit.load(tmp_path / "forged")
    assert again._arms.places == {"a": 0, "b": 1, "c": 2}  # it follows from the names
    forged = raw.copy()
    only(forged, "Arms", "names").value[1].append("d")
    refused(forged, tmp_path, match="another problem")


def test_what_was_learnt_by_another_policy_is_refused(raw, tmp_path):
    only(raw, "RewardHistory", "scheme").put(1)
    refused(raw, tmp_path, match="not what the policy starts with")


def test_less_than_the_prior_is_refused(tmp_path):
    """What fades would have counted less than nothing."""
    played(rounds=60, forgetting=HalfLife(20)).save(tmp_path / "b")
    raw = read(tmp_path / "b")
    only(raw, "PseudoRewards", "ones").put(2.0)
    refused(raw, tmp_path, match="it is less than the policy starts with")


# Size and time.


def peak(action):
    """Bytes that the process grew by at most; 0 where it had been larger before."""
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    action()
    return 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)


def test_a_file_that_unfolds_to_gigabytes_is_refused_before_memory_is_taken(tmp_path):
    with (tmp_path / "bomb").open("wb") as file:
        np.savez_compressed(file, header="{}", text="{}", memory0=np.zeros(2**26))
    assert (tmp_path / "bomb").stat().st_size < 2**20

    def load():
        with pytest.raises(OutputError, match=r"too large: .*Bandit\.load\(path, most_bytes=…\)"):
            Bandit.load(tmp_path / "bomb")

    assert peak(load) < 2**26
    with pytest.raises(OutputError, match="is damaged"):
        Bandit.load(tmp_path / "bomb", most_bytes=2**30)


def test_an_array_that_says_it_is_larger_than_it_is(raw, tmp_path):
    header = b"\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': (%d,), }"
    raw.members["memory0"] = (header % 2**40).ljust(127) + b"\n" + bytes(64)
    write(raw, tmp_path / "forged")
    with pytest.raises(OutputError, match="is damaged"):
        Bandit.load(tmp_path / "forged")


def test_names_that_are_endless_or_odd_are_told_in_short(raw, tmp_path):
    for name in ("x" * 10**6 + ":y", "a\x1b[31m:b"):
        forged = raw.copy()
        only(forged, "Bandit", "policy").value[1] = name
        write(forged, tmp_path / "forged")
        with pytest.raises(OutputError, match="asks for") as caught:
            Bandit.load(tmp_path / "forged")
        assert len(str(caught.value)) < 1000
        assert "\x1b" not in str(caught.value)


def test_a_text_nested_a_hundred_thousand_deep_is_refused(raw, tmp_path):
    only(raw, "Bandit", "expiry").put("DEEP")
    raw.spliced["DEEP"] = "[" * 10**5 + "]" * 10**5
    refused(raw, tmp_path)


def test_numbers_that_would_take_for_ever_are_refused(raw, tmp_path):
    for owner, name, value in (
        ("Propensity", "draws", 2**31),
        ("RewardHistory", "rounds", 2**40),
        ("RewardHistory", "room", 2**40),
        ("Watchman", "due", 0),
    ):
        forged = raw.copy()
        only(forged, owner, name).put(value)
        refused(forged, tmp_path)


def test_a_pipe_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    done = threading.Event()

    def load():
        with pytest.raises(OutputError, match="is a pipe"):
            Bandit.load(tmp_path / "pipe")
        done.set()

    threading.Thread(target=load, daemon=True).start()
    assert done.wait(5)


def test_a_generator_out_of_its_memory_is_refused(raw, tmp_path):
    state = {"bit_generator": "MT19937", "state": {"key": 0, "pos": 2**31 - 1}}
    nodes = ["dict", [["bit_generator", "MT19937"], ["state", ["dict", [
        ["key", ["same", only(raw, "History", "queued").value[-1]]],
        ["pos", state["state"]["pos"]]], 10**6]]], 10**6 + 1]  # fmt: skip
    only(raw, "Bandit", "_rng").put(["generator", "MT19937", nodes, 10**6 + 2])
    refused(raw, tmp_path)


def test_every_registered_class_declares_what_it_holds():
    from bandstrap.storage.registry import names, registered
    from bandstrap.storage.schema import kinds_of

    assert len(names()) > 100
    for name in names():
        found = registered(name)
        if isinstance(found, type):
            kinds_of(found)
        assert Path(sys.modules[found.__module__].__file__).is_relative_to(
            Path(sys.modules["bandstrap"].__file__).parent
        )
