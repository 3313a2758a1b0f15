"""What all estimators and intervals of a long log cost.

A log of 10⁶ decisions among 10 arms with 5 features is evaluated for two targets: models are fit,
and a pass in pieces feeds all estimators, intervals by Cressie and Read, Clopper and Pearson,
sequences, and stabilised estimates; then the bootstrap. Seconds are of the processor. "passes" are
in units of a reference, timed in the same run: what a plain NumPy pass over the same log takes, for
inverse propensity scoring of the same targets. "MB" is the most memory beyond the log.

With --command the log is written to a Parquet file, and `bandstrap evaluate` and reading alone each
get a process of their own. "MB" is then the most memory that the process held.
"""

import os
import subprocess
import sys
import tracemalloc
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bandstrap.evaluation.estimators import ESTIMATORS
from bandstrap.evaluation.feedback import Feedback
from bandstrap.evaluation.intervals import (
    Betting,
    ClopperPearson,
    CressieRead,
    EmpiricalBernstein,
    StabilisedDR,
    StudentisedBootstrap,
)
from bandstrap.evaluation.moments import Moments
from bandstrap.evaluation.regression import Predict, cross_fit, forward_fit, sampled
from output import Row, arguments, report

FEATURES, PIECE = 5, 32_768


def logged(rows: int, arms: int) -> Feedback:
    """A log of a logger with a taste that depends on contexts."""
    rng = np.random.default_rng(0)
    contexts = rng.standard_normal((rows, FEATURES))
    scores = np.exp(contexts @ rng.standard_normal((FEATURES, arms)) / 2)
    shares = 0.1 / arms + 0.9 * scores / scores.sum(axis=1, keepdims=True)
    chosen = (rng.random((rows, 1)) < shares.cumsum(axis=1)).argmax(axis=1)
    likes = 0.1 + 0.3 * (chosen / arms) * (contexts[:, 0] > 0)
    rewards = (rng.random(rows) < likes) + 0.0
    own = shares[np.arange(rows), chosen]
    return Feedback(tuple(range(arms)), chosen, rewards, contexts, own)


def wanted(feedback: Feedback, start: int, stop: int) -> list[np.ndarray]:
    """The probabilities of two targets: any arm, and one by the first feature."""
    contexts, arms = feedback.contexts[start:stop], len(feedback.arms)
    even = np.full((len(contexts), arms), 1 / arms)
    return [even, np.eye(arms)[np.where(contexts[:, 0] > 0, arms - 1, 0)]]


def reference(feedback: Feedback) -> None:
    for start in range(0, len(feedback), PIECE):
        for target in wanted(feedback, start, start + PIECE):
            some = slice(start, start + PIECE)
            places = np.arange(len(target)), feedback.chosen[some]
            ratios = target[places] / feedback.propensities[some]
            np.mean(ratios * feedback.rewards[some])


def everything(feedback: Feedback, across: Predict, ahead: Predict) -> Moments:
    """One pass for all estimators and tallies of both targets."""
    moments = Moments([*ESTIMATORS.values()], targets=2)
    methods = CressieRead(), ClopperPearson(), EmpiricalBernstein(), Betting()
    tallies = [[each.start() for each in methods] for _ in range(2)]
    steady = [StabilisedDR().start() for _ in range(2)]
    for start in range(0, len(feedback), PIECE):
        stop = min(start + PIECE, len(feedback))
        every, crossed, past = (
            wanted(feedback, start, stop),
            across(start, stop),
            ahead(start, stop),
        )
        samples = [sampled(feedback, start, stop, target, crossed) for target in every]
        moments.add(samples)
        for place, target in enumerate(every):
            for tally in tallies[place]:
                tally.add(samples[place])
            steady[place].add(sampled(feedback, start, stop, target, past))
    assert all(each.interval().low < each.interval().high for each in (*tallies[0], *steady))
    return moments


def timed(what: Callable[[], object]) -> tuple[float, object]:
    began = process_time()
    found = what()
    return process_time() - began, found


def measured(feedback: Feedback) -> list[Row]:
    """Seconds of each step; the reference is the median of three."""
    plain = float(np.median([timed(lambda: reference(feedback))[0] for _ in range(3)]))
    crossing, across = timed(lambda: cross_fit(feedback))
    going, ahead = timed(lambda: forward_fit(feedback))
    passing, moments = timed(lambda: everything(feedback, across, ahead))
    drawing, _ = timed(lambda: intervals(moments))
    steps = {"cross-fit": crossing, "forward fit": going, "one pass": passing, "bootstrap": drawing}
    steps["all"] = sum(steps.values())
    return [
        {"step": name, "seconds": seconds, "passes": seconds / plain}
        for name, seconds in {"reference": plain, **steps}.items()
    ]


def intervals(moments: Moments) -> int:
    """How many intervals the bootstrap gives."""
    drawn = StudentisedBootstrap().of(moments)
    found = [drawn.interval(name, target) for name in ESTIMATORS for target in range(2)]
    return len(found) + len([drawn.difference(name, 0, 1) for name in ESTIMATORS])


def memory(feedback: Feedback) -> float:
    """Megabytes at most beyond the log."""
    tracemalloc.start()
    intervals(everything(feedback, cross_fit(feedback), forward_fit(feedback)))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most / 1e6


def written(feedback: Feedback, path: Path) -> None:
    """The log as a table, as a user has it."""
    names = [f"arm {arm}" for arm in feedback.arms]
    columns = {f"x{j}": column for j, column in enumerate(feedback.contexts.T)}
    arm = pa.DictionaryArray.from_arrays(feedback.chosen, names).cast(pa.string())
    facts = {"reward": feedback.rewards, "propensity": feedback.propensities}
    pq.write_table(pa.table({**columns, "arm": arm, **facts}), path)


def in_process(*arguments: str) -> tuple[float, float]:
    """Seconds of the processor and megabytes at most, of Python with these arguments."""
    child = subprocess.Popen([sys.executable, *arguments], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"{arguments} ended with {child.returncode}")
    unit = 1e6 if sys.platform == "darwin" else 1e3  # of the system: bytes there, KiB elsewhere
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / unit


def commanded(feedback: Feedback) -> list[Row]:
    """The command on a file, and reading the file alone."""
    reading = "import sys; from bandstrap.evaluation import read_log; read_log(sys.argv[1])"
    with TemporaryDirectory() as folder:
        path, out = Path(folder, "log.parquet"), Path(folder, "evaluated")
        written(feedback, path)
        command = "-m", "bandstrap", "evaluate", f"{path}", "--out", f"{out}"
        steps = {"reading alone": ("-c", reading, f"{path}"), "bandstrap evaluate": command}
        found = {name: in_process(*arguments) for name, arguments in steps.items()}
    return [{"step": name, "seconds": cpu, "MB": most} for name, (cpu, most) in found.items()]


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--arms", type=int, default=10)
    parser.add_argument("--command", action="store_true", help="the command, on a file")
    parser.add_argument("--quick", action="store_true", help="a hundredth of the rows")
    given: Namespace = parser.parse_args()
    rows_of_log = given.rows // 100 if given.quick else given.rows
    feedback = logged(rows_of_log, given.arms)
    if given.command:
        note = f"{rows_of_log:,} decisions, {given.arms} arms, in processes of their own"
        report(given.out, "evaluation-command", vars(given), commanded(feedback), note)
        return
    measured(logged(2000, given.arms))  # imports
    rows = measured(feedback)
    most = memory(feedback)
    rows = [{**row, "MB": most if row["step"] == "all" else None} for row in rows]
    note = f"{rows_of_log:,} decisions, {given.arms} arms, two targets"
    report(given.out, "evaluation", vars(given), rows, note)


if __name__ == "__main__":
    main()
