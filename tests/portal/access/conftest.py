"""A portal with an administrator (ada), two users (carla, dan) and a guest who has an account (guest1)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from argon2 import PasswordHasher
from portal_people import PASSWORD, SAMPLE, tasks_in

from geohound.accounts import Accounts
from geohound.accounts.passwords import Passwords
from geohound.model.account import Role
from geohound.model.crawl.task import CrawlGoal, TaskSpec, TaskState
from geohound.net.clock import SystemClock
from geohound.portal.app import create_app
from geohound.search.index import CatalogueIndex
from geohound.stores.sqlite import Store, open_store

SPEC = TaskSpec(CrawlGoal(("http://a.example/",)))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with closing(open_store(tmp_path / "c.db", SystemClock())) as store:
        for owner in ("carla", "", ""):
            store.tasks.create(replace(SPEC, owner=owner), TaskState.STOPPED)
        yield store


@pytest.fixture
def accounts(store: Store) -> Accounts:
    made = Accounts(
        store.users,
        SystemClock(),
        Passwords(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)),
    )
    made.add("ada", PASSWORD)
    made.add("carla", PASSWORD)
    made.add("dan", PASSWORD)
    made.add("guest1", PASSWORD, Role.GUEST)
    made.mark_sample(SAMPLE, True, by="ada")
    return made


@pytest.fixture
def app(store: Store, accounts: Accounts, kinds):
    index = CatalogueIndex(store.catalogue, store.segments)
    return create_app(
        store.catalogue,
        index,
        kinds,
        tasks=tasks_in(store),
        accounts=accounts,
        notes=store.notes,
    )
