"""A batch in progress goes on from its file; a file that somebody made does nothing."""

import numpy as np
import pytest

from bandstrap import UCB1, Bootstrap, OutputError
from bandstrap.environments import Bernoulli, Beta, Labelled
from bandstrap.policies.registry import CONTEXTUAL
from bandstrap.policies.rewards.means import MeanState
from bandstrap.priors import EigenExamples
from bandstrap.simulation.batch import Batch, Play, Watch, run_batch
from bandstrap.simulation.store.checkpoint import read_play, write_play
from bandstrap.storage.packing import CannotPack
from hostile import array_at, find, objects, read, write

MARK = "/tmp/bandstrap-was-here"


class Halfway(Exception):  # noqa: N818 - not an error
    pass


class Stop(Watch):
    """Writes the play after some rounds, and ends it."""

    due = 0.0

    def __init__(self, path, rounds):
        self.path, self.rounds = path, rounds

    def look(self, play):
        if play.played >= self.rounds:
            write_play(self.path, "x", play)
            raise Halfway


class Resume(Watch):
    def __init__(self, path, batch):
        self.path, self.batch = path, batch

    def resumed(self):
        return read_play(self.path, "x", self.batch)


class Slow(UCB1):
    """A policy of the user's own, whose state is of a class of the user's own too."""

    def _start(self, problem, runs):
        return Mine(problem, runs)

    def _update(self, state, contexts, arms, rewards, rng, weights=None):
        super()._update(state, contexts, arms, rewards, rng)
        state.later = Later()


class Mine(MeanState):
    pass


class Later:
    """Not there when the play begins."""


def batch_of(policy, environment, horizon=300, runs=3):
    return Batch(policy, environment, horizon, runs, 1, f"{environment!r}", "x", 0)


DIGITS = EigenExamples(Labelled("digits").covariance)
BATCHES = {
    "wb": batch_of(Bootstrap(), Beta(n_arms=3), 3000),
    "wb-atoms": batch_of(Bootstrap(), Bernoulli(n_arms=3)),
    "ts-lin": batch_of(CONTEXTUAL["ts-lin"](DIGITS), Labelled("digits"), 60, 1),
    "own": batch_of(Slow(), Bernoulli(n_arms=3)),
}


@pytest.fixture(params=BATCHES)
def halfway(request, tmp_path):
    batch, path = BATCHES[request.param], tmp_path / "x.midway"
    with pytest.raises(Halfway):
        run_batch(batch, Stop(path, batch.horizon // 3))
    return batch, path


def test_it_goes_on_bit_for_bit(halfway):
    batch, path = halfway
    whole, again = run_batch(batch), run_batch(batch, Resume(path, batch))
    assert whole.regret.tobytes() == again.regret.tobytes()
    assert whole.reward.tobytes() == again.reward.tobytes()


@pytest.mark.parametrize("name", ["os:system", "builtins:exec", "subprocess:Popen", "os:_Environ"])
@pytest.mark.parametrize("kind", ["global", "object", "named"])
def test_it_runs_no_command(halfway, kind, name):
    batch, path = halfway
    raw = read(path)
    more = {"global": [], "object": [{"a": f"touch {MARK}"}], "named": [[f"touch {MARK}"]]}[kind]
    find(raw, "Play", "world")[0].put([kind, name, *more, 10**6])
    write(raw, path)
    with pytest.raises(OutputError, match=f"asks for {name}.*delete it and run again"):
        read_play(path, "x", batch)


def test_what_no_file_may_hold_is_not_written(tmp_path):
    play = Play(BATCHES["wb"])
    play.state.history.more = 3
    with pytest.raises(CannotPack, match=r"state\.history: a RewardHistory has no field more"):
        write_play(tmp_path / "x", "x", play)


def test_functions_of_the_users_modules_cannot_be_named(tmp_path):
    batch, path = BATCHES["own"], tmp_path / "x"
    with pytest.raises(Halfway):
        run_batch(batch, Stop(path, 100))
    raw = read(path)
    find(raw, "Play", "world")[0].put(["global", f"{__name__}:batch_of", 10**6])
    write(raw, path)
    with pytest.raises(OutputError, match="asks for"):
        read_play(path, "x", batch)


@pytest.mark.parametrize(
    ("name", "value"), [("played", 10**9), ("point", 10**9), ("point", 0), ("spent", -1.0)]
)
def test_another_place_in_the_batch_is_refused(halfway, name, value):
    batch, path = halfway
    raw = read(path)
    find(raw, "Play", name)[0].put(value)
    write(raw, path)
    with pytest.raises(OutputError, match="is damaged, or from other code"):
        read_play(path, "x", batch)


def test_the_file_of_another_batch_is_refused(halfway):
    batch, path = halfway
    other = BATCHES["wb" if batch is not BATCHES["wb"] else "own"]
    with pytest.raises(OutputError, match="delete it and run again"):
        read_play(path, "x", other)
    with pytest.raises(OutputError, match="it is another batch"):  # of the same cell, say
        read_play(path, "y", batch)


def test_other_arms_are_refused(tmp_path):
    batch, path = BATCHES["wb-atoms"], tmp_path / "x"
    write_play(path, "x", Play(batch))
    raw = read(path)
    array_at(raw, find(raw, "Arms", "parameters")[0])[:] = 0.5
    write(raw, path)
    with pytest.raises(OutputError, match="not what the policy starts with"):
        read_play(path, "x", batch)


def test_a_flipped_byte_is_noticed(halfway):
    batch, path = halfway
    whole, rng = path.read_bytes(), np.random.default_rng(0)
    for place in rng.integers(len(whole), size=40):
        altered = bytearray(whole)
        altered[place] ^= 1 << rng.integers(8)
        path.write_bytes(bytes(altered))
        try:
            play = read_play(path, "x", batch)
        except OutputError:
            continue
        assert type(play) is Play  # some bytes of a zip file mean nothing
        assert objects(read(path), "Play")
