"""Kill a process that writes a file, again and again: there is always a whole file.

    python tests/storage/kills.py --times 200

`kills` takes any way to write and to read. Each process writes numbers that grow, and is killed
with SIGKILL at a random moment; what is found then must be the number last seen or a later one.
"""

import argparse
import os
import random
import signal
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from bandstrap.storage.files import PART, replacing

SIZE = 1 << 20  # bytes, so that most kills come while they are written
LONGEST = 0.03  # seconds that a process lives


def payload(number: int, size: int = SIZE) -> bytes:
    """Bytes that are told from those of any other number, and from a part of themselves."""
    block = sha256(str(number).encode()).digest()
    body = number.to_bytes(8, "big") + block * (size // len(block) + number % 7)
    return sha256(body).digest() + body


def number_in(data: bytes) -> int:
    """The number that the bytes were made from, all of them."""
    body = data[32:]
    assert sha256(body).digest() == data[:32], f"{len(data)} bytes of no one's"
    return int.from_bytes(body[:8], "big")


def write(path: Path, number: int) -> None:
    with replacing(path) as file:
        data = payload(number)
        for start in range(0, len(data), 1 << 16):
            file.write(data[start : start + (1 << 16)])


def read(path: Path) -> int:
    return number_in(path.read_bytes())


def kills(
    path: Path,
    times: int,
    write: Callable[[Path, int], None] = write,
    read: Callable[[Path], int] = read,
    longest: float = LONGEST,
) -> int:
    """How many of the kills came in the middle of a write."""
    moments, last, middle = random.Random(times), 0, 0
    write(path, last)
    for _ in range(times):
        _killed_after(moments.uniform(0, longest), path, last + 1, write)
        found = read(path)
        assert found >= last, f"{found} after {last}"
        last = found
        parts = [*path.parent.glob(f"*{PART}")]
        middle += len(parts) > 0
        for part in parts:
            part.unlink()
    return middle


def _killed_after(
    seconds: float, path: Path, first: int, write: Callable[[Path, int], None]
) -> None:
    ready, begun = os.pipe()
    child = os.fork()
    if child == 0:
        _forever(path, first, write, begun)
    os.close(begun)
    try:
        assert os.read(ready, 1) == b"!", "the writer failed"
        time.sleep(seconds)
    finally:
        os.close(ready)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _forever(path: Path, number: int, write: Callable[[Path, int], None], begun: int) -> None:
    try:
        os.write(begun, b"!")
        while True:
            write(path, number)
            number += 1
    finally:
        os._exit(1)  # nothing of the parent's is to run here


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=200)
    times = parser.parse_args().times
    with TemporaryDirectory() as folder:
        middle = kills(Path(folder) / "file", times)
    print(f"{times} kills, {middle} in the middle of a write: old or new file each time")


if __name__ == "__main__":
    main()
