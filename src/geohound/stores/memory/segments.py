"""The search index in memory."""

from __future__ import annotations

from collections.abc import Mapping

from geohound.contracts import SegmentGoneError
from geohound.model.search.segment import Manifest


class MemorySegments:
    """Not for several threads."""

    def __init__(self) -> None:
        self._manifest = Manifest()
        self._parts: dict[str, Mapping[str, bytes]] = {}

    def manifest(self) -> Manifest:
        return self._manifest

    def read(self, segment: str, part: str) -> memoryview:
        try:
            return memoryview(self._parts[segment][part])
        except KeyError:
            raise SegmentGoneError(
                f"There is no part {part} of segment {segment}."
            ) from None

    def publish(
        self, manifest: Manifest, parts: Mapping[str, Mapping[str, bytes]]
    ) -> bool:
        if manifest.version != self._manifest.version + 1:
            return False
        named = {segment.id for segment in manifest.segments}
        self._parts = {
            id_: held for id_, held in {**self._parts, **parts}.items() if id_ in named
        }
        self._manifest = manifest
        return True
