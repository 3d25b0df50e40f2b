"""Pages of the wild web as HTML, in the look of their site's software."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape

from . import looks, prose, traps, truth
from .sites import Site
from .sketch import Page, Part
from .truth import Service

_HOPES = (
    "<pre>https://maps.example.org/ows?service=WMS&amp;request=GetCapabilities</pre>",
    "<p>WMS 1.3.0, WFS 2.0, WMTS, GetCapabilities, GetMap, EPSG:3857.</p>",
    '<p><a href="https://your-host.example.com/geoserver/wms">Web Map Service (WMS)</a></p>',
    "<p>GIS, map service, map server, web mapping, OGC.</p>",
)
_TALKERS = frozenset(
    ("map blog", "manual", "map shop", "map forum", "map wiki", "farm")
)


class Renderer:
    """Makes pages; `where` gives site and page for a number."""

    def __init__(
        self,
        where: Callable[[int], tuple[Site, Page]],
        services: Mapping[int, list[Service]],
    ) -> None:
        self._where = where
        self._services = services
        self._navs: dict[int, str] = {}

    def render(self, number: int, extras: Mapping[str, str]) -> bytes:
        site, page = self._where(number)
        look = looks.look(site.software)
        address = self._address(site, number, site, number)
        shown: dict[Part, list[str]] = {part: [] for part in Part}
        for at, (part, target) in enumerate(page.targets()):
            if part is Part.ITEM and len(extras) and not traps.passes(target, extras):
                continue
            shown[part].append(self._link(look, site, number, target, (part, at)))
        main = self._main(look, site, page, number, shown)
        extra = "".join(
            f'<a href="{escape(a)}">{t}</a> '
            for a, t in traps.extra_links(site, number, page.path, extras)
        )
        ui = prose.vocabulary(site.language)["ui"]
        side = (
            look.side % (ui["more"], "".join(shown[Part.SIDE]))
            if shown[Part.SIDE]
            else ""
        )
        if shown[Part.OUT]:
            side += look.side % (ui["links"], "".join(shown[Part.OUT]))
        text = look.page % {
            "lang": site.language, "title": page.title, "brand": site.brand, "side": side,
            "home": self._address(site, number, site, site.first),
            "nav": self._nav(look, site, number), "crumb": "".join(shown[Part.CRUMB]), "main": main,
            "self": address, "foot": f"{''.join(shown[Part.FOOT])}{extra} {ui['about']} {ui['contact']}",
        }  # fmt: skip
        return text.encode()

    def _main(
        self,
        look: looks.Look,
        site: Site,
        page: Page,
        number: int,
        shown: dict[Part, list[str]],
    ) -> str:
        stock = prose.sentences(site.language, page.theme)
        at = (number * 31 + site.seed) % prose.STOCK
        body = shown[Part.BODY]
        blocks = [look.heading % page.title]
        for k in range(2 + (number * 7 + site.seed) % 5):
            words = [
                stock[(at + k * 5 + j * 7) % prose.STOCK]
                for j in range(2 + (number + k) % 3)
            ]
            words += body[k * 8 : k * 8 + 8]
            blocks.append(look.para % " ".join(words))
        blocks += [
            look.para % " ".join(body[n : n + 8])
            for n in range(len(blocks) * 8 - 8, len(body), 8)
        ]
        own = self._services.get(number)
        if own:
            blocks.append(look.box % "".join(truth.write(service) for service in own))
        elif page.theme == prose.GEO and site.role.id in _TALKERS and number % 3 == 0:
            blocks.append(_HOPES[number // 3 % len(_HOPES)])
        if shown[Part.ITEM]:
            blocks.append(look.items % "".join(shown[Part.ITEM]))
        if shown[Part.PAGER]:
            blocks.append(look.pager % "".join(shown[Part.PAGER]))
        return "".join(blocks)

    def _link(
        self,
        look: looks.Look,
        site: Site,
        number: int,
        target: int,
        place: tuple[Part, int],
    ) -> str:
        other, page = self._where(target)
        part, at = place
        address = self._address(site, number, other, target)
        label = page.title if target != other.first or other is site else other.brand
        # links that say little
        if (target * 13 + at) % 7 == 0 and part not in {Part.CRUMB, Part.PAGER}:
            label = (
                str(prose.vocabulary(site.language)["ui"]["more"]),
                "»",
                other.host,
                str(at),
            )[(target + at) % 4]
        if part is Part.ITEM:
            teaser = (
                prose.sentences(other.language, page.theme)[target % prose.STOCK]
                if site.seed & 1
                else ""
            )
            return look.item % (address, label, teaser)
        if part is Part.PAGER:
            return look.pager_item % (address, at if site.seed & 2 else label)
        if part is Part.CRUMB:
            return look.crumb % (address, label)
        if part is Part.BODY or part is Part.FOOT:
            return f'<a href="{address}">{label}</a>'
        return look.side_item % (address, label)

    def _address(self, site: Site, number: int, other: Site, target: int) -> str:
        """A link's address as its page writes it."""
        path = self._where(target)[1].path
        if "token" in other.traps and other is site:
            path = traps.join(
                path, f"tok={(number % traps.TOKENS + 1) * (site.seed + 77):x}"
            )
        if other is not site or site.seed % 5 == 0:
            path = f"{other.origin}{path}"
        return path.replace("&", "&amp;") if "&" in path else path

    def _nav(self, look: looks.Look, site: Site, number: int) -> str:
        kept = self._navs.get(site.number)
        if kept is None or "token" in site.traps:
            rows = (
                (self._address(site, number, site, n), self._where(n)[1].title)
                for n in site.nav
            )
            kept = self._navs[site.number] = look.nav % "".join(
                look.nav_item % row for row in rows
            )
        return kept

    def calendar(self, site: Site, month: tuple[int, int, bool]) -> bytes:
        """A page of a calendar in which nothing ever happens."""
        look = looks.look(site.software)
        days = "".join(
            look.item % (address, text, "")
            for address, text in traps.calendar_links(*month)
        )
        title = f"{month[1]} / {month[0]}"
        text = look.page % {
            "lang": site.language, "title": title, "brand": site.brand, "home": f"{site.origin}/", "crumb": "",
            "nav": self._nav(look, site, site.first), "main": look.heading % title + look.items % days, "side": "",
            "self": "", "foot": "",
        }  # fmt: skip
        return text.encode()
