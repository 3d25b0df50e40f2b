"""OpenSearch descriptions of catalogues: each template that answers machines is a layer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from geohound.document import Document
from geohound.document.safe_xml import Element, attribute, children, local, text
from geohound.kinds._layer_query import LayerQuery
from geohound.kinds._reader import Reader, finish, formats_of, itself, strip_view
from geohound.kinds._signature import xml
from geohound.model.addresses import DISCOVERY_LIMIT_S, Addresses
from geohound.model.bbox import short_numbers
from geohound.model.layer_request import FeatureRequest, LayerRequest, Rel
from geohound.model.service import Layer, Operation, Provider, Service
from geohound.urls import canonical

# What every web shop's search box has too; a description with nothing else is a browser plug-in, no service.
_FOR_PEOPLE = frozenset(
    [
        "text/html",
        "application/xhtml+xml",
        "application/x-suggestions+json",
        "application/x-moz-keywordsearch",
    ]
)
# Places, times and acquisitions as parameters: nobody but a catalogue of geographic data asks for those.
_GEOGRAPHIC = re.compile(r"\{(?:geo|time|eo|georss):[\w-]{1,40}\??\}")
_PREFIXED = re.compile(r"\{([\w.-]{1,40}):[\w-]{1,40}\??\}")
# A description may call the extensions by any prefix of XML.
_EXTENSION = re.compile(r"://a9\.com/-/opensearch/extensions/(?:geo|time|eo)/")


_PATH = re.compile(
    r"opensearch|(?:/osdd|/description\.xml|/search\.xml)$", re.IGNORECASE
)
_DESCRIPTION = "application/opensearchdescription+xml"
_PLACE = re.compile(r"\{(?:[\w.-]{1,40}:)?([\w.-]{1,60})(\??)\}")


def read(document: Document) -> Service | None:
    root = document.root
    if root is None:
        return None
    urls = list(islice(children(root, "Url"), 1_000))
    if not any(map(_is_of_a_catalogue, urls)):
        return None
    parts = {local(e): e for e in reversed(list(islice(root, 5_000)))}
    layers = tuple(_read_url(u) for u in urls)
    service = Service(
        kind="opensearch",
        endpoint=strip_view(document.url),
        version="1.1",
        title=text(parts.get("LongName")) or text(parts.get("ShortName")),
        abstract=text(parts.get("Description")),
        keywords=tuple(dict.fromkeys(text(parts.get("Tags")).split())),
        provider=Provider(
            name=text(parts.get("Developer")) or text(parts.get("Attribution")),
            email=text(parts.get("Contact")),
        ),
        layers=layers,
        operations=_operations(layers),
        formats=formats_of(layers),
        language=text(parts.get("Language")).replace("*", "")[:12],
        online_resource=_own_address(urls, document.url),
    )
    return finish(document, service)


def _operations(layers: Iterable[Layer]) -> tuple[Operation, ...]:
    return tuple(
        Operation("search", get=layer.links[0], formats=layer.formats)
        for layer in layers
        if layer.links
    )


def _own_address(urls: Sequence[Element], base: str) -> str:
    """Where the description says that it is itself."""
    own = next(
        (attribute(url, "template") for url in urls if attribute(url, "rel") == "self"),
        "",
    )
    return canonical(own, base) or "" if own else ""


def _is_of_a_catalogue(element: Element) -> bool:
    if attribute(element, "rel") in ("self", "suggestions"):
        return False
    if _is_geographic(element):
        return True
    return (
        attribute(element, "type").partition(";")[0].strip().lower() not in _FOR_PEOPLE
    )


def _is_geographic(element: Element) -> bool:
    template = attribute(element, "template")[:4_000]
    if _GEOGRAPHIC.search(template):
        return True
    used = _PREFIXED.findall(template)
    namespaces = element.nsmap if used else {}
    return any(_EXTENSION.search(namespaces.get(prefix, "")) for prefix in used)


def _read_url(element: Element) -> Layer:
    template, kind = attribute(element, "template"), attribute(element, "type")
    return Layer(
        name=kind or attribute(element, "rel") or "search",
        title=attribute(element, "rel"),
        formats=(kind,) if kind else (),
        queryable="{searchTerms" in template,
        links=(template,) if template else (),
    )


def requests(query: LayerQuery) -> list[LayerRequest]:
    """A search by the template of the layer, or by the first that answers machines: ten results, of the box if any."""
    described = LayerRequest(
        Rel.CAPABILITIES, "Description", query.service.endpoint, _DESCRIPTION
    )
    template, media = _choose_template(query)
    url = (
        canonical(_fill(template, query), query.service.endpoint) if template else None
    )
    if url is None or "{" in url:
        return [described]
    if "geo+json" in media:
        return [described, FeatureRequest(Rel.RECORDS, "Search", url, media)]
    return [described, LayerRequest(Rel.RECORDS, "Search", url, media)]


def _choose_template(query: LayerQuery) -> tuple[str, str]:
    if query.layer.links:
        return query.layer.links[0], next(iter(query.layer.formats), "")
    for operation in query.service.operations:
        media = next(iter(operation.formats), "")
        if operation.name == "search" and media not in _FOR_PEOPLE:
            return operation.get, media
    return "", ""


def _fill(template: str, query: LayerQuery) -> str:
    """The template with values for what is known; parameters without a value are left out where that is allowed."""
    values = {
        "count": "10",
        "startindex": "1",
        "startpage": "1",
        "inputencoding": "UTF-8",
        "outputencoding": "UTF-8",
    }
    if query.is_part:
        values["box"] = short_numbers(query.box.as_tuple(), ",")
    base, mark, rest = template.partition("?")
    pairs = (
        [pair for pair in rest.split("&") if not _is_left_out(pair, values)]
        if mark
        else []
    )
    filled = [
        _PLACE.sub(lambda found: values.get(_name(found), ""), part)
        for part in (base, *pairs)
    ]
    return f"{filled[0]}{mark}{'&'.join(filled[1:])}"


def _name(found: re.Match[str]) -> str:
    """A parameter without its prefix: geo:box is box."""
    return found[1].lower()


def _is_left_out(pair: str, values: Mapping[str, str]) -> bool:
    found = _PLACE.fullmatch(pair.partition("=")[2])
    return found is not None and bool(found[2]) and _name(found) not in values


_ADDRESSES = Addresses(
    paths=(r"opensearch(?:description)?\.xml",),
    response_limit_s=DISCOVERY_LIMIT_S,
)

KINDS = (
    Reader(
        id="opensearch",
        title="OpenSearch",
        protocol="OpenSearch",
        path=_PATH,
        probe_urls=itself,
        reader=read,
        requester=requests,
        addresses=_ADDRESSES,
        signature=xml("OpenSearchDescription"),
    ),
)
