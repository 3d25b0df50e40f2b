"""Services for a large catalogue, as the geoweb's generators make them, without asking the geoweb for each.

The geoweb has some 1,400 words; names and descriptions get further ones from a lifelike vocabulary.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

from lifelike_words import draw, text

from geohound.model.bbox import BBox
from geohound.model.service import Access, Extent, Layer, Provider, Service, Sighting
from geohound.model.visit import Via
from geoweb import services
from geoweb.chance import Dice
from geoweb.placing import KIND_WEIGHTS
from geoweb.protocol import ServiceSpec
from geoweb.services._content import Content, Offering, content_of
from geoweb.words import vocabulary

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
LANGUAGES = (
    ("en", 34), ("de", 16), ("fr", 11), ("es", 9), ("pt", 6), ("nl", 6), ("it", 5), ("pl", 4), ("ru", 3), ("zh", 4),
    ("ja", 2),
)  # fmt: skip
COUNTRY = {"en": "us", "pt": "br", "zh": "cn", "ja": "jp"}
CRS = (
    "EPSG:4326",
    "EPSG:3857",
    "EPSG:25832",
    "EPSG:25833",
    "EPSG:2154",
    "EPSG:31370",
    "CRS:84",
    "EPSG:28992",
)
FORMATS = ("image/png", "image/jpeg", "application/json", "image/tiff", "text/xml")
LICENCES = ("", "", "CC-BY-4.0", "CC0-1.0", "ODbL-1.0", "DL-DE-BY-2.0")


def make(number: int, mean_layers: float = 15.0) -> Service:
    """The service of this number; the same every time."""
    dice = Dice(number, 7)
    language = dice.pick_weighted(LANGUAGES)
    words = vocabulary(language)
    kind = dice.pick_weighted(tuple(KIND_WEIGHTS.items()))
    host = f"{dice.pick(('maps', 'geo', 'wms', 'gis', 'data'))}{number // 8}.example.{COUNTRY.get(language, language)}"
    scheme = "https" if dice.unit() < 0.8 else "http"
    spec = ServiceSpec(
        kind=kind, version="", seed=number, endpoint=f"{scheme}://{host}{services.endpoint_path(kind, number)}",
        language=language, topic=dice.pick(vocabulary("en").topics), bbox=draw_box(words.places, dice),
        layers=min(400, max(1, round(dice.lognormal(mean_layers * 0.97, 1.0)))),
    )  # fmt: skip
    content = content_of.__wrapped__(spec)  # not remembered: each is asked for once
    return service_of(spec, content, dice)


def draw_box(places: list[tuple[str, float, float]], dice: Dice) -> BBox:
    if dice.unit() < 0.06:
        return BBox(-180, -90, 180, 90)
    _, lon, lat = dice.pick(places)
    half = min(20.0, dice.lognormal(1.2, 1.0))
    lon = min(175.0, max(-175.0, lon + (dice.unit() - 0.5) * half * 3))
    lat = min(85.0, max(-85.0, lat + (dice.unit() - 0.5) * half * 2))
    west, east = max(-180.0, lon - half), min(180.0, lon + half)
    return BBox(
        round(west, 4),
        round(max(-90.0, lat - half), 4),
        round(east, 4),
        round(min(90.0, lat + half), 4),
    )


def service_of(spec: ServiceSpec, content: Content, dice: Dice) -> Service:
    crs = tuple(CRS[(spec.seed + n) % len(CRS)] for n in range(1 + dice.below(4)))
    speak = Dice(spec.seed, 8)
    return Service(
        spec.kind, spec.endpoint, version="1.0", title=f"{content.title} {draw(spec.language, speak)}",
        abstract=f"{content.abstract} {text(spec.language, 5 + speak.below(30), speak)}.",
        keywords=(*content.keywords, draw(spec.language, speak)),
        provider=Provider(content.organisation, content.person, content.email),
        access=Access(content.fees, content.constraints, dice.pick(LICENCES)), extent=Extent(content.box),
        layers=tuple(layer_of(offering, crs, spec.language, speak) for offering in content.offerings), crs=crs,
        formats=(dice.pick(FORMATS), FORMATS[0]), language=content.language, fingerprint=f"{spec.seed:x}",
    )  # fmt: skip


def layer_of(
    offering: Offering, crs: tuple[str, ...], language: str, speak: Dice
) -> Layer:
    title = f"{offering.title} {draw(language, speak)}"
    abstract = f"{offering.abstract} {text(language, speak.below(15), speak)}".strip()
    return Layer(
        offering.slug, title, abstract, offering.keywords, Extent(offering.box), crs,
        times=offering.times or (), queryable=offering.queryable,
    )  # fmt: skip


def met(
    start: int, count: int, mean_layers: float = 15.0
) -> Iterator[tuple[Service, Sighting]]:
    for number in range(start, start + count):
        service = make(number, mean_layers)
        yield (
            service,
            Sighting(
                service.id,
                service.endpoint,
                f"https://page{number % 97}.example.org/",
                Via.LINK,
                "",
                NOON,
            ),
        )


def renamed(service: Service, number: int) -> Service:
    """The same content at another address and under another fingerprint."""
    return replace(
        service,
        endpoint=f"{service.endpoint}/{number}",
        fingerprint=f"{service.fingerprint}-{number}",
    )
