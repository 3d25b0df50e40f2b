"""Keeps a process going that runs the queued tasks of a catalogue: if it dies, another is started."""

from __future__ import annotations

import logging
import subprocess
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from types import TracebackType
from typing import Self

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 60.0
HEALTHY_S = 60.0  # a process that lived this long may be started again at once
LONGEST_END_S = 30.0
log = logging.getLogger(__name__)


class Supervisor:
    """Starts the process and gives it `setup` as the first line of its standard input, whose end means: end.

    So the process ends in good order whether its writer closes the line or is killed.
    """

    def __init__(self, command: Sequence[str], setup: bytes) -> None:
        self._command = command
        self._setup = setup
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._thread = threading.Thread(
            target=self._keep, name="task-supervisor", daemon=True
        )

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._lock:
            self._closing.set()
            process = self._process
        if process is not None and process.stdin is not None:
            with suppress(OSError):
                process.stdin.close()
        self._thread.join(LONGEST_END_S)
        if process is not None and process.poll() is None:
            log.warning(
                "Process %d, which runs tasks, does not end and is killed; they go on next time.",
                process.pid,
            )
            process.kill()
            process.wait()

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process is not None else None

    def _keep(self) -> None:
        pause_s = FIRST_PAUSE_S
        while not self._closing.is_set():
            started_at = time.monotonic()
            ended = self._run_once()
            if self._closing.is_set():
                return
            is_healthy = time.monotonic() - started_at >= HEALTHY_S
            pause_s = FIRST_PAUSE_S if is_healthy else pause_s
            log.warning(
                "The process that runs tasks has ended (%s); another is started in %g s.",
                ended,
                pause_s,
            )
            self._closing.wait(pause_s)
            pause_s = min(2 * pause_s, LONGEST_PAUSE_S)

    def _run_once(self) -> str:
        """Start the process and wait for its end; how it ended."""
        with self._lock:
            if self._closing.is_set():
                return ""
            try:
                process = subprocess.Popen(  # noqa: S603 - our own module
                    self._command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    process_group=0,
                )
            except OSError as error:
                return f"it could not be started: {error.strerror}"
            self._process = process
        if process.stdin is not None:
            # it has died already, or is to end: seen below
            with suppress(OSError, ValueError):
                process.stdin.write(self._setup + b"\n")
                process.stdin.flush()
        code = process.wait()
        return f"by signal {-code}" if code < 0 else f"with {code}"
