"""By what a document shows, at a glance, that a kind may be able to read it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from geohound.document import Document

_START_BYTES = 400


@dataclass(frozen=True, slots=True)
class Signature:
    """One of these is enough. A signature only rules out: whether a document is a service, its reader decides."""

    root: re.Pattern[str] | None = None  # the whole local name of the XML root element
    keys: frozenset[str] = frozenset()  # one of these at the top of a JSON object
    start: re.Pattern[str] | None = None  # of the body, where it is plain text
    has_images: bool = False
    has_pages: bool = False  # HTML pages, at its own addresses only

    def fits(self, document: Document) -> bool:
        """Pages are not looked at here: their address decides."""
        if self.root is not None and self.root.fullmatch(document.root_name):
            return True
        if self.keys and _has_key(document, self.keys):
            return True
        if self.start is not None and self.start.match(
            document.body[:_START_BYTES].decode("latin-1")
        ):
            return True
        return self.has_images and document.is_image


def xml(*roots: str) -> Signature:
    """XML with one of these root elements."""
    return Signature(root=re.compile("|".join(roots)))


def json(*keys: str) -> Signature:
    """A JSON object with one of these keys."""
    return Signature(keys=frozenset(keys))


def _has_key(document: Document, keys: frozenset[str]) -> bool:
    value = document.json
    return isinstance(value, dict) and not keys.isdisjoint(value)
