"""What services are counted and filtered by, and the facts that break ties."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from urllib.parse import urlsplit

from geohound.model.query import FACETS
from geohound.model.service import Service
from geohound.wording import known_code, split

from .segments import MOST_SPANS
from .weights import QUALITY

FIELD_BITS = 4  # the lower bits of a value's id are its facet
_FIELDS = {name: number for number, name in enumerate(FACETS)}
_MAX_VALUES = 300
_MAX_CHARS = 200
_CRS = re.compile(r"(EPSG|CRS|OGC|ESRI|IGNF|AUTO2?)(?:[:/]+[\d.]*)?[:/]+(\w+)$", re.IGNORECASE)
_YEAR = re.compile(r"(?<!\d)(1[6-9]\d\d|20\d\d)(?!\d)")
_NEVER = (0, -1)
_MANY_NAMES = 5
_MANY_BOXES = 100
_QUALITY_BANDS = ("0-24", "25-49", "50-74", "75-100")

Span = tuple[int, int]  # years, first and last


def facets_of(
    service: Service,
    language: str,
    topics: Sequence[tuple[str, str]],
    quality: int,
    years: Sequence[Span],
) -> list[tuple[str, str]]:
    """Facet and value, each pair once; the state, which changes, is not among them."""
    values: dict[str, Iterable[str]] = {
        "kind": [service.kind],
        "topic": [topic for topic, _ in topics],
        "class": [class_ for _, class_ in topics if class_],
        "country": [country_of(service.endpoint)],
        "provider": [" ".join(service.provider.name.split())],
        "language": [known_code(service.language) or language],
        "crs": map(_crs, _many(service.crs, (layer.crs for layer in service.layers))),
        "format": map(_format, _many(service.formats, (layer.formats for layer in service.layers))),
        "licence": [service.access.licence],
        "quality": [quality_band(quality)],
        "https": ["yes" if service.endpoint.startswith("https:") else "no"],
        "cors": [service.cors],
        "decade": [f"{year}s" for first, last in years for year in range(first // 10 * 10, last + 1, 10)],
    }
    return [
        (name, value)
        for name, given in values.items()
        for value in dict.fromkeys(_writable(v)[:_MAX_CHARS] for v in given if v)
    ]


def _writable(text: str) -> str:
    """Without lone surrogates, which UTF-8 cannot hold."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def quality_band(quality: int) -> str:
    return _QUALITY_BANDS[min(quality // 25, 3)]


class FacetValues:
    """The values of all facets that a process has met: each has a number, whose lower bits are its facet."""

    def __init__(self) -> None:
        self._ids: dict[tuple[int, str], int] = {}
        self._values: list[str] = []

    def number(self, values: Iterable[tuple[int, str]]) -> list[int]:
        """Facet, as its place in FACETS, and value; what is new gets a number."""
        return [self._ids.get(pair) or self._learn(pair) for pair in values]

    def _learn(self, pair: tuple[int, str]) -> int:
        self._values.append(pair[1])
        number = self._ids[pair] = len(self._values) << FIELD_BITS | pair[0]
        return number

    def names(self, ids: Iterable[int]) -> list[str]:
        return [self._values[(id_ >> FIELD_BITS) - 1] for id_ in ids]

    def find(self, name: str, values: Iterable[str]) -> list[int]:
        """The numbers of the values that exist; in any case of letters where none is spelt like this."""
        found: list[int] = []
        for value in values:
            own = self._ids.get((_FIELDS[name], value))
            found += [own] if own is not None else self._find_folded(_FIELDS[name], value.casefold())
        return found

    def _find_folded(self, field: int, value: str) -> list[int]:
        # A copy: another search may be learning of more.
        return [id_ for (own, other), id_ in list(self._ids.items()) if own == field and other.casefold() == value]


def years_of(service: Service) -> list[Span]:
    """The years that its layers say they cover, each layer for itself; neighbours joined, in order."""
    stated = {text[:5000]: None for layer in service.layers for text in layer.times[:50]}
    spans = sorted({span for text in stated for span in _spans_in(text)})
    joined: list[Span] = []
    for first, last in spans:
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    return joined


def few_spans(spans: Sequence[Span]) -> list[Span]:
    """As many as a record holds: the nearest are taken together, and what is left over is never."""
    few = list(spans)
    while len(few) > MOST_SPANS:
        at = min(range(len(few) - 1), key=lambda n: few[n + 1][0] - few[n][1])
        few[at : at + 2] = [(few[at][0], few[at + 1][1])]
    return few + [_NEVER] * (MOST_SPANS - len(few))


@lru_cache(maxsize=1_000)
def _spans_in(text: str) -> list[Span]:
    """Instants, and periods such as 1990-01-01/2018-12-31/P1Y."""
    found = []
    for part in text.split(","):
        first, slash, rest = part.partition("/")
        years = [int(year) for year in _YEAR.findall(f"{first}/{rest.partition('/')[0]}")]
        found += [(min(years), max(years))] if slash and years else [(year, year) for year in years]
    return found


def country_of(endpoint: str) -> str:
    """ISO code of the country that the host's name says; empty for .org and the like, and for bare addresses."""
    host = urlsplit(endpoint).hostname or "" if "://" in endpoint else ""
    last = host.rpartition(".")[2]
    if len(last) != 2 or not last.isalpha():
        return ""
    return {"uk": "GB", "eu": "EU"}.get(last, last.upper())


def quality_of(service: Service) -> int:
    """0 to 100: how well a service describes itself."""
    layers = service.layers
    described = sum(bool(layer.title and layer.title != layer.name) for layer in layers)
    placed = bool(service.extent and service.extent.box) or any(la.extent and la.extent.box for la in layers)
    holds = {
        "title": bool(service.title),
        "abstract": len(service.abstract) >= 30,
        "keywords": bool(service.keywords),
        "provider": bool(service.provider.name),
        "contact": bool(service.provider.email or service.provider.contact),
        "licence": bool(service.access.licence or service.access.constraints),
        "box": placed,
        "layers": bool(layers),
        "https": service.endpoint.startswith("https:"),
        "sound": not service.repairs,
    }
    points = sum(QUALITY[name] for name, is_so in holds.items() if is_so)
    return points + (QUALITY["layer titles"] * described // len(layers) if layers else 0)


def twin_key(num: int, service: Service) -> int:
    """Equal for services that offer the same for the same place, wherever they stand; 64 bits.

    Many a service is called "Web Map Service" and has a layer "roads": without something that tells more, it is like
    no other one.
    """
    names = sorted({" ".join(split(layer.name.rpartition(":")[2] or layer.title)) for layer in service.layers})
    telling = _telling(service, names)
    if not telling:
        said = f"#{num}"
    else:
        said = "\n".join((service.kind, " ".join(split(service.title)), *names, _place(service), *telling))
    return int.from_bytes(hashlib.blake2b(said.encode("utf-8", "replace"), digest_size=8).digest(), "big")


def _telling(service: Service, names: Sequence[str]) -> list[str]:
    """Who offers it; where nobody says so, in which words, or that the layers are too many for chance."""
    if not names:
        return []
    if service.provider.name.strip():
        return ["by", " ".join(split(service.provider.name))]
    words = [" ".join(split(text)) for text in (service.abstract, *(layer.title for layer in service.layers))]
    own = sorted(set(words) - set(names) - {""})
    return ["in", *own] if own or len(names) >= _MANY_NAMES else []


def _place(service: Service) -> str:
    """The boxes, to a tenth of a degree: copies are often computed anew."""
    extents = (service.extent,) if service.extent else (layer.extent for layer in service.layers[:_MANY_BOXES])
    boxes = [extent.box.as_tuple() for extent in extents if extent and extent.box]
    return " ".join(sorted({",".join(f"{edge:.1f}" for edge in box) for box in boxes}))


def _many(own: Iterable[str], layered: Iterable[tuple[str, ...]]) -> list[str]:
    found = dict.fromkeys(own)
    last: tuple[str, ...] = ()
    for values in layered:
        if values == last:
            continue
        last = values
        if len(found) >= _MAX_VALUES:
            break
        found |= dict.fromkeys(values)
    return list(found)[:_MAX_VALUES]


@lru_cache(maxsize=10_000)
def _crs(name: str) -> str:
    match = _CRS.search(name.strip())
    return f"{match[1].upper()}:{match[2].upper()}" if match else name.strip()


@lru_cache(maxsize=1_000)
def _format(name: str) -> str:
    return name.partition(";")[0].strip().lower()
