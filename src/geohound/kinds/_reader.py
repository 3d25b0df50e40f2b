"""What the readers outside the OWS family share: the part itself, service roots, finishing a Service."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from geohound import urls
from geohound.document import Document, safe_xml
from geohound.kinds import _software
from geohound.kinds._boxes import cover
from geohound.kinds._layer_query import Requester, checks, requests
from geohound.kinds._signature import Signature
from geohound.model.addresses import Addresses
from geohound.model.bbox import BBox
from geohound.model.layer_request import LayerRequest
from geohound.model.service import Layer, Refusal, Service

MAX_LINKS = 5_000
# of a list where each has an address to be resolved; a second's work
MAX_ENTRIES = 30_000
# Parameters that choose a representation or a page of it; others (token, workspace …) belong to the address.
_VIEW_PARAMS = frozenset(
    [
        "f",
        "format",
        "callback",
        "limit",
        "offset",
        "startindex",
        "pretty",
        "lang",
        "page",
    ]
)
# Parameters that choose among the contents of an API: its root has none of them.
_SELECTIONS = frozenset(
    [
        "bbox",
        "bbox-crs",
        "crs",
        "datetime",
        "fields",
        "filter",
        "filter-crs",
        "filter-lang",
        "ids",
        "properties",
        "q",
        "sortby",
    ]
)
_JSON_VIEW = re.compile(
    r"^(?:p?json|html|xml|application/json.*|text/html|sitemap|geositemap)?$",
    re.IGNORECASE,
)
ANY_PATH = re.compile("")
NO_PATH = re.compile(r"(?!)")  # of kinds that no address suggests


# Looked for word by word: instants, days, times of day; addresses, which name hosts; session ids; counters.
_PASSING = re.compile(
    r"\d{4}-\d\d-\d\d|\d\d:\d\d(?::\d\d|$)|https?://|\d{9}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|^[0-9a-f]{32,}$",
    re.IGNORECASE,
)
_CORNERS = "%.2f %.2f %.2f %.2f"  # twice as fast as the newer ways
_SHORTEST = 5  # a time of day
# two digits or "://"; a set in front makes the search quick
_MAY_PASS = re.compile(r"[\d:](?:(?<=\d)\d|(?<=:)//)")
_GENERIC = frozenset(
    [
        "", "collections", "data frame", "default", "layer", "layers", "map", "maps", "mapserver", "new map",
        "no title", "none", "root", "root folder", "root layer", "root_folder",
        "service", "test", "title", "unknown", "unnamed", "untitled", "untitled map", "untitled.mxd",
        "wcs", "wfs", "wms", "wmts",
    ]
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Reader:
    """A kind made of three functions, its addresses and the signature of its documents."""

    id: str
    title: str
    protocol: str
    path: re.Pattern[str]  # what the paths of its addresses look like
    probe_urls: Callable[[str], Sequence[str]]
    reader: Callable[[Document], Service | Refusal | None]
    requester: Requester
    addresses: Addresses
    signature: Signature
    # whether an address is one, where its path alone does not say
    suspicion: Callable[[str], bool] | None = None
    # smaller requests than those for people, where these could be large
    checker: Requester | None = None

    def suspects(self, url: str) -> bool:
        if not self.path.search(path_of(url)):
            return False
        return self.suspicion is None or self.suspicion(url)

    def read(self, document: Document) -> Service | Refusal | None:
        return self.reader(document) if self._may_read(document) else None

    def _may_read(self, document: Document) -> bool:
        if document.is_html and self.signature.has_pages:
            return self.suspects(document.url)
        return self.signature.fits(document)

    def requests(
        self, service: Service, layer: Layer, box: BBox | None
    ) -> Sequence[LayerRequest]:
        return requests(self.requester, service, layer, box)

    def checks(
        self, service: Service, layer: Layer, box: BBox | None
    ) -> Sequence[LayerRequest]:
        return checks(self.checker or self.requester, service, layer, box)


def path_of(url: str) -> str:
    """The path of an address, without query and anchor."""
    return url.partition("#")[0].partition("?")[0]


def itself(url: str) -> tuple[str, ...]:
    """The only probe of a kind whose document is its address."""
    return (url.partition("#")[0],)


def strip_view(url: str) -> str:
    """The address without anchor and without the parameters that only choose a view of it."""
    base, _, query = url.partition("#")[0].partition("?")
    if not query:
        return base
    kept = [(k, v) for k, v in urls.params(url) if not _is_view(k.lower(), v)]
    return f"{base}?{urls.encode_params(kept)}" if kept else base


def _is_view(name: str, value: str) -> bool:
    return name in _VIEW_PARAMS and (
        name not in ("f", "format") or bool(_JSON_VIEW.match(value))
    )


def root_of(url: str, below: re.Pattern[str]) -> str:
    """The address with what hangs below the root of the service cut off, and no slash at the end."""
    viewless = strip_view(url)
    base = path_of(viewless)
    found = below.search(base)
    base = base[: found.start()] if found else base
    bare = base.rstrip("/")
    base = bare if bare.count("/") > 2 else f"{bare}/"
    if "?" not in viewless:
        return base
    kept = [
        (name, value)
        for name, value in urls.params(viewless)
        if name.lower() not in _SELECTIONS
    ]
    return f"{base}?{urls.encode_params(kept)}" if kept else base


def below_root(root: str, step: str) -> str:
    """An address one step below a service root; its own parameters stay where they belong."""
    base, mark, query = root.partition("?")
    return f"{base.rstrip('/')}/{step.lstrip('/')}{mark}{query}"


def finish(document: Document, service: Service, *more: str) -> Service:
    """The service with what is worked out for every kind: extent, software, fingerprint, repairs, limits."""
    layers = tuple(islice(service.layers, safe_xml.MAX_ITEMS))
    return replace(
        service,
        versions=service.versions or tuple(filter(None, [service.version])),
        layers=layers,
        layers_truncated=service.layers_truncated
        or len(service.layers) > len(layers)
        or document.is_truncated,
        extent=service.extent or cover(layer.extent for layer in layers),
        links=tuple(islice(dict.fromkeys(service.links), MAX_LINKS)),
        software=service.software or _software.detect(document),
        repairs=tuple(document.repairs),
        fingerprint=fingerprint(
            service.kind, service.title, layers, service.abstract, *more
        ),
    )


def formats_of(layers: Iterable[Layer]) -> tuple[str, ...]:
    """Those of all layers, each once."""
    return tuple(dict.fromkeys(each for layer in layers for each in layer.formats))


def crs_of(layers: Iterable[Layer]) -> tuple[str, ...]:
    """Those of all layers, each once."""
    return tuple(dict.fromkeys(each for layer in layers for each in layer.crs))


def links_of(layers: Iterable[Layer]) -> tuple[str, ...]:
    """Those of all layers, each once, as many as a service may bring to the frontier."""
    links = dict.fromkeys(link for layer in layers for link in layer.links)
    return tuple(islice(links, MAX_LINKS))


def named(layers: Sequence[Layer]) -> tuple[Layer, ...]:
    """Layers that have a name, or at least a title to be called by."""
    return tuple(
        x if x.name else replace(x, name=x.title) for x in layers if x.name or x.title
    )


def fingerprint(kind: str, title: str, layers: Iterable[Layer], *more: str) -> str:
    """Sixteen hex digits of kind, title, layers (in any order) and whatever else carries meaning."""
    digest = hashlib.sha256()
    digest.update(f"{kind}\n{_settle(title)}\n".encode("utf-8", "replace"))
    digest.update(
        "".join(sorted([_describe(layer) for layer in layers])).encode(
            "utf-8", "replace"
        )
    )
    for text in more:
        digest.update(f"{_settle(text)}\n".encode("utf-8", "replace"))
    return digest.hexdigest()[:16]


def _describe(layer: Layer) -> str:
    extent, title = layer.extent, layer.title
    box = extent.box if extent is not None else None
    where = (
        _CORNERS % (box.west, box.south, box.east, box.north) if box is not None else ""
    )
    settled = " ".join(title.split()) if title.isalpha() else _settle(title)
    return f"{layer.name}\t{settled}\t{where}\n"


def _settle(text: str) -> str:
    if not _MAY_PASS.search(text):
        return " ".join(text.split())
    return " ".join(
        [
            w
            for w in text.split()
            if len(w) < _SHORTEST or w.isalpha() or not _PASSING.search(w)
        ]
    )


def is_generic_title(title: str) -> bool:
    """True for names such as Map, Layers and Untitled, which come with the program."""
    return title.strip().lower() in _GENERIC


def choose_title(own: str, *others: str) -> str:
    """The first title that says something, else its own: "Layers" of others is no better than none."""
    titles = (own, *others)
    return next((title for title in titles if not is_generic_title(title)), own)
