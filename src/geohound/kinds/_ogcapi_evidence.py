"""Which OGC APIs a JSON document proves, and what it lists for each of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

from geohound.document import Document
from geohound.kinds._json import links_by_rel, mapping, rows, texts, words
from geohound.kinds._reader import path_of

Row = Mapping[str, Any]
# WFS 3.0 was the draft name of Features; drafts of the others carry version 0.0. Each kind needs a class of
# its own: `ogcapi-common` and the filters of Features part 3 are borrowed by all.
_CLASSES = {
    "ogcapi-features": r"ogcapi-features-[124]/|/wfs-1/3\.0/",
    "ogcapi-tiles": r"ogcapi-tiles-\d/",
    "ogcapi-maps": r"ogcapi-maps-\d/",
    "ogcapi-coverages": r"ogcapi-coverages-\d/",
    "ogcapi-records": r"ogcapi-records-\d/",
    "ogcapi-processes": r"ogcapi-processes-\d/|OAPI-P",
    "ogcapi-edr": r"ogcapi-edr-\d/",
    "ogcapi-styles": r"ogcapi-styles-\d/",
}
_CONFORMS = {
    kind: re.compile(pattern, re.IGNORECASE) for kind, pattern in _CLASSES.items()
}
_VERSION = re.compile(r"/(?:ogcapi-\w+-\d|wfs-1)/(\d+\.\d+(?:\.\d+)?)", re.IGNORECASE)
_DRAFT = "0.0"  # what drafts write in place of a version
_CORE = re.compile(r"/(?:conf|req)/(?:core|record-core|styles?)\b", re.IGNORECASE)
_RELS = {
    "items": "ogcapi-features",
    "item": "ogcapi-features",  # as the WFS 3.0 draft wrote it
    "coverage": "ogcapi-coverages",
    "map": "ogcapi-maps",
    "tilesets-vector": "ogcapi-tiles",
    "tilesets-map": "ogcapi-tiles",
    "tilesets-coverage": "ogcapi-tiles",
    "tiles": "ogcapi-tiles",
    "tiling-schemes": "ogcapi-tiles",
    "styles": "ogcapi-styles",
    "processes": "ogcapi-processes",
    "ogc-catalog": "ogcapi-records",
}
# Documents that also carry `conformsTo`, `links` or an `id` without being the front of an API.
_OTHER_TYPES = frozenset(
    ["Feature", "FeatureCollection", "Catalog", "Coverage", "CoverageCollection"]
)
# One of these is in each document that proves something.
KEYS = frozenset(
    [
        "collections",
        "conformsTo",
        "data_queries",
        "inputs",
        "itemType",
        "links",
        "processes",
        "styles",
        "tileMatrices",
        "tileMatrix",
        "tileMatrixSets",
        "tilesets",
    ]
)
_TILESET_TYPES = frozenset(["map", "vector", "coverage"])


@dataclass(slots=True)
class ApiEvidence:
    """The kinds that a document proves, the rows it lists for each, and the classes it conforms to."""

    kinds: set[str] = field(default_factory=set)
    offerings: dict[str, list[Row]] = field(default_factory=dict)
    conforms_to: tuple[str, ...] = ()
    is_landing: bool = False
    is_whole: bool = False  # it lists all that the API offers
    # a landing page that has data without saying of which kind
    guesses: set[str] = field(default_factory=set)

    def add(self, kind: str, *listed: Row) -> None:
        self.kinds.add(kind)
        self.offerings.setdefault(kind, []).extend(listed)


_weighed: WeakKeyDictionary[Document, ApiEvidence] = WeakKeyDictionary()


def proof_of(document: Document) -> ApiEvidence:
    """What a document proves, weighed once for all the kinds that ask."""
    proof = _weighed.get(document)
    if proof is None:
        value = document.json
        proof = _weighed[document] = (
            weigh(value, document.url) if isinstance(value, dict) else ApiEvidence()
        )
    return proof


def weigh(value: Row, url: str) -> ApiEvidence:
    """All that one document proves. Conformance speaks first; links and lists where it is silent."""
    proof = ApiEvidence(conforms_to=texts(value.get("conformsTo")))
    if _is_something_else(value, proof):
        return proof
    for kind, pattern in _CONFORMS.items():
        if any(pattern.search(uri) for uri in proof.conforms_to[:2000]):
            proof.kinds.add(kind)
    links = links_by_rel(value.get("links"))
    _weigh_landing(value, links, proof)
    _weigh_collections(value, proof)
    _weigh_lists(value, links, proof)
    if not proof.kinds and _is_tile_matrix_set(value, url):
        proof.add("ogcapi-tiles")
    return proof


def _is_something_else(value: Row, proof: ApiEvidence) -> bool:
    """Documents that have links or an id too; a JSON schema is an object, and so some servers call their answers."""
    type_ = words(value.get("type"))
    if type_ in _OTHER_TYPES:
        return not (isinstance(value.get("stac_version"), str) and proof.conforms_to)
    return type_ == "object" and not proof.conforms_to


def version_of(kind: str, conforms_to: tuple[str, ...]) -> str:
    """The version in the conformance classes of this kind, that of the core before that of extensions; drafts have none."""
    pattern = _CONFORMS[kind]
    mine = [uri for uri in conforms_to[:2000] if pattern.search(uri)]
    for uri in sorted(mine, key=lambda u: (not _CORE.search(u), u)):
        found = _VERSION.search(uri)
        if found and found[1] != _DRAFT:
            return found[1]
    return ""


def _weigh_landing(
    value: Row, links: Mapping[str, list[Row]], proof: ApiEvidence
) -> None:
    """A landing page links to its conformance and to what describes or holds its data."""
    proof.is_landing = "conformance" in links and bool(
        {"service-desc", "service-doc", "data", "self"} & links.keys()
    )
    if not proof.is_landing or proof.kinds:
        return
    for rel in links:
        kind = _RELS.get(rel)
        if kind and rel not in ("items", "item"):
            proof.add(kind)
    if (
        "data" in links
        and "stac_version" not in value
        and not proof.kinds & {"ogcapi-records", "ogcapi-coverages"}
    ):
        proof.guesses.add("ogcapi-features")
        proof.add("ogcapi-features")


def _weigh_collections(value: Row, proof: ApiEvidence) -> None:
    """The list of collections, or a single one; those of STAC speak for STAC."""
    proof.is_whole = any(
        isinstance(value.get(name), list)
        for name in ("collections", "processes", "styles")
    )
    listed = [
        c
        for c in rows(value.get("collections"))
        if "stac_version" not in c and _is_collection(c)
    ]
    if not listed and "stac_version" not in value and _is_single_collection(value):
        listed = [value]
    for row in listed:
        for kind in _kinds_of_collection(row):
            proof.add(kind, row)


def _is_collection(row: Row) -> bool:
    has_name = bool(words(row.get("id")) or words(row.get("name")))
    return has_name and (
        bool(rows(row.get("links")) or mapping(row.get("data_queries")))
        or isinstance(mapping(row.get("extent")).get("spatial"), dict | list)
    )


def _is_single_collection(value: Row) -> bool:
    links = links_by_rel(value.get("links"))
    return (
        bool(words(value.get("id")))
        and (
            bool(_RELS.keys() & links.keys())
            or isinstance(value.get("itemType"), str)
            or bool(mapping(value.get("data_queries")))
        )
        and (
            "extent" in value
            or "itemType" in value
            or "crs" in value
            or "data_queries" in value
        )
    )


def _kinds_of_collection(row: Row) -> set[str]:
    links = links_by_rel(row.get("links"))
    kinds = {_RELS[rel] for rel in links if rel in _RELS}
    item_type = words(row.get("itemType")).lower()
    if mapping(row.get("data_queries")):
        kinds = {*kinds - {"ogcapi-features"}, "ogcapi-edr"}
    if item_type == "record":
        kinds = {*kinds - {"ogcapi-features"}, "ogcapi-records"}
    elif item_type == "feature" and "ogcapi-edr" not in kinds:
        kinds.add("ogcapi-features")
    elif item_type == "tile":  # pygeoapi links to items that its tiles do not have
        kinds.discard("ogcapi-features")
    addresses = [path_of(words(link.get("href"))) for link in links.get("data", ())]
    if _has_tiles(addresses):
        kinds.add("ogcapi-tiles")  # TiPg knows no relation of its own for them
    # A collection that does not say what it holds is a feature collection by the standard's default.
    return kinds or {"ogcapi-features"}


def _has_tiles(addresses: list[str]) -> bool:
    return any(address.endswith("/tiles") for address in addresses)


def _weigh_lists(
    value: Row, links: Mapping[str, list[Row]], proof: ApiEvidence
) -> None:
    if processes := _processes(value):
        proof.add("ogcapi-processes", *processes)
    styles = _named_with_links(value.get("styles"))
    if styles and "id" not in value:
        proof.add("ogcapi-styles", *styles)
    tilesets = _tilesets(value)
    matrix_sets = _named_with_links(value.get("tileMatrixSets"))
    if tilesets or (matrix_sets and "conformance" not in links):
        proof.add("ogcapi-tiles", *tilesets)


def _named_with_links(value: object) -> list[Row]:
    return [row for row in rows(value) if words(row.get("id")) and "links" in row]


def _processes(value: Row) -> list[Row]:
    """A list of processes, or the description of one."""
    listed = [row for row in rows(value.get("processes")) if words(row.get("id"))]
    if listed and ("links" in value or any(map(_is_process_summary, listed))):
        return listed
    described = all(isinstance(value.get(part), dict) for part in ("inputs", "outputs"))
    return [value] if described and words(value.get("id")) else []


def _is_process_summary(row: Row) -> bool:
    return "jobControlOptions" in row or "links" in row


def _tilesets(value: Row) -> list[Row]:
    listed = [row for row in rows(value.get("tilesets")) if "links" in row]
    tilesets = [row for row in listed if "dataType" in row or "crs" in row]
    if not tilesets and _is_tileset(value):
        return [value]
    return tilesets


def _is_tileset(value: Row) -> bool:
    """The description of one tileset: what its tiles are, and the grid that they follow."""
    has_grid = any(
        name in value
        for name in ("tileMatrixSetURI", "tileMatrixSetId", "tileMatrixSet")
    )
    return (
        words(value.get("dataType")) in _TILESET_TYPES
        and has_grid
        and bool(rows(value.get("links")))
    )


def _is_tile_matrix_set(value: Row, url: str) -> bool:
    """A grid definition; on the Web only where OGC API Tiles keeps its own, not in a register."""
    matrices = rows(value.get("tileMatrices")) or rows(value.get("tileMatrix"))
    if not matrices or not any(
        k in value for k in ("crs", "supportedCRS", "supportedCrs")
    ):
        return False
    return "scaleDenominator" in matrices[0] and (
        not url.startswith(("http://", "https://"))
        or "/tilematrixsets/" in path_of(url).lower()
    )
