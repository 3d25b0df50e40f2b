"""Makes what services say of themselves fit to show: plain text, safe links, snippets, readable numbers."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache

from geohound.contracts import Kind
from geohound.model.bbox import BBox
from geohound.model.service import Extent, Layer, Service
from geohound.text.tokenizer import UNSPACED
from geohound.urls import canonical, host, params_lower

from .reasons import reason

SERVICE_DOCUMENT = "Service document"
_TAG = re.compile(r"<[!/a-zA-Z][^<>]*>")
_MAX_PLAIN_CHARS = 20_000
_MAX_LINE_CHARS = 300  # a title as long as a book would hide all others
# Signs that turn the direction of what follows, of the page's own words too, and make gnp.exe read exe.png.
_TURNS = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)])


@dataclass(frozen=True)
class MarkedText:
    """A stretch of text, and whether it is one of the words searched for."""

    text: str
    marked: bool


def safe_href(url: str) -> str:
    """The address if browsers, too, would call it a web address; nothing for `javascript:`, `data:` …"""
    return canonical(url) or ""


def plain(text: str) -> str:
    """Text without the mark-up that providers put into abstracts, white space joined, each script in its direction."""
    text = text[:_MAX_PLAIN_CHARS]
    if "<" in text or "&" in text:
        text = html.unescape(_TAG.sub(" ", text))
    return " ".join((text if text.isascii() else text.translate(_TURNS)).split())


def line(text: str) -> str:
    """A title as it stands, on one line: what looks like mark-up in it may be part of the name, as in A <INSPIRE>."""
    whole = text[:_MAX_PLAIN_CHARS]
    if "&" in whole:
        whole = html.unescape(whole)
    joined = " ".join((whole if whole.isascii() else whole.translate(_TURNS)).split())
    if len(joined) <= _MAX_LINE_CHARS:
        return joined
    return f"{joined[:_MAX_LINE_CHARS].rstrip()} …"


def snippet(text: str, words: str, max_chars: int = 240) -> list[MarkedText]:
    """The stretch of a text around the first of the words, those words marked."""
    text = plain(text)
    pattern = _words_pattern(words)
    if len(text) > max_chars:
        first = pattern.search(text) if pattern else None
        start = max(0, first.start() - max_chars // 3) if first else 0
        if start:
            start = text.find(" ", start) + 1
        cut = text[start : start + max_chars]
        if start + max_chars < len(text):
            cut = cut.rsplit(" ", 1)[0] + " …"
        text = f"… {cut}" if start else cut
    return mark(text, words)


def mark(text: str, words: str) -> list[MarkedText]:
    """The text in pieces, those that begin with one of the words marked; templates escape each piece."""
    pattern = _words_pattern(words)
    if pattern is None:
        return [MarkedText(text, False)]
    pieces, at = [], 0
    for match in pattern.finditer(text):
        if match.start() > at:
            pieces.append(MarkedText(text[at : match.start()], False))
        pieces.append(MarkedText(match.group(), True))
        at = match.end()
    return [*pieces, MarkedText(text[at:], False)] if at < len(text) else pieces


@lru_cache(maxsize=256)  # a page asks for the same words with every text
def _words_pattern(words: str) -> re.Pattern[str] | None:
    """Words where words begin; what is written without spaces, anywhere, also a single sign."""
    runs = re.findall(f"[{UNSPACED}]+", words)
    spaced = set(re.findall(r"\w{2,}", re.sub(f"[{UNSPACED}]+", " ", words)))
    found = sorted(spaced, key=len, reverse=True)[:20]
    ways = [re.escape(run) for run in sorted(set(runs), key=len, reverse=True)[:20]]
    if found:
        ways.append(
            rf"(?<!\w)(?:{'|'.join(re.escape(w) for w in found)})\w{{0,3}}(?!\w)"
        )
    return re.compile("|".join(ways), re.IGNORECASE) if ways else None


def description_url(service: Service, kinds: Mapping[str, Kind]) -> str:
    """The request that makes the service describe itself."""
    kind = kinds.get(service.kind)
    urls = kind.probe_urls(service.endpoint) if kind else ()
    return safe_href(urls[0] if urls else service.endpoint)


def description_label(url: str) -> str:
    """What to call that request; templates translate it."""
    asks = params_lower(url).get("request", "").lower() == "getcapabilities"
    return "GetCapabilities" if asks else SERVICE_DOCUMENT


def name(service: Service) -> str:
    """The title; services without one are many, and an address makes a poor heading."""
    return (
        line(service.title)
        or f"Untitled service at {host(service.endpoint) or service.endpoint}"
    )


def box_of(thing: Service | Layer) -> BBox | None:
    return thing.extent.box if thing.extent else None


def box_text(box: BBox | None, separator: str = ",") -> str:
    """`W,S,E,N` with no more digits than a map needs."""
    return (
        separator.join(f"{v:.5f}".rstrip("0").rstrip(".") for v in box.as_tuple())
        if box
        else ""
    )


def box_words(box: BBox) -> str:
    """A box as a person reads it in any language: `5.9° E – 15° E, 47.3° N – 55° N`."""
    west, south, east, north = box.as_tuple()
    return (
        f"{_degrees(west, 'E', 'W')} – {_degrees(east, 'E', 'W')}, "
        f"{_degrees(south, 'N', 'S')} – {_degrees(north, 'N', 'S')}"
    )


def place_words(lat: float, lon: float) -> str:
    """A point as a person reads it: `60.2° N, 24.9° E`."""
    return f"{_degrees(lat, 'N', 'S')}, {_degrees(lon, 'E', 'W')}"


def _degrees(value: float, plus: str, minus: str) -> str:
    number = f"{abs(value):.2f}".rstrip("0").rstrip(".")
    return (
        f"{number}°" if number == "0" else f"{number}° {plus if value > 0 else minus}"
    )


def declared_words(extent: Extent) -> str:
    return ", ".join(f"{v:g}" for v in extent.declared[:6])


def layer_matches(layer: Layer, words: str) -> bool:
    """Does every word stand somewhere in the layer's name, title, abstract or keywords?"""
    text = " ".join(
        (layer.name, layer.title, layer.abstract, *layer.keywords)
    ).casefold()
    return all(word in text for word in words.casefold().split())


def some(values: Sequence[str], count: int, translate: Callable[..., str]) -> str:
    """The first few values, and how many more there are."""
    first, more = ", ".join(values[:count]), len(values) - count
    return f"{first} {translate('and {n} more', n=f'{more:,}')}" if more > 0 else first


def day(at: datetime) -> str:
    """A date that reads the same in every language."""
    return f"{at:%Y-%m-%d}"


def ago(at: datetime, now: datetime | None = None) -> str:
    """How long ago, in one unit, and short enough for every language: 5 min, 3 h, 12 d."""
    passed = max(((now or datetime.now(UTC)) - at).total_seconds(), 0)
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if passed >= size:
            return f"{passed // size:.0f} {unit}"
    return "< 1 min"


def moment(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC"


def short_url(url: str, max_chars: int = 70) -> str:
    """An address without what all have, cut where it is long."""
    text = (
        printable(url)
        .removeprefix("https://")
        .removeprefix("http://")
        .removesuffix("/")
    )
    return text if len(text) <= max_chars else f"{text[: max_chars - 1]}…"


def duration(value: float) -> str:
    """A longer time: 42 s, 3 min 20 s, 2 h 5 min."""
    whole = int(value)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def seconds(value: float) -> str:
    """A duration as a person reads it."""
    return f"{value * 1000:.0f} ms" if value < 1 else f"{value:.1f} s"


def percent(share: float) -> str:
    return f"{share * 100:.1f}".rstrip("0").rstrip(".") + " %"


def printable(text: str) -> str:
    """Text that an address can carry: crawled names may hold lone surrogates."""
    return text.encode("utf-8", "replace").decode()


FILTERS = {
    "ago": ago,
    "box_text": box_text,
    "box_words": box_words,
    "day": day,
    "declared_words": declared_words,
    "description_label": description_label,
    "duration": duration,
    "line": line,
    "mark": mark,
    "moment": moment,
    "name": name,
    "percent": percent,
    "place_words": place_words,
    "plain": plain,
    "printable": printable,
    "reason": reason,
    "safe_href": safe_href,
    "seconds": seconds,
    "short_url": short_url,
    "snippet": snippet,
    "some": some,
}
