"""What is packed comes back the same: values, types, memory, and who shares what."""

import json
import sys
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

import numpy as np
import pytest

from bandstrap import Problem, Support
from bandstrap.policies import POLICIES
from bandstrap.storage.packing import CannotPack, pack
from bandstrap.storage.schema import Refused
from bandstrap.storage.unpacking import CannotRestore, Loaded, NotTrusted, unpack


class Pair(NamedTuple):
    left: object
    right: object


class Colour(Enum):
    RED = "red"


@dataclass(frozen=True)
class Frozen:
    number: float
    inside: object


class Node:
    def __init__(self):
        self.me = self
        self.items = []


class Owner:
    """Makes again what is not saved."""

    unsaved = ("made",)
    order: list[str] = []  # noqa: RUF012

    def __init__(self, name, inner=None):
        self.name = name
        self.inner = inner
        self.made = lambda: name

    def restore(self):
        Owner.order.append(self.name)
        name = self.name if self.inner is None else self.name + self.inner.made()
        self.made = lambda: name


def stored(thing):
    """Packed, written as files are, and unpacked."""
    packed = pack(thing)
    assert not any(array.dtype.hasobject for array in packed.arrays.values())
    json.loads(packed.text)
    copies = {name: array.copy() for name, array in packed.arrays.items()}
    return unpack(packed._replace(arrays=copies), Loaded())


def same_array(one, two):
    assert one.dtype == two.dtype
    assert one.shape == two.shape
    assert one.tobytes() == two.tobytes()
    assert one.flags.writeable == two.flags.writeable
    return True


def test_plain_values():
    for value in (None, True, 3, 2**200, 0.1, float("inf"), "ü", [1, [2]], (1, ("a",)), {1, 2}):
        back = stored(value)
        assert back == value
        assert type(back) is type(value)
    assert np.isnan(stored(float("nan")))
    assert stored({"a": 1, 2: [3], (4, "b"): None}) == {"a": 1, 2: [3], (4, "b"): None}
    assert stored(Colour.RED) is Colour.RED
    assert stored(np.mean) is np.mean
    assert stored(Pair) is Pair


def test_types_of_numbers():
    for value in (np.float32(0.1), np.float64(0.1), np.int8(3), np.bool_(True), np.uint64(2**63)):
        back = stored(value)
        assert type(back) is type(value)
        assert back == value


def test_named_tuples_and_objects():
    back = stored(Pair(Frozen(1.5, [Pair(1, 2)]), (3,)))
    assert back == Pair(Frozen(1.5, [Pair(1, 2)]), (3,))
    assert type(back) is Pair
    assert type(back.left) is Frozen
    with pytest.raises(AttributeError):
        back.left.number = 2.0


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6.0),
        np.zeros((0, 5)),
        np.zeros((5, 0), order="F"),
        np.array(3.0),
        np.asfortranarray(np.arange(6, dtype=np.uint8).reshape(2, 3)),
        np.arange(24.0).reshape(2, 3, 4).transpose(1, 0, 2),
        np.arange(10)[::3],
        np.arange(10)[::-1],
        np.arange(24.0).reshape(4, 6)[1:3, ::2],
        np.broadcast_to(np.arange(3.0), (4, 3)),
        np.arange(3.0).view(np.uint64),
        np.array([(1, 2.5), (3, 4.5)], dtype=[("n", np.int32), ("x", np.float64)]),
        np.array([(1, 2.5), (3, 4.5)], dtype=[("n", np.int32), ("x", np.float64)])["x"],
        np.array(["a", "bcd"]),
        np.array([True, False]),
    ],
)
def test_arrays_keep_their_layout(array):
    back = stored([array])[0]
    assert same_array(array, back)
    assert back.strides == array.strides


def test_a_small_cut_of_a_large_array_is_stored_alone():
    cut = np.zeros((1000, 1000))[:3, :5]
    assert sum(array.nbytes for array in pack(cut).arrays.values()) < 1000
    assert same_array(cut, stored(cut))


def test_read_only_arrays_stay_so():
    array = np.arange(3.0)
    array.flags.writeable = False
    assert same_array(array, stored({"a": array})["a"])


def test_what_is_shared_stays_shared():
    node, array = Node(), np.arange(12.0).reshape(3, 4)
    node.items = [array, array, array[1], array.T, array[:, 2:]]
    back = stored(node)
    assert back.me is back
    whole, again, *views = back.items
    assert again is whole
    whole[1, 2] = 99.0
    assert [view.flat[at] for view, at in zip(views, (2, 7, 2), strict=True)] == [99.0] * 3
    halves = np.zeros((2, 5))
    left, right = stored([*halves])
    left += 1
    assert right.sum() == 0


def test_generators_go_on():
    for bits in (np.random.PCG64DXSM, np.random.MT19937, np.random.Philox):
        rng = np.random.Generator(bits(3))
        rng.integers(10, size=3, dtype=np.uint8)
        back, twin = stored([rng, rng])
        assert back is twin
        assert (back.standard_normal(5) == rng.standard_normal(5)).all()


def test_what_is_not_saved_is_made_again_inner_objects_first():
    Owner.order.clear()
    inner = Owner("b")
    outer, again = stored([Owner("a", inner), inner])
    assert Owner.order == ["b", "a"]
    assert outer.inner is again
    assert outer.made() == "ab"
    assert '"made"' not in pack(inner).text


@pytest.mark.parametrize("thing", [lambda: 0, iter([1]), np.array([{}]), memoryview(b"a")])
def test_what_is_not_plain_is_refused_and_placed(thing):
    node = Node()
    node.items = [0, thing]
    with pytest.raises(CannotPack, match=r"\.items\[1\]"):
        pack(node)


def test_a_class_that_cannot_be_found_again_is_refused():
    class Hidden:
        pass

    with pytest.raises(CannotPack, match="Hidden cannot be found"):
        pack([Hidden()])


def test_nothing_is_imported_to_unpack():
    packed = pack(Frozen(1.0, None))
    with pytest.raises(NotTrusted):
        unpack(packed._replace(text=packed.text.replace(f"{__name__}:", "antigravity:")), Loaded())


def test_no_module_is_imported_that_holds_nothing_to_save():
    packed = pack(Frozen(1.0, None))
    for module in ("bandstrap.__main__", "bandstrap.warmup", "bandstrap.nothing"):
        loaded, text = set(sys.modules), packed.text.replace(f"{__name__}:", f"{module}:")
        with pytest.raises(NotTrusted):
            unpack(packed._replace(text=text), Loaded())
        assert set(sys.modules) == loaded


def test_only_bit_generators_generate():
    packed = pack(np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"'seed.*' is not a bit generator"):
        unpack(packed._replace(text=packed.text.replace("PCG64", "seed")), Loaded())


def test_a_forged_attribute_is_neither_taken_nor_called():
    packed = pack(Owner("a"))
    forged = packed.text.replace('"name": "a"', '"name": "a", "made": 3')
    assert unpack(packed._replace(text=forged), Loaded()).made() == "a"
    forged = packed.text.replace('"name": "a"', '"name": "a", "restore": 4')
    with pytest.raises(Refused, match=r"Owner\.restore is not saved"):
        unpack(packed._replace(text=forged), Loaded())


def test_what_cannot_be_made_again_says_so():
    owner = Owner("a")
    owner.name = 5
    with pytest.raises(CannotRestore, match="a Owner could not be made again"):
        stored([Owner("b", owner)])


@pytest.mark.parametrize("name", POLICIES)
def test_every_policy_goes_on_from_its_packed_state(name):
    support = Support.categories((0.0, 0.25, 0.5, 0.75, 1.0))
    policy = POLICIES[name]()
    problem = Problem(3, support=support) if name == "ts-dirichlet" else Problem(3)
    rng = np.random.default_rng(5)
    state = policy.start(problem, 4)

    def play(state, rng, rounds):
        chosen = []
        for _ in range(rounds):
            arms = policy.select(state, None, rng)
            policy.update(state, None, arms, rng.integers(5, size=4) / 4, rng)
            chosen.append(arms.copy())
        return np.array(chosen)

    play(state, rng, 150)
    state_back, rng_back = stored((state, rng))
    assert (play(state, rng, 100) == play(state_back, rng_back, 100)).all()
