"""Any other OGC service: a capabilities document by OWS Common that no kind of its own claims."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from geohound import safe_xml, urls
from geohound.document import Document
from geohound.kinds import _ows
from geohound.kinds._elements import words
from geohound.model.service import Layer, Service
from geohound.safe_xml import Element, attribute, child, children, local

_SECTIONS = frozenset({"ServiceIdentification", "ServiceProvider", "OperationsMetadata"})
_OLD_SECTIONS = frozenset({"Service", "Capability"})
_ROOT = re.compile(r"^(?:[A-Z][A-Z0-9]{1,6}_)?Capabilities$")
_CLAIMED = frozenset({"WMS_Capabilities", "WMT_MS_Capabilities", "WFS_Capabilities", "WCS_Capabilities"})
_OTHERS = frozenset({"wcs", "wmts", "wps", "csw", "sos", "sps"})
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
    name = document.root_name
    if name in _CLAIMED or not _ROOT.match(name):
        return None
    if _ows.service_of(document) in _OTHERS:
        return None
    root = document.root
    if root is None:
        return None
    sections = {local(c) for c in root}
    if not sections & _SECTIONS and not sections >= _OLD_SECTIONS and not attribute(root, "version"):
        return None
    if "opengis.net" not in document.root_namespace and not _speaks_ows(root):
        return None
    common = _ows.read_common(root, document.url)
    about = child(root, "Service")
    if about is not None and not common.title:
        common = replace(common, title=words(child(about, "Title")), abstract=words(child(about, "Abstract")))
    service = _ows.build(document, "ows", _ows.version_of(root, common, ""), common, _contents(root))
    stated = safe_xml.text(root, "ServiceIdentification", "ServiceType")
    return replace(service, keywords=tuple(dict.fromkeys((*service.keywords, *([stated] if stated else [])))))


def _speaks_ows(root: Element) -> bool:
    """By namespace, or by two of its sections where namespaces were lost."""
    spaces = {safe_xml.namespace(c) for c in root}
    return any("opengis.net/ows" in s for s in spaces) or len({local(c) for c in root} & _SECTIONS) > 1


def _contents(root: Element) -> list[Layer]:
    """Whatever in the contents has an identifier."""
    found = []
    for contents in children(root, "Contents"):
        for element in contents:
            name = words(child(element, "Identifier")) or words(child(element, "identifier"))
            if name:
                found.append(Layer(name, words(child(element, "Title")), words(child(element, "Abstract"))))
    return found


@dataclass(frozen=True, slots=True)
class _OtherOws(_ows.OwsKind):
    """Asked only for services that the address itself names."""

    def suspects(self, url: str) -> bool:
        return urls.params_lower(url).get("service", "").strip().upper() in _OTHER_SERVICES

    def probe_urls(self, url: str) -> Sequence[str]:
        asked = urls.params_lower(url).get("service", "").strip()
        request = {"SERVICE": asked, "REQUEST": "GetCapabilities"} if asked else {"REQUEST": "GetCapabilities"}
        return (urls.with_params(urls.endpoint(url), request),)


KINDS = (
    _OtherOws(
        id="ows",
        title="OGC, other",
        protocol="OGC:OWS",
        reader=_read,
        service="OWS",
        path=_ows.address_pattern("ows"),
    ),
)
