"""Runs inside pycsw's environment: takes services from a catalogue file into pycsw, then asks it queries, in process.

Records go straight into pycsw's table, which spares it its own slow loading; queries go through its whole dispatch,
without the network.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import time
from pathlib import Path
from urllib.parse import urlencode
from xml.sax.saxutils import escape

from pycsw import server
from pycsw.core import admin

CONFIG = """[server]
home={home}
url=http://127.0.0.1/csw
mimetype=application/xml; charset=UTF-8
encoding=UTF-8
language=en-US
maxrecords=20
[manager]
transactions=false
[metadata:main]
identification_title=peer
identification_abstract=peer
identification_keywords=peer
identification_keywords_type=theme
identification_fees=none
identification_accessconstraints=none
provider_name=peer
provider_url=http://127.0.0.1/
contact_name=x
contact_position=x
contact_address=x
contact_city=x
contact_stateorprovince=x
contact_postalcode=1
contact_country=x
contact_phone=1
contact_fax=1
contact_email=a@example.org
contact_url=http://127.0.0.1/
contact_hours=0
contact_instructions=x
contact_role=pointOfContact
[repository]
database=sqlite:///{home}/records.db
table=records
[metadata:inspire]
enabled=false
"""
RECORD = (
    '<csw:Record xmlns:csw="http://www.opengis.net/cat/csw/2.0.2" xmlns:dc="http://purl.org/dc/elements/1.1/" '
    'xmlns:dct="http://purl.org/dc/terms/"><dc:identifier>{0}</dc:identifier><dc:title>{1}</dc:title>'
    "<dc:type>service</dc:type><dct:abstract>{2}</dct:abstract></csw:Record>"
)


def records(path: str, count: int):
    source = sqlite3.connect(path)
    for num, identifier, title, body in source.execute(
        "SELECT num, id, title, body FROM service ORDER BY num LIMIT ?", (count,)
    ):
        said = json.loads(body)
        layers = source.execute(
            "SELECT name, title, abstract, keywords FROM layer WHERE service = ?",
            (num,),
        ).fetchall()
        anytext = " ".join(
            [
                title,
                said["abstract"],
                *said["keywords"],
                *(text for layer in layers for text in layer),
            ]
        )
        box = (said.get("extent") or {}).get("box")
        wkt = "POLYGON(({west} {south}, {west} {north}, {east} {north}, {east} {south}, {west} {south}))"
        yield (
            identifier, "csw:Record", "http://www.opengis.net/cat/csw/2.0.2", "local", "2026-03-01",
            RECORD.format(identifier, escape(title), escape(said["abstract"])), anytext, "service", title,
            said["abstract"], ",".join(said["keywords"]), wkt.format(**box) if box else None,
        )  # fmt: skip


def load(home: Path, path: str, count: int) -> float:
    started = time.process_time()
    admin.setup_db(f"sqlite:///{home}/records.db", "records", str(home))
    target = sqlite3.connect(home / "records.db")
    target.executemany(
        "INSERT INTO records (identifier, typename, schema, mdsource, insert_date, xml, anytext, type, title, "
        "abstract, keywords, wkt_geometry) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        records(path, count),
    )
    target.commit()
    target.close()
    return time.process_time() - started


def ask(config: Path, query: dict) -> str:
    params = {
        "mode": "opensearch", "service": "CSW", "version": "3.0.0", "request": "GetRecords",
        "elementsetname": "summary", "typenames": "csw:Record", "resulttype": "results", "maxrecords": "20",
    }  # fmt: skip
    if query["text"]:
        params["q"] = query["text"]
    if query["bbox"]:
        params["bbox"] = ",".join(map(str, query["bbox"]))
    env = {
        "QUERY_STRING": urlencode(params), "REQUEST_METHOD": "GET", "SCRIPT_NAME": "/csw", "PATH_INFO": "/csw",
        "SERVER_NAME": "127.0.0.1", "SERVER_PORT": "80", "wsgi.url_scheme": "http", "REMOTE_ADDR": "127.0.0.1",
        "local.app_root": str(config.parent),
    }  # fmt: skip
    status, body = server.Csw(str(config), env).dispatch_wsgi()
    text = body.decode() if isinstance(body, bytes) else body
    if "totalResults" not in text:
        raise SystemExit(f"pycsw answers {status}: {text[:500]}")
    return text.partition("totalResults>")[2].partition("<")[0]


def main() -> None:
    home, path, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    config = home / "pycsw.cfg"
    config.write_text(CONFIG.format(home=home))
    told = {
        "records": count,
        "load_cpu_s": round(load(home, path, count), 1),
        "times": [],
        "totals": [],
    }
    queries = json.load(sys.stdin)
    ask(config, queries[0])
    for query in queries:
        started, used = time.perf_counter(), time.process_time()
        told["totals"].append(ask(config, query))
        told["times"].append(
            (
                (time.perf_counter() - started) * 1000,
                (time.process_time() - used) * 1000,
            )
        )
    sys.stdout.write("\n" + json.dumps(told) + "\n")


if __name__ == "__main__":
    main()
