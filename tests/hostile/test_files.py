"""The toolkit reads what a bandit has saved, and writes what a bandit reads."""

import numpy as np
import pytest

from bandstrap import Bandit, Bootstrap, Support
from bandstrap.errors import BandstrapError
from hostile import array_at, find, new_array, objects, put_array, read, slots, write


@pytest.fixture
def path(tmp_path):
    bandit = Bandit(Bootstrap(), ["a", "b", "c"], seed=1, rewards=Support.interval())
    for i in range(300):
        bandit.learn(bandit.decide(), i * 0.618 % 1)
    bandit.decide()
    bandit.save(tmp_path / "b.bandit")
    return tmp_path / "b.bandit"


def told(bandit):
    decisions = [bandit.decide() for _ in range(5)]
    return [(each.arm, each.weight, each.scores) for each in decisions]


def test_a_file_written_again_holds_the_same_bandit(path):
    expected = told(Bandit.load(path))
    write(read(path), path)
    assert told(Bandit.load(path)) == expected


def test_a_changed_value_is_loaded_as_the_digest_fits(path):
    raw = read(path)
    (cap,) = find(raw, "Propensity", "cap")
    assert cap.value == 10_000
    cap.put(500)
    write(raw, path)
    assert Bandit.load(path).propensity.cap == 500


def test_a_digest_that_is_not_understood_is_told(path):
    with np.load(path) as stored:
        arrays = dict(stored)
    arrays["type0"] = np.empty(0, np.int8)
    with path.open("wb") as file:
        np.savez(file, **arrays)
    with pytest.raises(ValueError, match="digests"):
        read(path)


def test_fields_of_named_tuples_are_found_by_name(path):
    raw = read(path)
    (nodes,) = find(raw, "History", "nodes")
    assert nodes.path == "_memory.state.history.arrays.nodes"
    assert (array_at(raw, nodes)["link"] > 0).any()  # the tree has branched
    (queued,) = find(raw, "History", "queued")
    assert 0 <= array_at(raw, queued)[0] <= 64
    (history,) = objects(raw, "History")
    assert history[2][3] is nodes.value


def test_arrays_are_changed_in_place_or_replaced(path):
    raw = read(path)
    (moments,) = find(raw, "History", "moments")
    (counts,) = find(raw, "History", "counts")
    array_at(raw, moments)[:] = 0.25
    put_array(raw, counts.value[1], np.ones((1, 3, 7)))
    write(raw, path)
    again = read(path)
    assert (array_at(again, find(again, "History", "moments")[0]) == 0.25).all()
    assert array_at(again, find(again, "History", "counts")[0]).shape == (1, 3, 7)


def test_a_new_array_may_stand_anywhere(path):
    raw = read(path)
    (cap,) = find(raw, "Propensity", "cap")
    cap.put(new_array(raw, np.arange(3)))
    write(raw, path)
    again = read(path)
    assert array_at(again, find(again, "Propensity", "cap")[0]).tolist() == [0, 1, 2]


def test_a_place_is_found_once(path):
    raw = read(path)
    paths = [slot.path for slot in slots(raw)]
    assert len(paths) == len(set(paths)) > 50


def test_members_and_text_may_be_anything(path):
    raw = read(path)
    raw.spliced["green"] = "[" * 9
    raw.members["text"] = b"no array"
    find(raw, "Propensity", "cap")[0].put("green")
    assert '"cap": [[[[[[[[[' in raw.text()
    write(raw, path)
    with pytest.raises(BandstrapError):
        Bandit.load(path)
