"""Any other OGC service: a capabilities document by OWS Common that no kind of its own claims."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from geohound import urls
from geohound.document import Document, safe_xml
from geohound.document.safe_xml import Element, attribute, child, children, local
from geohound.kinds import _ows
from geohound.kinds._elements import words
from geohound.kinds._layer_query import XML, LayerQuery
from geohound.kinds._reader import NO_PATH
from geohound.kinds._signature import Signature
from geohound.model.addresses import Addresses, Clarity, Kvp, ScriptIdioms
from geohound.model.layer_request import LayerRequest, Rel
from geohound.model.service import Layer, Service

_SECTIONS = frozenset(
    {"ServiceIdentification", "ServiceProvider", "OperationsMetadata"}
)
_OLD_SECTIONS = frozenset({"Service", "Capability"})
# but for those that other kinds read
_ROOT = re.compile(r"(?:(?!W[MFC]S_)[A-Z][A-Z0-9]{1,6}_)?Capabilities")
_OTHERS = frozenset({"wcs", "wcps", "wmts", "wps", "csw", "sos", "sps"})
_OTHER_SERVICES = frozenset(
    {
        "TJS",
        "WNS",
        "SAS",
        "SES",
        "W3DS",
        "WVS",
        "WPVS",
        "WTS",
        "WIS",
        "OPENLS",
        "OSEO",
        "EOLI",
        "GS",
        "SLD",
        "WFS-G",
    }
)


def _read(document: Document) -> Service | None:
    if _ows.service_of(document) in _OTHERS:
        return None
    root = document.root
    if root is None or not _is_capabilities(root):
        return None
    if "opengis.net" not in document.root_namespace and not _speaks_ows(root):
        return None
    about = _ows.read_common("ows", root, document.url)
    section = child(root, "Service")
    if section is not None and not about.title:
        about = replace(
            about,
            title=words(child(section, "Title")),
            abstract=words(child(section, "Abstract")),
        )
    version = _ows.version_of(root, about, "")
    service = _ows.build(document, about, version, _contents(root))
    stated = safe_xml.text(root, "ServiceIdentification", "ServiceType")
    keywords = dict.fromkeys(filter(None, (*service.keywords, stated)))
    return replace(service, keywords=tuple(keywords))


def _is_capabilities(root: Element) -> bool:
    sections = {local(c) for c in root}
    has_sections = bool(sections & _SECTIONS) or sections >= _OLD_SECTIONS
    return has_sections or bool(attribute(root, "version"))


def _speaks_ows(root: Element) -> bool:
    """By namespace, or by two of its sections where namespaces were lost."""
    spaces = {safe_xml.namespace(c) for c in root}
    return (
        any("opengis.net/ows" in s for s in spaces)
        or len({local(c) for c in root} & _SECTIONS) > 1
    )


def _contents(root: Element) -> list[Layer]:
    """Whatever in the contents has an identifier."""
    found = []
    for contents in children(root, "Contents"):
        for element in contents:
            name = words(child(element, "Identifier")) or words(
                child(element, "identifier")
            )
            if name:
                found.append(
                    Layer(
                        name,
                        words(child(element, "Title")),
                        words(child(element, "Abstract")),
                    )
                )
    return found


@dataclass(frozen=True, slots=True)
class _OtherOws(_ows.OwsKind):
    """Asked only for services that the address itself names."""

    def probe_urls(self, url: str) -> Sequence[str]:
        asked = urls.params_lower(url).get("service", "").strip()
        request = (
            {"SERVICE": asked, "REQUEST": "GetCapabilities"}
            if asked
            else {"REQUEST": "GetCapabilities"}
        )
        return (urls.with_params(urls.endpoint(url), request),)


def _requests(query: LayerQuery) -> list[LayerRequest]:
    """The capabilities, of the service that the document says it is."""
    service = query.service
    stated = next(
        (
            word.strip().upper()
            for word in reversed(service.keywords)
            if _is_other(word)
        ),
        "",
    )
    request = (
        {"SERVICE": stated, "REQUEST": "GetCapabilities"}
        if stated
        else {"REQUEST": "GetCapabilities"}
    )
    return [
        LayerRequest(
            Rel.CAPABILITIES,
            "GetCapabilities",
            urls.with_params(service.endpoint, request),
            XML,
        )
    ]


def _is_other(word: str) -> bool:
    return word.strip().upper() in _OTHER_SERVICES


# Servers that house services of several kinds are known here, too: GeoServer, MapServer, MapProxy, QGIS Server.
_ADDRESSES = Addresses(
    name="ows",
    clarity=Clarity.FAMILY,
    ends=(
        "ows", "geowebcache", r"mapserv(?:\.exe|\.fcgi)?", "mapproxy", r"qgis_mapserv(?:\.fcgi)?",
        r"ogc\.(?:asp|aspx|ashx)",
    ),
    paths=(r"/geoserver/(?:[\w.-]+/)?(?:ows|wms|wfs|wcs|gwc)",),
    queries=(r"map=[^&]*\.map\b", r"service=\w+", r"request=get\w+"),
    files=("capabilities", "getcap"),
    kvp=Kvp(
        services=("wns", "sas", "tjs"),
        with_version=("getcapabilities", "capabilities"),
        alone=("getcapabilities", "capabilities"),
    ),
    generic_ends=("ows", "owsproxy", r"qgis_mapserv[^\s/]{0,40}", "qgisserver"),
    servers=("geoserver", "mapserv", "mapproxy", "qgis", "deegree", r"/ows\b", "geowebcache"),
    shown=("/ows", "mapserv"),
    scripts=ScriptIdioms(
        words=("/ows", "mapserv", "geoserver", "getcap", "mapproxy", "qgis", "%2fw", "map="),
        strings=(
            ("mapserv", "mapserv"), ("capabilit", r"capabilit\w{0,12}\.xml"), ("map=", "[?&]map="),
            ("ogc", "ogc/?[\"'`?]"),
        ),
    ),
)  # fmt: skip

KINDS = (
    _OtherOws(
        id="ows",
        title="OGC, other",
        protocol="OGC:OWS",
        reader=_read,
        requester=_requests,
        addresses=_ADDRESSES,
        signature=Signature(root=_ROOT),
        path=NO_PATH,
        services=_OTHER_SERVICES,
    ),
)
