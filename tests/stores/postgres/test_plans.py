"""What the server does for statements that read whole tables: none reads one of them again for each row of another."""

from __future__ import annotations

from contextlib import closing

import psycopg
import pytest

from geohound.net.clock import SystemClock
from geohound.stores.postgres import open_store
from geohound.stores.postgres.connection import translate
from geohound.stores.sql import check_queue

MANY = 3000
FILL = (
    """INSERT INTO service (id, kind, endpoint, loose_endpoint, version, title, fingerprint, content_key,
         first_seen, last_seen, body)
       SELECT 'service ' || n, 'wms', 'http://a.test/' || n, 'a.test/' || n, '', '', '', '', 0, 0, ''
       FROM generate_series(1, %s) AS n""",
    """INSERT INTO check_queue (purpose, target, host, due_at)
       SELECT purpose, 'service ' || n, 'a.test', 0
       FROM generate_series(1, %s) AS n, (VALUES ('check'), ('page'), ('probe')) AS known (purpose)""",
    """INSERT INTO sighting (service, url, found_on, via, evidence, at, task, depth)
       SELECT num, endpoint, 'http://b.test/' || num, 'link', '', 0, 0, 0 FROM service WHERE num <= %s""",
)


@pytest.mark.parametrize("purpose", check_queue._NEW)
def test_what_is_new_for_the_monitor_is_found_in_one_pass(address, purpose) -> None:
    """With `NOT IN` a queue that outgrew the memory of a statement was read once for each service: for ever."""
    with closing(open_store(address, SystemClock())):
        pass
    with psycopg.connect(address) as connection:
        for statement in FILL:
            connection.execute(statement, (MANY,))
        connection.execute("ANALYZE")
        connection.execute("SET work_mem = '64kB'")
        sql = translate(check_queue._NEW[purpose])
        plan = [line for (line,) in connection.execute(f"EXPLAIN {sql}").fetchall()]
    assert [line for line in plan if "NOT (" in line and "SubPlan" in line] == []
