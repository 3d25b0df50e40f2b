"""What a service means, as a short hash that timestamps, counters, sessions and addresses leave alone."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

from geohound.model.service import Layer

# Looked for word by word: instants, days, times of day; addresses, which name hosts; session ids; counters.
_PASSING = re.compile(
    r"\d{4}-\d\d-\d\d|\d\d:\d\d(?::\d\d|$)|https?://|\d{9}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|^[0-9a-f]{32,}$",
    re.IGNORECASE,
)
_SHORTEST = 5  # a time of day
_MAY_PASS = re.compile(
    r"[\d:](?:(?<=\d)\d|(?<=:)//)"
)  # two digits or "://"; a set in front makes the search quick


def fingerprint(kind: str, title: str, layers: Iterable[Layer], *more: str) -> str:
    """Sixteen hex digits of kind, title, layers (in any order) and whatever else carries meaning."""
    digest = hashlib.sha256()
    digest.update(f"{kind}\n{_settle(title)}\n".encode("utf-8", "replace"))
    digest.update(
        "".join(sorted([_describe(layer) for layer in layers])).encode(
            "utf-8", "replace"
        )
    )
    for text in more:
        digest.update(f"{_settle(text)}\n".encode("utf-8", "replace"))
    return digest.hexdigest()[:16]


def _describe(layer: Layer) -> str:
    box = layer.extent.box if layer.extent is not None else None
    where = (
        "{:.2f} {:.2f} {:.2f} {:.2f}".format(*box.as_tuple()) if box is not None else ""
    )
    return f"{layer.name}\t{_settle(layer.title)}\t{where}\n"


def _settle(text: str) -> str:
    if not _MAY_PASS.search(text):
        return " ".join(text.split())
    return " ".join(
        [
            w
            for w in text.split()
            if len(w) < _SHORTEST or w.isalpha() or not _PASSING.search(w)
        ]
    )
