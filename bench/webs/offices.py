"""Offices, campuses, catalogues, blogs, papers and shops, each on the software that such people run.

Services stand where such software shows them: on the table of a spatial data infrastructure, on resource pages of an
open data portal, below one branch of a town's menu, on the page of a project, in a post about desktop GIS.
"""

from __future__ import annotations

import math
import random
from collections import deque
from collections.abc import Callable, Iterable, Iterator

from .offices_pages import WORDS, Sheet, Site, written

_ADDRESSES = (
    "https://{host}/geoserver/{name}/ows?service=WMS&version=1.3.0&request=GetCapabilities",
    "https://{host}/arcgis/rest/services/{name}/MapServer",
    "https://{host}/mapproxy/{name}/service?REQUEST=GetCapabilities&SERVICE=WMS",
    "https://{host}/cgi-bin/mapserv?map=/data/{name}.map&SERVICE=WFS&REQUEST=GetCapabilities",
    "https://{host}/deegree/services/{name}?service=WFS&request=GetCapabilities",
    "https://{host}/arcgis/services/{name}/MapServer/WMSServer?request=GetCapabilities&service=WMS",
)
# how a kind of host is named, how often it has services, how many pages it has beside others
_KINDS: dict[str, tuple[tuple[str, ...], float, float]] = {
    "catalogue": (("geo.{n}", "geoportal.{n}", "{n}", "catalogue.{n}"), 8.0, 1.0),
    "portal": (("data.{n}", "opendata.{n}", "{n}", "dados.{n}"), 5.0, 2.0),
    "town": (("www.{n}", "{n}", "www.city-{n}"), 1.5, 1.5),
    "campus": (("www.{n}", "{n}", "inst.{n}"), 1.2, 2.0),
    "old": (("{n}", "www.{n}", "ftp.{n}"), 1.0, 0.4),
    "blog": (("{n}", "blog.{n}"), 0.5, 0.6),
    "wiki": (("wiki.{n}", "{n}"), 0.7, 0.8),
    "paper": (("www.{n}", "{n}"), 0.1, 3.0),
    "shop": (("shop.{n}", "www.{n}"), 0.0, 2.0),
}
_COMMON = (8, 6, 22, 12, 10, 12, 6, 10, 14)  # of a hundred hosts, in the order above
_MENU = ("about", "contact", "legal", "search")


class OfficesWeb:
    """A country's worth of hosts."""

    def __init__(self, seed: int, hosts: int = 254, pages: int = 40_000) -> None:
        self._rng = random.Random(f"offices {seed}")
        self._sheets: dict[str, Sheet] = {}
        self._count = 0
        rng = self._rng
        self._speaks = rng.uniform(0.05, 0.95)
        self._plain = rng.uniform(0.3, 1.0)
        self._spread = rng.uniform(0.7, 1.6)  # how unequal hosts and their offers are
        self._per_page = rng.choice((1.0, 1.0, 2.0, 6.0))
        self._hot_share = math.exp(rng.uniform(math.log(0.02), math.log(0.4)))
        self.sites = self._found(hosts, pages)
        for site in self.sites:
            self._open(site)
        self._relate()
        self._starts = self._start()
        self.pages = len(self._sheets)

    # what a crawl sees

    def seeds(self) -> list[str]:
        return list(self._starts)

    def services(self, url: str) -> set[str]:
        sheet = self._sheets.get(url)
        return set(sheet.services) if sheet else set()

    def all_services(self) -> set[str]:
        met = {self._sheets[url] for url in self._starts}
        queue, found = deque(met), set[str]()
        while queue:
            sheet = queue.popleft()
            found.update(sheet.services)
            new = {target for target in _targets(sheet) if target not in met}
            met |= new
            queue.extend(new)
        return found

    def page(self, url: str) -> bytes | None:
        sheet = self._sheets.get(url)
        return written(sheet).encode() if sheet else None

    # who there is

    def _found(self, hosts: int, pages: int) -> list[Site]:
        rng = self._rng
        tongues = rng.sample(list(WORDS), rng.randint(1, 4))
        names = list(_KINDS)
        kinds = rng.choices(names, _COMMON, k=hosts)
        share = math.exp(rng.uniform(math.log(0.01), math.log(0.3)))
        chances = [rng.random() ** (1 / max(_KINDS[k][1], 1e-9)) for k in kinds]
        best = sorted(range(hosts), key=lambda at: -chances[at])
        rich = set(best[: max(1 + hosts // 30, round(share * hosts))])
        kinds = [
            "town" if k == "shop" and at in rich else k for at, k in enumerate(kinds)
        ]
        weights = [
            min(rng.paretovariate(self._spread), 60) * _KINDS[kind][2] for kind in kinds
        ]
        total = sum(weights)
        return [
            Site(
                rng.choice(_KINDS[kind][0]).format(n=f"{_name(rng)}{at}.example"),
                kind,
                tongues[0] if rng.random() < 0.6 else rng.choice(tongues),
                max(6, int(pages * weight / total)),
                at in rich,
                min(1.0, self._plain * rng.uniform(0.6, 1.2)),
                min(1.0, self._speaks * rng.uniform(0.4, 1.6)),
                rng.randrange(1000),
            )
            for at, (kind, weight) in enumerate(zip(kinds, weights, strict=True))
        ]

    def _open(self, site: Site) -> None:
        """The home page, the menu that all pages show, and what such a host has below."""
        subject = "market" if site.kind in ("paper", "shop", "blog") else "daily"
        home = self._add(site, "/", site.host.split(".")[-2].title(), None, subject)
        words = WORDS[site.tongue]["menu"]
        suffix = ("", ".html", "/", ".php")[site.style % 4]
        for name, title in zip(_MENU, words[1:], strict=False):
            site.menu.append(self._add(site, f"/{name}{suffix}", title, home, subject))
        build: Callable[[Site, Sheet], None] = getattr(self, f"_build_{site.kind}")
        build(site, home)

    def _say(self, site: Site, *lists: str) -> str:
        return " ".join(self._rng.choice(WORDS[site.tongue][name]) for name in lists)

    def _add(
        self,
        site: Site,
        path: str,
        title: str,
        up: Sheet | None,
        subject: str = "daily",
    ) -> Sheet:
        url = f"https://{site.host}{path}"
        if url in self._sheets:
            self._count += 1
            url += f"&v={self._count}" if "?" in url else f"-{self._count}"
        sheet = self._sheets[url] = Sheet(url, site, title, up, subject)
        site.sheets.append(sheet)
        return sheet

    def _link(self, block: str, source: Sheet, targets: Iterable[Sheet]) -> None:
        held = source.blocks.setdefault(block, [])
        here = {target for target, _ in held}
        for target in targets:
            if target is not source and target not in here:
                here.add(target)
                luck, site = self._rng.random(), source.site
                told = target.title if luck < site.plain else self._say(site, "more")
                held.append((target, told))

    def _serve(self, sheet: Sheet, count: int) -> None:
        site, rng = sheet.site, self._rng
        domain = ".".join(site.host.split(".")[-2:])
        for _ in range(count):
            self._count += 1
            host = rng.choice((site.host, f"gis.{domain}", f"services.{domain}"))
            name = f"{_name(rng)}_{self._count}"
            sheet.services.append(rng.choice(_ADDRESSES).format(host=host, name=name))
        if rng.random() < site.speaks:
            sheet.heat = rng.uniform(0.1, 0.8)

    def _some(self) -> int:
        return min(80, round(self._rng.paretovariate(1.2) * self._per_page))

    def _way(self, site: Site) -> str:
        """What the page on the way to services is called."""
        if self._rng.random() < site.speaks:
            return self._say(site, "tells")
        return self._say(site, "near")

    def _chosen(self, among: list[Sheet]) -> list[Sheet]:
        share = self._hot_share * self._rng.uniform(0.3, 3)
        return self._rng.sample(
            among, max(1, min(len(among), round(share * len(among))))
        )

    # what hosts are made of

    def _pager(self, path: str, head: Sheet, items: list[Sheet], step: int) -> None:
        """A list of items over several pages, the newest first."""
        site, last = head.site, head
        pages = [head]
        for at in range(0, len(items), step):
            page = head if at == 0 else self._add(
                site, path.format(n=at // step + 1, at=at), head.title, head, head.subject
            )  # fmt: skip
            self._link("list", page, items[at : at + step])
            if page is not head:
                pages.append(page)
                self._link("pager", last, [page])
                self._link("pager", page, [last, head])
            last = page
        self._link("pager", head, pages[-1:])

    def _build_catalogue(self, site: Site, home: Sheet) -> None:
        rng = self._rng
        head = self._add(site, "/srv/search?from=1", self._say(site, "near"), home)
        records = []
        for _ in range(max(2, int(site.size * 0.7))):
            title = self._say(site, "themes") + f" {rng.randint(1990, 2026)}"
            uuid = f"{rng.getrandbits(32):08x}-{rng.getrandbits(16):04x}"
            path = f"/srv/{site.tongue}/catalog.search/metadata/{uuid}"
            records.append(self._add(site, path, title, head, "themes"))
        self._pager("/srv/search?from={at}", head, records, 15)
        guide = self._add(
            site,
            f"/{rng.choice(('help', 'services', 'info', 'c'))}",
            self._way(site),
            home,
        )
        self._link("main", home, [head, guide])
        for _ in range(max(1, int(site.size * 0.15))):
            title = f"{self._say(site, 'themes')} {rng.randint(2, 99)}"
            topic = self._add(
                site, f"/srv/search?topic={_name(rng)}", title, head, "themes"
            )
            self._link("side", head, [topic])
            self._link("list", topic, rng.sample(records, min(12, len(records))))
        self._news(site, home, int(site.size * 0.1))
        if site.is_rich and rng.random() < 0.6:
            self._serve(guide, 3 * self._some())
        if site.is_rich and (rng.random() < 0.7 or not guide.services):
            for record in self._chosen(records):
                self._serve(record, 1)

    def _build_portal(self, site: Site, home: Sheet) -> None:
        rng = self._rng
        head = self._add(site, "/dataset/", self._say(site, "near"), home)
        self._link("main", home, [head])
        sets, resources, tags = [], [], {}
        for theme in WORDS[site.tongue]["themes"]:
            tags[theme] = self._add(site, f"/dataset/?tags={_slug(theme)}", theme, head)
        for _ in range(max(1, site.size // 3)):
            theme = rng.choice(("themes", "daily"))
            title = self._say(site, theme, "daily")
            one = self._add(site, f"/dataset/{_slug(title)}", title, head, theme)
            sets.append(one)
            for _ in range(rng.choice((1, 1, 2, 3))):
                form = rng.choice(("CSV", "PDF", "XLS", "JSON", "SHP", "WMS"))
                path = f"/dataset/{_slug(title)}/resource/{rng.getrandbits(48):012x}"
                told = form if rng.random() < 0.6 else title
                resources.append(self._add(site, path, told, one, theme))
                self._link("main", one, resources[-1:])
            self._link("side", rng.choice(list(tags.values())), [one])
            self._link("side", one, rng.sample(list(tags.values()), 2))
        self._pager("/dataset/?page={n}", head, sets, 20)
        self._link("side", head, tags.values())
        if site.is_rich:
            named = [r for r in resources if r.title == "WMS"] or resources
            wanted = named if rng.random() < site.speaks else resources
            for resource in self._chosen(wanted):
                self._serve(resource, 1)

    def _build_town(self, site: Site, home: Sheet) -> None:
        """A tree of sections by a menu, with an archive of news that is larger than the rest."""
        rng = self._rng
        news = int(site.size * rng.uniform(0.2, 0.7))
        self._news(site, home, news)
        ends = ("", "/", ".html", ".aspx")[site.style % 4]
        tops = []
        for _ in range(rng.randint(3, 7)):
            title = self._say(site, "daily")
            tops.append(self._add(site, f"/{_slug(title)}{ends}", title, home))
        site.menu += tops
        made = list(tops)
        while len(site.sheets) < site.size:
            up = made[int(len(made) * rng.random() ** 1.5)]
            title = self._say(site, "daily" if rng.random() < 0.93 else "near")
            path = _below(up, ends, _slug(title), site.style, len(site.sheets))
            made.append(self._add(site, path, title, up))
            self._link("sub", up, made[-1:])
        if not site.is_rich:
            return
        branch = self._add(
            site, _below(tops[0], ends, "gis", site.style, 7), self._way(site), tops[0]
        )
        self._link("sub", rng.choice(made[: max(3, len(made) // 3)]), [branch])
        leaves = []
        for _ in range(rng.randint(1, max(2, site.size // 10))):
            title = self._say(site, "themes")
            leaves.append(
                self._add(
                    site,
                    _below(branch, ends, _slug(title), site.style, len(site.sheets)),
                    title,
                    branch,
                    "themes",
                )
            )
        self._link("sub", branch, leaves)
        if rng.random() < 0.4:
            self._serve(branch, self._some())
        for leaf in (
            self._chosen(leaves) if rng.random() < 0.6 or not branch.services else ()
        ):
            self._serve(leaf, max(1, self._some() // 3))

    def _build_campus(self, site: Site, home: Sheet) -> None:
        """Departments with people, papers and projects; one group has the services."""
        rng = self._rng
        groups, projects = [], []
        while len(site.sheets) < site.size:
            title = self._say(site, "daily")
            path = (
                f"/{_name(rng)[:4]}"
                if site.style % 3
                else f"/index.php?id={rng.randrange(9999)}"
            )
            group = self._add(site, path, title, home)
            groups.append(group)
            self._link("main", home, [group])
            for sort, most in (("people", 25), ("papers", 60), ("projects", 12)):
                head = self._add(site, f"{path}/{sort}", f"{title}: {sort}", group)
                self._link("sub", group, [head])
                items = []
                for _ in range(rng.randint(1, most)):
                    if sort == "people":
                        place, told = f"/~{_name(rng)}", _name(rng).title()
                    elif sort == "papers":
                        place = f"/handle/{rng.randrange(10**6)}/{rng.randrange(99)}"
                        told = self._say(site, "daily", "themes")
                    else:
                        place, told = f"{path}/{_name(rng)}", self._say(site, "themes")
                    items.append(self._add(site, place, told, head))
                self._pager(f"{path}/{sort}?start={{at}}", head, items, 20)
                if sort == "projects":
                    projects.append(items)
        if site.is_rich:
            for project in rng.choice(projects)[: rng.randint(1, 3)]:
                data = self._add(site, f"/data/{_name(rng)}", self._way(site), project)
                self._link("main", project, [data])
                self._serve(rng.choice((data, project)), self._some())

    def _build_old(self, site: Site, home: Sheet) -> None:
        """Pages in one folder, each with a link on and a link back."""
        rng = self._rng
        rows: list[Sheet] = []
        for at in range(site.size):
            title = self._say(site, rng.choice(("near", "daily", "themes")))
            path = (
                f"/{rng.choice('abdgik')}{at}.htm"
                if site.style % 2
                else f"/{_slug(title)}_e.htm"
            )
            rows.append(self._add(site, path, title, home))
        for at, row in enumerate(rows):
            if at < 10 or rng.random() < 0.1:
                self._link("main", home, [row])
            else:
                self._link("main", rng.choice(rows[max(0, at - 30) : at]), [row])
            self._link("foot", row, rows[at + 1 : at + 2] if rng.random() < 0.5 else [])
        if site.is_rich:
            for row in rng.sample(rows, min(len(rows), rng.randint(1, 3))):
                row.title = self._way(site)
                self._serve(row, self._some())

    def _build_blog(self, site: Site, home: Sheet) -> None:
        """Posts by date, tags and archives; those with one tag may name services."""
        rng = self._rng
        tags = [
            self._add(
                site, f"/tag/{_name(rng)}/", self._say(site, "market"), home, "market"
            )
            for _ in range(6)
        ]
        tags[0].title = "QGIS" if rng.random() < site.speaks else tags[0].title
        posts = []
        for at in range(max(3, int(site.size * 0.75))):
            title = self._say(site, "market", "daily")
            path = (
                f"/{2026 - at // 60}/{1 + at % 12:02}/{_slug(title)}/"
                if site.style % 3
                else f"/?p={9000 - at}"
            )
            posts.append(self._add(site, path, title, home, "market"))
            self._link("foot", posts[-1], posts[-2:-1])
        self._pager("/page/{n}/", home, posts, 10)
        shares = [rng.sample(posts, min(len(posts), rng.randint(3, 30))) for _ in tags]
        for tag, share in zip(tags, shares, strict=True):
            self._pager(tag.url.split(site.host)[1] + "page/{n}/", tag, share, 10)
            for post in share:
                self._link("side", post, [tag])
        self._link("side", home, tags)
        if site.is_rich:
            for post in self._chosen(shares[0]):
                self._serve(post, rng.choice((1, 1, 2)))

    def _build_wiki(self, site: Site, home: Sheet) -> None:
        rng = self._rng
        form = "/wiki/{}" if site.style % 2 else "/index.php?title={}"
        pages = [home]
        for _ in range(site.size):
            title = self._say(site, rng.choice(("daily", "near", "themes")), "daily")
            one = self._add(
                site, form.format(_slug(title).replace("-", "_")), title, home
            )
            for other in rng.sample(pages, min(len(pages), rng.choice((1, 2, 4)))):
                self._link("text", other, [one])
            self._link("text", one, rng.sample(pages, min(len(pages), 3)))
            pages.append(one)
        if site.is_rich:
            for one in rng.sample(pages[1:], min(len(pages) - 1, rng.randint(1, 4))):
                one.title = self._way(site)
                self._serve(one, self._some())

    def _build_paper(self, site: Site, home: Sheet) -> None:
        rng = self._rng
        desks = []
        for _ in range(rng.randint(3, 8)):
            title = self._say(site, "market")
            desks.append(self._add(site, f"/{_slug(title)}/", title, home, "market"))
        site.menu += desks
        pieces: list[Sheet] = []
        for at in range(site.size):
            title = self._say(site, "market", "daily")
            path = (
                f"/{_slug(title)}-{10**6 + at}.html"
                if site.style % 2
                else f"/article/{10**6 + at}"
            )
            pieces.append(self._add(site, path, title, home, "market"))
            self._link("side", pieces[-1], rng.sample(pieces[:-1], min(6, at)))
            self._link(
                "list",
                rng.choice(desks) if at < 80 else rng.choice(pieces[-40:-1]),
                pieces[-1:],
            )
        self._link("list", home, pieces[-20:])
        if site.is_rich:
            self._serve(rng.choice(pieces), self._some())

    def _build_shop(self, site: Site, home: Sheet) -> None:
        rng = self._rng
        for _ in range(rng.randint(3, 9)):
            title = self._say(site, "market")
            head = self._add(site, f"/c/{_slug(title)}", title, home, "market")
            site.menu.append(head)
            goods = [
                self._add(
                    site,
                    f"/p/{rng.randrange(10**8)}/{_slug(title)}",
                    self._say(site, "market", "more"),
                    head,
                    "market",
                )
                for _ in range(max(1, site.size // 6))
            ]  # fmt: skip
            self._pager(f"/c/{_slug(title)}?page={{n}}", head, goods, 24)
            for good in goods:
                self._link("side", good, rng.sample(goods, min(4, len(goods))))

    def _news(self, site: Site, home: Sheet, count: int) -> None:
        head = self._add(site, "/news/", self._say(site, "daily"), home)
        site.menu.append(head)
        items = []
        for at in range(count):
            title = self._say(site, "daily", "daily")
            path = (
                f"/news/{2026 - at // 40}/{_slug(title)}"
                if site.style % 2
                else f"/news/detail?id={70000 - at}"
            )
            items.append(self._add(site, path, title, head))
        self._pager("/news/?page={n}", head, items, 10)
        self._link("list", home, items[:5])

    # how hosts know of each other

    def _relate(self) -> None:
        rng = self._rng
        known = [s for s in self.sites if s.kind in ("catalogue", "portal")]
        known += [s for s in self.sites if s.is_rich and rng.random() < 0.4]
        for site in self.sites:
            home = site.sheets[0]
            if site.kind in ("catalogue", "portal") and known:
                page = self._add(site, "/links", self._say(site, "near"), home)
                self._link("sub", home, [page])
                near = rng.sample(known, min(len(known), rng.randint(1, 15)))
                self._link("text", page, [s.sheets[0] for s in near])
            if site.kind in ("town", "campus", "old", "wiki"):
                others = rng.sample(self.sites, min(len(self.sites), rng.randint(0, 6)))
                others += [rng.choice(known)] if known and rng.random() < 0.3 else []
                for other in others:
                    self._link("text", rng.choice(site.sheets), [other.sheets[0]])
            if site.kind in ("blog", "paper"):
                for _ in range(rng.randint(2, 12)):
                    other = rng.choice(self.sites)
                    deep = rng.choice(
                        other.sheets if rng.random() < 0.3 else other.sheets[:1]
                    )
                    self._link("text", rng.choice(site.sheets), [deep])
        lists = rng.sample(self.sites, max(1, len(self.sites) // 40))
        for site in lists:
            page = self._add(
                site, "/directory", self._say(site, "daily"), site.sheets[0]
            )
            self._link("sub", site.sheets[0], [page])
            others = rng.sample(self.sites, min(60, len(self.sites)))
            self._link("text", page, [s.sheets[0] for s in others])

    def _start(self) -> list[str]:
        """Homes of some hosts, what a search for services may have shown, and a page at random."""
        rng = self._rng
        homes = [s.sheets[0] for s in rng.sample(self.sites, min(6, len(self.sites)))]
        hot = [s for s in self._sheets.values() if s.heat]
        shown = rng.sample(hot, min(len(hot), rng.choice((0, 0, 1, 3))))
        if len(self.sites) > 1:
            shown.append(rng.choice(list(self._sheets.values())))
        return list(dict.fromkeys(s.url for s in (*homes, *shown)))


def _name(rng: random.Random) -> str:
    return "".join(rng.choice("bdfgklmnprstvz") + rng.choice("aeiou") for _ in range(3))


def _slug(title: str) -> str:
    plain = title.lower().encode("ascii", "ignore").decode()
    return "-".join("".join(c if c.isalnum() else " " for c in plain).split()) or "x"


def _below(up: Sheet, ends: str, name: str, style: int, number: int) -> str:
    if style % 5 == 0:
        return f"/index.php?id={(number * 7919 + style) % 99991}"
    above = "/" + up.url.split("/", 3)[3].removesuffix(ends).strip("/")
    return f"{above}/{name}{ends}"


def _targets(sheet: Sheet) -> Iterator[Sheet]:
    yield sheet.site.sheets[0]
    yield from sheet.site.menu
    if sheet.up:
        yield sheet.up
    for block in sheet.blocks.values():
        yield from (target for target, _ in block)
