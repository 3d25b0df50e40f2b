"""Industry and society: wikis, forums, blogs, vendors, operators and many decoys; services scattered one by one."""

from __future__ import annotations

import random
from collections.abc import Callable
from html import escape

from .sheets import (
    LEXICON,
    LOOKS,
    TONGUES,
    Offer,
    Sheet,
    SheetWeb,
    Site,
    anchors,
    between,
    generator,
    join,
    pager,
    place,
    server,
    sizes,
    slug,
)

_NAMES = {
    "wiki": ("wiki.{}", "{}pedia", "{}-wiki"),
    "forum": ("forum.{}", "{}-board", "talk-{}"),
    "blog": ("{}-blog", "the{}", "{}diary"),
    "vendor": ("{}soft", "{}-systems", "docs.{}"),
    "operator": ("{}-energy", "{}-rail", "{}water", "{}-port"),
    "ngo": ("save-{}", "{}-alliance", "friends-of-{}"),
    "decoy": (
        "{}-navi-shop",
        "{}homes",
        "{}-tours",
        "{}games",
        "{}-cargo",
        "maps4{}",
        "gps-{}",
    ),
}
_STYLES = ("path", "dated", "query", "numbered", "hash", "hash", "node")


class BazaarWeb(SheetWeb):
    """Many small voices and loud shops; whoever has a service names it in passing."""

    pool = "society"

    def build(self, hosts: int, pages: int) -> list[str]:
        rng = self.rng
        self.scent *= rng.uniform(0.5, 1)
        self._found_hosts(hosts, pages)
        weights = {
            "wiki": 3,
            "forum": 1,
            "blog": 0.7,
            "vendor": 1,
            "operator": 2,
            "ngo": 1,
        }
        self.enrich(
            {role: weight * rng.uniform(0.3, 3) for role, weight in weights.items()},
            pages,
        )
        makers: dict[str, Callable[[Sheet, int], None]] = {
            "wiki": self._wiki, "forum": self._forum, "blog": self._blog, "vendor": self._manual,
            "operator": self._brochure, "ngo": self._brochure, "decoy": self._shop,
        }  # fmt: skip
        for site in self.sites:
            title = (
                site.host.removesuffix(".test")
                .replace("-", " ")
                .replace(".", " ")
                .title()
            )
            makers[site.role](self.add(site, "home", title, None, "/"), site.size - 1)
            self._scatter(site)
        self.top_up(("post", "thread", "article", "page"), pages)
        self._chatter()
        self._blogrolls()
        return self._searched()

    def _found_hosts(self, hosts: int, pages: int) -> None:
        rng = self.rng
        decoys = rng.uniform(0.15, 0.45)
        shares = [rng.uniform(0.5, 2) for _ in range(6)]
        weights = [(1 - decoys) * share / sum(shares) for share in shares] + [decoys]
        tongues = rng.sample(TONGUES, rng.randint(2, 6))
        taken = set()
        for at, size in enumerate(sizes(rng, hosts, pages)):
            role = (
                rng.choices(tuple(_NAMES), weights)[0]
                if at > 2
                else ("wiki", "forum", "blog")[at]
            )
            tongue = rng.choice(tongues)
            host = f"{rng.choice(_NAMES[role]).format(slug(place(rng, tongue)))}.test"
            host = f"{at}{host}" if host in taken else host
            taken.add(host)
            usual = next(
                (look for look in LOOKS["bazaar"] if look["role"] == role),
                LOOKS["bazaar"][-1],
            )
            skin = usual if rng.random() < 0.8 else rng.choice(LOOKS["bazaar"])
            honest = self.care * rng.betavariate(3, 2)
            useless = (1 - honest) * rng.betavariate(5, 1)
            site = Site(
                host, role, tongue, skin, rng.choice(_STYLES), honest, useless, size
            )
            site.second = rng.choice(tongues)
            self.sites.append(site)

    def _title(self, tongue: str, pool: str = "society") -> str:
        rng, words = self.rng, LEXICON[tongue]
        return join(
            tongue,
            rng.choice(words[pool]),
            *rng.sample(words["words"], 2),
            place(rng, tongue),
        )

    # sites

    def _wiki(self, home: Sheet, size: int) -> None:
        """Articles that link to what is linked already, and categories."""
        rng, site = self.rng, home.site
        topics = [
            self.add(site, "category", self._title(site.tongue), home)
            for _ in range(min(1 + size // 25, 150))
        ]
        for at, topic in enumerate([home, *topics]):
            topic.link("rows", *topics[at * 20 : at * 20 + 20])
        linked: list[Sheet] = [home]
        for _ in range(size - len(topics)):
            article = self.add(
                site, "article", self._title(site.tongue), rng.choice(topics)
            )
            article.up.link("rows", article)
            article.link(
                "inline", *(rng.choice(linked) for _ in range(rng.randint(1, 7)))
            )
            rng.choice(linked).link("inline", article)
            linked += [article, *article.links["inline"]]

    def _forum(self, home: Sheet, size: int) -> None:
        """Boards of threads, newest first; long threads go on; people have profiles."""
        rng, site = self.rng, home.site
        boards = [
            self.add(site, "board", self._title(site.tongue), home)
            for _ in range(min(1 + size // 40, 12))
        ]
        home.link("nav", *boards)
        threads: dict[Sheet, list[Sheet]] = {board: [] for board in boards}
        members: list[Sheet] = []
        made = len(boards)
        while made * 26 / 25 < size:
            board = rng.choice(boards)
            thread = self.add(site, "thread", self._title(site.tongue), board)
            threads[board].append(thread)
            parts = [thread]
            while rng.random() < 0.15:
                path = f"{thread.url.split(site.host, 1)[1]}{'&' if '?' in thread.url else '?'}start={len(parts) * 20}"
                parts.append(self.add(site, "thread", thread.title, board, path))
            pager(parts)
            made += len(parts)
            if rng.random() < 0.2:
                members.append(self.add(site, "member", place(rng, site.tongue), home))
                members[-1].link("rows", thread)
                thread.link("inline", members[-1])
                made += 1
            if members:
                thread.link(
                    "inline", *rng.sample(members[-20:], min(2, len(members[-20:])))
                )
        for board, mine in threads.items():
            self._pages_of(board, mine, 25)

    def _pages_of(self, first: Sheet, items: list[Sheet], many: int) -> None:
        lists = [first]
        for start in range(0, len(items), many):
            if start:
                path = f"{first.url.split(first.site.host, 1)[1]}{'&' if '?' in first.url else '?'}p={start // many}"
                lists.append(self.add(first.site, "list", first.title, first, path))
            lists[-1].link("rows", *items[start : start + many])
        pager(lists)

    def _blog(self, home: Sheet, size: int) -> None:
        """Posts in a row, months and tags beside them; the home page shows the last ten."""
        rng, site = self.rng, home.site
        tags = [
            self.add(site, "tag", self._title(site.tongue), home)
            for _ in range(min(1 + size // 30, 40))
        ]
        home.link("side", *tags)
        before, month = None, home
        posts, quota = size - len(tags), rng.randint(4, 25)
        for at in range(posts):
            if at % quota == 0:
                stamp = f"{2026 - at // quota // 12}-{12 - at // quota % 12:02}"
                older = self.add(site, "month", stamp, home, f"/archive/{stamp}")
                month.link("side", older)
                home.link("side", *([older] if at < 30 * quota else []))
                month = older
                continue
            post = self.add(site, "post", self._title(site.tongue), month)
            month.link("rows", post)
            tag = rng.choice(tags)
            post.link("side", tag)
            if len(tag.links.get("rows", ())) < 60:
                tag.link("rows", post)
            if before:
                before.link("pager", post)
                post.link("pager", before)
            before = post
        home.link("rows", *[s for s in site.sheets if s.kind == "post"][:10])

    def _manual(self, home: Sheet, size: int) -> None:
        """Chapters below chapters with links to the next; a page of customers."""
        rng, site = self.rng, home.site
        chapters, last = [home], home
        for _ in range(size):
            up = rng.choice(chapters[-40:]) if len(chapters) > 6 else home
            page = self.add(site, "page", self._title(site.tongue), up)
            up.link("nav" if up is home else "rows", page)
            last.link("pager", page)
            chapters.append(page)
            last = page

    def _brochure(self, home: Sheet, size: int) -> None:
        """Some pages that stand for years, and notices by the hundred."""
        rng, site = self.rng, home.site
        fixed = [home]
        for _ in range(max(2, size // rng.randint(3, 12))):
            up = rng.choice(fixed[-15:])
            page = self.add(site, "page", self._title(site.tongue), up)
            up.link("nav" if up is home and rng.random() < 0.6 else "rows", page)
            fixed.append(page)
        gate = self.add(site, "board", LEXICON[site.tongue]["labels"][8], home)
        home.link("nav", gate)
        left = max(1, (size - len(fixed)) * 20 // 21)
        self._pages_of(
            gate,
            [
                self.add(site, "post", self._title(site.tongue), gate)
                for _ in range(left)
            ],
            20,
        )

    def _shop(self, home: Sheet, size: int) -> None:
        """Products, flats, tours or levels by category and filter, each beside others like it."""
        rng, site = self.rng, home.site
        site.size = size
        kinds = [
            self.add(site, "category", self._title(site.tongue, "decoy"), home)
            for _ in range(min(1 + size // 30, 14))
        ]
        home.link("nav", *kinds)
        goods = [
            self.add(
                site, "product", self._title(site.tongue, "decoy"), rng.choice(kinds)
            )
            for _ in range(int((size - len(kinds)) * rng.uniform(0.6, 0.9)))
        ]
        for kind in kinds:
            self._pages_of(kind, [good for good in goods if good.up is kind], 16)
        while len(site.sheets) < size and goods:
            kind = rng.choice(kinds)
            path = f"/filter?c={kind.number}&price={rng.randint(1, 99)}&color={rng.choice('abcdefgh')}"
            view = self.add(site, "filter", kind.title, kind, path)
            view.link("rows", *rng.sample(goods, min(12, len(goods))))
            near = rng.choice([kind, *kind.links.get("side", ())])
            near.link("side", view)
        for good in goods:
            good.link("side", *rng.sample(goods, min(4, len(goods))))

    def _scatter(self, site: Site) -> None:
        """Name services on pages of a rich host: lists in wikis, single ones elsewhere."""
        rng = self.rng
        plain = [
            s
            for s in site.sheets[1:]
            if s.kind in ("article", "thread", "post", "page")
        ]
        if not site.budget or not plain:
            return
        lists = (
            rng.randint(1, 1 + site.budget // 4)
            if site.role == "wiki" and rng.random() < 0.7
            else 0
        )
        for at, sheet in enumerate(rng.sample(plain, min(site.budget, len(plain)))):
            if rng.random() < 0.8:
                self.retitle(sheet, self.geo_title(site.tongue))
            self.reveal(
                sheet, rng.randint(8, 80) if at < lists else 1, server(rng, site)
            )
            if sheet.up and rng.random() < self.scent:
                self.warm(sheet.up)

    # between sites

    def _chatter(self) -> None:
        """Posts, threads and articles link out: to homes, to any page, to what has services, and to advertisers."""
        rng = self.rng
        voices = [
            s
            for s in self.sheets.values()
            if s.kind in ("article", "thread", "post", "page", "product")
        ]
        homes = [site.sheets[0] for site in self.sites]
        loud = [home for home in homes if home.site.role == "decoy"] or homes
        everyone = list(self.sheets.values())
        known, sold = between(rng, 0.003, 0.04), rng.uniform(0.05, 0.4)
        for sheet in rng.sample(voices, int(len(voices) * rng.uniform(0.1, 0.5))):
            luck = rng.random()
            bunch = (
                self.hot
                if luck < known
                else loud
                if luck < known + sold
                else rng.choice((homes, everyone))
            )
            sheet.link("inline", rng.choice(bunch))
        for site in rng.sample(self.sites, len(self.sites) // 3):
            site.sheets[0].link("ads", *rng.sample(loud, min(3, len(loud))))

    def _blogrolls(self) -> None:
        """Whoever has a home page links to friends; a chain of friends reaches everyone."""
        rng = self.rng
        homes = [site.sheets[0] for site in self.sites]
        rng.shuffle(homes)
        for at, home in enumerate(homes):
            friend = homes[rng.randrange(max(0, at - 25), at)] if at else home
            friend.link("friends", home)
            home.link(
                "friends",
                friend,
                *rng.sample(homes, min(len(homes), rng.randint(0, 4))),
            )
        wiki = next(site for site in self.sites if site.role == "wiki")
        for _ in range(rng.randint(0, 3)):
            page = rng.choice(
                [s for s in wiki.sheets[1:] if s.kind in ("article", "category")]
            )
            self.retitle(page, self.geo_title(wiki.tongue))
            page.link(
                "friends",
                *{
                    hot.site.sheets[0]: None
                    for hot in rng.sample(self.hot, min(12, len(self.hot)))
                },
            )
            if rng.random() < 0.6 and not page.offers:
                self.list_others(page, rng.randint(5, 50))

    def _searched(self) -> list[str]:
        rng = self.rng
        talk = [
            s
            for s in self.sheets.values()
            if s.heat and s.kind in ("post", "thread", "article") and not s.offers
        ]
        loud = [
            s
            for s in self.sheets.values()
            if s.site.role == "decoy" and s.kind != "filter"
        ] or talk
        homes = [site.sheets[0] for site in self.sites]
        found = [
            *rng.sample(self.hot, min(len(self.hot), rng.randint(1, 2))),
            *homes[:2],
        ]
        found += rng.sample(
            talk or homes, min(len(talk or homes), rng.randint(3, 5))
        ) + rng.sample(loud, min(len(loud), 4))
        found += rng.sample(homes, min(3, len(homes)))
        known = list(dict.fromkeys(sheet.url for sheet in found))
        others = (url for url in self.sheets if url not in known)
        while len(known) < 8:
            known.append(next(others))
        return known[:15]

    # HTML

    def write(self, sheet: Sheet, rng: random.Random) -> str:
        skin, home = sheet.site.look, sheet.site.sheets[0]
        nav = anchors(
            [(t.url, escape(t.title)) for t in home.links.get("nav", ())],
            "li",
            "menu-item",
        )
        side = anchors([(t.url, escape(t.title)) for t in sheet.links.get("side", ())])
        ads = anchors(
            [
                (t.url, escape(rng.choice(LEXICON[t.tongue]["decoy"])))
                for t in home.links.get("ads", ())
            ],
            "div",
            "ad",
        )
        friends = anchors(
            [(t.url, escape(t.title)) for t in sheet.links.get("friends", ())],
            "li",
            "blogroll",
        )
        steps = [
            (t.url, f"{self.label(sheet, 'next')} {at}")
            for at, t in enumerate(sheet.links.get("pager", ()), 1)
        ]
        up = (
            f'<a href="{escape(sheet.up.url)}">« {escape(sheet.up.title)}</a>'
            if sheet.up
            else ""
        )
        return (
            f'<!DOCTYPE html><html lang="{sheet.tongue}"><head><meta charset="utf-8">'
            f"{generator(sheet.site)}<title>{escape(sheet.title)} - "
            f'{escape(home.title)}</title></head><body><div class="{skin["nav"]}"><a href="/">{escape(home.title)}</a>'
            f"<ul>{nav}</ul></div><h1>{escape(sheet.title)}</h1><p>{up}</p>{self._story(sheet, rng)}"
            f'<ul class="rows">{self._rows(sheet, rng)}</ul><div class="pages">{anchors(steps, "span")}</div>'
            f'<div class="{skin["side"]}"><ul>{side}</ul>{ads}</div><footer><ul>{friends}</ul>'
            f"{self.label(sheet, 'legal')}</footer></body></html>"
        )

    def _story(self, sheet: Sheet, rng: random.Random) -> str:
        """The text, its links and service addresses between the sentences; a thread is cut into posts."""
        pieces = [self.prose(rng, sheet, 1) for _ in range(rng.randint(2, 10))]
        for target in sheet.links.get("inline", ()):
            said = (
                f'<a href="{escape(target.url)}">{self.anchor(rng, sheet, target)}</a>'
            )
            pieces.insert(rng.randint(0, len(pieces)), said)
        if len(sheet.offers) > 4:
            pieces.append(
                f"<table>{''.join(self._row(offer) for offer in sheet.offers)}</table>"
            )
        else:
            for offer in sheet.offers:
                pieces.insert(
                    rng.randint(0, len(pieces)),
                    self._aside(sheet, offer.address, offer.title),
                )
        css = sheet.site.look["text"]
        if sheet.kind != "thread":
            return f'<div class="{css}">{" ".join(pieces)}</div>'
        return "".join(
            f'<div class="{css}"><b>{place(rng, "en")}</b> {piece}</div>'
            for piece in pieces
        )

    def _row(self, offer: Offer) -> str:
        address, title = escape(offer.address), escape(offer.title)
        return f'<tr><td>{title}</td><td><a rel="external" href="{address}">{address}</a></td></tr>'

    def _aside(self, sheet: Sheet, address: str, title: str) -> str:
        """A blog shows code, an operator's map is made by a script, people in forums paste the address."""
        if sheet.site.role in ("operator", "vendor"):
            return f'<div id="map"></div><script>viewer.addLayer({{url: "{address}", layers: "0"}});</script>'
        if sheet.site.role == "blog":
            return f"<pre><code>layer = WebMapService('{escape(address)}')</code></pre>"
        if sheet.number % 2:
            return f'<a href="{escape(address)}">{escape(title)}</a>'
        return escape(address)

    def _rows(self, sheet: Sheet, rng: random.Random) -> str:
        css = sheet.site.look["row"]
        said = [
            (t.url, self.anchor(rng, sheet, t)) for t in sheet.links.get("rows", ())
        ]
        return "".join(
            f'<li><a class="{css}" href="{escape(url)}">{text}</a></li>'
            for url, text in said
        )
