"""What the portal takes stays what it takes: requests on many threads leave nothing behind that another cannot use."""

from __future__ import annotations

import subprocess
import sys

FREED = """
import threading
from pathlib import Path
from geohound.net.memory_release import share_between_threads
share_between_threads()

def work() -> None:
    kept = [bytes(4000) for _ in range(2000)]
    del kept

def arenas() -> int:
    gate = threading.Barrier(12)
    def one() -> None:
        gate.wait()
        work()
        gate.wait()
    threads = [threading.Thread(target=one) for _ in range(12)]
    [each.start() for each in threads]
    [each.join() for each in threads]
    names = [line.split()[0].split("-") for line in Path("/proc/self/maps").open() if "00:00 0" in line]
    return sum(int(first, 16) % (64 << 20) == 0 for first, _ in names)
print(arenas())
"""


def test_threads_share_the_heaps_of_the_c_library():
    """Each further heap of glibc begins at a multiple of 64 MB; without the limit there are as many as threads."""
    told = subprocess.run(
        [sys.executable, "-c", FREED], capture_output=True, text=True, check=True
    )
    assert int(told.stdout) <= 2
