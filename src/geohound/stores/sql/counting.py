"""Counts over the whole catalogue that reports need: classes of topics, and candidates that were tested."""

from __future__ import annotations

from geohound.model.catalogue import CandidateCounts

from .database import Connection

_ANSWERED = "answered, no service"
# Of a candidate that several tasks have tested, the last test counts: the row with the greatest id of each key.
_TESTED = """
WITH tested AS (
  SELECT coalesce(reason, '') AS reason, coalesce(services, 0) > 0 AS is_alive,
         substr(url, instr(url, '//') + 2) AS rest
  FROM (SELECT reason, services, url, row_number() OVER (PARTITION BY key ORDER BY id DESC) AS place
        FROM url WHERE purpose = 1 AND state IN (1, 2)) AS test
  WHERE place = 1
), hosted AS (SELECT reason, is_alive, substr(rest, 1, instr(rest || '/', '/') - 1) AS host FROM tested)
"""
_BY_REASON = (
    _TESTED  # noqa: S608
    + "SELECT reason, is_alive, count(*) AS n FROM hosted GROUP BY 1, 2 ORDER BY n DESC, reason"
)
_HOSTS = (
    _TESTED  # noqa: S608
    + "SELECT count(DISTINCT host), count(DISTINCT CASE WHEN is_alive THEN host END) FROM hosted"
)


def count_classes(connection: Connection) -> dict[tuple[str, str], int]:
    """Services by topic and class."""
    rows = connection.execute(
        "SELECT topic, class, count(*) FROM topic GROUP BY topic, class"
    )
    return {(topic, class_): count for topic, class_, count in rows}


def count_candidates(connection: Connection) -> CandidateCounts:
    """All candidates that were tested, by what became of them."""
    rows = connection.execute(_BY_REASON).fetchall()
    available = sum(count for _, is_alive, count in rows if is_alive)
    dead: dict[str, int] = {}
    for reason, is_alive, count in rows:
        if not is_alive:
            dead[reason or _ANSWERED] = dead.get(reason or _ANSWERED, 0) + count
    hosts, alive = connection.execute(_HOSTS).fetchone()
    return CandidateCounts(
        available + sum(dead.values()), available, dead, hosts, alive
    )
