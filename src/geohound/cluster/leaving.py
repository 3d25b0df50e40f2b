"""How the processes of a node learn that it leaves: by a folder, since Ray keeps their signals for itself."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

VARIABLE = "GEOHOUND_NODE_FOLDER"
LOOK_S = 0.2
_PREFIX = "geohound-node-"


class NodeFolder:
    """Each process that has to let go of something notes its number; a file `leave` asks all of them to."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @classmethod
    def make(cls) -> NodeFolder:
        """That of this node; the processes that are started from now on find it."""
        _remove_abandoned()
        path = tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-")
        os.environ[VARIABLE] = path
        return cls(Path(path))

    def ask(self) -> None:
        (self._path / "leave").touch()

    def wait(self, most_s: float) -> None:
        """Until all have let go, or are gone."""
        give_up_at = time.monotonic() + most_s
        while time.monotonic() < give_up_at and any(
            map(_is_alive, self._path.glob("[0-9]*"))
        ):
            time.sleep(LOOK_S)

    def remove(self) -> None:
        shutil.rmtree(self._path, ignore_errors=True)

    async def leave_when_asked(self, let_go: Callable[[], Awaitable[None]]) -> None:
        """For a process of the node: let go of everything once the node leaves."""
        note = self._path / str(os.getpid())
        note.touch()
        try:
            while not (self._path / "leave").exists():
                await asyncio.sleep(LOOK_S)
            await let_go()
        finally:
            note.unlink(missing_ok=True)


async def leave_when_asked(let_go: Callable[[], Awaitable[None]]) -> None:
    """Where Ray was not started by a node of ours, nobody asks."""
    path = os.environ.get(VARIABLE, "")
    if path and Path(path).is_dir():
        await NodeFolder(Path(path)).leave_when_asked(let_go)


def _is_alive(note: Path) -> bool:
    return Path(f"/proc/{note.name}").exists()


def _remove_abandoned() -> None:
    """Nodes that were killed could not remove theirs."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}[0-9]*-*"):
        number = folder.name.removeprefix(_PREFIX).partition("-")[0]
        if not Path(f"/proc/{number}").exists():
            shutil.rmtree(folder, ignore_errors=True)
