"""Links that one shard found and another owns, as bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import msgspec

from geohound.model.crawl.task import TaskId
from geohound.model.visit import Candidate

from .database import Connection
from .services.codec import clean

MAX_CLUE_CHARS = 300
_SEND = "INSERT INTO parcel (parent, number, body) VALUES (?, ?, ?)"
_candidates = msgspec.msgpack.Decoder(tuple[Candidate, ...])


def send(
    connection: Connection, parent: TaskId, number: int, links: Sequence[Candidate]
) -> None:
    """Part of the transaction that settles the pages on which they were found."""
    plain = [
        replace(
            link, clue=clean(link.clue[:MAX_CLUE_CHARS]), found_on=clean(link.found_on)
        )
        for link in links
    ]
    connection.execute(_SEND, (parent, number, msgspec.msgpack.encode(plain)))


def unpack(body: bytes) -> tuple[Candidate, ...]:
    return _candidates.decode(body)
