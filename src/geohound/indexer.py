"""The background indexer's process: indexes a catalogue until its parent process closes the pipe or dies."""

from __future__ import annotations

import os
import signal
import sys

from geohound.app import open_catalogue
from geohound.contracts import StoreError
from geohound.search.background_indexer import index_until_closed
from geohound.settings import Settings


def main() -> None:
    """The environment names the catalogue; the standard input is the pipe from the writing process."""
    # Ctrl+C is for the crawl, which closes the pipe when it is done
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(5)  # fetching pages comes first
    try:
        with open_catalogue(
            Settings(catalogue=os.environ["GEOHOUND_CATALOGUE"])
        ) as opened:
            index_until_closed(opened.index, sys.stdin.buffer)
    except StoreError:  # the writer reports it, and searches work without this process
        sys.exit(1)


if __name__ == "__main__":
    main()
