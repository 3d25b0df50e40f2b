"""OpenSearch descriptions of catalogues: each template that answers machines is a layer."""

from __future__ import annotations

from itertools import islice

from geohound.document import Document
from geohound.kinds._reader import Reader, finish, itself, path_of, strip_view
from geohound.model.service import Layer, Operation, Provider, Service
from geohound.safe_xml import Element, attribute, children, local, text

# What every web shop's search box has too; a description with nothing else is a browser plug-in, no service.
_FOR_PEOPLE = frozenset(
    [
        "text/html",
        "application/xhtml+xml",
        "application/x-suggestions+json",
        "application/x-moz-keywordsearch",
    ]
)


def suspects(url: str) -> bool:
    path = path_of(url).lower()
    return "opensearch" in path or path.endswith(("/osdd", "/description.xml", "/search.xml"))


def read(document: Document) -> Service | None:
    if document.root_name != "OpenSearchDescription":
        return None
    root = document.root
    urls = list(islice(children(root, "Url"), 1_000)) if root is not None else []
    if root is None or not any(_answers_machines(u) for u in urls):
        return None
    parts = {local(e): e for e in reversed(list(islice(root, 5_000)))}
    layers = tuple(_read_url(u) for u in urls)
    service = Service(
        kind="opensearch",
        endpoint=strip_view(document.url),
        version="1.1",
        versions=("1.1",),
        title=text(parts.get("LongName")) or text(parts.get("ShortName")),
        abstract=text(parts.get("Description")),
        keywords=tuple(dict.fromkeys(text(parts.get("Tags")).split())),
        provider=Provider(
            name=text(parts.get("Developer")) or text(parts.get("Attribution")), email=text(parts.get("Contact"))
        ),
        layers=layers,
        operations=tuple(
            Operation("search", get=layer.links[0], formats=layer.formats) for layer in layers if layer.links
        ),
        formats=tuple(dict.fromkeys(f for layer in layers for f in layer.formats)),
        language=text(parts.get("Language")).replace("*", "")[:12],
    )
    return finish(document, service)


def _answers_machines(element: Element) -> bool:
    if attribute(element, "rel") in ("self", "suggestions"):
        return False
    return attribute(element, "type").partition(";")[0].strip().lower() not in _FOR_PEOPLE


def _read_url(element: Element) -> Layer:
    template, kind = attribute(element, "template"), attribute(element, "type")
    return Layer(
        name=kind or attribute(element, "rel") or "search",
        title=attribute(element, "rel"),
        formats=(kind,) if kind else (),
        queryable="{searchTerms" in template,
        links=(template,) if template else (),
    )


KINDS = (Reader("opensearch", "OpenSearch", "OpenSearch", suspects, itself, read),)
