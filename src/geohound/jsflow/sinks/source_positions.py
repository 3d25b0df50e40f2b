"""Data: the words and patterns that show where in a script the address of a service may stand."""

from __future__ import annotations

from geohound.jsflow.syntax.anchors import anchor

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


LAYERS = anchor(
    "layers",
    rb"(?<![\w$.])(?P<at>layers|LAYERS)[\"']?\s*:(?!:)",
    before=3,
)


REQUEST = anchor(
    "fetch ajax getjson get post axios open json request xhrget jsonp query",
    rb"(?<![\w$])(?:fetch|ajax|getJSON|get|post|axios|open|GET|POST|json|request|xhrGet|jsonp|query)(?=\s*\()",
)


ELEMENT = anchor(
    ".src .href",
    rb"\.(?P<at>src|href)\s?=(?![=>])(?!\s?[\"'`])",
)


FILE = anchor(
    ".json .xml .yaml .yml .txt .cfg .conf",
    rb"\.(?:json|xml|json5|jsonc|ya?ml|txt|cfg|conf)(?:\?[^\"'`\s]{0,100})?[\"'`]",
)


ALIASED = anchor(
    "define require",
    rb"(?<![\w$.])(?:define|require|requirejs|amdRequire)(?=\(\s*[\[\"'])",
)
