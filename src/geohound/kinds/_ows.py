"""What OGC services share: addresses, requests, OWS Common metadata, and the making of a Service from it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

from geohound import urls
from geohound.document import Document, safe_xml
from geohound.document.safe_xml import (
    NAMES,
    Element,
    attribute,
    child,
    children,
    index,
    local,
    text,
)
from geohound.kinds import _boxes, _software
from geohound.kinds._elements import (
    MAX_LIST,
    first,
    href,
    read_keywords,
    resolve,
    said,
    texts,
)
from geohound.kinds._layer_query import Requester, checks, requests
from geohound.kinds._licence import read_access
from geohound.kinds._reader import fingerprint
from geohound.kinds._signature import Signature
from geohound.model.addresses import Addresses
from geohound.model.bbox import BBox
from geohound.model.layer_request import LayerRequest
from geohound.model.service import Layer, Operation, Provider, Refusal, Service

MAX_LAYERS = safe_xml.MAX_ITEMS
_IDENTIFICATION_BYTES = 20_000

_NAMESPACE = re.compile(
    r"open(?:gis|geospatial)\.net/(?:\w+/)*?(wmts|wcs|wps|csw|sos|sps|wms|wfs)(?:[/-]|$)",
    re.IGNORECASE,
)
_OWS_NAMESPACE = re.compile(r"open(?:gis|geospatial)\.net/ows(?:/|$)", re.IGNORECASE)
_SERVICE_TYPE = re.compile(r"\b(wmts|wcs|wps|csw|sos|sps)\b", re.IGNORECASE)
# of a root whose prefix was never declared
_PREFIXES = frozenset({"wmts", "wcs", "wps", "csw", "sos", "sps"})
_CONTENT = (
    ("wmts", frozenset({"TileMatrixSet", "GetTile"})),
    (
        "wps",
        frozenset({"ProcessOfferings", "Process", "ProcessSummary", "DescribeProcess"}),
    ),
    ("wcs", frozenset({"CoverageSummary", "ServiceMetadata", "GetCoverage"})),
    (
        "sos",
        frozenset({"ObservationOfferingList", "ObservationOffering", "GetObservation"}),
    ),
    (
        "sps",
        frozenset(
            {"SensorOfferingList", "SPSContents", "SensorOffering", "DescribeTasking"}
        ),
    ),
    ("csw", frozenset({"GetRecords", "GetRecordById"})),
)
_NEUTRAL_ADDRESS = re.compile(
    r"/(?:(?:ows|owsproxy|wxs|geoserver|service|endpoint|mapserv(?:\.exe|\.cgi|\.fcgi)?)/?(?:\?|$)|qgis_mapserv)"
    r"|[?&]map=[^&]{1,300}\.(?:map|qgs|qgz)(?:&|$)",
    re.IGNORECASE,
)
# The three-letter codes that INSPIRE extensions use, in both alphabets of ISO 639-2.
_LANGUAGES = {
    "eng": "en", "ger": "de", "deu": "de", "fre": "fr", "fra": "fr", "spa": "es", "ita": "it", "dut": "nl",
    "nld": "nl", "por": "pt", "pol": "pl", "cze": "cs", "ces": "cs", "slo": "sk", "slk": "sk", "hun": "hu",
    "rum": "ro", "ron": "ro", "bul": "bg", "gre": "el", "ell": "el", "dan": "da", "swe": "sv", "nor": "no",
    "fin": "fi", "est": "et", "lav": "lv", "lit": "lt", "slv": "sl", "hrv": "hr", "scr": "hr", "gle": "ga",
    "mlt": "mt", "rus": "ru", "ukr": "uk", "chi": "zh", "zho": "zh", "jpn": "ja", "kor": "ko", "ara": "ar",
    "tur": "tr", "cat": "ca", "ice": "is", "isl": "is",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class OwsKind:
    """A kind that is asked by key-value GetCapabilities requests."""

    id: str
    title: str
    protocol: str
    reader: Callable[[Document], Service | Refusal | None]
    requester: Requester
    addresses: Addresses
    signature: Signature
    # what its addresses look like when they carry no SERVICE parameter
    path: re.Pattern[str]
    # asked for when the answer without a version proves nothing
    second_version: str = ""
    # values of SERVICE in its addresses, where not its own
    services: frozenset[str] = frozenset()
    # smaller requests than those for people, where these could be large
    checker: Requester | None = None

    def suspects(self, url: str) -> bool:
        asked = urls.params_lower(url).get("service", "").strip().upper()
        if asked:
            return asked in (self.services or {self.addresses.kvp.services[0].upper()})
        address = url.partition("#")[0]
        return bool(self.path.search(address)) or (
            self.addresses.lives_anywhere and _is_neutral(address)
        )

    def probe_urls(self, url: str) -> Sequence[str]:
        request = {"SERVICE": self.addresses.kvp.asked_as, "REQUEST": "GetCapabilities"}
        endpoint = urls.endpoint(url)
        probes = [urls.with_params(endpoint, request)]
        if self.second_version:
            probes.append(
                urls.with_params(endpoint, {**request, "VERSION": self.second_version})
            )
        return tuple(probes)

    def read(self, document: Document) -> Service | Refusal | None:
        return self.reader(document) if self.signature.fits(document) else None

    def requests(
        self, service: Service, layer: Layer, box: BBox | None
    ) -> Sequence[LayerRequest]:
        return requests(self.requester, service, layer, box)

    def checks(
        self, service: Service, layer: Layer, box: BBox | None
    ) -> Sequence[LayerRequest]:
        return checks(self.checker or self.requester, service, layer, box)


def _is_neutral(address: str) -> bool:
    """Does it end as addresses do behind which any OGC service may live?"""
    return bool(_NEUTRAL_ADDRESS.search(address))


def address_pattern(*words: str) -> re.Pattern[str]:
    """Addresses in whose path one of these words stands alone, or before `server` or a file ending."""
    return re.compile(
        rf"[/._-](?:{'|'.join(words)})(?:server|service|s)?(?:[/?._-]|$)", re.IGNORECASE
    )


_found: WeakKeyDictionary[Document, str] = WeakKeyDictionary()


def service_of(document: Document) -> str:
    """Which service a root `Capabilities` belongs to, found once for all the kinds that ask."""
    if document.root_name != "Capabilities":
        return ""
    service = _found.get(document)
    if service is None:
        service = _found[document] = _find_service(document)
    return service


def _find_service(document: Document) -> str:
    """By namespace, or by content if it has none."""
    known = _NAMESPACE.search(document.root_namespace)
    if b"WCPS" in document.body[:_IDENTIFICATION_BYTES].upper() and _is_wcps(document):
        return "wcps"
    if known:
        return known[1].lower()
    if document.root_namespace and not _OWS_NAMESPACE.search(document.root_namespace):
        return ""
    head = document.head
    if head is None:
        return ""
    if not document.root_namespace and (stated := _stated_service(head)):
        return stated
    said = _contents(head) | _operation_names(head)
    return next((service for service, own in _CONTENT if own & said), "")


def _stated_service(head: Element) -> str:
    """By the prefix of the root, as some write it without a namespace, or by ServiceType."""
    prefix = str(head.tag).partition(":")[0].lower()
    if prefix in _PREFIXES:
        return prefix
    stated = _SERVICE_TYPE.search(text(head, "ServiceIdentification", "ServiceType"))
    return stated[1].lower() if stated else ""


def _contents(head: Element) -> set[str]:
    sections = ("Contents", "contents", "ProcessOfferings")
    contents = [section for section in head if local(section) in sections]
    return {local(each) for section in contents for each in (section, *section)}


def _operation_names(head: Element) -> set[str]:
    sections = children(head, "OperationsMetadata")
    return {
        name for section in sections for each in section if (name := each.get("name"))
    }


def _is_wcps(document: Document) -> bool:
    """Its ServiceType says so (Li, Wang & Bhatia 2016, Table 1); its root is that of a WCS, an SOS or OWS Common."""
    head = document.head
    return (
        head is not None
        and "wcps" in text(head, "ServiceIdentification", "ServiceType").lower()
    )


def version_of(root: Element, service: Service, default: str) -> str:
    """The version of the document itself."""
    stated = attribute(root, "version").strip()
    return stated or (service.versions[0] if service.versions else default)


def read_common(kind: str, root: Element, base: str) -> Service:
    """ServiceIdentification, ServiceProvider and OperationsMetadata of OWS Common, in whatever version."""
    sections = index(root)
    about = index(first(sections, "ServiceIdentification"))
    metadata = first(sections, "OperationsMetadata")
    operations = read_operations(metadata, base)
    capabilities = next(
        (o for o in operations if o.name.lower() == "getcapabilities"), None
    )
    return Service(
        kind,
        urls.endpoint(base),
        title=said(about, "Title"),
        abstract=said(about, "Abstract"),
        keywords=read_keywords(about),
        provider=_read_provider(first(sections, "ServiceProvider")),
        access=read_access(
            said(about, "Fees"), "; ".join(texts(about.get("AccessConstraints", ())))
        ),
        versions=texts(about.get("ServiceTypeVersion", ())),
        operations=operations,
        online_resource=(capabilities.get or capabilities.post) if capabilities else "",
        language=read_language(root, metadata),
    )


def _read_provider(element: Element | None) -> Provider:
    parts = index(element)
    contact = index(first(parts, "ServiceContact"))
    return Provider(
        name=said(parts, "ProviderName"),
        contact=said(contact, "IndividualName") or said(contact, "PositionName"),
        email=text(first(contact, "ContactInfo"), "Address", "ElectronicMailAddress"),
        site=href(first(parts, "ProviderSite")),
    )


def read_language(root: Element, *holders: Element | None) -> str:
    """The language that INSPIRE extensions or xml:lang state, as a two-letter code where there is one."""
    for holder in holders:
        for extension in holder if holder is not None else ():
            if not local(extension).endswith("ExtendedCapabilities"):
                continue
            found = {local(e): text(e) for e in extension.iter("{*}Language")}
            if found.get("Language"):
                return language_code(found["Language"])
    return language_code(root.get("{http://www.w3.org/XML/1998/namespace}lang") or "")


def language_code(name: str) -> str:
    name = name.strip().lower().replace("_", "-").partition("-")[0]
    return _LANGUAGES.get(name, name if len(name) == 2 and name.isalpha() else "")


def read_operations(metadata: Element | None, base: str) -> tuple[Operation, ...]:
    """OperationsMetadata: each operation with its real addresses and output formats."""
    found = []
    for element in metadata if metadata is not None else ():
        name = element.get("name")
        if name and local(element) == "Operation":
            get, post = addresses(element, base)
            found.append(Operation(str(name), get, post, _output_formats(element)))
    return tuple(found[:MAX_LIST])


def addresses(operation: Element, base: str) -> tuple[str, str]:
    """Where an operation is asked by GET and by POST: the first of each below its DCP elements."""
    found = {"Get": "", "Post": ""}
    for dcp in operation:
        if NAMES[dcp.tag] in ("DCP", "DCPType"):
            for http in dcp:
                for method in http:
                    name = NAMES[method.tag]
                    if found.get(name) == "":
                        found[name] = resolve(
                            href(method) or href(child(method, "OnlineResource")), base
                        )
    return found["Get"], found["Post"]


def _output_formats(operation: Element) -> tuple[str, ...]:
    for parameter in operation:
        if (parameter.get("name") or "").lower() in (
            "outputformat",
            "format",
            "responseformat",
        ):
            return texts(parameter.iter("{*}Value"))
    return ()


def parameter_values(root: Element, operation: str, parameter: str) -> tuple[str, ...]:
    """The values that OperationsMetadata allows for a parameter, its name in lower case."""
    for element in children(root, "OperationsMetadata"):
        for each in children(element, "Operation"):
            if attribute(each, "name") == operation:
                for allowed in each:
                    if attribute(allowed, "name").lower() == parameter:
                        return texts(allowed.iter("{*}Value"))
    return ()


def build(
    document: Document, about: Service, version: str, layers: Sequence[Layer]
) -> Service:
    """The whole service: what its document says about it, with its layers and what they add up to."""
    truncated = len(layers) > MAX_LAYERS or document.is_truncated
    layers = tuple(layers[:MAX_LAYERS])
    versions = dict.fromkeys(v for v in (version, *about.versions) if v)
    return replace(
        about,
        version=version,
        versions=tuple(versions)[:50],
        extent=_boxes.cover(layer.extent for layer in layers),
        layers=layers,
        formats=_formats(about.operations),
        crs=_all_crs(layers),
        software=_software.detect(document, about.online_resource),
        repairs=tuple(document.repairs),
        layers_truncated=truncated,
        fingerprint=fingerprint(
            about.kind, about.title, layers, about.abstract, version
        ),
    )


_MAIN_OPERATIONS = frozenset(
    {
        "getmap",
        "getfeature",
        "getcoverage",
        "gettile",
        "getobservation",
        "getrecords",
        "execute",
        "getresult",
    }
)


def _formats(operations: Iterable[Operation]) -> tuple[str, ...]:
    return next(
        (
            o.formats
            for o in operations
            if o.name.lower() in _MAIN_OPERATIONS and o.formats
        ),
        (),
    )


def _all_crs(layers: Iterable[Layer]) -> tuple[str, ...]:
    lists = list({id(layer.crs): layer.crs for layer in layers if layer.crs}.values())
    if len(lists) == 1:
        return lists[0]
    return tuple(dict.fromkeys([code for codes in lists for code in codes]))[:MAX_LIST]
