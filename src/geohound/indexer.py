"""A process that keeps the index of a catalogue close behind who writes it: started by it, and gone soon after it."""

from __future__ import annotations

import os
import signal
import sys

from geohound.assembly import open_index
from geohound.contracts import StoreError
from geohound.search.follower import follow


def main() -> None:
    """Call with the catalogue's file; its standard input is the line of who writes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the crawl, which hangs up in its own time
    os.nice(5)  # pages come first
    try:
        with open_index(sys.argv[1]) as index:
            follow(index, sys.stdin.buffer)
    except StoreError:  # who writes says so, and whoever searches can do without this process
        sys.exit(1)


if __name__ == "__main__":
    main()
