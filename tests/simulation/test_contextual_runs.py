"""Runs with contexts: alike whatever the workers, and saved in the middle."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import contextual_worlds
from bandstrap import InvalidInput, OutputError, simulate
from bandstrap import policies as context_free
from bandstrap.environments import Bernoulli, Beta
from bandstrap.simulation import Cell, Runner, progress, runner
from bandstrap.simulation.batch import run_batch
from bandstrap.simulation.progress import Board
from bandstrap.simulation.runner import Observer, _at_work
from bandstrap.simulation.sending import Sent
from bandstrap.simulation.store.checkpoint import Checkpoint
from bandstrap.version import __version__
from contextual_worlds import DIGITS, POLICIES, cells

SEED = 4


@pytest.fixture(scope="module")
def straight():
    """The traces of the cells, played without a break."""
    return Runner(SEED).run(cells())


def same(ones, others):
    """Everything but the time it took, byte for byte."""
    return [
        getattr(one, name).tobytes() == getattr(other, name).tobytes()
        for one, other in zip(ones, others, strict=True)
        for name in ("rounds", "regret", "reward")
    ] == [True] * (3 * len(ones))


def test_one_run_is_a_batch_and_policies_meet_the_same_rows(straight):
    eg, wb, _ = cells(runs=3)
    assert [batch.runs for batch in eg.batches(0)] == [1, 1, 1]
    starts = [
        DIGITS.look(batch.environment.start(1, np.random.default_rng(batch.index)), 0).contexts
        for batch in wb.batches(0)
    ]
    assert not (starts[0] == starts[1]).all()
    for trace in straight:
        assert (trace.regret + trace.reward == trace.rounds).all()  # a round costs 1 or pays 1
        assert not (trace.regret[0] == trace.regret[1]).all()


def test_they_learn(straight):
    """Chance pays 0.1 a round, with a standard error of 0.02 over 240; this is four more.

    Over twelve seeds the policy earns 0.205 a round, and never less than 0.145.
    """
    assert straight[1].reward_per_step()[-1] > 0.18


def test_forced_pulls_take_contexts(straight):
    forced = simulate(POLICIES["forced"], DIGITS, 50, runs=1)
    assert forced.environment == "digits"
    # While all ten arms are forced five times each, in turn, chance decides: about 5 of 50.
    assert 1 <= forced.reward[0, -1] <= 14


def test_workers_change_nothing(straight):
    assert same(straight, Runner(SEED, workers=2).run(cells()))


class Cut(BaseException):
    """The end of a process, as near as a test comes to it."""


class CutAt(Observer):
    """Saves the batch at its first look after so many rounds, and ends there."""

    def __init__(self, batch, slot, rounds):
        super().__init__(batch, slot, 0.0, lambda told: None)
        self.rounds, self.due = rounds, 0.0

    def look(self, play):
        if play.played >= self.rounds:
            self._save_at = 0.0
            super().look(play)
            raise Cut


def cut(batch, store, rounds):
    with pytest.raises(Cut):
        run_batch(batch, CutAt(batch, store.slot(batch), rounds))
    assert [path.suffix for path in store.directory.iterdir()] == [".midway"]
    return store.slot(batch).load_midway(batch).played


@pytest.mark.filterwarnings("ignore::bandstrap.models.cost.CostWarning")
@pytest.mark.parametrize("rounds", [1, 37, 119])
def test_saved_after_any_round_and_resumed(tmp_path, straight, rounds):
    store, cell = Checkpoint(tmp_path), cells()[1]
    assert cut(cell.batches(SEED)[0], store, rounds) == rounds
    assert same([straight[1]], Runner(SEED, checkpoint=store).run([cell]))
    assert {path.suffix for path in tmp_path.iterdir()} == {".npz"}


@pytest.mark.parametrize("name", ["wb", "npb", "ts", "eg"])
@pytest.mark.parametrize("environment", [Bernoulli(3), Beta(3)])
def test_batches_without_contexts_are_resumed_too(tmp_path, name, environment):
    policy, store = context_free.POLICIES[name](), Checkpoint(tmp_path)
    cell = Cell("test", "arms", name, environment, policy, 300, 20)
    assert 150 <= cut(cell.batches(SEED)[0], store, 150) < 200
    assert same(Runner(SEED).run([cell]), Runner(SEED, checkpoint=store).run([cell]))


def test_ended_in_the_middle_of_a_run_it_goes_on_there(tmp_path, monkeypatch, straight):
    """As below, where batches are played by the process itself."""

    def look(self, play, look=Observer.look):
        look(self, play)
        if self.batch.index == 1 and play.played == 30:
            raise Cut

    with monkeypatch.context() as patch:
        patch.setattr(runner, "SHOW_EVERY", 0.0)
        patch.setattr(Observer, "look", look)
        with pytest.raises(Cut):
            Runner(SEED, checkpoint=Checkpoint(tmp_path), save_every=0.0).run(cells())
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".midway", ".npz"]
    went_on = noted(monkeypatch)
    assert same(straight, Runner(SEED, checkpoint=Checkpoint(tmp_path)).run(cells()))
    (rounds,) = went_on.values()
    assert 1 <= rounds <= 30  # saving may take only so much of the time


def killed(folder, workers):
    """Start the cells in another process, and kill it when two of its runs have been saved."""
    paths = [str(Path(contextual_worlds.__file__).parent), *sys.path]
    env = os.environ | {contextual_worlds.PAUSE: "0.003", "PYTHONPATH": os.pathsep.join(paths)}
    call = f"import contextual_worlds; contextual_worlds.play({str(folder)!r}, {workers}, 0.05)"
    command = [sys.executable, "-c", call]
    process = subprocess.Popen(command, env=env, start_new_session=True)
    store = Checkpoint(folder)
    batches = [batch for cell in cells() for batch in cell.batches(SEED)]
    try:
        until = time.monotonic() + 120
        while True:
            assert process.poll() is None
            assert time.monotonic() < until
            plays = [store.slot(batch).load_midway(batch) for batch in batches]
            if any(play is not None and play.played > 40 for play in plays):
                break
            time.sleep(0.01)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return {
        str(store.slot(batch).midway): play.played
        for batch in batches
        if (play := store.slot(batch).load_midway(batch)) is not None
    }


def noted(monkeypatch):
    """What batches go on from, by their files, as they will."""
    went_on = {}

    def noting(self, resumed=Observer.resumed):
        play = resumed(self)
        if play is not None:
            went_on[str(self.slot.midway)] = play.played
        return play

    monkeypatch.setattr(Observer, "resumed", noting)
    return went_on


@pytest.mark.skipif(sys.platform == "win32", reason="kills a process group")
def test_killed_in_the_middle_of_a_run_it_goes_on_there(tmp_path, monkeypatch, straight):
    left = killed(tmp_path, workers=2)
    assert left
    went_on = noted(monkeypatch)
    assert same(straight, Runner(SEED, checkpoint=Checkpoint(tmp_path)).run(cells()))
    assert went_on == left
    assert max(left.values()) > 40
    assert {path.suffix for path in tmp_path.glob("*.npz")} == {".npz"}
    assert not list(tmp_path.glob("*.midway"))


@pytest.mark.parametrize("damage", ["cut", "no text", "other class"])
def test_a_damaged_save_is_named(tmp_path, damage):
    store, batch = Checkpoint(tmp_path), cells()[0].batches(SEED)[0]
    watch = Observer(batch, store.slot(batch), 0.0, lambda rounds: None)
    run_batch(batch, watch)
    path = store.slot(batch).midway
    whole = path.read_bytes()
    if damage == "cut":
        path.write_bytes(whole[:-100])
    else:
        with np.load(path) as stored:
            arrays = dict(stored)
        text = str(arrays.pop("text"))
        if damage == "other class":
            arrays["text"] = np.array(text.replace("batch:Play", "batch:Ploy"))
        with path.open("wb") as file:
            np.savez(file, **arrays)
    with pytest.raises(OutputError, match=rf"{path.name}.*damaged.*delete it"):
        Runner(SEED, checkpoint=store).run(cells()[:1])


def test_what_cannot_be_saved_is_played_all_the_same(tmp_path, monkeypatch, straight):
    monkeypatch.setattr(contextual_worlds, "Line", lambda slope, fits: Odd(slope, fits))
    runner = Runner(SEED, checkpoint=Checkpoint(tmp_path), save_every=0.0)
    assert same(straight[:1], runner.run(cells()[:1]))


class Odd:
    """A fit that is not plain."""

    def __init__(self, slope, fits):
        self.slope, self.fits, self.odd = slope, fits, lambda: None


class Counter:
    """Progress as it is told."""

    def __init__(self):
        self.total, self.steps = 0, []

    def add(self, rounds):
        self.total += rounds

    def done(self, rounds):
        self.steps.append(rounds)


def test_all_rounds_are_shown_once(monkeypatch):
    monkeypatch.setattr(runner, "SHOW_EVERY", 0.0)
    counter = Counter()
    Runner(SEED, progress=counter).run(cells(30)[:1])
    assert counter.total == sum(counter.steps) == 60


def test_a_worker_writes_its_progress_where_others_read_it(tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "SHOW_EVERY", 0.0)
    board, seen = Board.create(tmp_path / "rounds", 3), []
    monkeypatch.setattr(
        Board, "tell", lambda *told, tell=Board.tell: (tell(*told), seen.append(told[2]))
    )
    _at_work(1, Sent(cells(30)[0].batches(SEED)[0]), None, 1.0, board, __version__)
    assert sorted(set(seen)) == list(range(1, 31))
    assert board.rounds().tolist() == [0, 30, 0]


def test_what_workers_write_is_shown_once(tmp_path, monkeypatch):
    monkeypatch.setattr(progress, "POLL", 0.01)
    counter, board = Counter(), Board.create(tmp_path / "rounds", 2)
    counts = progress.RoundCounter(counter, 2)
    with counts.reading(board):
        for batch, rounds in ((0, 5), (1, 7), (0, 9)):
            board.tell(batch, rounds)
            until = time.monotonic() + 30
            while sum(counter.steps) < board.rounds().sum():
                assert time.monotonic() < until
                time.sleep(0.001)
    assert counter.steps == [5, 7, 4]
    counts.reached(0, 20)  # done
    counts.reached(0, 15)  # an old reading
    assert counter.steps == [5, 7, 4, 11]


def test_bad_interval_is_named():
    with pytest.raises(InvalidInput, match="save_every"):
        Runner(save_every=-1.0)
