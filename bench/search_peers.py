"""The same records and queries in pycsw, in tantivy, in plain SQL with FTS5 and R*Tree, and in a LIKE scan.

Tantivy is no dependency of Geohound: `pip install tantivy` to have it here. It is asked for the best 20 and the number
of hits, by a document for each service or for each layer; it counts no facets and folds no layers under services.
"""

from __future__ import annotations

import argparse
import json
import re
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from geohound.model.search.query import Query
from geohound.net.clock import SystemClock
from geohound.search.index import CatalogueIndex
from geohound.stores.sqlite import open_store

PYCSW = Path(__file__).parents[1] / ".lab" / "pycsw" / "bin" / "python"
Timed = Callable[[Callable[[Query], Any], list[Query]], list[tuple[float, float]]]
Summary = Callable[[list[tuple[float, float]]], dict[str, float]]


def compare(
    args: argparse.Namespace,
    folder: Path,
    queries: list[Query],
    timed: Timed,
    summary: Summary,
) -> dict[str, Any]:
    """All on the same services: the part of the catalogue with --peer-services of them, or the whole of it."""
    part = folder / f"part-{args.peer_services}.db"
    path = part if part.exists() else folder / "search.db"
    asked = [
        q
        for q in queries
        if "*" not in q.text and '"' not in q.text and " -" not in q.text
    ][: args.peer_queries]
    plain = [Query(q.text, q.bbox) for q in asked]
    store = open_store(path, SystemClock())
    services, layers = store.catalogue.count()
    told: dict[str, Any] = {"services": services, "layers": layers}
    search = CatalogueIndex(store.catalogue, store.segments).search
    counts = [search(query).total for query in plain]
    told["geohound"] = summary(timed(search, plain)) | {
        "hits": sum(counts),
        "without_hits": counts.count(0),
    }
    store.close()
    connection = sqlite3.connect(path)
    if "fts5" in args.peers:
        told["fts5 and r*tree"] = summary(timed(_fts5(connection), plain))
    if "like" in args.peers:
        told["like scan"] = summary(timed(_like(connection), plain))
    if "tantivy" in args.peers:
        for unit in ("service", "layer"):
            told[f"tantivy, a document per {unit}"] = _timed_tantivy(
                connection, unit, plain, timed, summary
            )
    connection.close()
    if "pycsw" in args.peers:
        told["pycsw"] = _pycsw(path, services, plain[: args.pycsw_queries], summary)
    return told


def _fts5(connection: sqlite3.Connection) -> Callable[[Query], Any]:
    """As the first version of the catalogue did: a text row per layer, bm25, boxes in an R*Tree, folded in SQL."""
    connection.execute(
        "CREATE VIRTUAL TABLE temp.words USING fts5 (title, name, keywords, abstract, context)"
    )
    connection.execute(
        "CREATE VIRTUAL TABLE temp.boxes USING rtree (id, west, east, south, north)"
    )
    connection.execute(
        "CREATE TEMP TABLE place (id INTEGER PRIMARY KEY, service INTEGER)"
    )
    rows = connection.execute(
        "SELECT l.num, l.service, l.title, l.name, l.keywords, l.abstract, s.title, l.body FROM layer l "
        "JOIN service s ON s.num = l.service"
    )
    for num, service, *texts, body in rows.fetchall():
        connection.execute(
            "INSERT INTO words (rowid, title, name, keywords, abstract, context) VALUES (?,?,?,?,?,?)",
            (num, *texts),
        )
        connection.execute("INSERT INTO place VALUES (?, ?)", (num, service))
        box = (json.loads(body).get("extent") or {}).get("box")
        if box:
            edges = (
                box["west"],
                max(box["east"], box["west"]),
                box["south"],
                box["north"],
            )
            connection.execute(
                "INSERT INTO boxes VALUES (?, ?, ?, ?, ?)", (num, *edges)
            )
    words = "SELECT rowid AS id, -bm25(words, 10, 6, 5, 2, 3) AS worth FROM words WHERE words MATCH :match"
    boxes = "SELECT id, 1.0 AS worth FROM boxes WHERE west <= :e AND east >= :w AND south <= :n AND north >= :s"

    def search(query: Query) -> Any:
        values: dict[str, Any] = {
            "match": " ".join(f'"{word}"' for word in re.findall(r"\w+", query.text))
        }
        source = words if values["match"] else boxes
        if query.bbox:
            values |= dict(zip("wsen", query.bbox.as_tuple(), strict=True))
        within = (
            "WHERE found.id IN (SELECT id FROM near)"
            if query.bbox and values["match"]
            else ""
        )
        near = f", near AS ({boxes})" if within else ""
        return connection.execute(
            f"WITH found AS MATERIALIZED ({source}){near} SELECT p.service, max(worth) AS best, s.kind, s.state "
            f"FROM found JOIN place p ON p.id = found.id JOIN service s ON s.num = p.service {within} "
            "GROUP BY p.service ORDER BY best DESC",
            values,
        ).fetchall()

    return search


def _timed_tantivy(
    connection: sqlite3.Connection,
    unit: str,
    queries: list[Query],
    timed: Timed,
    summary: Summary,
) -> dict[str, Any]:
    try:
        search = _tantivy(connection, unit)
    except ImportError:
        return {"failed": "pip install tantivy"}
    counts = [search(query)[0] for query in queries]
    return summary(timed(search, queries)) | {
        "hits": sum(counts),
        "without_hits": counts.count(0),
    }


_EDGES = ("west", "south", "east", "north")
_PER_LAYER = (
    "SELECT l.num, l.title, l.name || ' ' || l.keywords || ' ' || l.abstract || ' ' || s.title, l.body "
    "FROM layer l JOIN service s ON s.num = l.service"
)
_PER_SERVICE = (
    "SELECT s.num, s.title, json_extract(s.body, '$.abstract') || ' ' || coalesce(group_concat("
    "l.title || ' ' || l.name || ' ' || l.keywords || ' ' || l.abstract, ' '), ''), s.body "
    "FROM service s LEFT JOIN layer l ON l.service = s.num GROUP BY s.num"
)


def _tantivy(connection: sqlite3.Connection, unit: str) -> Callable[[Query], Any]:
    import tantivy  # noqa: PLC0415 - may be missing

    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("num", stored=True)
    for name in ("title", "words"):
        builder.add_text_field(name)
    for edge in _EDGES:
        builder.add_float_field(edge, indexed=True, fast=True)
    schema = builder.build()
    index = tantivy.Index(schema)
    writer = index.writer(200_000_000)
    for num, title, words, body in connection.execute(
        _PER_LAYER if unit == "layer" else _PER_SERVICE
    ):
        box = (json.loads(body).get("extent") or {}).get("box") or {}
        values: dict[str, Any] = {"num": num, "title": title, "words": words}
        values |= {edge: float(box[edge]) for edge in _EDGES if edge in box}
        writer.add_document(tantivy.Document(**values))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()

    def search(query: Query) -> Any:
        must = []
        words = " ".join(re.findall(r"\w+", query.text))
        if words:
            found = index.parse_query(
                words, ["title", "words"], {"title": 4.0}, conjunction_by_default=True
            )
            must.append((tantivy.Occur.Must, found))
        if query.bbox:
            west, south, east, north = query.bbox.as_tuple()
            last = east if east >= west else 180.0
            spans = (
                ("west", -180.0, last),
                ("east", west, 180.0),
                ("south", -90.0, north),
                ("north", south, 90.0),
            )
            for edge, low, high in spans:
                near = tantivy.Query.range_query(
                    schema, edge, tantivy.FieldType.Float, low, high
                )
                must.append((tantivy.Occur.Must, near))
        hits = searcher.search(tantivy.Query.boolean_query(must), 20)
        return hits.count, [searcher.doc(address) for _, address in hits.hits]

    return search


def _like(connection: sqlite3.Connection) -> Callable[[Query], Any]:
    def search(query: Query) -> Any:
        words = re.findall(r"\w+", query.text)[:6]
        text = "l.name || ' ' || l.title || ' ' || l.abstract || ' ' || l.keywords || ' ' || s.title"
        where = " AND ".join([f"{text} LIKE ?"] * len(words)) or "1"
        sql = (f"SELECT s.num, s.kind, count(*) FROM layer l JOIN service s ON s.num = l.service WHERE {where} "
               "GROUP BY s.num")  # fmt: skip
        return connection.execute(sql, [f"%{word}%" for word in words]).fetchall()

    return search


def _pycsw(
    path: Path, count: int, queries: list[Query], summary: Summary
) -> dict[str, Any]:
    asked = [
        {"text": q.text, "bbox": q.bbox.as_tuple() if q.bbox else None} for q in queries
    ]
    with tempfile.TemporaryDirectory() as home:
        script = str(Path(__file__).with_name("pycsw_peer.py"))
        done = subprocess.run(
            [str(PYCSW), script, home, str(path), str(count)], input=json.dumps(asked), capture_output=True, text=True,
            check=False,
        )  # fmt: skip
    if done.returncode:
        return {"failed": done.stderr[-500:]}
    told = json.loads(done.stdout.strip().rsplit("\n", 1)[-1])
    told.pop("totals")
    return told | summary([tuple(took) for took in told.pop("times")])
