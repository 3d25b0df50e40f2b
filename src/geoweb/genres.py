"""What a leaf has beside its text: prices, posts, references; and on decoys false hopes."""

from __future__ import annotations

from geoweb.hosts import Genre, Gist, Host, Role
from geoweb.words import vocabulary

# Numbers of the page fill the templates; {topic}, {place} and {search} are words of the host's language.
_BEFORE = {
    Genre.SHOP: '<div class="price">{a}.90 €</div><form method="post" action="/cart/add">'
    '<input type="hidden" name="product" value="{b}"><button>+</button></form>',
    Genre.BLOG: '<p class="meta">20{c}-0{d}-1{d} · <a href="#comments">{a}</a></p>',
    Genre.FORUM: '<p class="author">user{b} » 1{d}.0{d}.20{c}</p>',
    Genre.NEWS: '<p class="dateline">{place}, 1{d}.0{d}.20{c}</p>',
    Genre.PAPERS: '<p class="authors">A. Ruiz, B. Maas, C. Ono</p><p>doi:10.5{d}55/x.{b}</p>',
}
_AFTER = {
    Genre.BLOG: '<div id="comments"><p>user{b}: +1</p><p>user{a}: ok</p></div>',
    Genre.FORUM: '<div class="post"><p class="author">user{a}</p><p>+1, {topic}?</p></div>',
    Genre.PAPERS: '<ol class="references"><li>A. Ruiz (20{c}): {topic}. doi:10.5{d}55/y.{a}</li>'
    "<li>D. Berg (19{e}): {topic}, {place}.</li></ol>",
    Genre.CATALOGUE: '<table class="metadata"><tr><th>ID</th><td>{b}</td></tr><tr><th>Format</th><td>'
    "GeoTIFF, Shapefile, CSV</td></tr><tr><th>EPSG</th><td>25832</td></tr></table>",
    Genre.PORTAL: '<form action="/search"><input name="q" value="{topic}"><button>{search}</button></form>',
    Genre.PROJECT: "<p>20{c}: {topic}, {place}. <abbr>INSPIRE</abbr>, <abbr>OGC</abbr>.</p>",
}
# What tutorials and shops for maps write: the words of services, or the address of one that never was.
_FALSE_HOPES = (
    "<p>WMS, WFS, WMTS, GetCapabilities: {topic}.</p>",
    "<pre>SERVICE=WMS&amp;REQUEST=GetCapabilities</pre>",
    "<pre>http://your-server.test/geoserver/wms?service=WMS&amp;request=GetCapabilities</pre>",
    '<p><a href="http://wms.example.test/ows?service=WMS">{topic} WMS</a></p>',
    '<img src="/style.css" alt="{topic} map"><p>GIS, OpenLayers, {place}.</p>',
)


def dress(host: Host, gist: Gist) -> tuple[str, str]:
    """What stands before and after the text of a leaf."""
    number = gist.number
    words = vocabulary(host.language)
    numbers = {
        "a": 1 + number % 90,
        "b": number % 99991,
        "c": 10 + number % 16,
        "d": 1 + number % 9,
        "e": 80 + number % 20,
        "topic": gist.card.title,
        "place": host.place[0],
        "search": words.ui["search"],
    }
    before, after = _BEFORE.get(host.genre, ""), _AFTER.get(host.genre, "")
    if host.role is Role.DECOY and number % 3 == 0:
        after += _FALSE_HOPES[(number >> 12) % len(_FALSE_HOPES)]
    return before.format_map(numbers), after.format_map(numbers)
