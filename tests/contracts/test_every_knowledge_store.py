"""What every store of knowledge bases must do, whatever database is behind it."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest
from sql_stores import STORES, open_sql

from geohound.stores.memory.knowledge import MemoryKnowledge


class StillClock:
    def now(self):
        return datetime(2026, 1, 1, tzinfo=UTC)

    def monotonic(self):
        return 0.0


@pytest.fixture(params=STORES)
def knowledge(request, tmp_path):
    if request.param == "memory":
        yield MemoryKnowledge()
        return
    store = open_sql(request.param, tmp_path, StillClock())
    yield store.knowledge
    store.close()


def keep(store, name, body):
    async def kept():
        await store.keep(name, body)

    asyncio.run(kept())


def test_what_was_kept_last_under_a_name_comes_back(knowledge) -> None:
    keep(knowledge, "main", b"first")
    keep(knowledge, "main", b"second" * 1000)
    keep(knowledge, "\ud800other", b"third")
    assert knowledge.find("main") == b"second" * 1000
    assert knowledge.find("\ud800other") == b"third"


def test_a_name_that_nobody_has_used_has_nothing(knowledge) -> None:
    assert knowledge.find("nothing") == b""


def test_of_two_who_replace_the_same_only_the_first_does(knowledge) -> None:
    async def story():
        return [
            await knowledge.replace("main", b"", b"first"),
            await knowledge.replace("main", b"", b"second"),
            await knowledge.replace("main", b"first", b"third"),
        ]

    assert asyncio.run(story()) == [True, False, True]
    assert knowledge.find("main") == b"third"
