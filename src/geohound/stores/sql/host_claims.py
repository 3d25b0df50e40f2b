"""Which process may ask a host: a row for each host in use or in need of a pause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from geohound.contracts import Clock
from geohound.model.crawl.host_claim import ClaimedHosts

from .database import Database

# A claim far in the future was made by a process whose clock was wrong, and does not count.
_CLAIM = """
INSERT INTO host_claim (host, holder, expires_at, due_at) VALUES (:host, :holder, :now + :ttl_s, :now + :pause_s)
ON CONFLICT (host) DO UPDATE SET
  is_wanted = (host_claim.holder = excluded.holder AND host_claim.is_wanted),
  due_at = CASE WHEN host_claim.due_at - :now > 86400 OR host_claim.due_at < excluded.due_at
    THEN excluded.due_at ELSE host_claim.due_at END,
  holder = excluded.holder,
  expires_at = excluded.expires_at
WHERE host_claim.holder IN ('', excluded.holder) OR host_claim.expires_at <= :now
  OR host_claim.expires_at > :now + 10 * :ttl_s
RETURNING due_at"""
_WANT = "UPDATE host_claim SET is_wanted = TRUE WHERE host = ? RETURNING holder"
_WANTED = "SELECT host FROM host_claim WHERE holder = ? AND is_wanted"
_RELEASE = """
UPDATE host_claim SET holder = '', expires_at = 0, is_wanted = FALSE,
  due_at = CASE WHEN due_at < :now + :pause_s THEN :now + :pause_s ELSE due_at END
WHERE host = :host AND holder = :holder"""
_FORGET = "DELETE FROM host_claim WHERE due_at <= ? AND expires_at <= ?"
_FORGET_EVERY_S = 600.0
# Each process has a row for each IP address it requests: "/address/process". Names of hosts contain no slash.
_ASK_ADDRESS = """
INSERT INTO host_claim (host, holder, expires_at, due_at) VALUES (?, ?, ?, ?)
ON CONFLICT (host) DO UPDATE SET expires_at = excluded.expires_at"""
_ASKERS = (
    "SELECT holder FROM host_claim WHERE host >= ? AND host < ? AND expires_at > ?"
)


class SqlHostClaims:
    """Host claims of one file."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._forget_at = 0.0

    def claim(
        self, pauses: Mapping[str, float], holder: str, ttl_s: float
    ) -> ClaimedHosts:
        now = self._clock.now().timestamp()
        granted: dict[str, float] = {}
        refused: dict[str, str] = {}
        with self._database.write() as connection:
            if now >= self._forget_at:
                self._forget_at = now + _FORGET_EVERY_S
                connection.execute(_FORGET, (now, now))
            common = {"holder": holder, "now": now, "ttl_s": ttl_s}
            # In sorted order, so that there is no deadlock; all are sent before the first result is read.
            asked = [
                (
                    host,
                    connection.execute(
                        _CLAIM, {"host": host, "pause_s": pause_s, **common}
                    ),
                )
                for host, pause_s in sorted(pauses.items())
            ]
            for host, answer in asked:
                row = answer.fetchone()
                if row is None:
                    refused[host] = connection.execute(_WANT, (host,)).fetchone()[0]
                    continue
                granted[host] = max(0.0, row[0] - now)
        return ClaimedHosts(granted, refused)

    def share_addresses(
        self, addresses: Sequence[str], holder: str, ttl_s: float
    ) -> Mapping[str, Sequence[str]]:
        now = self._clock.now().timestamp()
        rows = [
            (f"/{address}/{holder}", holder, now + ttl_s, now)
            for address in sorted(addresses)
        ]
        with self._database.write() as connection:
            connection.executemany(_ASK_ADDRESS, rows)
        # "0" comes after "/" in the order of characters.
        bounds = {
            address: (f"/{address}/", f"/{address}0", now) for address in addresses
        }
        with self._database.snapshot() as connection:
            asked = {
                each: connection.execute(_ASKERS, bounds[each]) for each in addresses
            }
            return {
                each: [holder for (holder,) in rows] for each, rows in asked.items()
            }

    def wanted(self, holder: str) -> Sequence[str]:
        return [host for (host,) in self._database.read().execute(_WANTED, (holder,))]

    def close(self) -> None:
        self._database.close()

    def release(self, pauses: Mapping[str, float], holder: str) -> None:
        now = self._clock.now().timestamp()
        rows = [
            {"host": host, "holder": holder, "now": now, "pause_s": pause_s}
            for host, pause_s in sorted(pauses.items())
        ]
        with self._database.write() as connection:
            connection.executemany(_RELEASE, rows)
