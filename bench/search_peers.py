"""The same records and queries in pycsw, in plain SQL with FTS5 and R*Tree, and in a LIKE scan."""

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

from geohound.model.query import Query
from geohound.net.clock import SystemClock
from geohound.search.index import SearchIndex
from geohound.stores.sqlite import open_store

PYCSW = Path(__file__).parents[1] / ".lab" / "pycsw" / "bin" / "python"
Timed = Callable[[Callable[[Query], Any], list[Query]], list[tuple[float, float]]]
Summary = Callable[[list[tuple[float, float]]], dict[str, float]]


def compare(
    args: argparse.Namespace, folder: Path, queries: list[Query], timed: Timed, summary: Summary
) -> dict[str, Any]:
    """All on the same services: the part of the catalogue with --peer-services of them, or the whole of it."""
    part = folder / f"part-{args.peer_services}.db"
    path = part if part.exists() else folder / "search.db"
    asked = [q for q in queries if "*" not in q.text and '"' not in q.text and " -" not in q.text][: args.peer_queries]
    plain = [Query(q.text, q.bbox) for q in asked]
    store = open_store(path, SystemClock())
    services, layers = store.catalogue.count()
    told: dict[str, Any] = {"services": services, "layers": layers}
    search = SearchIndex(store.catalogue, store.segments).search
    for query in plain:
        search(query)
    told["geohound"] = summary(timed(search, plain))
    store.close()
    connection = sqlite3.connect(path)
    if "fts5" in args.peers:
        told["fts5 and r*tree"] = summary(timed(_fts5(connection), plain))
    if "like" in args.peers:
        told["like scan"] = summary(timed(_like(connection), plain))
    connection.close()
    if "pycsw" in args.peers:
        told["pycsw"] = _pycsw(path, services, plain[: args.pycsw_queries], summary)
    return told


def _fts5(connection: sqlite3.Connection) -> Callable[[Query], Any]:
    """As the first version of the catalogue did: a text row per layer, bm25, boxes in an R*Tree, folded in SQL."""
    connection.execute("CREATE VIRTUAL TABLE temp.words USING fts5 (title, name, keywords, abstract, context)")
    connection.execute("CREATE VIRTUAL TABLE temp.boxes USING rtree (id, west, east, south, north)")
    connection.execute("CREATE TEMP TABLE place (id INTEGER PRIMARY KEY, service INTEGER)")
    rows = connection.execute(
        "SELECT l.num, l.service, l.title, l.name, l.keywords, l.abstract, s.title, l.body FROM layer l "
        "JOIN service s ON s.num = l.service"
    )
    for num, service, *texts, body in rows.fetchall():
        connection.execute(
            "INSERT INTO words (rowid, title, name, keywords, abstract, context) VALUES (?,?,?,?,?,?)", (num, *texts)
        )
        connection.execute("INSERT INTO place VALUES (?, ?)", (num, service))
        box = (json.loads(body).get("extent") or {}).get("box")
        if box:
            edges = (box["west"], max(box["east"], box["west"]), box["south"], box["north"])
            connection.execute("INSERT INTO boxes VALUES (?, ?, ?, ?, ?)", (num, *edges))
    words = "SELECT rowid AS id, -bm25(words, 10, 6, 5, 2, 3) AS worth FROM words WHERE words MATCH :match"
    boxes = "SELECT id, 1.0 AS worth FROM boxes WHERE west <= :e AND east >= :w AND south <= :n AND north >= :s"

    def search(query: Query) -> Any:
        values: dict[str, Any] = {"match": " ".join(f'"{word}"' for word in re.findall(r"\w+", query.text))}
        source = words if values["match"] else boxes
        if query.bbox:
            values |= dict(zip("wsen", query.bbox.as_tuple(), strict=True))
        within = "WHERE found.id IN (SELECT id FROM near)" if query.bbox and values["match"] else ""
        near = f", near AS ({boxes})" if within else ""
        return connection.execute(
            f"WITH found AS MATERIALIZED ({source}){near} SELECT p.service, max(worth) AS best, s.kind, s.state "
            f"FROM found JOIN place p ON p.id = found.id JOIN service s ON s.num = p.service {within} "
            "GROUP BY p.service ORDER BY best DESC",
            values,
        ).fetchall()

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


def _pycsw(path: Path, count: int, queries: list[Query], summary: Summary) -> dict[str, Any]:
    asked = [{"text": q.text, "bbox": q.bbox.as_tuple() if q.bbox else None} for q in queries]
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
