"""A PostgreSQL server of the tests' own, in a temporary folder, gone when they end."""

import os
import pwd
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from itertools import count
from pathlib import Path
from tempfile import mkdtemp

import psycopg

PLACES = ("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql*/bin")
USERS = ("postgres", "nobody")  # initdb refuses to run as root
PATIENCE = 30.0  # seconds


def programs():
    """The folder of initdb and postgres, the newest; None if there is none."""
    found = [Path(each).parent for each in [shutil.which("initdb")] if each]
    for place in PLACES:
        root, _, rest = place.partition("*")
        parent, prefix = Path(root).parent, Path(root).name if not root.endswith("/") else ""
        parent = Path(root) if root.endswith("/") else parent
        found += sorted(parent.glob(f"{prefix}*{rest}"), key=_version, reverse=True)
    return next((each for each in found if (each / "initdb").exists()), None)


def _version(folder):
    digits = "".join(each if each.isdigit() else " " for each in str(folder)).split()
    return int(digits[0]) if digits else 0


class Server:
    """Started at once; a name with a fresh database for each caller.

    `durable`: with syncs, as in production; without, tests take half the time.
    """

    def __init__(self, durable=False, settings=(), under=()):
        self._under = [*under]  # a command that runs it, as strace does
        self._bin = programs()
        self._user = _unprivileged()
        self.folder = Path(mkdtemp(prefix="bandstrap-pg-"))
        self._given = [*settings, *([] if durable else ["fsync=off", "full_page_writes=off"])]
        self._names = count()
        if self._user:
            shutil.chown(self.folder, self._user)
        self._run("initdb", "-D", self._data, "-A", "trust", "-U", "postgres", "--no-sync")
        self.start()

    @property
    def _data(self):
        return str(self.folder / "data")

    def start(self):
        """Also again, after it was killed."""
        settings = [f"unix_socket_directories={self.folder}", "listen_addresses=", *self._given]
        options = [each for setting in settings for each in ("-c", setting)]
        self._log = (self.folder / "log").open("ab")
        self.process = subprocess.Popen(
            [*self._under, self._bin / "postgres", "-D", self._data, *options], stdout=self._log,
            stderr=self._log, cwd=self.folder, start_new_session=True, **self._as_user(),
        )  # fmt: skip
        until = time.monotonic() + PATIENCE
        while True:
            try:
                psycopg.connect(self.url(), connect_timeout=2).close()
                return
            except psycopg.OperationalError:
                if time.monotonic() > until or self.process.poll() is not None:
                    raise
                time.sleep(0.05)

    def kill(self):
        """All its processes, none of which can finish anything."""
        os.kill(self.process.pid, signal.SIGSTOP)  # so that it starts no more
        for each in [*_children(self.process.pid), self.process.pid]:
            with suppress(ProcessLookupError):
                os.kill(each, signal.SIGKILL)
        self.process.wait()
        self._log.close()

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGQUIT)  # at once: what it has goes away
            self.process.wait()
        self._log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def url(self, schema="public"):
        return (
            f"postgresql://postgres@/postgres?host={self.folder}&options=-csearch_path%3D{schema}"
        )

    def fresh(self):
        """An address where there is nothing: a schema, as databases take long to make and drop."""
        name = f"fresh{next(self._names)}"
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA {name}")
        return self.url(name)

    def _run(self, program, *arguments):
        subprocess.run(
            [self._bin / program, *arguments], check=True, stdout=subprocess.DEVNULL,
            cwd=self.folder, **self._as_user(),
        )  # fmt: skip

    def _as_user(self):
        if not self._user:
            return {}
        group = pwd.getpwnam(self._user).pw_gid
        return {"user": self._user, "group": group, "extra_groups": []}


def _children(parent):
    """Processes that it has started: each has a session of its own."""
    found = []
    for status in Path("/proc").glob("[0-9]*/status"):
        with suppress(OSError):
            if f"\nPPid:\t{parent}\n" in status.read_text():
                found.append(int(status.parent.name))
    return found


def _unprivileged():
    """Whom to run as; None to stay who we are."""
    if os.geteuid() != 0:
        return None
    known = {each.pw_name for each in pwd.getpwall()}
    return next(each for each in USERS if each in known)
