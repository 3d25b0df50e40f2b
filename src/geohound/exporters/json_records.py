"""The records of the API: as one JSON document, or a record a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from geohound.model.export import ExportedService

from ._part import ExportFormat


def _encoded(each: ExportedService) -> bytes:
    return json.dumps(each.record, separators=(",", ":"), ensure_ascii=False).encode(
        "utf-8", "replace"
    )


def _document(services: Iterable[ExportedService]) -> Iterator[bytes]:
    yield b'{"services":['
    for number, each in enumerate(services):
        yield (b",\n" if number else b"\n") + _encoded(each)
    yield b"\n]}\n"


def _lines(services: Iterable[ExportedService]) -> Iterator[bytes]:
    for each in services:
        yield _encoded(each) + b"\n"


EXPORTERS = (
    ExportFormat("json", "JSON", "application/json", "json", _document),
    ExportFormat("jsonl", "JSON lines", "application/x-ndjson", "jsonl", _lines),
)
