"""Pages as people write them, in the language, markup and encoding of their host."""

from __future__ import annotations

from functools import lru_cache
from html import escape

from geoweb.addresses import add_session, path_of, section_words
from geoweb.genres import dress
from geoweb.hosts import TOPIC_COUNT, Charset, Gist, Host, gist_of
from geoweb.layout import Sort
from geoweb.links import Part, out_links
from geoweb.markup import Family, markup_of
from geoweb.reveals import write_mentions
from geoweb.site_files import trap_links
from geoweb.trouble import Trouble
from geoweb.words import (
    OFF_TOPIC,
    STOCK,
    paragraphs,
    sentences,
    slug,
    subject,
    vocabulary,
)
from geoweb.world import World


def title_of(world: World, host: Host, page: int) -> str:
    """What a page is called, on itself and in links to it; escaped for HTML."""
    spot, topic, number, card = gist_of(host, page)
    if spot.sort is Sort.HOME:
        return brand_of(host)
    if spot.sort is Sort.SECTION or spot.sort is Sort.LISTING:
        return _section_title(host, spot.section)
    if (
        topic >= OFF_TOPIC
        or number & 7 > 4
        or page not in world.mentions_on(host.index)
    ):
        return card.title
    words = vocabulary(host.language)
    return escape(
        words.service_titles[(number >> 8) % len(words.service_titles)].format(
            s=subject(host.language, topic, number), p=host.place[0]
        )
    )


@lru_cache(maxsize=4096)
def brand_of(host: Host) -> str:
    stem = host.name.removesuffix(".test").split(".")[-1].replace("-", " ")
    place = slug(host.place[0])
    adds_place = host.seed % 3 == 0 and place and place not in host.name
    return f"{stem.title()} {host.place[0]}" if adds_place else stem.title()


@lru_cache(maxsize=8192)
def _section_title(host: Host, section: int) -> str:
    words = vocabulary(host.language)
    topic = host.section_topics[section]
    name = section_words(words.geo_sections, words.off, topic, section)
    return escape(
        name if topic >= OFF_TOPIC or section == 0 else f"{name}: {words.topics[topic]}"
    )


def render(world: World, host: Host, page: int) -> tuple[str, bytes]:
    """Content type and bytes of a page."""
    gist = gist_of(host, page)
    family = markup_of(host)
    words = vocabulary(host.language)
    title = title_of(world, host, page)
    main = [family.heading % title, *_write_text(host, gist, family)]
    mentions = world.mentions_on(host.index).get(page)
    if mentions:
        if gist.topic >= OFF_TOPIC:  # even a cook who shows a map says a word about it
            main.append(
                family.paragraph
                % paragraphs(host.language, gist.number % TOPIC_COUNT)[0]
            )
        main.append(
            family.box
            % (words.ui["services"], write_mentions(world, host, page, mentions))
        )
    listing, side = _write_links(world, host, page, family)
    main.append(listing)
    foot = trap_links(host, page) + f"© {brand_of(host)}"
    text = family.page % (
        host.language, _head(host, title), brand_of(host), _nav(host, page), "\n".join(main), side, foot
    )  # fmt: skip
    if Trouble.BROKEN_HTML in host.troubles:
        text = _break(text)
    return encode(host, text)


def _write_text(host: Host, gist: Gist, family: Family) -> list[str]:
    stock = paragraphs(host.language, gist.topic)
    sort, number = gist.spot.sort, gist.number
    count = (
        1
        if sort is Sort.SECTION or sort is Sort.LISTING
        else 2 + (number & 7) * (number >> 3 & 7) // 6
    )
    # odd, so that no paragraph of the stock comes twice
    step = 1 + (number >> 20) % 15 * 2
    blocks = [
        family.paragraph % stock[(number >> 6) + n * step & STOCK - 1]
        for n in range(count)
    ]
    if sort is not Sort.LEAF:
        return blocks
    before, after = dress(host, gist)
    return [before, *blocks, after]


def href(host: Host, target: Host, number: int, seen_on: int) -> str:
    """The address of a page as another page writes it."""
    path = path_of(target, number)
    if target is not host:
        path = f"http://{target.name}{path}"
    elif Trouble.SESSION_IDS in host.troubles:
        path = add_session(host, path, seen_on)
    elif host.seed % 5 == 0:
        path = f"http://{host.name}{path}"
    return path.replace("&", "&amp;") if "&" in path else path


def _nav(host: Host, page: int) -> str:
    return (
        _write_nav(host, page)
        if Trouble.SESSION_IDS in host.troubles
        else _kept_nav(host)
    )


@lru_cache(maxsize=4096)
def _kept_nav(host: Host) -> str:
    return _write_nav(host, 0)


def _write_nav(host: Host, page: int) -> str:
    family = markup_of(host)
    labels = [
        vocabulary(host.language).ui["home"],
        *(_section_title(host, s) for s in range(host.layout.sections)),
    ]
    return family.nav % "".join(
        [
            family.nav_item % (href(host, host, n, page), label)
            for n, label in enumerate(labels)
        ]
    )


def _write_links(
    world: World, host: Host, page: int, family: Family
) -> tuple[str, str]:
    """The listing with its pager, and the side part with links to related pages and to other hosts."""
    ui = vocabulary(host.language).ui
    teasers = (
        sentences(host.language, gist_of(host, page).topic)
        if host.seed & 2
        else ("",) * STOCK
    )
    shown: tuple[list[str], ...] = ([], [], [], [], [])
    for part, target, number in out_links(world, host, page):
        if part is Part.NAV:
            continue
        other = host if target == host.index else world.host(target)
        address = href(host, other, number, page)
        if part is Part.PAGER:
            shown[part].append(
                family.pager_item % (address, host.layout.spot(number).number)
            )
            continue
        title = title_of(world, other, number)
        if part is Part.ITEM:
            shown[part].append(
                family.entry % (address, title, teasers[number & STOCK - 1])
            )
        else:
            if number % 9 == 8:  # links that say little
                title = ui["more"] if part is Part.RELATED else other.name
            shown[part].append(family.side_item % (address, title))
    _, items, pager, related, outside = ("\n".join(rows) for rows in shown)
    main = (family.entries % items if items else "") + (
        family.pager % pager if pager else ""
    )
    side = family.side % (ui["related"], related) if related else ""
    return main, side + (family.side % (ui["links"], outside) if outside else "")


def _head(host: Host, title: str) -> str:
    meta = ""
    if host.charset is not Charset.HEADER:
        charset = declared(host)
        old = host.family in {0, 3}
        meta = (
            f'<meta http-equiv="Content-Type" content="text/html; charset={charset}">'
            if old
            else f'<meta charset="{charset}">'
        )
    return f'{meta}<title>{title} - {brand_of(host)}</title><link rel="stylesheet" href="/style.css">'


def declared(host: Host) -> str:
    """The encoding that a host says it uses; wrong on some."""
    if Trouble.WRONG_CHARSET in host.troubles:
        return "iso-8859-1" if host.encoding == "utf-8" else "utf-8"
    return host.encoding


def encode(host: Host, text: str) -> tuple[str, bytes]:
    kind = "text/html"
    if Trouble.WRONG_TYPE in host.troubles:
        kind = ("text/plain", "application/octet-stream", "text/xml")[host.seed % 3]
    if host.charset is not Charset.META:
        kind = f"{kind}; charset={declared(host)}"
    return kind, text.encode(host.encoding, "xmlcharrefreplace")


def _break(text: str) -> str:
    """Closing tags left out, others closed twice, the end torn off."""
    text = (
        text.replace("</p>", "")
        .replace("</li>", "")
        .replace("</h2>", "</h3></b>")
        .replace("</nav>", "</div>")
    )
    return text.replace("</body></html>", "<!-- end").replace("</BODY></HTML>", "<")
