"""Search over the catalogue: words, a box, or both; layers folded under their service; each hit says why."""
# ruff: noqa: S608 - statements are put together from our own parts; what people type is always a value

from __future__ import annotations

import sqlite3
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import starmap
from typing import Any

from geohound.model.bbox import Relation
from geohound.model.health import State
from geohound.model.query import Hit, Query, Results
from geohound.model.service import Layer, Service

from .codec import load_layer
from .reading import LAYER_COLUMNS, read_services
from .spatial import box_values, preselect_sql, ratio_sql, relation_sql, stands
from .words import Terms, folded, parse_terms

MAX_LAYERS_PER_HIT = 20
_RANKED_LAYERS_PER_HIT = 500
# Weights of title, name, keywords, abstract, provider, address, context.
_BM25 = "bm25(words, 10.0, 6.0, 5.0, 2.0, 2.0, 1.0, 3.0)"
_MATCHED = f"matched AS MATERIALIZED (SELECT rowid AS entry, -{_BM25} AS worth FROM words WHERE words MATCH :match)"
_SERVICE_OF = "CASE WHEN entry < 0 THEN -entry ELSE (SELECT service FROM layer WHERE num = entry) END"
# A box asked for beside words scales the worth of the words: a whole-world layer keeps three tenths of it.
_BOTH = "worth * (0.3 + 0.7 * ratio)"


@dataclass(frozen=True, slots=True)
class _Found:
    num: int
    kind: str
    state: str
    score: float
    ratio: float


def search(connection: sqlite3.Connection, query: Query) -> Results:
    """One page of the services that match, and how many there are in all."""
    started = time.perf_counter()
    terms = parse_terms(query.text)
    match, found = _find(connection, query, terms)
    hits = [f for f in found if _passes(f, query.kinds, query.states)]
    offset = max(query.offset, 0)
    page = hits[offset : offset + max(query.limit, 0)]
    services = read_services(connection, [f.num for f in page], with_layers=False)
    return Results(
        hits=tuple(_hit(connection, query, (match, terms), services[f.num], f) for f in page),
        total=len(hits),
        elapsed_ms=(time.perf_counter() - started) * 1000,
        facets={
            "kind": dict(Counter(f.kind for f in found if _passes(f, (), query.states)).most_common()),
            "state": dict(Counter(f.state for f in found if _passes(f, query.kinds, ())).most_common()),
        },
    )


def _passes(found: _Found, kinds: Sequence[str], states: Sequence[State]) -> bool:
    return (not kinds or found.kind in kinds) and (not states or found.state in states)


def _find(connection: sqlite3.Connection, query: Query, terms: Terms) -> tuple[str, list[_Found]]:
    """The text query that was used and all services that match it and the box, best first."""
    if query.text.strip() and not terms.wanted and not terms.unwanted:
        return "", []
    if not terms.wanted:
        found = _run(connection, query, "")
        unwanted = _services_saying(connection, terms.unwanted_expression)
        return "", [f for f in found if f.num not in unwanted]
    match = terms.expression("AND")
    found = _run(connection, query, match)
    if not found and len(terms.wanted) > 1:
        match = terms.expression("OR")
        found = _run(connection, query, match)
    return match, found


def _run(connection: sqlite3.Connection, query: Query, match: str) -> list[_Found]:
    values: dict[str, Any] = {"match": match}
    if query.bbox is not None:
        values |= box_values(query.bbox)
    sql = _sql(query, has_text=bool(match))
    rows = connection.execute(f"{sql} ORDER BY score DESC, hits DESC, last_seen DESC, num", values)
    return [_Found(*row[:5]) for row in rows]


def _sql(query: Query, *, has_text: bool) -> str:
    fold = "SELECT s.num, s.kind, s.state, {score} AS score, {ratio} AS ratio, count(*) AS hits, last_seen FROM"
    join = "JOIN service s ON s.num = found.service GROUP BY s.num"
    if query.bbox is None:
        if not has_text:
            return "SELECT num, kind, state, 0.0 AS score, 0.0 AS ratio, 0 AS hits, last_seen FROM service"
        found = f"(SELECT {_SERVICE_OF} AS service, worth FROM matched) found"
        return f"WITH {_MATCHED} {fold.format(score='max(worth)', ratio='0.0')} {found} {join}"
    stands_so, ratio = relation_sql(query.bbox, query.relation), ratio_sql(query.bbox)
    if not has_text:
        preselected = preselect_sql(query.bbox, query.relation)
        found = f"(SELECT service, {ratio} AS ratio FROM box WHERE id IN ({preselected}) AND {stands_so}) found"
        return f"{fold.format(score='max(ratio)', ratio='max(ratio)')} {found} {join}"
    found = f"""(
        SELECT layer.service AS service, worth, {ratio} AS ratio
        FROM matched CROSS JOIN layer ON layer.num = entry CROSS JOIN box ON box.id = layer.box
        WHERE {stands_so}
        UNION ALL
        SELECT -entry, worth, {ratio} FROM matched CROSS JOIN box ON box.service = -entry WHERE {stands_so}
    ) found"""
    return f"WITH {_MATCHED} {fold.format(score=f'max({_BOTH})', ratio='max(ratio)')} {found} {join}"


def _services_saying(connection: sqlite3.Connection, expression: str) -> set[int]:
    """Services that say this of themselves; one layer that does is no reason to leave out its service."""
    if not expression:
        return set()
    rows = connection.execute("SELECT -rowid FROM words WHERE words MATCH ? AND rowid < 0", (expression,))
    return {num for (num,) in rows}


def _hit(connection: sqlite3.Connection, query: Query, text: tuple[str, Terms], service: Service, found: _Found) -> Hit:
    match, terms = text
    first, last, count = connection.execute(
        "SELECT min(num), max(num), count(*) FROM layer WHERE service = ?", (found.num,)
    ).fetchone()
    layers: list[Layer] = []
    matching = 0
    if count and (match or query.bbox is not None):
        matching, layers = _matching_layers(connection, query, text, (first, last), service)
    why = "; ".join(filter(None, (_why_text(terms, service, layers), _why_box(query, found))))
    return Hit(service, tuple(layers), found.score, why, State(found.state), count, matching)


def _matching_layers(
    connection: sqlite3.Connection,
    query: Query,
    text: tuple[str, Terms],
    span: tuple[int, int],
    service: Service,
) -> tuple[int, list[Layer]]:
    """How many layers of a service match, and the best; its layers' numbers span a range."""
    match, terms = text
    values: dict[str, Any] = {"match": match, "first": span[0], "last": span[1]}
    tables, conditions, order = ["layer"], ["layer.num BETWEEN :first AND :last"], ["layer.num"]
    if query.bbox is not None:
        values = values | box_values(query.bbox)
        tables.append("JOIN box ON box.id = layer.box")
        conditions.append(relation_sql(query.bbox, query.relation))
        order.insert(0, f"{ratio_sql(query.bbox)} DESC")
    if match:
        tables.insert(0, "words CROSS JOIN")
        conditions += [
            "words MATCH :match",
            "words.rowid BETWEEN :first AND :last",
            "layer.num = words.rowid",
        ]
    columns = ", ".join(f"layer.{column}" for column in LAYER_COLUMNS.split(", "))
    where = f"FROM {' '.join(tables)} WHERE {' AND '.join(conditions)}"
    count = connection.execute(f"SELECT count(*) {where}", values).fetchone()[0]
    sql = f"SELECT {columns} {where} ORDER BY {', '.join(order)} LIMIT {_RANKED_LAYERS_PER_HIT}"
    rows = connection.execute(sql, values).fetchall()
    # Not by bm25: for each service anew it would count the whole index.
    rows.sort(key=lambda row: -_count_held(terms, f"{row[0]} {row[1]}"))
    layers = starmap(load_layer, rows[:MAX_LAYERS_PER_HIT])
    return count, [layer for layer in layers if _is_placed(layer, service, query)]


def _count_held(terms: Terms, text: str) -> int:
    """How many of the terms asked for stand in a text."""
    held = folded(text)
    return sum(folded(term.text) in held for term in terms.wanted)


def _is_placed(layer: Layer, service: Service, query: Query) -> bool:
    """The last word on the box; a layer without one stands where its service does."""
    if query.bbox is None:
        return True
    extent = layer.extent if layer.extent and layer.extent.box else service.extent
    return bool(extent and extent.box and stands(extent.box, query.relation, query.bbox))


def _why_text(terms: Terms, service: Service, layers: Sequence[Layer]) -> str:
    """The field that holds most of the words asked for."""
    best: tuple[str, list[str]] = ("", [])
    fields = {
        "title": service.title,
        "layer title": " ".join(layer.title for layer in layers),
        "layer name": " ".join(layer.name for layer in layers),
        "keywords": " ".join((*service.keywords, *(k for layer in layers for k in layer.keywords))),
        "abstract": " ".join((service.abstract, *(layer.abstract for layer in layers))),
        "provider": service.provider.name,
        "address": service.endpoint,
    }
    for label, text in fields.items():
        held = folded(text)
        present = [term.text for term in terms.wanted if folded(term.text) in held]
        if len(present) > len(best[1]):
            best = (label, present)
    return f"{best[0]} matches '{' '.join(best[1])}'" if best[1] else ""


def _why_box(query: Query, found: _Found) -> str:
    if query.bbox is None:
        return ""
    return {
        Relation.WITHIN: "inside the box asked for",
        Relation.CONTAINS: "covers all of the box asked for",
        Relation.OVERLAPS: f"box fits by {found.ratio:.1%}".replace("%", " %"),
    }[query.relation]
