"""How one and two workers of each engine share the same batches, and that results are the same."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

import numpy as np

from bandstrap import Bootstrap
from bandstrap.environments import Beta
from bandstrap.simulation import Cell, Runner
from bandstrap.simulation.engines import Dask, Engine, Local, Ray
from bandstrap.simulation.runner import BATCH
from output import Row, arguments, report

RAY_QUIET = {"RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0", "RAY_USAGE_STATS_ENABLED": "0"}


@contextmanager
def local(workers: int) -> Iterator[Engine]:
    yield Local(workers)


@contextmanager
def dask(workers: int) -> Iterator[Engine]:
    from distributed import LocalCluster

    with LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster:
        yield Dask(cluster.scheduler_address)


@contextmanager
def ray(workers: int) -> Iterator[Engine]:
    import ray as package

    os.environ.update(RAY_QUIET)
    quiet = {"include_dashboard": False, "log_to_driver": False, "logging_level": "error"}
    package.init(num_cpus=workers, **quiet)
    try:
        yield Ray("auto")
    finally:
        package.shutdown()


ENGINES = {"local": local, "dask": dask, "ray": ray}


def cell(batches: int, horizon: int) -> Cell:
    return Cell("engines", "beta", "wb", Beta(n_arms=10), Bootstrap(), horizon, BATCH * batches)


def timed(engine: Engine, batches: int, horizon: int) -> tuple[float, np.ndarray, float]:
    """Wall seconds, regret, and CPU seconds of the decisions, once workers are warm."""
    Runner(engine=engine).run([cell(4, 10)])
    started = perf_counter()
    (trace,) = Runner(engine=engine).run([cell(batches, horizon)])
    return perf_counter() - started, trace.regret, float(trace.seconds[-1])


def rows_of(name: str, batches: int, horizon: int) -> tuple[list[Row], np.ndarray]:
    rows: list[Row] = []
    for workers in (1, 2):
        with ENGINES[name](workers) as engine:
            wall, regret, cpu = timed(engine, batches, horizon)
        decisions = BATCH * batches * horizon
        row: Row = {"engine": name, "workers": workers, "decisions": decisions, "wall s": wall}
        row["µs a decision, CPU"] = cpu / decisions * 1e6
        row["faster than one"] = rows[0]["wall s"] / wall if rows else 1.0
        row["of wall deciding"] = cpu / (wall * workers)
        rows.append(row)
    return rows, regret


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--engines", default=",".join(ENGINES))
    parser.add_argument("--batches", type=int, default=16, help=f"of {BATCH} runs")
    parser.add_argument("--horizon", type=int, default=3000)
    given = parser.parse_args()
    rows: list[Row] = []
    seen: set[bytes] = set()
    for name in given.engines.split(","):
        more, regret = rows_of(name, given.batches, given.horizon)
        rows += more
        seen.add(regret.tobytes())
    assert len(seen) == 1, "results differ between engines"
    note = (
        "the weighted bootstrap, Beta rewards, 10 arms; workers started and warm before the clock"
    )
    report(given.out, "engines", vars(given), rows, note)


if __name__ == "__main__":
    main()
