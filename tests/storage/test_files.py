"""Whatever happens to a writer, the file is the old one or the new one."""

import errno
import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
from kills import number_in, payload

from bandstrap.errors import OutputError
from bandstrap.storage import files
from bandstrap.storage.files import PART, STALE, reading, regular, replacing

HERE = Path(__file__).parent
posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX")
SMALL = 1 << 14  # bytes

# Writes one file again and again, in a process of its own.
WRITER = """
import sys
from pathlib import Path
from kills import payload
from bandstrap.storage.files import replacing
for number in range(*map(int, sys.argv[2:4])):
    with replacing(Path(sys.argv[1])) as file:
        for byte in range(4):
            file.write(payload(number, 1 << 14)[byte * 5000 : (byte + 1) * 5000])
"""

# A process that may write files of 100 kB at most: a full disk for those that want more.
FULL = """
import resource, signal, sys
from pathlib import Path
from kills import payload
from bandstrap.errors import OutputError
from bandstrap.storage.files import replacing
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
for number in range(50):
    try:
        with replacing(Path(sys.argv[1]), "free some space") as file:
            file.write(payload(number, 200_000 + 10_000 * number))
    except OutputError as error:
        print(error)
"""

# A folder that cannot be written, by a user for whom that holds: root writes everywhere.
FORBIDDEN = """
import os, sys, tempfile
from pathlib import Path
from bandstrap.errors import OutputError
from bandstrap.storage.files import replacing
folder = Path(tempfile.mkdtemp())
(folder / "old").write_text("old")
(folder / "locked").write_text("old")
(folder / "locked").chmod(0o400)
if os.getuid() == 0:
    for path in (folder, *folder.iterdir()):
        os.chown(path, 65534, 65534)
    os.setuid(65534)
def tried(name):
    try:
        with replacing(folder / name, "choose another place") as file:
            file.write(b"new")
    except OutputError as error:
        print(str(error).removeprefix(str(folder)))
try:
    tried("locked")
    folder.chmod(0o500)
    tried("old")
    tried("new")
    print(sorted(os.listdir(folder)), [(folder / name).read_text() for name in os.listdir(folder)])
finally:
    folder.chmod(0o700)
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
"""


def ran(code, *arguments):
    """What a program prints that has the modules of this folder."""
    return started(code, *arguments).communicate(timeout=120)[0]


def started(code, *arguments):
    command = [sys.executable, "-c", code, *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": str(HERE)}
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


def put(path, text, error=None):
    with replacing(path) as file:
        file.write(text.encode())
        if error:
            raise error


def test_the_file_appears_when_it_is_whole(tmp_path):
    path = tmp_path / "file"
    with replacing(path) as file:
        file.write(b"new")
        file.flush()
        assert not path.exists()
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("error", [ValueError, OSError, KeyboardInterrupt, SystemExit])
def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path, error):
    path = tmp_path / "file"
    put(path, "old")
    raised = OutputError if error is OSError else error
    with pytest.raises(raised, match="why"):
        put(path, "half", error("why"))
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["file"]


@posix
def test_processes_that_are_killed_leave_a_whole_file():
    command = [sys.executable, HERE / "kills.py", "--times", "20"]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (said.returncode, said.stderr) == (0, "")
    assert "20 kills" in said.stdout
    assert " 0 in the middle" not in said.stdout  # or nothing was tried


def watched(path, busy):
    """The numbers that a reader finds in the file as long as others are busy writing it."""
    found = set()
    while busy():
        found.add(number_in(path.read_bytes()))
    return found


def test_two_threads_may_write_one_file(tmp_path):
    path, failed = tmp_path / "file", []

    def write(numbers):
        try:
            for number in numbers:
                with replacing(path) as file:
                    for data in (payload(number, SMALL)[:5000], payload(number, SMALL)[5000:]):
                        file.write(data)
        except BaseException as error:
            failed.append(error)

    path.write_bytes(payload(0, SMALL))
    threads = [Thread(target=write, args=(range(start, start + 100),)) for start in (1, 1001)]
    for thread in threads:
        thread.start()
    found = watched(path, lambda: any(thread.is_alive() for thread in threads))
    assert not failed
    assert found <= {0, *range(1, 101), *range(1001, 1101)}
    assert number_in(path.read_bytes()) in {100, 1100}
    assert os.listdir(tmp_path) == ["file"]


def test_two_processes_may_write_one_file(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(payload(0, SMALL))
    writers = [started(WRITER, path, start, start + 100) for start in (1, 1001)]
    found = watched(path, lambda: any(writer.poll() is None for writer in writers))
    assert [writer.wait() for writer in writers] == [0, 0]
    for writer in writers:
        writer.stdout.close()
    assert found <= {0, *range(1, 101), *range(1001, 1101)}
    assert number_in(path.read_bytes()) in {100, 1100}
    assert os.listdir(tmp_path) == ["file"]


@posix
def test_a_full_disk_leaves_the_old_file(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(payload(7, SMALL))
    said = ran(FULL, path).splitlines()
    assert said == [f"{path}: cannot be written (File too large); free some space"] * 50
    assert number_in(path.read_bytes()) == 7
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_space_may_run_out_at_any_step(tmp_path, monkeypatch, step):
    path = tmp_path / "file"
    put(path, "old")

    def full(*arguments):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(files.os, step, full)
    with pytest.raises(OutputError, match=r"No space left on device\); choose another"):
        put(path, "new")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["file"]


@posix
def test_what_may_not_be_written_is_refused():
    assert ran(FORBIDDEN).splitlines() == [
        "/locked: is read-only; choose another place",
        "/old: cannot be written (Permission denied); choose another place",
        "/new: cannot be written (Permission denied); choose another place",
        "['locked', 'old'] ['old', 'old']",
    ]


@pytest.mark.parametrize("there", [True, False], ids=["to a file", "to nothing yet"])
def test_a_link_stays_a_link(tmp_path, there):
    target, link = tmp_path / "target", tmp_path / "link"
    (tmp_path / "more").symlink_to("target")
    link.symlink_to("more")
    if there:
        target.write_text("old")
    put(link, "new")
    assert os.readlink(link) == "more"
    assert not target.is_symlink()
    assert target.read_text() == "new"
    assert len(os.listdir(tmp_path)) == 3


@posix
def test_permissions_are_kept(tmp_path):
    path = tmp_path / "file"
    put(path, "old")
    open_to_all = path.stat().st_mode
    for mode in (0o600, 0o640, 0o666):
        path.chmod(mode)
        with replacing(path) as file:
            assert os.fstat(file.fileno()).st_mode & 0o777 == mode  # from the first byte on
        assert path.stat().st_mode & 0o777 == mode
    before = os.umask(0o077)
    try:
        put(tmp_path / "other", "new")
    finally:
        os.umask(before)
    assert (tmp_path / "other").stat().st_mode & 0o777 == 0o600
    assert open_to_all & 0o777 == 0o666 & ~before


@pytest.fixture
def device():
    """A terminal: nothing can take its place, as root's /dev/null could be if the test failed."""
    ends = os.openpty()
    yield os.ttyname(ends[1])
    for end in ends:
        os.close(end)


def odd(tmp_path, kind, device):
    """A path that is no file, or cannot be one."""
    path = tmp_path / "odd"
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(os.path.relpath(path))
    elif kind == "link to a device":
        path.symlink_to(device)
    elif kind == "loop":
        path.symlink_to("odd")
    else:
        (tmp_path / "file").touch()
        names = {"device": device, "NUL": "a\0b", "too long": "n" * 300, "surrogate": "\ud800"}
        return tmp_path / {**names, "no folder": "none/file", "below a file": "file/file"}[kind]
    return path


ODD = [
    ("folder", "is a folder"),
    ("pipe", "is a pipe"),
    ("socket", "is a socket"),
    ("device", "is a device"),
    ("link to a device", "is a device"),
    ("loop", "symbolic links"),
    ("NUL", r"a\\x00b.*null byte"),
    ("too long", "name too long"),
    ("surrogate", r"\\ud800.*surrogates"),
    ("no folder", "No such file"),
    ("below a file", "Not a directory"),
]


@posix
@pytest.mark.parametrize(("kind", "told"), ODD, ids=[kind for kind, _ in ODD])
def test_odd_paths_are_refused_at_once(tmp_path, monkeypatch, device, kind, told):
    monkeypatch.chdir(tmp_path)  # names of sockets must be short
    path = odd(tmp_path, kind, device)
    before = sorted(os.listdir(tmp_path))
    with pytest.raises(OutputError, match=f"{told}.*; choose another") as refused:
        put(path, "new")
    assert str(refused.value).isprintable()
    for look in (regular, lambda path: reading(path).__enter__()):
        with pytest.raises(OutputError, match=f"{told}.*; check the path"):
            look(path)
    assert sorted(os.listdir(tmp_path)) == before


@posix
def test_a_file_that_becomes_a_pipe_is_not_waited_for(tmp_path, monkeypatch):
    path = tmp_path / "file"
    os.mkfifo(path)
    monkeypatch.setattr(files, "regular", lambda path, remedy: None)  # it was a file just now
    with pytest.raises(OutputError, match="is a pipe"), reading(path):
        pass


def test_a_long_name_is_no_hindrance(tmp_path):
    path = tmp_path / ("é" * 127)  # 254 bytes of the 255 that a name may have
    put(path, "new")
    with reading(path) as file:
        assert file.read() == b"new"


def test_what_killed_writers_left_is_tidied(tmp_path):
    path = tmp_path / "file[1]"
    put(path, "old")
    parts = {}
    for name in ("old", "young"):
        with replacing(path):
            (parts[name],) = tmp_path.glob(f"*{PART}")
    theirs = [tmp_path / f"file[1].{'x' * 32}{PART}", tmp_path / f"file1.{'0' * 32}{PART}"]
    for left in (*parts.values(), *theirs):
        left.write_text("half")
    ago = time.time() - STALE - 60
    for left in (parts["old"], *theirs):
        os.utime(left, (ago, ago))
    put(path, "new")
    assert path.read_text() == "new"
    assert {*tmp_path.iterdir()} == {path, parts["young"], *theirs}


def test_json_holds_plain_values_and_null_for_numbers_that_are_not_finite(tmp_path):
    value = {1: np.array([1.5, np.nan]), "p": Path("a"), "t": ("x", float("inf"), None, True, 2)}
    plain = {"1": [1.5, None], "p": "a", "t": ["x", None, None, True, 2]}
    assert files.json_value(value) == plain
    files.write_json(tmp_path / "facts.json", value)
    assert json.loads((tmp_path / "facts.json").read_text()) == plain
