"""A batch that is read back is the very batch that was written, or it is refused."""

import io
import json
import tracemalloc
from contextlib import suppress
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
import pytest

from bandstrap import Bootstrap, OutputError
from bandstrap.environments import Bernoulli
from bandstrap.simulation import Cell
from bandstrap.simulation.batch import run_batch
from bandstrap.simulation.store.checkpoint import Checkpoint

WORLD = Bernoulli(means=(0.2, 0.6))


def batch_of(**other):
    facts = {"horizon": 8, "runs": 3, "policy_name": "wb", **other}
    return Cell("test", "bernoulli", environment=WORLD, policy=Bootstrap(), **facts).batches(1)[0]


@pytest.fixture
def kept(tmp_path):
    """A slot with a finished batch in it, and what was put there."""
    batch = batch_of()
    slot, result = Checkpoint(tmp_path).slot(batch), run_batch(batch)
    slot.save(result)
    return slot, result


def arrays_of(path):
    with np.load(path) as stored:
        return {name: stored[name] for name in stored.files}


def equal(one, two):
    same = [(getattr(one, name) == getattr(two, name)).all() for name in ("regret", "reward")]
    return all(same) and (one.seconds == two.seconds).all()


def test_a_batch_comes_back(kept):
    slot, result = kept
    assert equal(slot.load(), result)


def test_a_flipped_byte_is_noticed(kept):
    """Wherever it is; a few bytes of a zip mean nothing, and then the numbers are the same."""
    slot, result = kept
    whole, said = slot.path.read_bytes(), []
    for place in range(len(whole)):
        slot.path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x10]) + whole[place + 1 :])
        try:
            assert equal(slot.load(), result)
        except OutputError as error:
            said.append(str(error))
    assert len(said) > 0.8 * len(whole)
    assert all("delete it and run again" in each for each in said)


@pytest.mark.parametrize("other", [{"runs": 4}, {"horizon": 9}, {"policy_name": "ts"}], ids=str)
def test_a_batch_in_the_place_of_another_is_refused(kept, other):
    slot, _ = kept
    batch = batch_of(**other)
    another = Checkpoint(slot.path.parent).slot(batch)
    another.save(run_batch(batch))
    another.path.rename(slot.path)
    with pytest.raises(OutputError, match=r"belongs to another batch.*delete it and run again"):
        slot.load()


def test_changed_numbers_are_noticed(kept):
    slot, _ = kept
    for name in ("regret", "reward", "seconds"):
        stored = arrays_of(slot.path)
        stored[name] = stored[name] + 1e-9
        np.savez(slot.path, **stored)
        with pytest.raises(OutputError, match="is damaged"):
            slot.load()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("regret", np.zeros((3, 2))),
        ("regret", np.zeros((3, 8), np.float32)),
        ("regret", np.zeros(24)),
        ("reward", np.full((3, 8), np.nan)),
        ("seconds", np.full(8, np.inf)),
        ("seconds", np.full(8, -1.0)),
        ("seconds", np.zeros(7)),
    ],
)
def test_what_no_batch_holds_is_refused_though_its_digest_is_right(kept, name, value):
    from bandstrap.simulation.store.checkpoint import digest_of

    slot, _ = kept
    stored = arrays_of(slot.path)
    header = json.loads(str(stored.pop("header")))
    stored[name] = value
    header["digest"] = digest_of(header["batch"], stored)
    np.savez(slot.path, header=np.array(json.dumps(header)), **stored)
    with pytest.raises(OutputError, match=f"is damaged .*{name}"):
        slot.load()


def bomb(path, claimed):
    """A small file whose member says, and may really have, gigabytes of zeros."""
    head = io.BytesIO()
    shape = {"descr": "<f8", "fortran_order": False, "shape": (claimed // 8,)}
    np.lib.format.write_array_header_1_0(head, shape)
    with ZipFile(path, "w", ZIP_DEFLATED) as file:
        for name in ("regret", "reward", "seconds", "header"):
            with file.open(f"{name}.npy", "w") as member:
                member.write(head.getvalue())
                for _ in range(64):
                    member.write(bytes(1 << 20))


@pytest.mark.parametrize("claimed", [1 << 26, 1 << 40], ids=["unpacked", "in a header"])
def test_a_small_file_takes_little_memory(kept, claimed):
    slot, _ = kept
    bomb(slot.path, claimed)
    assert slot.path.stat().st_size < 1 << 20
    tracemalloc.start()
    with suppress(OutputError):
        slot.load()
        pytest.fail("it was taken for a batch")
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert used < 1 << 23
