"""Data: the words and patterns that show where in a script the address of a service may stand."""

from __future__ import annotations

import re

from geohound.jsflow.syntax.anchors import anchor

from . import calls

_WORDS = "wmts|wms|wfs|wcs|csw|wps|ows"


def _anchor(callee: str) -> str:
    last = callee.rpartition(".")[2]
    tail = callee.rsplit(".", 2)[-2:]
    return re.escape(last) if len(last) > 9 else r"\s*\.\s*".join(map(re.escape, tail))


def _rare_word(callee: str) -> str:
    """The part of a callee's name to look for first."""
    last, before = callee.rpartition(".")[2], callee.rpartition(".")[0].rpartition(".")[2]
    return (last if len(last) > 9 or not before or re.search(r"w[mf]t?s", last, re.IGNORECASE) else before).lower()


_TABLED = "|".join(sorted({_anchor(row[0]) for row in calls.ROWS}, key=len, reverse=True))


CALL = anchor(
    " ".join(["wms wmts wfs wcs wps csw ows seturl", *sorted({_rare_word(row[0]) for row in calls.ROWS})]),
    rf"(?:[Ww][Mm][Tt]?[Ss]|[Ww][FfCcPp][Ss]|[Cc][Ss][Ww]|OWS|Ows)[\w$]{{0,60}}(?=\s*\()|(?<![\w$])(?:{_TABLED})(?=\s*\()|(?<=\.)setUrls?(?=\s*\()",
)


KEY = anchor(
    "url uri endpoint tiles",
    rb"(?P<at>(?:url|URL|Url|uri|URI|endpoint|Endpoint)s?|(?<![\w$.])tiles)[\"']?\s*:(?!:)|"
    rb"[{,]\s*(?P<at2>url|urls|baseUrl|wmsUrl|endpoint|serviceUrl)\s*[,}]",
    before=3,
)


LOOSE_KEY = anchor(
    "data server host service href src base address onlineresource source",
    rb"(?<![\w$.])(?P<at>data|server|host|service|href|src|base|address|onlineResource|source)[\"']?\s*:(?!:)|"
    rb"[{,]\s*(?P<at2>server|service|data)\s*[,}]",
    before=3,
)


STRING = anchor(
    "wms wmts wfs wcs wps csw ows service= service%3d request= "
    "/rest/services/ mapserv featureserver imageserver capabilit map= ogc collections/ /stac /v1. /search {z} things "
    "datastreams observations processes/ \"?\" '?'",
    rf"(?i:/(?:{_WORDS})(?![a-z])|(?:{_WORDS})(?:server)?(?=[\"'`?]|\.\w{{2,4}}[\"'`?])|(?<![a-z])(?:service|request)=|"
    rf"/rest/services/|mapserv|capabilit\w{{0,12}}\.xml|[?&]map=|/wmts/|ogc/?[\"'`?]|%2f(?:{_WORDS})(?![a-z])|service%3d|"
    rf"(?:{_WORDS})[-_][\w-]{{1,40}}[\"'`?]|(?<=[\"'`/}}])collections/|/stac\b|(?:feature|image)server[\"'`?/]|"
    rf"(?<=[\"'`/}}])(?:things|datastreams|observations)[\"'`?(]|(?<=[\"'`/}}])processes/|/v1\.[01]/[a-z]|/search[\"'`]|[\"'`]\?[\"'`]|\{{z\}})",
    before=3,
)


SERVICE = re.compile(
    rb"service[\"']?\s*[:=,]\s*\\?[\"']?(wms|wfs|csw|wps|wcs|wmts|sos)\b|<(wfs|csw|wps|sos):?\w*[: ]*(?:GetFeature|"
    rb"Transaction|GetRecords|Execute|DescribeProcess|GetObservation)|(?<=\.format\.)(wfs)\b",
    re.IGNORECASE,
)


REQUEST = anchor(
    "fetch ajax getjson get post axios open json request xhrget jsonp query",
    rb"(?<![\w$])(?:fetch|ajax|getJSON|get|post|axios|open|GET|POST|json|request|xhrGet|jsonp|query)(?=\s*\()",
)


ROW = anchor("wms wmts wfs", rb"[\"'](?:\w{1,40}\.){1,6}(?:WMS|WMTS|WFS|WMSLayer|WMTSLayer)[\"'](?=\s*,)", before=40)


FILE = anchor(
    ".json .xml .yaml .yml .txt .cfg .conf",
    rb"\.(?:json|xml|json5|jsonc|ya?ml|txt|cfg|conf)(?:\?[^\"'`\s]{0,100})?[\"'`]",
)


XML = re.compile(
    r"<(wfs|csw|wps|sos):?\w*[: ]*(?:GetFeature|Transaction|GetRecords|Execute|DescribeProcess|GetObservation)",
    re.IGNORECASE,
)
ALIASED = anchor("define require", rb"(?<![\w$.])(?:define|require|requirejs|amdRequire)(?=\(\s*[\[\"'])")
