"""What the first bytes and the headers of an answer say of a data file: its format, its size and its date."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from geohound.model.crawl.data_file import Evidence, FileHead
from geohound.model.visit import Response

from . import tiff
from .formats import FORMATS

START_BYTES = 4096  # are asked for
MAX_SIZE = 1 << 60  # in bytes: what claims to be larger says nothing
_CONTENT_RANGE = re.compile(r"bytes (?:\d{1,20}-\d{1,20}|\*)/(\d{1,20})")
_TEXTS = ("text/html", "application/xhtml+xml")
_GEOPACKAGE_IDS = (b"GPKG", b"GP10", b"GP11")
_PARTS_OF_SHAPEFILES = (
    b".shp",
    b".shx",
    b".dbf",
    b".prj",
    b".cpg",
    b".sbn",
    b".sbx",
    b".qix",
    b".shp.xml",
)
_SHP = bytes.fromhex("0000270a")

Check = Callable[[bytes], bool | None]  # of the first bytes: None where they do not say


def recognise(named: str, response: Response) -> FileHead:
    """What an answer says of a file whose name stands for the format `named`; an empty one if it is no such file."""
    headers = response.headers
    if response.status >= 300:
        return FileHead(named)
    size, modified = _size(response), _date(headers.get("last-modified", ""))
    is_packed = headers.get("content-encoding", "identity").strip().lower() not in (
        "",
        "identity",
    )
    start = b"" if is_packed else response.body
    found = _by_content(named, start)
    if found:
        return FileHead(found, Evidence.CONTENT, size, modified)
    sent_as = _plain_type(headers.get("content-type", ""))
    if found is None or sent_as.startswith(_TEXTS):
        return FileHead()
    if any(_has_type(sent_as, wanted) for wanted in FORMATS[named].types):
        return FileHead(named, Evidence.TYPE, size, modified)
    return FileHead(named, Evidence.NAME, size, modified)


def _by_content(named: str, start: bytes) -> str | None:
    """The format that first bytes prove; empty where they do not say, None where they are of something else."""
    if not start:
        return ""
    candidates = ("cog", "geotiff") if named in ("cog", "geotiff") else (named,)
    answers = {name: _fits(name, start) for name in candidates}
    proved = next((name for name, answer in answers.items() if answer), "")
    if proved:
        return "" if proved == "geotiff" and named == "cog" else proved
    return "" if None in answers.values() else None


def _fits(name: str, start: bytes) -> bool | None:
    wanted = FORMATS[name]
    if wanted.check:
        return _CHECKS[wanted.check](start)
    return start.startswith(wanted.magic)


def _is_cog(start: bytes) -> bool | None:
    return tiff.is_tiff(start) and b"LAYOUT=IFDS_BEFORE_DATA" in start[:512]


def _is_geotiff(start: bytes) -> bool | None:
    return tiff.is_tiff(start) and tiff.has_geo_keys(start)


def _is_geopackage(start: bytes) -> bool | None:
    return start.startswith(b"SQLite format 3\0") and start[68:72] in _GEOPACKAGE_IDS


def _is_parquet(start: bytes) -> bool | None:
    return None if start.startswith(b"PAR1") else False


def _is_shapefile(start: bytes) -> bool | None:
    """A bare one, or an archive whose first entries are parts of one."""
    if start.startswith(_SHP):
        return True
    if not start.startswith(b"PK\x03\x04"):
        return False
    return (
        True
        if any(name.endswith(_PARTS_OF_SHAPEFILES) for name in _entries(start))
        else None
    )


def _entries(start: bytes) -> list[bytes]:
    """The names of the entries of an archive whose local headers are among its first bytes."""
    names, at = [], start.find(b"PK\x03\x04")
    while at >= 0 and at + 30 <= len(start):
        length = int.from_bytes(start[at + 26 : at + 28], "little")
        names.append(start[at + 30 : at + 30 + length].lower())
        at = start.find(b"PK\x03\x04", at + 30)
    return names


_CHECKS: Mapping[str, Check] = {
    "cog": _is_cog,
    "geotiff": _is_geotiff,
    "geopackage": _is_geopackage,
    "parquet": _is_parquet,
    "shapefile": _is_shapefile,
}


def _plain_type(text: str) -> str:
    """A Content-Type in lower case, with one blank after each semicolon."""
    return "; ".join(part.strip() for part in text[:200].lower().split(";"))


def _has_type(sent_as: str, wanted: str) -> bool:
    return sent_as == wanted or sent_as.startswith(f"{wanted};")


def _size(response: Response) -> int | None:
    """Of the whole file: from Content-Range, or from Content-Length where all of it would have come."""
    headers = response.headers
    ranged = _CONTENT_RANGE.fullmatch(headers.get("content-range", "").strip())
    if ranged is not None:
        return _sane(ranged[1])
    is_whole = response.status == 200 and "content-encoding" not in headers
    return _sane(headers.get("content-length", "")) if is_whole else None


def _sane(text: str) -> int | None:
    size = int(text) if text.isascii() and text.isdigit() and len(text) <= 20 else -1
    return size if 0 <= size <= MAX_SIZE else None


def _date(text: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(text[:60]) if text else None
        return (
            found.replace(tzinfo=found.tzinfo or UTC).astimezone(UTC) if found else None
        )
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
