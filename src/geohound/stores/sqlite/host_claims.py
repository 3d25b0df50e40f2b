"""Which process may ask a host: a row for each host in use or in need of a pause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from geohound.contracts import Clock
from geohound.model.host_claim import ClaimedHosts

from .database import Database

# A claim that would last much longer than any does was made by a clock that was wrong.
_CLAIM = """
INSERT INTO host_claim (host, holder, expires_at, due_at) VALUES (:host, :holder, :now + :ttl_s, :now + :pause_s)
ON CONFLICT (host) DO UPDATE SET
  is_wanted = holder = excluded.holder AND is_wanted,
  due_at = CASE WHEN due_at - :now > 86400 THEN excluded.due_at ELSE max(due_at, excluded.due_at) END,
  holder = excluded.holder,
  expires_at = excluded.expires_at
WHERE holder IN ('', excluded.holder) OR expires_at <= :now OR expires_at > :now + 10 * :ttl_s
RETURNING due_at"""
_WANT = "UPDATE host_claim SET is_wanted = 1 WHERE host = ? RETURNING holder"
_WANTED = "SELECT host FROM host_claim WHERE holder = ? AND is_wanted"
_RELEASE = """
UPDATE host_claim SET holder = '', expires_at = 0, is_wanted = 0, due_at = max(due_at, :now + :pause_s)
WHERE host = :host AND holder = :holder"""
_FORGET = "DELETE FROM host_claim WHERE max(due_at, expires_at) <= ?"
_FORGET_EVERY_S = 600.0


class SqliteHostClaims:
    """Host claims of one file."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._forget_at = 0.0

    def claim(self, pauses: Mapping[str, float], holder: str, ttl_s: float) -> ClaimedHosts:
        now = self._clock.now().timestamp()
        granted: dict[str, float] = {}
        refused: dict[str, str] = {}
        with self._database.write() as connection:
            if now >= self._forget_at:
                self._forget_at = now + _FORGET_EVERY_S
                connection.execute(_FORGET, (now,))
            for host, pause_s in pauses.items():
                values = {"host": host, "holder": holder, "now": now, "ttl_s": ttl_s, "pause_s": pause_s}
                row = connection.execute(_CLAIM, values).fetchone()
                if row is None:
                    refused[host] = connection.execute(_WANT, (host,)).fetchone()[0]
                    continue
                granted[host] = max(0.0, row[0] - now)
        return ClaimedHosts(granted, refused)

    def wanted(self, holder: str) -> Sequence[str]:
        return [host for (host,) in self._database.read().execute(_WANTED, (holder,))]

    def close(self) -> None:
        self._database.close()

    def release(self, pauses: Mapping[str, float], holder: str) -> None:
        now = self._clock.now().timestamp()
        rows = [{"host": host, "holder": holder, "now": now, "pause_s": pause_s} for host, pause_s in pauses.items()]
        with self._database.write() as connection:
            connection.executemany(_RELEASE, rows)


def open_host_claims(path: Path, clock: Clock) -> SqliteHostClaims:
    """Claims of the catalogue, by a connection of their own: they need not outlive a power cut."""
    return SqliteHostClaims(Database(path, durable=False), clock)
