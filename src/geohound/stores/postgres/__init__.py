"""A catalogue in PostgreSQL."""

from collections.abc import Callable
from datetime import UTC, datetime

from geohound.contracts import Clock, StoreError
from geohound.stores.sql.host_claims import SqlHostClaims
from geohound.stores.sql.store import Store

__all__ = ["open_host_claims", "open_store"]


try:
    from .database import PostgresDatabase
except ImportError as error:
    raise StoreError(
        'A catalogue in PostgreSQL needs psycopg: pip install "geohound[postgres]"'
    ) from error


class DatabaseClock:
    """The time of the database, so that all machines agree when a claim has run out."""

    def __init__(self, clock: Clock, time_s: Callable[[], float]) -> None:
        self._clock = clock
        self._time_s = time_s

    def now(self) -> datetime:
        return datetime.fromtimestamp(self._time_s(), UTC)

    def monotonic(self) -> float:
        return self._clock.monotonic()

    async def sleep(self, seconds: float) -> None:
        await self._clock.sleep(seconds)


def open_store(address: str, clock: Clock, *, is_shared: bool = True) -> Store:
    """Open or make the catalogue; `is_shared` where the clock of the database counts and not ours."""
    database = PostgresDatabase(address)
    return Store(
        database,
        DatabaseClock(clock, database.time_s) if is_shared else clock,
        commits_apart=True,
    )


def open_host_claims(address: str, clock: Clock) -> SqlHostClaims:
    """Claims of the catalogue, by a connection of their own: they need not outlive a power cut."""
    database = PostgresDatabase(address, durable=False)
    return SqlHostClaims(database, DatabaseClock(clock, database.time_s))
