"""Page to URL and back: each host has one scheme of paths, readable or opaque, and no table of pages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from geoweb.chance import Salt, mix
from geoweb.hosts import Host, gist_of
from geoweb.layout import Sort
from geoweb.words import OFF_TOPIC, slug, vocabulary

_MULTIPLIER = 0x9E3779B1  # odd, so that it has an inverse modulo 2**32
_INVERSE = pow(_MULTIPLIER, -1, 1 << 32)
_SESSION = re.compile(
    r";jsessionid=[0-9A-Fa-f]+|(?:(?<=[?&])|^)(?:PHPSESSID|sid)=[0-9a-f]+&?"
)
_FIELDS = {
    "sec": r"[a-z0-9-]+", "slug": r"[a-z0-9-]+", "s": r"\d{1,3}", "k": r"\d{1,7}", "start": r"\d{1,9}",
    "id": r"\d{1,12}", "x": r"[0-9a-f]{8}",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Scheme:
    """The three shapes of path of a host; home is always `/`, a slug stands before the number."""

    section: str
    listing: str
    leaf: str


SCHEMES = (
    Scheme("/{sec}/", "/{sec}/page/{k}/", "/{sec}/{slug}-{id}.html"),
    Scheme("/{sec}", "/{sec}?page={k}", "/{sec}/{slug}-{id}"),
    Scheme("/{sec}/index.html", "/{sec}/index{k}.html", "/{sec}/{slug}_{id}.htm"),
    Scheme("/category/{sec}/", "/category/{sec}/page/{k}/", "/{slug}-{id}/"),
    Scheme("/web/{sec}", "/web/{sec}/-/list?cur={k}", "/web/{sec}/-/{slug}/{id}"),
    Scheme("/taxonomy/term/{s}", "/taxonomy/term/{s}?page={k}", "/node/{id}"),
    Scheme("/index.php?id={id}", "/index.php?id={id}", "/index.php?id={id}"),
    Scheme("/?cat={s}", "/?cat={s}&paged={k}", "/?p={id}"),
    Scheme(
        "/viewforum.php?f={s}",
        "/viewforum.php?f={s}&start={start}",
        "/viewtopic.php?f={s}&t={id}",
    ),
    Scheme("/{x}", "/{x}", "/{x}"),
)

_FIRST_OPAQUE = 5
_SCRAMBLED = 9


@cache
def _patterns(scheme: int) -> tuple[tuple[Sort, re.Pattern[str]], ...]:
    shapes = SCHEMES[scheme]

    def compiled(shape: str) -> re.Pattern[str]:
        pieces = re.split(r"\{(\w+)\}", shape)
        groups = (
            f"(?P<{p}>{_FIELDS[p]})" if i % 2 else re.escape(p)
            for i, p in enumerate(pieces)
        )
        return re.compile("".join(groups))

    pairs = (
        (Sort.LEAF, shapes.leaf),
        (Sort.LISTING, shapes.listing),
        (Sort.SECTION, shapes.section),
    )
    return tuple((sort, compiled(shape)) for sort, shape in pairs)


def _first_id(host: Host) -> int:
    return 11 + host.seed % 9000


@lru_cache(maxsize=4096)
def _section_slug(host: Host, section: int) -> str:
    """Sections of a host must differ in their slugs, so a number is added where the words repeat."""
    words = vocabulary(host.language if vocabulary(host.language).slugs else "en")
    topic = host.section_topics[section]
    own = slug(section_words(words.geo_sections, words.off, topic, section))
    before = [slug(section_words(words.geo_sections, words.off, t, s))
              for s, t in enumerate(host.section_topics[:section])]  # fmt: skip
    return f"{own}-{section + 1}" if own in before else own


def section_words(
    geo_sections: list[str], off: list[list[str]], topic: int, section: int
) -> str:
    return (
        off[topic - OFF_TOPIC][0]
        if topic >= OFF_TOPIC
        else geo_sections[section % len(geo_sections)]
    )


def path_of(host: Host, page: int) -> str:
    """Path and query of a page."""
    (sort, section, number), _, _, card = gist_of(host, page)
    if sort is Sort.LEAF or sort is Sort.ORPHAN:
        if host.scheme == _SCRAMBLED:
            return f"/{_scramble(host, page)}"
        shape = _leaf_shape(host, section)
        return shape % (
            (card.slug, _first_id(host) + page)
            if host.scheme < _FIRST_OPAQUE
            else _first_id(host) + page
        )
    if sort is Sort.HOME:
        return "/"
    scheme = SCHEMES[host.scheme]
    shape = scheme.section if sort is Sort.SECTION else scheme.listing
    return shape.format(
        id=_first_id(host) + page,
        x=_scramble(host, page),
        s=section + 3,
        k=number,
        start=(number - 1) * host.layout.per_listing,
        sec=_section_slug(host, section),
    )


def _scramble(host: Host, page: int) -> str:
    return f"{(page * _MULTIPLIER + host.seed) & 0xFFFFFFFF:08x}"


@lru_cache(maxsize=16384)
def _leaf_shape(host: Host, section: int) -> str:
    """A template for the % operator: slug and number of the page, or only its number."""
    sec = _section_slug(host, section) if host.scheme < _FIRST_OPAQUE else ""
    return SCHEMES[host.scheme].leaf.format(s=section + 3, sec=sec, slug="%s", id="%d")


def page_at(host: Host, target: str, orphans: int) -> int | None:
    """The page behind a path and query, or None; only the one true spelling counts."""
    if target in {"/", ""}:
        return 0
    for sort, pattern in _patterns(host.scheme):
        found = pattern.fullmatch(target)
        if found:
            page = _read_page(host, sort, found.groupdict())
            if (
                page is not None
                and 0 < page < host.layout.total + orphans
                and path_of(host, page) == target
            ):
                return page
    return None


def _read_page(host: Host, sort: Sort, fields: dict[str, str]) -> int | None:
    if "x" in fields:
        return (int(fields["x"], 16) - host.seed) * _INVERSE & 0xFFFFFFFF
    if "id" in fields:
        return int(fields["id"]) - _first_id(host)
    section = _read_section(host, fields)
    if section is None:
        return None
    number = 1
    if sort is Sort.LISTING:
        number = (
            int(fields["k"])
            if "k" in fields
            else int(fields["start"]) // host.layout.per_listing + 1
        )
    if not 1 <= number <= host.layout.listing_count(section):
        return None
    return host.layout.listing(section, number)


def _read_section(host: Host, fields: dict[str, str]) -> int | None:
    if "s" in fields:
        section = int(fields["s"]) - 3
        return section if 0 <= section < host.layout.sections else None
    return next(
        (
            s
            for s in range(host.layout.sections)
            if _section_slug(host, s) == fields["sec"]
        ),
        None,
    )


def strip_session(target: str) -> str:
    """The path and query without the session id that a host glued to it."""
    return _SESSION.sub("", target).rstrip("?&") if "=" in target else target


def add_session(host: Host, target: str, seen_on: int) -> str:
    """A session id that is new on every page: the same page gets many addresses."""
    number = f"{mix(host.seed, seen_on, Salt.SESSION):016x}"
    if "?" in target:
        return f"{target}&{'sid' if host.scheme & 1 else 'PHPSESSID'}={number}"
    return f"{target};jsessionid={number.upper()}"


def url_of(host: Host, page: int) -> str:
    return f"http://{host.name}{path_of(host, page)}"
