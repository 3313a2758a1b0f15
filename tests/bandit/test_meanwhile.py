"""What happens to a bandit while it is being saved: decisions go on, and are not in the file."""

import threading

import numpy as np
import pytest

from bandstrap import Bandit, Bootstrap, LinThompson
from bandstrap.bandit import bandit as module
from bandstrap.bandit import saving
from bandstrap.storage.packing import Snapshot, pack
from states import everything

ABC = ["a", "b", "c"]


@pytest.fixture
def slow_disk(monkeypatch):
    """Writing begins, and ends when it is told to."""
    begun, go_on = threading.Event(), threading.Event()

    def write(*given):
        begun.set()
        assert go_on.wait(60)
        saving.save(*given)

    monkeypatch.setattr(module, "save", write)
    return begun, go_on


@pytest.mark.parametrize(("policy", "context"), [(Bootstrap(), None), (LinThompson(), [0.5, 1.0])])
def test_decisions_and_rewards_do_not_wait_for_the_disk(policy, context, slow_disk, tmp_path):
    begun, go_on = slow_disk
    bandit = Bandit(policy, ABC, seed=1)
    for _ in range(20):
        bandit.learn(bandit.decide(context), 1.0)
    waiting = [bandit.decide(context) for _ in range(5)]
    before = everything(bandit)
    saver = threading.Thread(target=bandit.save, args=(tmp_path / "b",))
    saver.start()
    assert begun.wait(60)
    for decision in waiting:  # would never end if the lock were held
        bandit.learn(decision, 0.0)
        bandit.learn(bandit.decide(context), 0.5)
    go_on.set()
    saver.join()
    again = Bandit.load(tmp_path / "b")
    assert everything(again) == before
    assert [*again._pending.waiting] == [decision.id for decision in waiting]


def test_the_save_that_began_last_stays(slow_disk, tmp_path):
    begun, go_on = slow_disk
    bandit = Bandit(Bootstrap(), ABC, seed=1)
    first = threading.Thread(target=bandit.save, args=(tmp_path / "b",))
    first.start()
    assert begun.wait(60)
    bandit.learn(arm="a", reward=1.0)
    second = threading.Thread(target=bandit.save, args=(tmp_path / "b",))
    second.start()
    go_on.set()
    first.join()
    second.join()
    assert Bandit.load(tmp_path / "b").rewards_learnt == 1


def test_a_snapshot_is_what_is_packed_at_once():
    bandit = Bandit(LinThompson(), ABC, seed=1)
    for row in np.random.default_rng(0).random((5000, 2)):  # more than one block
        bandit.decide(row)
    once = {name: array.tobytes() for name, array in pack(bandit).arrays.items()}
    text, snapshot = pack(bandit).text, Snapshot(bandit)
    bandit.learn(arm="a", context=[1.0, 2.0], reward=1.0)
    later = snapshot.packed()
    assert later.text == text
    assert {name: array.tobytes() for name, array in later.arrays.items()} == once
    assert len(saving.from_bytes(saving.to_bytes(Snapshot(bandit)), "it")._pending) == 5000
