"""Saved, loaded and continued equals never stopped; damaged and hostile files are refused."""

import json
import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from bandstrap import (
    Bandit,
    Bootstrap,
    ContextualEpsilonGreedy,
    EigenExamples,
    EpsilonGreedy,
    HalfLife,
    LogisticRegression,
    OutputError,
    Support,
    Window,
)
from bandstrap.bandit import saving
from bandstrap.policies import POLICIES
from bandstrap.policies.registry import CONTEXTUAL
from bandstrap.storage import archive

KEPT = Path(__file__).parent / "kept"
ABC = ["a", "b", "c"]
CONTEXTS = np.random.default_rng(7).standard_normal((30, 3))


def played(bandit, rounds, contextual, start=0):
    """Decisions and propensities, with every third reward late."""
    told, late = [], []
    for i in range(start, start + rounds):
        decision = bandit.decide(CONTEXTS[i % 30] if contextual else None)
        told.append((decision.arm, decision.propensity, tuple(decision.scores.values())))
        if i % 3 == 0:
            late.append(decision.id)
        else:
            bandit.learn(decision, float((i + bandit.arms.index(decision.arm)) % 2))
    for number in late:
        bandit.learn(number, 1.0)
    return told


def continues(make, tmp_path, contextual, rounds=(24, 12)):
    """Whether a bandit that was saved and loaded goes on as one that was not."""
    whole, halted = make(), make()
    assert played(whole, rounds[0], contextual) == played(halted, rounds[0], contextual)
    waiting = [each.decide(CONTEXTS[0] if contextual else None) for each in (whole, halted)]
    assert waiting[0].arm == waiting[1].arm
    halted.save(tmp_path / "b.bandit")
    again = Bandit.load(tmp_path / "b.bandit")
    whole.learn(waiting[0], 1.0)
    again.learn(waiting[1].id, 1.0)
    assert played(whole, rounds[1], contextual, rounds[0]) == played(
        again, rounds[1], contextual, rounds[0]
    )


@pytest.mark.parametrize("name", POLICIES)
def test_every_policy_without_contexts_continues(name, tmp_path):
    support = Support.binary()
    continues(lambda: Bandit(POLICIES[name](), ABC, seed=4, rewards=support), tmp_path, False)


@pytest.mark.parametrize("name", CONTEXTUAL)
def test_every_contextual_policy_continues(name, tmp_path):
    policy = CONTEXTUAL[name](EigenExamples(np.eye(3)))
    continues(lambda: Bandit(policy, ABC, seed=4, rewards=Support.binary()), tmp_path, True, (8, 4))


@pytest.mark.parametrize("forgetting", [HalfLife(20), Window(10)], ids=repr)
def test_a_forgetful_bandit_continues(forgetting, tmp_path):
    def make():
        return Bandit(Bootstrap(), ABC, seed=4, rewards=Support.binary(), forgetting=forgetting)

    continues(make, tmp_path, False)


def test_named_columns_and_words_continue(tmp_path):
    policy = ContextualEpsilonGreedy(LogisticRegression(), prior=EigenExamples())
    bandit = Bandit(policy, [1, 2], seed=0, rewards=Support.binary())
    bandit.learn(bandit.decide({"age": 3.0, "new": True}), 1.0)
    bandit.save(tmp_path / "b")
    again = Bandit.load(tmp_path / "b")
    assert again.arms == (1, 2)
    assert (
        again.decide({"new": False, "age": 2}).scores
        == bandit.decide({"age": 2.0, "new": False}).scores
    )
    with pytest.raises(ValueError, match="weight"):
        again.decide({"age": 3.0, "new": True, "weight": 1.0})


@dataclass(frozen=True)
class Halving:
    """A schedule of the user's own."""

    def __call__(self, t):
        return 1 / t


def test_classes_of_ones_own_must_be_trusted(tmp_path):
    bandit = Bandit(EpsilonGreedy(Halving()), list("ab"), seed=0)
    bandit.decide()
    bandit.save(tmp_path / "b")
    with pytest.raises(OutputError, match=r"asks for .*Halving.*trusted"):
        Bandit.load(tmp_path / "b")
    assert Bandit.load(tmp_path / "b", trusted=[Halving]).decide().arm == bandit.decide().arm


def test_a_file_that_cannot_be_saved_leaves_the_old_one(tmp_path):
    bandit = Bandit(Bootstrap(), list("ab"), seed=0)
    bandit.save(tmp_path / "b")
    with pytest.raises(OutputError, match="cannot be written"):
        Bandit(EpsilonGreedy(lambda t: 1 / t), list("ab")).save(tmp_path / "b")
    assert Bandit.load(tmp_path / "b").arms == ("a", "b")
    with pytest.raises(OutputError, match="cannot be written"):
        bandit.save(tmp_path / "no" / "such" / "folder")
    assert [path.name for path in tmp_path.iterdir()] == ["b"]


@pytest.fixture
def saved(tmp_path):
    bandit = Bandit(Bootstrap(), list("ab"), seed=0)
    bandit.learn(bandit.decide(), 0.5)
    bandit.save(tmp_path / "b")
    return tmp_path / "b"


def test_cut_files_are_refused(saved):
    whole = saved.read_bytes()
    for length in (0, 1, 30, len(whole) // 2, len(whole) - 1):
        saved.write_bytes(whole[:length])
        with pytest.raises(OutputError, match="damaged"):
            Bandit.load(saved)


def test_altered_files_are_refused(saved):
    whole = saved.read_bytes()
    digest = archive.digest_of(archive.read(saved, saving.FORMAT))
    rng = np.random.default_rng(0)
    for place in rng.integers(len(whole), size=200):
        altered = bytearray(whole)
        altered[place] ^= 1 << rng.integers(8)
        saved.write_bytes(bytes(altered))
        try:
            Bandit.load(saved)
        except OutputError:
            continue
        # Some bytes of a zip file mean nothing: then what is read is what was written.
        assert archive.digest_of(archive.read(saved, saving.FORMAT)) == digest


def test_other_files_are_refused(tmp_path):
    other = tmp_path / "x"
    with pytest.raises(OutputError, match="cannot be read"):
        Bandit.load(other)
    other.write_text("hello")
    with pytest.raises(OutputError, match="damaged or no saved bandit"):
        Bandit.load(other)
    saving.save(saving.taken({"a": 1}), other)
    with pytest.raises(OutputError, match="holds a dict"):
        Bandit.load(other)


def rewritten(path, change):
    """A file whose text was changed by someone who can compute a digest."""
    packed = archive.read(path, saving.FORMAT)
    archive.write(packed._replace(text=change(packed.text)), path, saving.FORMAT)


@pytest.mark.parametrize(
    "name", ["os:system", "subprocess:Popen", "bandstrap.bandit.saving:os.system"]
)
def test_a_hostile_file_names_nothing_outside(saved, name):
    rewritten(saved, lambda text: text.replace("bandstrap.policies.bootstrap:Bootstrap", name))
    with pytest.raises(OutputError, match=f"asks for {name}"):
        Bandit.load(saved)


@pytest.mark.parametrize(
    ("was", "forged"),
    [
        ('["generator", "PCG64DXSM"', '["generator", "seed"'),
        ("bandstrap.policies.bootstrap:Bootstrap", "bandstrap.__main__:main"),
        ("bandstrap.policies.bootstrap:Bootstrap", "bandstrap.cli:main"),
        ('"own_clock": false', '"restore": ["global", "bandstrap.policies:Bootstrap", 999]'),
        ('"rewards_learnt": 1', '"_lock": 3, "rewards_learnt": 1'),
    ],
)
def test_a_hostile_file_runs_nothing(saved, was, forged):
    """Nothing is seeded, no program is run; attributes that are not saved are not taken."""
    rewritten(saved, lambda text: text.replace(was, forged))
    np.random.seed(7)  # noqa: NPY002
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    with suppress(OutputError):
        assert Bandit.load(saved).decide().arm in ("a", "b")
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


@pytest.mark.parametrize(
    "text", ["{}", '{"tree": 3, "places": []}', "[", "null", '{"tree": ["x"]}']
)
def test_a_file_of_another_shape_is_refused(saved, text):
    rewritten(saved, lambda _: text)
    with pytest.raises(OutputError):
        Bandit.load(saved)


def test_a_later_format_says_so(saved):
    packed = archive.read(saved, saving.FORMAT)
    header = {"format": 99, "version": "9.0", "digest": ""}
    with saved.open("wb") as file:
        np.savez(file, header=json.dumps(header), text=packed.text, **packed.arrays)
    with pytest.raises(OutputError, match=r"format 99, from bandstrap 9\.0; upgrade"):
        Bandit.load(saved)


@pytest.mark.parametrize("path", sorted(KEPT.glob("*.bandit")), ids=lambda path: path.stem)
def test_a_file_of_each_format_loads_and_decides(path):
    bandit = Bandit.load(path)
    told = json.loads(path.with_suffix(".json").read_text())
    for expected in told:
        decision = bandit.decide(None if expected["context"] is None else expected["context"])
        assert decision.arm == expected["arm"]
        assert decision.scores == pytest.approx(expected["scores"], rel=1e-9)


def test_there_is_a_kept_file_of_every_format():
    assert {path.stem.partition("-")[0] for path in KEPT.glob("*.bandit")} == {
        f"format{number}" for number in range(1, saving.FORMAT + 1)
    }


@pytest.mark.skipif(os.name == "nt", reason="folders cannot be synced")
def test_a_save_syncs_its_file_and_then_the_folder(tmp_path, monkeypatch):
    """Once each: the content before it takes the place of the old one, the name after that."""
    done, sync, replace = [], os.fsync, os.replace

    def synced(file):
        mode = os.fstat(file).st_mode
        done.append("folder" if stat.S_ISDIR(mode) else f"file of {os.fstat(file).st_size}")
        sync(file)

    def replaced(part, target):
        done.append("replace")
        replace(part, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", replaced)
    bandit = Bandit(Bootstrap(), ABC, seed=1)
    for _ in range(2):
        bandit.save(tmp_path / "b")
        size = (tmp_path / "b").stat().st_size
        assert done == [f"file of {size}", "replace", "folder"]
        done.clear()
