"""What is dear to count, kept for some seconds: many visitors look at the same figures."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import TypeVar, cast
from weakref import WeakKeyDictionary

from geohound.contracts import CatalogueStore

FRESH_S = 30.0
LONG_S = 900.0  # for what does not change any more
# while the catalogue has not changed: looks that find nothing new count too
SAME_S = 300.0
MAX_KEPT = 400  # of a catalogue
T = TypeVar("T")
_Kept = OrderedDict[Hashable, tuple[float, Hashable, object]]
_of_catalogues: WeakKeyDictionary[CatalogueStore, _Kept] = WeakKeyDictionary()
_lock = Lock()


def recent(
    catalogue: CatalogueStore,
    key: Hashable,
    count: Callable[[], T],
    fresh_s: float = FRESH_S,
    revision: Hashable = None,
) -> T:
    """What `count` returns, or what it returned for this key a few seconds ago; the oldest go where there are many.

    With a revision, that of before holds for as long as the revision is the same, but not for ever.
    """
    with _lock:
        kept = _of_catalogues.setdefault(catalogue, OrderedDict())
        found = kept.get(key)
    if found is not None:
        at, of, value = found
        is_same = revision is not None and revision == of
        if time.monotonic() - at < (SAME_S if is_same else fresh_s):
            return cast("T", value)  # the same key is the same kind of value
    made = count()
    with _lock:
        kept[key] = time.monotonic(), revision, made
        kept.move_to_end(key)
        while len(kept) > MAX_KEPT:
            kept.popitem(last=False)
    return made
