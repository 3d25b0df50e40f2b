"""What the readers outside the OWS family share: the part itself, service roots, finishing a Service."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from geohound import urls
from geohound.document import Document, safe_xml
from geohound.kinds import _software
from geohound.kinds._boxes import cover
from geohound.kinds._fingerprint import fingerprint
from geohound.kinds._layer_query import Requester, checks, requests
from geohound.kinds._signature import Signature
from geohound.model.addresses import Addresses
from geohound.model.bbox import BBox
from geohound.model.layer_request import LayerRequest
from geohound.model.service import Layer, Refusal, Service

MAX_LINKS = 5_000
MAX_ENTRIES = (
    30_000  # of a list where each has an address to be resolved; a second's work
)
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
    suspicion: Callable[[str], bool] | None = (
        None  # whether an address is one, where its path alone does not say
    )
    checker: Requester | None = (
        None  # smaller requests than those for people, where these could be large
    )

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


def named(layers: Sequence[Layer]) -> tuple[Layer, ...]:
    """Layers that have a name, or at least a title to be called by."""
    return tuple(
        x if x.name else replace(x, name=x.title) for x in layers if x.name or x.title
    )
