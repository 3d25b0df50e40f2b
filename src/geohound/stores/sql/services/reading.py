"""Services out of their rows."""
# ruff: noqa: S608 - only question marks are put into the statements

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from geohound.model.catalogue import Change, Changes, Revision, ServiceSummary, Topics
from geohound.model.health import HealthState
from geohound.model.service import Layer, Service
from geohound.stores.sql.database import Connection, marks
from geohound.urls import canonical, endpoint, without_format

from .codec import Lists, clean, load_facts, load_layer, load_service

LAYER_COLUMNS = "name, title, abstract, keywords, body"  # as load_layer takes them


def read_services(
    connection: Connection, nums: Sequence[int], *, with_layers: bool = True
) -> dict[int, Service]:
    """Services by number, in the order asked for; what is not there is left out."""
    found = _read_services(connection, nums, with_layers=with_layers)
    return {num: service for num, (service, _) in found.items()}


def _read_services(
    connection: Connection, nums: Sequence[int], *, with_layers: bool
) -> dict[int, tuple[Service, Lists]]:
    """Each with the lists that its layers refer to."""
    if not nums:
        return {}
    which = f"({marks(nums)})"
    # Asked for first, read last: where the database is another machine, the answers come together.
    bodies = connection.execute(
        f"SELECT num, body FROM service WHERE num IN {which}", nums
    )
    aliases: dict[int, list[str]] = defaultdict(list)
    sql = f"""SELECT alias.service, alias.endpoint FROM alias JOIN service ON num = alias.service
              WHERE alias.service IN {which} AND alias.endpoint <> service.endpoint ORDER BY alias.endpoint"""
    for num, address in connection.execute(sql, nums):
        aliases[num].append(address)
    layers: dict[int, list[Layer]] = defaultdict(list)
    sql = f"SELECT service, {LAYER_COLUMNS} FROM layer WHERE service IN {which} ORDER BY service, ordinal"
    described = connection.execute(sql, nums) if with_layers else ()
    rows = dict(bodies.fetchall())
    found = {
        num: load_service(rows[num], tuple(aliases.get(num, ())))
        for num in nums
        if num in rows
    }
    for num, *columns in described:
        if num in found:
            layers[num].append(load_layer(found[num][1], *columns))
    return {
        num: (replace(service, layers=tuple(layers.get(num, ()))), lists)
        for num, (service, lists) in found.items()
    }


def read_topics(connection: Connection, nums: Sequence[int]) -> dict[int, Topics]:
    """What services are about, by number; those that are about nothing known are left out."""
    topics: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for num, topic, class_ in connection.execute(
        f"SELECT service, topic, class FROM topic WHERE service IN ({marks(nums)}) ORDER BY service, topic, class",
        nums,
    ):
        topics[num].append((topic, class_))
    return {num: tuple(pairs) for num, pairs in topics.items()}


SUMMARY_COLUMNS = """num, id, kind, endpoint, title, state, first_seen, last_seen, body,
  coalesce((SELECT max(ordinal) + 1 FROM layer WHERE layer.service = service.num), 0)"""


def read_summaries(
    connection: Connection, rows: Sequence[tuple[Any, ...]]
) -> list[ServiceSummary]:
    """From rows with SUMMARY_COLUMNS."""
    topics = read_all_topics(connection, rows[0][0], rows[-1][0]) if rows else {}
    found = []
    for num, id_, kind, endpoint_, title, state, first, last, body, layers in rows:
        software, location = load_facts(body)
        seen = datetime.fromtimestamp(first, UTC), datetime.fromtimestamp(last, UTC)
        about = software, HealthState(state), location, topics.get(num, ())
        found.append(ServiceSummary(id_, kind, endpoint_, title, *about, *seen, layers))
    return found


def read_all_topics(connection: Connection, first: int, last: int) -> dict[int, Topics]:
    """What the services with these numbers and those between are about."""
    topics: dict[int, list[tuple[str, str]]] = defaultdict(list)
    sql = "SELECT service, topic, class FROM topic WHERE service BETWEEN ? AND ? ORDER BY service, topic, class"
    for num, topic, class_ in connection.execute(sql, (first, last)):
        topics[num].append((topic, class_))
    return {num: tuple(pairs) for num, pairs in topics.items()}


def find_num(connection: Connection, service_id: str) -> int | None:
    """The number of a service, by its id or the id that it would have at another of its addresses."""
    row = connection.execute(
        "SELECT service FROM alias WHERE id = ?", (clean(service_id),)
    ).fetchone()
    return row[0] if row else None


def nums_at(connection: Connection, url: str) -> list[int]:
    """The services behind an address: an endpoint, an alias, or any request to one of them."""
    clear = canonical(url) or url
    spellings = list({url, clear, endpoint(clear), without_format(clear)})
    rows = connection.execute(
        f"SELECT DISTINCT service FROM alias WHERE endpoint IN ({marks(spellings)}) ORDER BY service",
        [clean(each) for each in spellings],
    ).fetchall()
    return [num for (num,) in rows]


def read_excerpts(
    connection: Connection, wanted: Mapping[int, Sequence[int]]
) -> dict[int, Service]:
    """Services by number, with only the layers at these places in each."""
    services = _read_services(connection, list(wanted), with_layers=False)
    lists = {num: found for num, (_, found) in services.items()}
    places = [(num, place) for num in services for place in wanted[num]]
    layers = _read_layers(connection, places, lists)
    return {
        num: replace(
            service,
            layers=tuple(
                layers[num, place] for place in wanted[num] if (num, place) in layers
            ),
        )
        for num, (service, _) in services.items()
    }


def _read_layers(
    connection: Connection,
    places: Sequence[tuple[int, int]],
    lists: Mapping[int, Lists],
) -> dict[tuple[int, int], Layer]:
    """Layers by service and ordinal; those of all hits of a page come with one statement."""
    if not places:
        return {}
    pairs = ", ".join(["(?, ?)"] * len(places))
    # Joined, because SQLite reads the whole table for "(service, ordinal) IN (VALUES …)".
    sql = f"""WITH wanted (num, place) AS (VALUES {pairs}) SELECT service, ordinal, {LAYER_COLUMNS}
              FROM wanted JOIN layer ON service = wanted.num AND ordinal = place"""
    rows = connection.execute(sql, [number for place in places for number in place])
    return {
        (num, ordinal): load_layer(lists[num], *columns)
        for num, ordinal, *columns in rows
    }


def read_changes(connection: Connection, since: Revision, limit: int) -> Changes:
    """The changes after a revision, each with the service as it is now."""
    latest: int = connection.execute(
        "SELECT coalesce(max(revision), 0) FROM change"
    ).fetchone()[0]
    if latest <= since:
        return Changes((), since, latest)
    rows = connection.execute(
        """SELECT revision, num, state, popularity, is_document FROM change JOIN service ON num = change.service
           WHERE revision > ? ORDER BY revision LIMIT ?""",
        (since, limit),
    ).fetchall()
    nums = [num for _, num, _, _, is_document in rows if is_document]
    services, topics = read_services(connection, nums), read_topics(connection, nums)
    changes = [
        Change(
            revision,
            num,
            HealthState(state),
            popularity,
            services[num],
            topics.get(num, ()),
        )
        if is_document
        else Change(revision, num, HealthState(state), popularity)
        for revision, num, state, popularity, is_document in rows
    ]
    return Changes(tuple(changes), rows[-1][0] if rows else since, latest)
