"""The same seed gives the same numbers: whatever the workers and the order."""

from dataclasses import dataclass
from time import thread_time
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bandstrap import Bootstrap, InvalidInput, simulate
from bandstrap.environments import Bernoulli, Beta
from bandstrap.policies import BetaThompson
from bandstrap.simulation import Cell, Runner
from bandstrap.simulation.batch import Batch, recorded_rounds, run_batch
from simulated import MEANS, cells, same


def test_twice_the_same():
    one, two = (simulate(Bootstrap(), MEANS, 50, runs=20, seed=3) for _ in range(2))
    assert same(one, two)
    assert not same(one, simulate(Bootstrap(), MEANS, 50, runs=20, seed=4))


def test_workers_change_nothing():
    alone, together = (Runner(seed=5, workers=workers).run(cells()) for workers in (1, 2))
    assert [trace.runs for trace in alone] == [1100] * 3
    assert all(same(one, two) for one, two in zip(alone, together, strict=True))


def test_order_changes_nothing(monkeypatch):
    straight = Runner(seed=5).run(cells(horizon=10))

    def backwards(self, todo):
        return [(job, run_batch(job.batch)) for job in reversed(todo)]

    monkeypatch.setattr(Runner, "_play", backwards)
    turned = Runner(seed=5).run(cells(horizon=10))
    assert all(same(one, two) for one, two in zip(straight, turned, strict=True))
    alone = [Runner(seed=5).run([cell])[0] for cell in reversed(cells(horizon=10))][::-1]
    assert all(same(one, two) for one, two in zip(straight, alone, strict=True))


def test_more_runs_begin_with_the_same_runs():
    few, many = (simulate(Bootstrap(), MEANS, 10, runs=runs) for runs in (500, 700))
    assert (many.regret[:500] == few.regret).all()
    assert (many.regret[500:700] != few.regret[:200]).any()


@dataclass(frozen=True)
class SlowToStart(BetaThompson):
    """Compiles for a third of a second, so to speak, when it is first asked."""

    started: ClassVar[list[bool]] = []

    def _update(self, *given):
        end = thread_time() + 0.3
        while not self.started and thread_time() < end:
            pass
        self.started.append(True)
        super()._update(*given)


def test_no_decision_is_charged_for_what_only_the_first_takes():
    trace = simulate(SlowToStart(), Bernoulli(n_arms=2), horizon=50, runs=3)
    assert SlowToStart.started
    assert trace.seconds[-1] < 0.2


def test_policies_meet_the_same_arms():
    """With one round to play, regret and reward depend on the arms alone, so runs can be paired."""
    batches = [cell.batches(7)[0] for cell in cells(runs=50)]
    first, second = (
        Batch(policy, Beta(4), 10, 50, 7, "world", label, 0)
        for policy, label in ((Bootstrap(), "wb"), (BetaThompson(), "ts"))
    )
    seen = []
    for batch in (first, second, batches[0]):
        start = type(batch.environment).start

        def spy(self, runs, rng, start=start, wanted=batch.runs):
            arms = start(self, runs, rng)
            if runs == wanted:  # and not a few that warm up
                seen.append(arms.means)
            return arms

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(type(batch.environment), "start", spy)
            run_batch(batch)
    assert (seen[0] == seen[1]).all()
    other = Batch(Bootstrap(), Beta(4), 10, 50, 7, "world", "wb", 1)
    assert (run_batch(other).reward != run_batch(first).reward).any()


def test_regret_is_the_gap_of_the_pulled_arms():
    trace = simulate(Bootstrap(), MEANS, 200, runs=30)
    assert (np.diff(trace.regret, axis=1) >= 0).all()
    assert (np.diff(trace.reward, axis=1) >= 0).all()
    assert (trace.regret[:, 0] <= 0.3 + 1e-12).all()
    assert (trace.regret <= 0.3 * trace.rounds + 1e-9).all()
    means = 0.6 * trace.rounds - trace.regret.mean(axis=0)  # what the pulled arms pay on average
    assert abs(trace.reward.mean(axis=0) - means)[-1] < 5 * np.sqrt(0.25 * 200 / 30)
    assert (np.diff(trace.seconds) >= 0).all()
    low, high = trace.band()
    assert (low <= trace.mean()).all()
    assert (trace.mean() <= high).all()


def test_one_arm_has_no_regret():
    trace = simulate(Bootstrap(), Bernoulli(means=(0.4,)), 30, runs=10)
    assert (trace.regret == 0).all()


@pytest.mark.parametrize("horizon", [1, 2, 7, 100, 1000, 10_000])
def test_recorded_rounds(horizon):
    rounds = recorded_rounds(horizon)
    assert (rounds[0], rounds[-1]) == (1, horizon)
    assert (np.diff(rounds) > 0).all()
    assert rounds.size <= 100
    assert rounds.size >= min(horizon, 20)


def test_tables_are_as_the_contract_says(tmp_path):
    trace = simulate(Bootstrap(), MEANS, 60, runs=12, name="wb")
    trace.to_parquet(tmp_path / "deep" / "results.parquet")
    table = pq.read_table(tmp_path / "deep" / "results.parquet")
    names = ["experiment", "environment", "policy", "run", "round", "regret", "reward"]
    assert table.column_names == names
    types = [pa.string()] * 3 + [pa.int64()] * 2 + [pa.float64()] * 2
    assert table.schema.types == types
    assert table.num_rows == 12 * trace.rounds.size
    assert (table["regret"].to_numpy().reshape(12, -1) == trace.regret).all()
    assert (np.arange(12) == table["run"].to_numpy().reshape(12, -1).T).all()
    assert (table["round"].to_numpy().reshape(12, -1) == trace.rounds).all()
    timings = trace.timings()
    names = ["experiment", "environment", "policy", "round", "decisions", "seconds"]
    assert timings.column_names == names
    assert timings.schema.types == [pa.string()] * 3 + [pa.int64()] * 2 + [pa.float64()]
    assert (timings["decisions"].to_numpy() == 12 * trace.rounds).all()
    assert timings["seconds"].to_numpy()[-1] > 0


@pytest.mark.parametrize(
    ("wrong", "parameter"),
    [
        ({"runs": 0}, "runs = 0"),
        ({"horizon": 0}, "horizon = 0"),
        ({"workers": 0}, "workers = 0"),
        ({"seed": -1}, "seed = -1"),
    ],
)
def test_bad_sizes_are_named(wrong, parameter):
    with pytest.raises(InvalidInput, match=parameter):
        simulate(**{"policy": Bootstrap(), "environment": MEANS, "horizon": 5} | wrong)


def test_an_error_in_a_worker_is_the_error_itself():
    wrong = [Cell("test", "beta", "ts", Beta(means=(1.5,)), Bootstrap(), 5, 1000)]
    with pytest.raises(InvalidInput, match="means"):
        Runner(workers=2).run(wrong)
