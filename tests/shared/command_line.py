"""The command line, called in the process of the tests: what `geohound WORDS` prints and ends with, without its start.

What a process is needed for (signals, kills, pipes) starts the program itself.
"""

from __future__ import annotations

import io
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from subprocess import CompletedProcess
from unittest.mock import patch

from geohound.cli import main

# The loggers that a command gives handlers to.
_LOGGERS = ("", "geohound.crawler")


def geohound(*words: str, **environ: str) -> CompletedProcess[str]:
    """Call the program with these words and with these variables beside those of the environment."""
    out, err = _stream(), _stream()
    called = ["geohound", *words]
    with ExitStack() as around:
        around.enter_context(redirect_stdout(out))
        around.enter_context(redirect_stderr(err))
        around.enter_context(_own_logging())
        around.enter_context(patch.object(sys, "argv", called))
        around.enter_context(patch.dict(os.environ, environ))
        code = _exit_code()
    return CompletedProcess(called, code, _text(out), _text(err))


def _exit_code() -> int:
    try:
        main()
    except SystemExit as ended:
        return (
            ended.code if isinstance(ended.code, int) else int(ended.code is not None)
        )
    return 0


def _stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)


def _text(stream: io.TextIOWrapper) -> str:
    written = stream.buffer
    assert isinstance(written, io.BytesIO)
    return written.getvalue().decode()


@contextmanager
def _own_logging() -> Iterator[None]:
    """The program sets up logging for itself; the tests have theirs back afterwards."""
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    before = [(logger, logger.handlers, logger.level) for logger in loggers]
    for logger in loggers:
        logger.handlers = []
    try:
        yield
    finally:
        for logger, handlers, level in before:
            for handler in logger.handlers:
                handler.close()
            logger.handlers = handlers
            logger.setLevel(level)
