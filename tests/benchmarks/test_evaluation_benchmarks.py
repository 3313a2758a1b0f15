"""The benchmarks of evaluation run, in small, and say what they should."""

import json
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pytest

from bandstrap import read_log
from bandstrap.laws import beta_probabilities

ROOT = Path(__file__).parents[2]


@pytest.fixture
def benchmark_named(monkeypatch):
    """A benchmark as a module, under a name that no test has."""

    def load(name):
        monkeypatch.syspath_prepend(ROOT / "benchmarks")
        spec = spec_from_file_location(f"benchmark_{name}", ROOT / "benchmarks" / f"{name}.py")
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load


def test_long_logs(tmp_path):
    command = [sys.executable, ROOT / "benchmarks" / "evaluation.py", "--quick", "--out", tmp_path]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    rows = json.loads((tmp_path / "evaluation.json").read_text())["rows"]
    assert [row["step"] for row in rows][-1] == "all"
    assert rows[-1]["MB"] < 300


def test_peeking(benchmark_named):
    """Sequences keep their promise where a normal interval alarms in a fifth of cases or more."""
    peeking = benchmark_named("peeking")
    null = [peeking.alarms(*peeking.compared(300, 0.0, seed)) for seed in range(200)]
    rates = {name: np.mean([each[name] for each in null]) for name in null[0]}
    assert rates["normal, at every look"] >= 0.2
    assert rates["normal, looked at once"] < 0.1
    for name in ("asymptotic sequence", "empirical Bernstein", "betting"):
        assert rates[name] <= 0.05


def test_logs_of_learning_bandits(benchmark_named, tmp_path):
    """Few logs: most intervals hold, and what was made is not made again."""
    intervals = benchmark_named("intervals")
    found = intervals.batch("arms", 0, 40, 300, tmp_path)
    again = intervals.batch("arms", 0, 40, 300, tmp_path)
    assert (found == again).all()
    of = dict(zip(intervals.COLUMNS, np.moveaxis(found, -1, 0), strict=True))
    assert of["stabilised"].mean() > 0.85
    assert of["bernstein"].mean() <= 0.05
    assert of["betting"].mean() <= 0.05
    contexts = intervals.batch("contexts", 0, 2, 60, tmp_path)
    assert contexts.shape == (2, 3, len(intervals.COLUMNS))


def test_verdicts(benchmark_named, tmp_path):
    """Every target of every log has a verdict, and batches of other sizes are one table."""
    verdicts, intervals = benchmark_named("verdicts"), benchmark_named("intervals")
    found = intervals.batches("arms", 6, 200, tmp_path, verdicts.judged)
    assert found.shape == (6, 3, 3)
    rows = verdicts.rows_of("arms", 200, found)
    assert [row["verdict"] for row in rows[:3]] == ["trust", "with care", "cannot say"]
    assert sum(row["intervals"] for row in rows[:3]) == 18
    assert rows[0]["intervals"] == 0  # 200 decisions are too few
    held = sum(int(found[..., 1][found[..., 0] == place].sum()) for place in range(3))
    assert held >= 14


def test_probabilities_of_side_by_side_runs(benchmark_named):
    intervals, rng = benchmark_named("intervals"), np.random.default_rng(0)
    for most in (9, 1000):
        ones, zeros = rng.integers(1, most, (2, 20, 3)) + 0.0
        every = np.ones(3, dtype=bool)
        exact = [beta_probabilities(a, b, every) for a, b in zip(ones, zeros, strict=True)]
        assert intervals.wins(ones, zeros) == pytest.approx(np.array(exact), abs=1e-6)


def test_truths_of_contexts(benchmark_named):
    intervals, rng = benchmark_named("intervals"), np.random.default_rng(0)
    contexts = rng.standard_normal((400_000, 2))
    paid = intervals.paid(contexts)
    for name, target in intervals.targets("contexts", contexts, len(contexts)).items():
        assert intervals.truths("contexts")[name] == pytest.approx(
            (target * paid).sum(1).mean(), abs=0.002
        )


def test_other_logs_are_made_from_another_number_on(benchmark_named, tmp_path):
    intervals = benchmark_named("intervals")

    def rewards(log, world, truths):
        return log.rewards[None, :]

    first, others = (
        intervals.batches("arms", 3, 40, tmp_path / f"{at}", rewards, at) for at in (0, 250)
    )
    assert (first != others).any()


def test_a_log_as_a_table_is_the_same_log(benchmark_named, tmp_path):
    benchmark = benchmark_named("evaluation")
    log = benchmark.logged(300, 3)
    benchmark.written(log, tmp_path / "log.parquet")
    found = read_log(tmp_path / "log.parquet")
    assert [found.arms[place] for place in found.chosen] == [f"arm {each}" for each in log.chosen]
    assert (found.propensities == log.propensities).all()
