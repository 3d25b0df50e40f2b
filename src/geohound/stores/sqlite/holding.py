"""One process at a time crawls a task: a lock beside the catalogue, which a process that dies lets go."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .database import StoreError


@contextmanager
def holding(catalogue: Path, task: int) -> Iterator[None]:
    """Have the task for oneself; StoreError says who has it."""
    whole = catalogue.resolve()  # one file may have several names
    path = whole.with_name(f"{whole.name}-task{task}.lock")
    file = _take(path, task)
    try:
        with suppress(OSError):  # it is the lock that counts; whose it is can do without a full disk
            os.ftruncate(file, 0)
            os.pwrite(file, str(os.getpid()).encode(), 0)
        yield
    finally:
        with suppress(OSError):
            path.unlink()
        os.close(file)


def _take(path: Path, task: int) -> int:
    while True:
        try:
            file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise StoreError(f"{path} cannot be written: {error.strerror}.") from error
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(file, 20, 0).decode("ascii", "replace").strip()
            os.close(file)
            who = f"Another process ({holder})" if holder.isdigit() else "Another process"
            raise StoreError(
                f"Task {task} is running already. {who} crawls it: let it end, or stop it first."
            ) from None
        except OSError as error:
            os.close(file)
            raise StoreError(
                f"{path} cannot be locked: {error.strerror}. Keep the catalogue on a local disk."
            ) from error
        if _is_at(path, file):
            return file
        os.close(file)  # whoever had it has just taken it away


def _is_at(path: Path, file: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(file))
    except FileNotFoundError:
        return False
