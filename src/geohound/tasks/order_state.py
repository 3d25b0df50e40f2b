"""An order with what it has learned: in earlier runs of its task, or in another crawl."""

from __future__ import annotations

import zlib
from pathlib import Path

from geohound.contracts import Order
from geohound.settings import SettingsError


def learned_order(order: Order, state: bytes, learned: str = "") -> Order:
    """This order from where its task left it; `learned` is a file of an earlier crawl, for one that begins."""
    fresh = order.fresh()
    if state:
        try:
            fresh.restore(state)
        except ValueError:  # of another version of Geohound: learned anew
            fresh = order.fresh()
    if learned:
        _take_over(fresh, learned, is_resumed=bool(state))
    return fresh


def _take_over(order: Order, learned: str, *, is_resumed: bool) -> None:
    """Begin with what an earlier crawl has learned; said before anything is crawled, if the file will not do."""
    path = Path(learned).expanduser()
    if not order.state():
        raise SettingsError(
            f"The order {order.id!r} learns nothing: leave --learned out, or take another order."
        )
    if not path.parent.is_dir() or path.is_dir():
        raise SettingsError(
            f"{learned} cannot be written at the end of the crawl; name another file."
        )
    if is_resumed or not path.exists():
        return
    try:
        order.restore(path.read_bytes())
    except (ValueError, OSError, zlib.error):
        raise SettingsError(
            f"{learned} holds nothing that the order {order.id!r} has learned; name another file."
        ) from None
