"""What Figure 1 and its appendix cost from the command line: wall seconds and peak memory."""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, sleep

import pyarrow.compute as pc

from bandstrap.simulation.store.tables import read_table
from output import Row, arguments, report
from reference import numpy_thompson_seconds

NAMES = ["figure1", "figure1-k5", "figure1-k2"]
COMMAND = [sys.executable, "-c", "from bandstrap.cli import main; main()", "reproduce", *NAMES]
PAGE = os.sysconf("SC_PAGE_SIZE")


def resident_bytes(root: int) -> int:
    """Resident memory of a process and all its descendants; pages they share count in each."""
    parents: dict[int, int] = {}
    resident: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended meanwhile
            continue
        process = int(stat.parent.name)
        parents[process], resident[process] = int(fields[1]), int(fields[21]) * PAGE
    family = {root}
    while grown := {child for child, parent in parents.items() if parent in family} - family:
        family |= grown
    return sum(resident.get(process, 0) for process in family)


def run(options: list[str]) -> tuple[float, int]:
    """Wall seconds and peak resident bytes of the command."""
    started = perf_counter()
    process = subprocess.Popen(COMMAND + options, stdout=subprocess.DEVNULL)
    peak = 0
    while process.poll() is None:
        peak = max(peak, resident_bytes(process.pid))
        sleep(0.1)
    if process.returncode:
        raise SystemExit(process.returncode)
    return perf_counter() - started, peak


def decisions(out: Path) -> int:
    """How many decisions the results hold."""
    tables = [read_table(out / name / "timings.parquet") for name in NAMES]
    ends = [table.filter(pc.equal(table["round"], pc.max(table["round"]))) for table in tables]
    return sum(int(pc.sum(end["decisions"]).as_py()) for end in ends)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--runs", type=int, help="full size if not given")
    parser.add_argument("--horizon", type=int, help="full size if not given")
    given = parser.parse_args()
    sizes = [f"--{key}={vars(given)[key]}" for key in ("runs", "horizon") if vars(given)[key]]
    with TemporaryDirectory() as directory:
        wall, peak = run([f"--workers={given.workers}", f"--out={directory}", *sizes])
        made = decisions(Path(directory))
    reference = numpy_thompson_seconds(10, 1000, 500) / 500_000 * made
    row: Row = {
        "experiments": "figure1, -k5, -k2",
        "decisions": made,
        "wall s": wall,
        "peak MB": peak / 1e6,
        "reference s": reference,
        "wall / reference": wall / reference,
    }
    note = (
        f"{given.workers} workers, start-up, plots and report included; reference: one core "
        "deciding as often by Thompson sampling in NumPy with K = 10, 500 runs at once"
    )
    report(given.out, "figure1", vars(given), [row], note)


if __name__ == "__main__":
    main()
