"""ERDDAP servers: recognised by their version and by their tables of datasets, which are the layers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from geohound.document import Document
from geohound.kinds._boxes import extent
from geohound.kinds._json import absolute, as_number, mapping, texts, words
from geohound.kinds._layer_query import GEOJSON, JSON, LayerQuery, quoted_step
from geohound.kinds._reader import Reader, finish, links_of, path_of
from geohound.kinds._signature import Signature
from geohound.model.addresses import Addresses, Below, ScriptIdioms
from geohound.model.bbox import BBox, short_numbers
from geohound.model.layer_request import DapDataset, FeatureRequest, LayerRequest, Rel
from geohound.model.service import Layer, Service

_BELOW = re.compile(
    r"/(?:version(?:_string)?|index\.\w+|info|tabledap|griddap|search|wms|files|categorize|subscriptions|convert|rest\.html"
    r"|opensearch1\.1|status\.html|images|download|information\.html)(?s:/.*)?$"
)
_VERSION = re.compile(r"\A\s*ERDDAP_version(?:_string)?\s*=\s*([\w.]{1,40})")
_FIRST_PAGE = "page=1&itemsPerPage=1000"
_EDGES = ("minLongitude", "minLatitude", "maxLongitude", "maxLatitude")


def probe_urls(url: str) -> tuple[str, ...]:
    """The version is a few bytes; the table of all datasets brings titles and boxes."""
    root = _root(url)
    return (
        f"{root}/version",
        f"{root}/tabledap/allDatasets.json",
        f"{root}/info/index.json?{_FIRST_PAGE}",
    )


def _root(url: str) -> str:
    return _BELOW.sub("", path_of(url)).rstrip("/")


def read(document: Document) -> Service | None:
    version = _VERSION.match(document.body[:200].decode("latin-1"))
    if version:
        companions = probe_urls(document.url)[1:2]
        service = _service(document, (), version[1])
        return finish(document, replace(service, companions=companions))
    value = document.json
    table = mapping(value.get("table")) if isinstance(value, dict) else {}
    columns = texts(table.get("columnNames"))
    lines = table.get("rows")
    if not isinstance(lines, list):
        return None
    rows = [line for line in lines[:100_000] if isinstance(line, list)]
    entries = [dict(zip(columns, row, strict=False)) for row in rows]
    layers = _read_table(columns, entries, document.url)
    if layers is None:
        return None
    named = tuple(layer for layer in layers if layer.name)
    return finish(document, _service(document, named, ""))


def _read_table(
    columns: tuple[str, ...], entries: Sequence[Mapping[str, Any]], url: str
) -> list[Layer] | None:
    """The datasets of one of ERDDAP's own tables; None of any other table."""
    if {"griddap", "tabledap", "Dataset ID"} <= set(columns):
        return [_read_listed(entry, url) for entry in entries]
    if {"datasetID", "title", *_EDGES} <= set(columns):
        datasets = [e for e in entries if words(e.get("datasetID")) != "allDatasets"]
        return [_read_described(entry, url) for entry in datasets]
    is_index = columns == ("Resource", "URL") and bool(entries)
    return [] if is_index and "/erddap" in words(entries[0].get("URL")) else None


def _service(document: Document, layers: tuple[Layer, ...], version: str) -> Service:
    return Service(
        kind="erddap",
        endpoint=_root(document.url),
        version=version,
        layers=layers,
        links=links_of(layers),
        software=f"ERDDAP {version}".strip(),
    )


def _addresses(entry: Mapping[str, Any], url: str) -> tuple[str, ...]:
    """The addresses of a dataset that are services of another kind: WMS, and OPeNDAP under grid and table."""
    found = [absolute(entry.get("wms"), url)] if words(entry.get("wms")) else []
    found += [
        f"{address}.dds"
        for name in ("griddap", "tabledap")
        if (address := absolute(entry.get(name), url))
    ]
    return tuple(filter(None, found))


def _read_listed(entry: Mapping[str, Any], url: str) -> Layer:
    return Layer(
        name=words(entry.get("Dataset ID")),
        title=words(entry.get("Title")),
        abstract=words(entry.get("Summary")),
        keywords=texts([words(entry.get("Institution"))]),
        links=_addresses(entry, url),
    )


def _read_described(entry: Mapping[str, Any], url: str) -> Layer:
    edges = [as_number(entry.get(edge)) for edge in _EDGES]
    start, end = words(entry.get("minTime")), words(entry.get("maxTime"))
    return Layer(
        name=words(entry.get("datasetID")),
        title=words(entry.get("title")),
        abstract=words(entry.get("summary")),
        extent=extent(edges) if all(e is not None for e in edges) else None,
        times=(f"{start or '..'}/{end or '..'}",) if start or end else (),
        links=_addresses(entry, url),
    )


def requests(query: LayerQuery) -> list[LayerRequest]:
    """The variables of a dataset and the form for people; a grid over OPeNDAP, of a table the positions in the box."""
    endpoint = query.service.endpoint
    listed = LayerRequest(
        Rel.CAPABILITIES, "Datasets", f"{endpoint}/info/index.json?{_FIRST_PAGE}", JSON
    )
    if not query.layer.name:
        return [listed]
    name = quoted_step(query.layer.name)
    is_grid = any("/griddap/" in link for link in query.layer.links)
    dataset = f"{endpoint}/{'griddap' if is_grid else 'tabledap'}/{name}"
    described = [
        listed,
        LayerRequest(
            Rel.DESCRIPTION, "Variables", f"{endpoint}/info/{name}/index.json", JSON
        ),
        LayerRequest(Rel.DESCRIPTION, "Form", f"{dataset}.html", "text/html"),
    ]
    if is_grid:
        return [
            *described,
            DapDataset(
                Rel.DATA, "Structure", f"{dataset}.dds", "text/plain", dataset=dataset
            ),
        ]
    # then it may have no positions
    if not (query.layer.extent and query.layer.extent.box):
        return described
    return [
        *described,
        FeatureRequest(
            Rel.FEATURES,
            "Positions",
            f"{dataset}.geoJson?{_within(query.box)}",
            GEOJSON,
        ),
    ]


def _within(box: BBox) -> str:
    """Each position in a box once."""
    west, south, east, north = (short_numbers((edge,)) for edge in box.as_tuple())
    edges = (
        f"longitude>={west}",
        f"longitude<={east}",
        f"latitude>={south}",
        f"latitude<={north}",
    )
    return "&".join(
        ("longitude,latitude", *(quote(edge, safe="=") for edge in edges), "distinct()")
    )


# What OPeNDAP takes below the same paths is left to OPeNDAP.
_DATASET = (
    r"^(?P<service>https?://[^?#]*?)"
    r"(?P<operation>/(?:table|grid)dap/[^/?#]+\.(?!(?:das|dds|dods)\b)\w+(?:[?#].*)?)$"
)
_ADDRESSES = Addresses(
    ends=("erddap",),
    paths=("/(?:tabledap|griddap)/",),
    below=tuple(
        Below(f"/{protocol}/", _DATASET, has_blanks=True)
        for protocol in ("tabledap", "griddap")
    ),
    scripts=ScriptIdioms(
        words=("erddap", "tabledap", "griddap"),
        strings=tuple((p, f"\\b{p}\\b") for p in ("tabledap", "griddap")),
    ),
)

KINDS = (
    Reader(
        id="erddap",
        title="ERDDAP",
        protocol="ERDDAP:tabledap",
        path=re.compile("/erddap", re.IGNORECASE),
        probe_urls=probe_urls,
        reader=read,
        requester=requests,
        addresses=_ADDRESSES,
        signature=Signature(start=_VERSION, keys=frozenset(["table"])),
    ),
)
