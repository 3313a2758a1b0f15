"""One file tried in a process of its own: what became of it."""

import os
import resource
import traceback
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import bandstrap
from bandstrap import Bandit
from fuzz.subjects import Subject
from fuzz.using import Improper, Steps, Use
from fuzz.watch import PROCESSES, SOCKETS, TOUCHED, Watch

REFUSED, FINE, REFUSED_IN_USE = "refused", "fine", "refused in use"
CRASH, HANG, TRACEBACK, IMPROPER = "crash", "hang", "traceback", "propensities"
GOOD = (REFUSED, FINE, REFUSED_IN_USE)
BAD = (CRASH, HANG, TRACEBACK, IMPROPER, TOUCHED, PROCESSES, SOCKETS)
MEMORY = 3 << 30  # bytes that a trial may take on top of what is there
PACKAGE = Path(bandstrap.__file__).parent


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


def tried(
    file: Path, subject: Subject, waiting: list[Any], begun: Callable[[float], None]
) -> Result:
    """Load a file and use the bandit, watched; only for a process that ends with it."""
    saved = file.parent / "saved"
    saved.mkdir(exist_ok=True)
    os.chdir(file.parent)
    _limit_memory()
    warnings.simplefilter("ignore")
    watch, steps = Watch(saved, PACKAGE), Steps(begun)
    try:
        result = _outcome(file, subject, waiting, steps, saved)
    finally:
        watch.on = False
    if watch.misdeeds:
        kind, what = watch.misdeeds[0]
        result = Result(kind, steps.name, what, result.where, result.trace)
    result.slowest, result.notes = steps.slowest, sorted(watch.notes)
    return result


def _outcome(file: Path, subject: Subject, waiting: list[Any], steps: Steps, saved: Path) -> Result:
    try:
        bandit = steps.take("load", lambda: Bandit.load(file))
        if bandit is None:
            return Result(REFUSED, "load", steps.refusals[0])
        Use(bandit, subject, steps).whole(waiting, saved)
    except Improper as error:
        return Result(IMPROPER, steps.name, str(error), steps.name)
    except BaseException as error:  # whatever it is, it is none of ours
        return _raised(error, steps.name)
    if steps.refusals:
        return Result(REFUSED_IN_USE, "", steps.refusals[0])
    return Result(FINE)


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
