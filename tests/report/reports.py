"""A small report made from results that were never simulated, and what its numbers should be."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bandstrap.experiments import Claim, Settings, Verdict
from bandstrap.experiments.base import Statements
from bandstrap.report import Run, write_report
from bandstrap.report.reproduction import reproduction_report
from bandstrap.simulation import Trace
from bandstrap.simulation.batch import recorded_rounds
from bandstrap.simulation.store.results import Results
from bandstrap.simulation.trace import write_table

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b55"
    "0000000a49444154789c63600000000200015e221bc40000000049454e44ae426082"
)
CLAIMS = [
    Claim(
        "C10",
        "the tenth <of> these",
        Verdict.NOT_REPRODUCED,
        "0.1 against 0.2",
        Statements(1, 2, 1),
    ),
    Claim("C2", "the second", Verdict.REPRODUCED, "1.5 & more"),
    Claim("C8", "the eighth", Verdict.UNDECIDED, "3 runs"),
]
KEPT = {"C10": Claim("C10", "the tenth", Verdict.IN_PART, "kept <numbers>", Statements(3, 1))}
NAMES = ["figure1", "figure2-covtype", "theorem1"]
FULL = Settings()
RUN = Run.here("bandstrap reproduce figure1 --out <results>", 7, 754.0)


def make(out):
    """Results of three experiments and their report, in a directory."""
    arms = [
        _trace("figure1", env, name, 1000, 12)
        for env in ("bernoulli", "beta")
        for name in ("wb", "npb", "ts")
    ]
    contexts = [
        _trace("figure2-covtype", "digits", "wb-log", 2000, 3),
        _trace("figure2-covtype", "digits", "eg-log", 2000, 3),
        _trace("figure2-covtype", "digits", "wb-nn", int(recorded_rounds(2000)[60]), 3),
    ]
    exact = [_trace("theorem1", "two-arm", "npb", 100, 1)]
    for name, traces in zip(NAMES, (arms, contexts, exact), strict=True):
        write_table(pa.concat_tables([t.table() for t in traces]), out / name / "results.parquet")
        times = pa.concat_tables([trace.timings() for trace in traces])
        write_table(times, out / name / "timings.parquet")
        (out / name / "plot.png").write_bytes(PNG)
    return write_report(report(out, NAMES, CLAIMS), out / "report.html")


def report(out, names, claims, settings=FULL, kept=KEPT):
    """What `make` writes."""
    return reproduction_report(out, names, claims, RUN, settings, kept)


def _trace(experiment, environment, policy, horizon, runs):
    rng = np.random.default_rng([len(environment), *policy.encode()])
    rounds = recorded_rounds(horizon)
    steps = np.diff(rounds, prepend=0)
    best = rng.uniform(0.6, 0.95)
    reward = rng.binomial(steps, best, (runs, rounds.size)).cumsum(axis=1).astype(float)
    regret = rng.gamma(steps * 0.1, 1.0, (runs, rounds.size)).cumsum(axis=1)
    seconds = 1e-6 * rng.uniform(1, 50) * rounds * runs
    return Trace(experiment, environment, policy, rounds, regret, reward, seconds)


def traces(out, experiment):
    """What an experiment left."""
    return Results(out / experiment).load()


def expected(out, experiment):
    """Mean and standard error by environment, policy and round, straight from results.parquet."""
    table = pq.read_table(out / experiment / "results.parquet")
    per_step = pa.compute.divide(table["reward"], pa.compute.cast(table["round"], pa.float64()))
    table = table.set_column(table.column_names.index("reward"), "reward", per_step)
    spread = pa.compute.VarianceOptions(ddof=1)
    wanted = [
        (name, kind, options)
        for name in ("regret", "reward")
        for kind, options in (("mean", None), ("stddev", spread), ("count", None))
    ]
    rows = table.group_by(["environment", "policy", "round"]).aggregate(wanted).to_pylist()
    return {
        (row["environment"], row["policy"], row["round"]): {
            name: (row[f"{name}_mean"], row[f"{name}_stddev"] / row[f"{name}_count"] ** 0.5)
            for name in ("regret", "reward")
        }
        for row in rows
    }
