"""An audit hook: what a process does to files, to other processes and on the network."""

import os
import sys
from pathlib import Path
from typing import Any

TOUCHED, PROCESSES, SOCKETS = "files touched", "processes", "sockets"
PARSED = "<unknown>"  # the source of `ast.literal_eval`, which reads headers of arrays
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
# Audit events, or how they begin.
STARTING = (
    "subprocess.", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "os.kill",
    "os.startfile", "pty.spawn", "_posixsubprocess.", "ctypes.dlopen",
)  # fmt: skip
TALKING = ("socket.", "urllib.", "ftplib.", "smtplib.", "http.", "telnetlib.", "webbrowser.")
CHANGING = {  # and how many of their first arguments are paths
    "os.rename": 2, "os.link": 2, "os.symlink": 2, "os.remove": 1, "os.rmdir": 1, "os.mkdir": 1,
    "os.truncate": 1, "os.chmod": 1, "os.chown": 1, "os.utime": 1, "os.chdir": 1, "os.setxattr": 1,
    "os.removexattr": 1, "shutil.rmtree": 1, "shutil.move": 2, "shutil.copyfile": 2,
    "shutil.unpack_archive": 2, "shutil.make_archive": 1, "tempfile.mkstemp": 1,
    "tempfile.mkdtemp": 1, "sqlite3.connect": 1,
}  # fmt: skip


class Forbidden(RuntimeError):  # noqa: N818
    """Raised in place of what a file was about to do."""


class Watch:
    """Notes what is done inside `with`, and forbids what no file may do. It stays for good."""

    def __init__(self, own: Path, kernels: Path) -> None:
        self.own = os.path.realpath(own)  # where anything may be written
        self.kernels = os.path.realpath(kernels)  # below here compiled kernels are kept
        self.known = frozenset(sys.modules)
        self.misdeeds: list[tuple[str, str]] = []
        self.notes: set[str] = set()
        self.on = False
        sys.dont_write_bytecode = True
        sys.addaudithook(self._hook)

    def __enter__(self) -> None:
        self.on = True

    def __exit__(self, *error: object) -> None:
        self.on = False

    def _hook(self, event: str, args: tuple[Any, ...]) -> None:
        if not self.on:
            return
        if event == "open":
            self._opened(*args)
        elif event == "import":
            self._imported(str(args[0]))
        elif event in ("exec", "compile"):
            self._ran(event, args)
        elif event.startswith(STARTING):
            self._forbid(PROCESSES, event, args)
        elif event.startswith(TALKING):
            self._forbid(SOCKETS, event, args)
        elif event in CHANGING:
            self._changed(event, args)

    def _opened(self, path: Any, mode: Any, flags: Any) -> None:
        writes = flags & WRITING if isinstance(flags, int) else False
        if isinstance(path, int) or not (writes or (mode and set(mode) & set("wax+"))):
            return
        if not self._may(path):
            self._forbid(TOUCHED, "open", (path, mode, flags))

    def _changed(self, event: str, args: tuple[Any, ...]) -> None:
        for path in args[: CHANGING[event]]:
            if not self._may(path):
                self._forbid(TOUCHED, event, args)

    def _may(self, path: Any) -> bool:
        """Whether it may be written to: a folder of one's own, and kernels that are compiled."""
        if path is None or isinstance(path, int):
            return path is not None
        real = os.path.realpath(os.fsdecode(path))
        if real.startswith(f"{self.kernels}{os.sep}") and _of_kernels(real):
            self.notes.add("kernels compiled")
            return True
        return real.startswith(f"{self.own}{os.sep}")

    def _imported(self, name: str) -> None:
        top = name.partition(".")[0]
        if name not in self.known and name not in sys.modules:
            self.notes.add(f"import {name if top == 'bandstrap' else top}")

    def _ran(self, event: str, args: tuple[Any, ...]) -> None:
        where = getattr(args[0], "co_filename", None) or str(args[-1])
        if where != PARSED:
            self.notes.add(f"{event} {os.path.basename(where)[:60]}")

    def _forbid(self, kind: str, event: str, args: tuple[Any, ...]) -> None:
        self.misdeeds.append((kind, f"{event}{args!r:.200}"))
        raise Forbidden(f"{event}{args!r:.200}")


def _of_kernels(path: str) -> bool:
    """Whether Numba keeps a kernel there, or makes sure that a folder of kernels is there."""
    return os.path.isdir(path) or ".nbi" in path or ".nbc" in path
