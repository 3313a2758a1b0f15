"""The command behind a report: seed, versions, machine and time."""

import os
import platform
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from bandstrap.version import __version__

_SHOWN = ("numpy", "scipy", "numba", "scikit-learn", "pyarrow", "joblib")


@dataclass(frozen=True)
class Run:
    """One call of the command line."""

    command: str
    seed: int
    seconds: float
    versions: tuple[tuple[str, str], ...]
    machine: str

    @classmethod
    def here(cls, command: str, seed: int, seconds: float) -> "Run":
        """A run on this machine, with the installed versions."""
        ours = (("bandstrap", __version__), ("Python", platform.python_version()))
        versions = (*ours, *((name, version(name)) for name in _SHOWN))
        return cls(command, seed, seconds, versions, _machine())

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """What to show, as names and values."""
        versions = ", ".join(f"{name} {number}" for name, number in self.versions)
        return (
            ("Seed", str(self.seed)),
            ("Time", f"{duration(self.seconds)} for this call; results of earlier ones are reused"),
            ("Machine", self.machine),
            ("Versions", versions),
        )


def duration(seconds: float) -> str:
    """A time for people.

    >>> duration(12.34), duration(754), duration(8000)
    ('12.3 seconds', '12 min 34 s', '2 h 13 min')
    """
    if seconds < 60:
        return f"{seconds:.1f} seconds"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def _machine() -> str:
    cores = os.cpu_count() or 1
    return f"{_processor()}, {cores} core{'s' * (cores > 1)}, {platform.system()}"


def _processor() -> str:
    """The processor's name; Linux keeps it in a file."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
