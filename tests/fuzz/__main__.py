"""The command: PYTHONPATH=tests python -m fuzz --files 10000.

With `--checked` kernels check every index, so that reading beside an array shows as an error and
not only by luck as a crash. They are compiled anew for that, once, in minutes.
"""

import argparse
import os
import shutil
import sys
import tempfile
import warnings
from pathlib import Path
from time import monotonic

from bandstrap.storage.registry import names
from fuzz import coverage
from fuzz.campaign import Campaign
from fuzz.report import Report
from fuzz.subjects import SUBJECTS
from fuzz.trial import BAD, FINE

EVERY = 500  # files between two lines of progress


def main() -> int:
    """0 if nothing bad happened, 1 if something did, 2 if not even honest files are taken."""
    given = _given()
    if given.checked and "NUMBA_BOUNDSCHECK" not in os.environ:
        _begin_again(given.out / "kernels")
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        campaign = Campaign(given.policies, given.seed, Path(folder))
        campaign.prepare()
        if given.policies == [*SUBJECTS]:
            _note_classes(campaign)
        return _honest(campaign, given.jobs) or _hostile(campaign, given)


def _begin_again(kernels: Path) -> None:
    """Numba asks the environment when it is imported."""
    environment = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(kernels.absolute())}
    os.execve(sys.executable, sys.orig_argv, {**os.environ, **environment})


def _note_classes(campaign: Campaign) -> None:
    """Keep which classes there are in files, for the test that none is left out."""
    where = coverage.found(campaign.files)
    missing = sorted({*names()} - {*where} - {*coverage.LEFT_OUT})
    if missing:
        print(f"in no file: {', '.join(missing)}")
    coverage.keep(where)


def _honest(campaign: Campaign, jobs: int) -> int:
    """Files that only went through our own hands must load and work."""
    numbers = [-1 - i for i in range(len(campaign.policies))]
    failed = [each for each in campaign.run(numbers, jobs) if each.result.verdict != FINE]
    for each in failed:
        print(f"{each.policy}, unchanged: {each.result.verdict}, {each.result.what}")
        print(each.result.trace)
    return 2 if failed else 0


def _hostile(campaign: Campaign, given: argparse.Namespace) -> int:
    shutil.rmtree(given.out / "failures", ignore_errors=True)
    report, start = Report(campaign, given.out, given.keep), monotonic()
    numbers = [given.only] if given.only is not None else range(given.files)
    for done, each in enumerate(campaign.run(numbers, given.jobs), 1):
        report.add(each)
        if done % EVERY == 0:
            print(f"{done:,} files, {report.count(*BAD):,} failures", flush=True)
        if given.only is not None:
            print(*each.told, each.result.trace, sep="\n")
    seconds = monotonic() - start
    print(report)
    print(f"{len(numbers):,} files in {seconds:.0f} s, {len(numbers) / seconds:.1f} a second")
    if report.count(*BAD):
        print(f"{report.count(*BAD):,} failures: examples are in {given.out / 'failures'}")
    return 1 if report.count(*BAD) else 0


def _given() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="fuzz", description="Try changed files of saved bandits.")
    parser.add_argument("--files", type=int, default=10_000, help="how many")
    parser.add_argument("--seed", type=int, default=1, help="other files by another seed")
    parser.add_argument("--policies", type=_policies, default=[*SUBJECTS], help="some, with commas")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes at a time")
    parser.add_argument("--out", type=Path, default=Path("build/fuzz"), help="where failures go")
    parser.add_argument("--keep", type=int, default=3, help="files of each kind of failure")
    parser.add_argument("--only", type=int, help="the number of one file to try again")
    parser.add_argument("--checked", action="store_true", help="kernels that check every index")
    return parser.parse_args()


def _policies(text: str) -> list[str]:
    names = text.split(",")
    unknown = [name for name in names if name not in SUBJECTS]
    if unknown:
        raise argparse.ArgumentTypeError(f"{unknown} not among {', '.join(SUBJECTS)}")
    return names


if __name__ == "__main__":
    sys.exit(main())
