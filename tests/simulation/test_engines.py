"""Engines by name, and what is kept between calls."""

import pytest

from bandstrap.errors import InvalidInput, UnknownName
from bandstrap.experiments import RunSize, Settings
from bandstrap.experiments.figure1 import Figure1
from bandstrap.experiments.session import Session
from bandstrap.simulation import runner
from bandstrap.simulation.batch import run_batch
from bandstrap.simulation.engines import Dask, Engine, Local, Ray, engine_named
from bandstrap.simulation.progress import Board, Quiet
from bandstrap.simulation.store.checkpoint import Checkpoint
from simulated import cells


class Counting(Quiet):
    """Counts rounds."""

    def __init__(self):
        self.total = self.finished = 0

    def add(self, rounds):
        self.total += rounds

    def done(self, rounds):
        self.finished += rounds


class Spy(Engine):
    """This process, with a note of how many batches it was to play."""

    def __init__(self):
        self.asked = []

    def pool(self, batches):
        self.asked.append(batches)
        return Local().pool(batches)


def test_engines_have_names():
    assert engine_named("local", None, 3) == Local(3)
    assert engine_named("dask", "tcp://there:1", 0) == Dask("tcp://there:1")
    assert engine_named("ray", "auto", 0) == Ray("auto")


@pytest.mark.parametrize(
    ("asked", "kind", "says"),
    [
        (("spark", None, 0), UnknownName, "spark"),
        (("dask", None, 0), InvalidInput, r"--address.*tcp://"),
        (("ray", " ", 0), InvalidInput, r"--address.*auto"),
        (("local", "tcp://there:1", 0), InvalidInput, r"--address.*--engine"),
        (("dask", "tcp://there:1", 2), InvalidInput, r"--workers = 2: leave it out"),
        (("local", None, -1), InvalidInput, r"workers = -1"),
    ],
)
def test_what_cannot_be_is_refused(asked, kind, says):
    with pytest.raises(kind, match=says):
        engine_named(*asked)


@pytest.mark.parametrize(("engine", "module"), [(Dask("a"), "distributed"), (Ray("a"), "ray")])
def test_a_missing_package_is_named_with_its_extra(engine, module, monkeypatch):
    def absent(name, *rest):
        raise ImportError(name)

    monkeypatch.setattr("bandstrap.simulation.engines.import_module", absent)
    extra = type(engine).__name__.lower()
    with pytest.raises(InvalidInput, match=rf'pip install "bandstrap\[{extra}\]"'), engine.pool(1):
        pass


def test_workers_that_see_neither_board_nor_checkpoint_play_on(tmp_path):
    store = Checkpoint(tmp_path)
    with store.shown() as mark:
        slot = store.slot(cells()[0].batches(0)[0]).shown(mark)
        assert slot.seen()
    assert not slot.seen()  # the folder is there, but it is another's
    Board(tmp_path / "absent" / "rounds", 1).tell(0, 5)
    assert not list(tmp_path.iterdir())


def test_other_policies_later_play_only_what_is_new(tmp_path, monkeypatch):
    played = []

    def counting(batch, watch):
        played.append(batch.label)
        return run_batch(batch, watch)

    monkeypatch.setattr(runner, "run_batch", counting)
    totals, engine = [], Spy()
    for policies in (("wb", "ts"), ("ts", "npb"), ("wb", "ts")):
        progress = Counting()
        settings = Settings(RunSize.QUICK, runs=10, horizon=10, policies=policies)
        Session(tmp_path, settings, engine=engine).run(Figure1(), progress)
        totals.append((progress.total, progress.finished))
    assert sorted(played) == sorted(["npb", "ts", "wb"] * 4)
    assert engine.asked == [8, 4]
    assert totals == [(800, 800)] * 3  # what was there already counts as done
