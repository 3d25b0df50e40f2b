"""What the readers outside the OWS family share: the part itself, service roots, finishing a Service."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from geohound import safe_xml, urls
from geohound.document import Document
from geohound.kinds import _software
from geohound.kinds._boxes import cover
from geohound.kinds._fingerprint import fingerprint
from geohound.model.service import Layer, Refusal, Service

MAX_LINKS = 5_000
MAX_ENTRIES = 30_000  # of a list where each has an address to be resolved; a second's work
# Parameters that choose a representation or a page of it; others (token, workspace …) belong to the address.
_VIEW_PARAMS = frozenset(["f", "format", "callback", "limit", "offset", "startindex", "pretty", "lang", "page"])
_JSON_VIEW = re.compile(r"^(?:p?json|html|xml|application/json.*|text/html|sitemap|geositemap)?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Reader:
    """A kind made of three functions."""

    id: str
    title: str
    protocol: str
    suspects: Callable[[str], bool]
    probe_urls: Callable[[str], Sequence[str]]
    read: Callable[[Document], Service | Refusal | None]


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
    return name in _VIEW_PARAMS and (name not in ("f", "format") or bool(_JSON_VIEW.match(value)))


def root_of(url: str, below: re.Pattern[str]) -> str:
    """The address with what hangs below the root of the service cut off, and no slash at the end."""
    base, mark, query = strip_view(url).partition("?")
    found = below.search(base)
    base = base[: found.start()] if found else base
    bare = base.rstrip("/")
    base = bare if bare.count("/") > 2 else f"{bare}/"
    return f"{base}{mark}{query}"


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
        layers_truncated=service.layers_truncated or len(service.layers) > len(layers) or document.is_truncated,
        extent=service.extent or cover(layer.extent for layer in layers),
        links=tuple(islice(dict.fromkeys(service.links), MAX_LINKS)),
        software=service.software or _software.detect(document),
        repairs=tuple(document.repairs),
        fingerprint=fingerprint(service.kind, service.title, layers, service.abstract, *more),
    )


def named(layers: Sequence[Layer]) -> tuple[Layer, ...]:
    """Layers that have a name, or at least a title to be called by."""
    return tuple(x if x.name else replace(x, name=x.title) for x in layers if x.name or x.title)
