"""The query sets Q1 to Q4 of Sidsten 2012, section 3.1.3, and operators for words inside URLs (table 3.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

# W_P1: five mandatory parameters of WMS, WFS and WCS. W_C1: parts of known addresses (sections 3.1.3 and 3.3.1).
PROTOCOL = (
    "request=getcapabilities",
    "service=wms",
    "service=wcs",
    "service=wfs",
    "request=capabilities",
)
COMPONENTS = (
    "geoserver",
    "wmsservlet",
    "esrimap",
    "wmsconnector",
    "mapserver",
    "ogcwms",
    "arcgis",
)
# W_P2: seven parameters that are not mandatory. The thesis gives their number; these are parameters of its standards.
OPTIONAL = ("version", "layers", "styles", "format", "bbox", "typename", "coverage")

Query = tuple[str, ...]


def first_set(
    protocol: Sequence[str] = PROTOCOL, components: Sequence[str] = COMPONENTS
) -> list[Query]:
    """Q1: every word, every two protocol words, every protocol word with every component."""
    single = [(word,) for word in (*protocol, *components)]
    return [*single, *combinations(protocol, 2), *_crossed(protocol, components)]


def component_set(
    components: Sequence[str], protocol: Sequence[str] = PROTOCOL
) -> list[Query]:
    """Q2 and Q3: further components, found by frequency in addresses or in pages, alone and with protocol words."""
    return [*((word,) for word in components), *_crossed(protocol, components)]


def parameter_set(
    components: Sequence[str],
    optional: Sequence[str] = OPTIONAL,
    protocol: Sequence[str] = PROTOCOL,
) -> list[Query]:
    """Q4: optional parameters, alone, with each other and all protocol words, and with all components so far."""
    known = set(combinations(protocol, 2))
    pairs = [
        pair for pair in combinations((*protocol, *optional), 2) if pair not in known
    ]
    return [*((word,) for word in optional), *pairs, *_crossed(optional, components)]


def within_limit(
    queries: Sequence[Query], estimates: Mapping[Query, int], limit: float
) -> list[Query]:
    """Without those that have more estimated results than the limit; what nobody has counted stays."""
    return [query for query in queries if estimates.get(query, 0) <= limit]


def in_url(text: str, operator: str) -> str:
    """The query with the provider's operator before words that only addresses have, such as service=wms (table 3.1)."""
    return " ".join(
        f"{operator}{word}" if "=" in word else word for word in text.split()
    )


def _crossed(protocol: Sequence[str], components: Sequence[str]) -> list[Query]:
    return [(first, second) for first in protocol for second in components]
