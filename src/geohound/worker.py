"""A process that reads pages for a crawl: started by it, fed by it, and gone when it is gone."""

from __future__ import annotations

import pickle
import signal
import socket
import sys

from geohound.app import local_examiner
from geohound.contracts import Examiner
from geohound.crawler.workers.loop import Reading, serve
from geohound.event_loop import run_async
from geohound.politeness import Turns


async def _build(setup: bytes, reading: Reading, turns: Turns) -> Examiner:
    settings, plan, processes = pickle.loads(setup)  # noqa: S301 - from the crawl that started this process
    return local_examiner(settings, plan, turns, reading, processes)


def main() -> None:
    """Call with the two file descriptors that the crawl handed down: its line, and the memory both see."""
    line_fd, shared_fd = map(int, sys.argv[1:3])
    # Ctrl+C is for the crawl, which hangs up in its own time
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    run_async(serve(socket.socket(fileno=line_fd), shared_fd, _build))


if __name__ == "__main__":
    main()
