"""An id is given once, by whoever goes on from wherever; a reward finds its decision or none."""

import copy
import json
import multiprocessing
import os
import pickle
import re

import numpy as np
import pytest

from bandstrap import Bandit, Bootstrap, Expiry, InvalidInput
from bandstrap.bandit.pending import EPOCHS, Pending

ARMS = ["a", "b"]


def made(seed=0, **more):
    bandit = Bandit(Bootstrap(), ARMS, seed=seed, **more)
    bandit.learn(bandit.decide(), 1.0)
    return bandit


def ids(bandit, count=20):
    return {bandit.decide().id for _ in range(count)}


def test_ids_are_plain_text_in_order():
    bandit = made()
    names = [bandit.decide().id for _ in range(300)]
    assert names == sorted(names)
    assert json.loads(json.dumps(names)) == names
    assert all(re.fullmatch(r"[0-9a-f]{32}-[0-9a-f]{10}", name) for name in names)


def test_no_id_is_given_twice_after_a_crash(tmp_path):
    """Saved, five more decisions, killed, loaded: the lost ones are nobody's."""
    bandit = made()
    waiting = bandit.decide()
    bandit.save(tmp_path / "b")
    lost = [bandit.decide() for _ in range(5)]
    again = Bandit.load(tmp_path / "b")
    fresh = [again.decide() for _ in range(5)]
    assert not {each.id for each in lost} & {each.id for each in fresh}
    for each in lost:
        with pytest.raises(InvalidInput, match="this bandit made no such decision"):
            again.learn(each.id, 1.0)
    again.learn(waiting.id, 1.0)
    with pytest.raises(InvalidInput, match="it has its reward already"):
        again.learn(waiting.id, 1.0)
    assert again.rewards_learnt == 2
    for each in fresh:
        again.learn(each, 0.0)


def test_a_reward_learnt_before_the_save_is_known_after_it(tmp_path):
    bandit = made()
    decision = bandit.decide()
    bandit.learn(decision, 1.0)
    for turn in range(3):
        bandit.save(tmp_path / f"{turn}")
        bandit = Bandit.load(tmp_path / f"{turn}")
        bandit.learn(bandit.decide(), 1.0)
    with pytest.raises(InvalidInput, match="it has its reward already"):
        bandit.learn(decision.id, 1.0)


def test_copies_pickles_and_loads_give_ids_of_their_own(tmp_path):
    bandit = made()
    bandit.save(tmp_path / "b")
    others = [
        copy.deepcopy(bandit),
        pickle.loads(pickle.dumps(bandit)),
        Bandit.load(tmp_path / "b"),
        Bandit.load(tmp_path / "b"),
        Bandit.load(tmp_path / "b", seed=3),
        made(),
    ]
    every = [ids(each) for each in (bandit, *others)]
    assert len(set().union(*every)) == sum(map(len, every))


def test_given_seeds_still_decide_the_same():
    one, other = made(seed=5), made(seed=5)
    assert [one.decide().arm for _ in range(50)] == [other.decide().arm for _ in range(50)]


def test_an_old_number_is_refused_as_unknown():
    with pytest.raises(InvalidInput, match="decision = 0: this bandit made no such decision"):
        made().learn(0, 1.0)


@pytest.mark.parametrize("name", ["", "-", "x-y", "00-zz", "0" * 10_000, np.str_("a-0")])
def test_a_made_up_id_is_refused_as_unknown(name):
    with pytest.raises(InvalidInput, match="no such decision"):
        made().learn(name, 1.0)


@pytest.mark.parametrize("wrong", [1.5, None, True, object()])
def test_what_is_no_id_is_refused(wrong):
    with pytest.raises(InvalidInput, match="give a "):
        made().learn(wrong, 1.0)


def test_only_so_many_epochs_are_remembered():
    pending = Pending()
    for _ in range(EPOCHS + 50):
        pending.add(None, "a", 0.0)
        pending.begin_epoch()
    assert len(pending.epochs) == EPOCHS


def test_expiry_counts_decisions_over_loads(tmp_path):
    bandit = made(expiry=Expiry(decisions=3, reward=0.0))
    bandit.decide()
    bandit.save(tmp_path / "b")
    again = Bandit.load(tmp_path / "b")
    for _ in range(4):
        again.decide()
    assert again.rewards_learnt == 2


def told(bandit, sender):
    sender.send([(decision.id, decision.arm) for decision in (bandit.decide() for _ in range(40))])
    sender.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_forked_processes_decide_apart_and_give_ids_of_their_own():
    bandit, fork = made(), multiprocessing.get_context("fork")
    waiting = bandit.decide()
    parts = []
    for _ in range(3):
        receiver, sender = fork.Pipe(duplex=False)
        child = fork.Process(target=told, args=(bandit, sender))
        child.start()
        parts.append(receiver.recv())
        child.join()
    parts.append([(each.id, each.arm) for each in (bandit.decide() for _ in range(40))])
    names = [{name for name, _ in part} for part in parts]
    assert len(set().union(*names)) == 160
    arms = {tuple(arm for _, arm in part) for part in parts}
    assert len(arms) == 4
    bandit.learn(waiting, 1.0)
    with pytest.raises(InvalidInput, match="no such decision"):
        bandit.learn(parts[0][0][0], 1.0)
