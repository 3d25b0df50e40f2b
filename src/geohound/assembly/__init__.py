"""Puts the house together: the only place that knows every concrete part."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Coroutine
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from geohound.document import Document
    from geohound.stores.sqlite import StoreError

    from .browser import Browsing, browsing, find_browser
    from .crawler import (
        crawl_spec,
        new_task,
        requests,
        task_runner,
        unfinished_task,
        visits,
    )
    from .examiner import fetcher, harvesters, kinds, local_examiner
    from .miner import Mined, mine_file, mine_files, mine_page
    from .parts import (
        Shelf,
        about_order,
        catalogue_size,
        open_catalogue,
        open_index,
        open_shelf,
        open_tasks,
        orders,
        sorter,
        topics,
    )

__all__ = [
    "Browsing", "Mined", "Shelf", "StoreError", "about_order", "browsing", "catalogue_size",
    "crawl_spec", "fetcher", "find_browser", "harvesters", "kinds", "local_examiner", "mine_file",
    "mine_files", "mine_page", "new_task", "open_catalogue", "open_index", "open_shelf", "open_tasks", "orders",
    "requests", "sorter",
    "task_runner", "topics", "unfinished_task", "visits",
]  # fmt: skip

_HOMES = {  # of all these names; a command that searches need not wait for what crawls
    **dict.fromkeys(("Browsing", "browsing", "find_browser"), "browser"),
    **dict.fromkeys(("crawl_spec", "new_task", "requests", "task_runner", "unfinished_task", "visits"), "crawler"),
    **dict.fromkeys(("fetcher", "harvesters", "kinds", "local_examiner"), "examiner"),
    **dict.fromkeys(("Mined", "mine_file", "mine_files", "mine_page"), "miner"),
}
T = TypeVar("T")


def __getattr__(name: str) -> Any:
    """The parts, fetched on first use."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES.get(name, 'parts')}"), name)


def document_from_file(path: Path, max_bytes: int) -> Document:
    """A saved answer, read as if it had just come."""
    from geohound.document import Document  # noqa: PLC0415 - as all parts
    from geohound.model.visit import Response  # noqa: PLC0415

    with path.open("rb") as file:
        body = file.read(max_bytes + 1)
    address = path.resolve().as_uri()
    return Document(
        Response(address, address, 200, {}, body[:max_bytes], datetime.now(UTC), truncated=len(body) > max_bytes)
    )


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; OSError where the address cannot be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(128)
    except OSError:
        listener.close()
        raise
    return listener


def portal_is_built() -> bool:
    """Have the portal's scripts and styles been built?"""
    return any((Path(__file__).parents[1] / "web" / "static").glob("**/*.js"))


def run_async(work: Coroutine[Any, Any, T]) -> T:
    """Run on the fast event loop where there is one."""
    try:
        import uvloop  # noqa: PLC0415 - not there on Windows
    except ImportError:
        return asyncio.run(work)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(work)
