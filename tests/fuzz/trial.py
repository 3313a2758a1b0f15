"""One file tried in a process of its own: what became of it."""

import os
import resource
import traceback
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import bandstrap
from bandstrap import Bandit
from fuzz.pool import Tell
from fuzz.subjects import Subject
from fuzz.using import Improper, Steps, Use
from fuzz.watch import PROCESSES, SOCKETS, TOUCHED, Watch

REFUSED, FINE, REFUSED_IN_USE = "refused", "fine", "refused in use"
CRASH, HANG, TRACEBACK, IMPROPER = "crash", "hang", "traceback", "propensities"
GOOD = (REFUSED, FINE, REFUSED_IN_USE)
BAD = (CRASH, HANG, TRACEBACK, IMPROPER, TOUCHED, PROCESSES, SOCKETS)
FILE = "file.bandit"
MEMORY = 3 << 30  # bytes that a trial may take on top of what is there
PACKAGE = Path(bandstrap.__file__).parent
KERNELS = Path(os.environ.get("NUMBA_CACHE_DIR", PACKAGE))  # where compiled ones are kept
T = TypeVar("T")


@dataclass
class Result:
    """A verdict, and what led to it."""

    verdict: str
    step: str = ""
    what: str = ""  # the error, the misdeed, the signal
    where: str = ""  # the innermost line of ours
    trace: str = ""
    slowest: tuple[float, str] = (0.0, "")
    notes: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


class Trial:
    """Makes a file, loads it and uses the bandit, watched; for a process that ends with it."""

    def __init__(self, folder: Path, subject: Subject, waiting: list[Any], tell: Tell) -> None:
        self.file, self.saved = folder / FILE, folder / "saved"
        self.subject, self.waiting = subject, waiting
        self.saved.mkdir(exist_ok=True)
        os.chdir(folder)
        _limit_memory()
        warnings.simplefilter("ignore")
        self.steps = Steps(tell)
        self.watch = Watch(self.saved, KERNELS)

    def run(self, make: Callable[[], None]) -> Result:
        """What became of the file that is made, or of one that was tried in making it."""
        try:
            make()
            self.steps.refusals.clear()
            result = self._outcome()
        except _Failed as failed:
            result = failed.result
        if self.watch.misdeeds:
            kind, what = self.watch.misdeeds[0]
            result = Result(kind, self.steps.name, what, result.where, result.trace)
        result.slowest, result.notes = self.steps.slowest, sorted(self.watch.notes)
        return result

    def loaded(self) -> Bandit | None:
        """The bandit in the file; None if it is refused."""
        return self._watched(lambda: self.steps.take("load", lambda: Bandit.load(self.file)))

    def _outcome(self) -> Result:
        bandit = self.loaded()
        if bandit is None:
            return Result(REFUSED, "load", self.steps.refusals[0])
        use = Use(bandit, self.subject, self.steps)
        self._watched(lambda: use.whole(self.waiting, self.saved))
        if self.steps.refusals:
            return Result(REFUSED_IN_USE, "", self.steps.refusals[0])
        return Result(FINE)

    def _watched(self, work: Callable[[], T]) -> T:
        try:
            with self.watch:
                return work()
        except Improper as error:
            raise _Failed(Result(IMPROPER, self.steps.name, str(error), self.steps.name)) from error
        except BaseException as error:  # whatever it is, it is none of ours
            raise _Failed(_raised(error, self.steps.name)) from error


class _Failed(Exception):  # noqa: N818
    """Something bad happened."""

    def __init__(self, result: Result) -> None:
        super().__init__(result)
        self.result = result


def _raised(error: BaseException, step: str) -> Result:
    trace = "".join(traceback.format_exception(error)[-30:])
    what = f"{type(error).__name__}: {error!s:.300}"
    return Result(TRACEBACK, step, what, _ours(error), trace[-6000:])


def _ours(error: BaseException) -> str:
    """Where in this package an error comes from."""
    frames = [each for each in traceback.extract_tb(error.__traceback__) if _is_ours(each.filename)]
    if not frames:
        return "outside"
    return f"{Path(frames[-1].filename).relative_to(PACKAGE)} {frames[-1].name}"


def _is_ours(filename: str) -> bool:
    return filename.startswith(f"{PACKAGE}{os.sep}")


def _limit_memory() -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
