"""Public administration of several countries: trees of departments, streams of news and minutes, few geoportals."""

from __future__ import annotations

import random
from html import escape

from .sheets import (
    LEXICON,
    LOOKS,
    TONGUES,
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

_OFFICES = {
    "town": ("town", "city", "gemeinde", "mairie", "www"),
    "agency": ("agency", "environment", "survey", "water", "statistics"),
    "ministry": ("ministry", "interior", "transport", "agriculture"),
    "decoy": ("logistics", "homes", "travel", "navi", "outdoor"),
}
_STYLES = ("path", "path", "node", "query", "numbered", "hash")
_LIST = 12  # entries of a page of news, of minutes or of a register


class CivicWeb(SheetWeb):
    """Countries of towns, agencies and ministries; each country has a portal that lists its offices."""

    pool = "civic"

    def build(self, hosts: int, pages: int) -> list[str]:
        rng = self.rng
        self.portals: list[Sheet] = []
        tongues = rng.sample(TONGUES, min(rng.randint(3, 7), max(1, hosts // 8)))
        self._found_offices(tongues, hosts, pages)
        self.enrich({"town": 1, "agency": 5, "ministry": 2, "portal": 1}, pages)
        for site in self.sites:
            self._raise_site(site, site.budget)
        self.top_up(("page", "news", "dataset"), pages)
        self._direct(tongues)
        self._mention()
        return self._searched()

    # who there is

    def _found_offices(self, tongues: list[str], hosts: int, pages: int) -> None:
        rng = self.rng
        decoys = rng.uniform(0.05, 0.2)
        shares = {tongue: rng.uniform(0.5, 2) for tongue in tongues}
        looks = {
            tongue: rng.sample(LOOKS["civic"], rng.randint(1, 3)) for tongue in tongues
        }
        taken: set[str] = set()
        for at, size in enumerate(sizes(rng, hosts, pages)):
            tongue = (
                tongues[at]
                if at < len(tongues)
                else rng.choices(tongues, list(shares.values()))[0]
            )
            role = rng.choices(
                ("town", "agency", "ministry", "decoy"),
                (0.75 - decoys, 0.17, 0.08, decoys),
            )[0]
            role = "portal" if at < len(tongues) else role
            host = self._host(role, tongue, taken)
            honest = self.care * rng.betavariate(4, 1.5)
            useless = (1 - honest) * rng.uniform(0.5, 1)
            style = rng.choice(_STYLES)
            self.sites.append(
                Site(
                    host,
                    role,
                    tongue,
                    rng.choice(looks[tongue]),
                    style,
                    honest,
                    useless,
                    size,
                )
            )

    def _host(self, role: str, tongue: str, taken: set[str]) -> str:
        rng = self.rng
        while True:
            name = slug(place(rng, tongue))
            office = rng.choice(_OFFICES.get(role, ("portal", "gov", "services")))
            host = (
                f"{office}.{name}.test"
                if rng.random() < 0.4
                else f"{office}-{name}.test"
            )
            if host in taken:
                host = host.replace(".test", f"{len(taken)}.test")
            if host not in taken:
                taken.add(host)
                return host

    # one site

    def _raise_site(self, site: Site, budget: int) -> None:
        rng = self.rng
        name = (
            site.host.removesuffix(".test").replace("-", " ").replace(".", " ").title()
        )
        home = self.add(site, "home", name, None, "/")
        spare = site.size - 1
        register = (
            self._register(home, budget, spare)
            if budget > 2 and rng.random() < 0.7
            else 0
        )
        spare -= register
        tree = int(spare * rng.uniform(0.25, 0.6))
        leaves = self._tree(home, tree)
        if budget and not register:
            self._hide(site, leaves, budget)
        spare -= tree
        streams = ["news"] if rng.random() < 0.4 else ["news", "minutes"]
        for stream in streams:
            self._stream(home, stream, spare // len(streams))

    def _tree(self, home: Sheet, size: int) -> list[Sheet]:
        """Departments below departments; every page lists its children and links back."""
        rng = self.rng
        words = LEXICON[home.site.tongue]
        deepest, made, open_ = rng.randint(3, 6), [], [(home, 0)]
        pull = rng.uniform(0.3, 1.0)
        while len(made) < size:
            up, depth = open_[int(len(open_) * rng.random() ** pull)]
            title = join(
                home.site.tongue, rng.choice(words["civic"]), rng.choice(words["words"])
            )
            sheet = self.add(home.site, "page", title, up)
            up.link(
                "menu"
                if up is home and len(home.links.get("menu", ())) < 9
                else "children",
                sheet,
            )
            made.append(sheet)
            if depth + 1 < deepest:
                open_.append((sheet, depth + 1))
            if up is not home and len(up.links["children"]) >= 30:
                open_ = [entry for entry in open_ if entry[0] is not up] or [
                    (sheet, depth + 1)
                ]
        return [sheet for sheet in made if not sheet.links] or made or [home]

    def _hide(self, site: Site, leaves: list[Sheet], budget: int) -> None:
        """No register: one page with a list of services, or one service each on pages here and there."""
        rng = self.rng
        chosen = rng.sample(
            leaves, min(budget if rng.random() < 0.6 else 1, len(leaves))
        )
        for sheet in chosen:
            self.retitle(sheet, self.geo_title(site.tongue))
            self.reveal(
                sheet,
                rng.randint(5, 60) if len(chosen) == 1 else rng.randint(1, 3),
                server(rng, site),
            )
            up = sheet.up
            while up and up.kind != "home":
                self.warm(up)
                up = up.up

    def _register(self, home: Sheet, budget: int, spare: int) -> int:
        """A catalogue of data: themes, lists, a page for each dataset, sometimes one more page for its services."""
        rng, site = self.rng, home.site
        words = LEXICON[site.tongue]
        entries = max(
            budget, min(int(spare * rng.uniform(0.1, 0.6)), budget * rng.randint(1, 12))
        )
        apart = rng.random() < 0.4
        gate = self.add(
            site,
            "register",
            rng.choice(words["geo"] if rng.random() < self.scent else words["civic"]),
            home,
        )
        gate.heat = max(gate.heat, self.scent * rng.random())
        home.link("menu" if rng.random() < 0.5 else "teasers", gate)
        serving = set(rng.sample(range(entries), min(budget, entries)))
        datasets, made = [], 1
        for at in range(entries):
            title = (
                self.geo_title(site.tongue)
                if at in serving
                else self._dull_title(site.tongue)
            )
            sheet = self.add(site, "dataset", title, gate)
            datasets.append(sheet)
            made += 1
            if at in serving:
                made += self._serve(sheet, apart)
        return made + self._lists(gate, datasets)

    def _serve(self, dataset: Sheet, apart: bool) -> int:
        """Services on the dataset's page or on a page of access below it; pages added."""
        rng, site = self.rng, dataset.site
        if not apart:
            self.reveal(dataset, rng.randint(1, 4), server(rng, site))
            return 0
        access = self.add(
            site, "access", rng.choice(LEXICON[site.tongue]["useless"]), dataset
        )
        dataset.link("children", access)
        self.warm(dataset)
        self.reveal(access, rng.randint(1, 4), server(rng, site))
        return 1

    def _dull_title(self, tongue: str) -> str:
        words = LEXICON[tongue]
        return join(
            tongue, self.rng.choice(words["themes"]), self.rng.choice(words["civic"])
        )

    def _lists(self, gate: Sheet, entries: list[Sheet]) -> int:
        """The pages that list the entries, below themes if there are many; pages added."""
        rng, site = self.rng, gate.site
        groups = [gate]
        if len(entries) > 40 and rng.random() < 0.6:
            themes = LEXICON[site.tongue]["themes"]
            groups = [
                self.add(site, "theme", t, gate)
                for t in rng.sample(themes, rng.randint(3, 9))
            ]
            gate.link("children", *groups)
        made = len(groups) if groups[0] is not gate else 0
        for at, group in enumerate(groups):
            mine = entries[at :: len(groups)]
            lists = [group]
            for start in range(0, len(mine), _LIST):
                if start:
                    path = f"{group.url.split(site.host, 1)[1]}{'&' if '?' in group.url else '?'}page={start // _LIST + 1}"
                    lists.append(self.add(site, "list", group.title, gate, path))
                lists[-1].link("entries", *mine[start : start + _LIST])
            pager(lists)
            made += len(lists) - 1
        return made

    def _stream(self, home: Sheet, kind: str, size: int) -> None:
        """What happened, newest first; minutes are kept by year."""
        rng, site = self.rng, home.site
        words = LEXICON[site.tongue]
        gate = self.add(
            site,
            kind,
            words["labels"][8] if kind == "news" else words["civic"][-1],
            home,
            f"/{kind}/",
        )
        home.link("menu", gate)
        items = []
        for _ in range(int((size - 1) * _LIST / (_LIST + 1))):
            day = f"{rng.randint(1, 28)}.{rng.randint(1, 12)}.{rng.randint(2009, 2026)}"
            title = join(
                site.tongue, rng.choice(words["civic"]), place(rng, site.tongue), day
            )
            items.append(self.add(site, kind, title, gate))
        self._lists(gate, items)
        for at, item in enumerate(items):
            item.link("related", *items[at + 1 : at + 1 + rng.randint(1, 4)])
        home.link("teasers", *items[:5])

    # between sites

    def _direct(self, tongues: list[str]) -> None:
        """Each portal lists the offices of its country; portals know each other; some list the geoportals."""
        rng = self.rng
        self.portals = [site.sheets[0] for site in self.sites[: len(tongues)]]
        for portal in self.portals:
            site = portal.site
            mine = [
                s.sheets[0]
                for s in self.sites
                if s.tongue == site.tongue and s.role not in ("portal", "decoy")
            ]
            rng.shuffle(mine)
            gate = self.add(
                site,
                "directory",
                LEXICON[site.tongue]["labels"][9],
                portal,
                "/directory/",
            )
            portal.link("menu", gate)
            self._lists(gate, mine)
            gate.link("related", *self.portals)
            for home in mine:
                home.link("footer", portal)
            rich = [
                sheet.site.sheets[0]
                for sheet in self.hot
                if sheet.site.tongue == site.tongue
            ]
            if rich and rng.random() < 0.6:
                page = self.add(site, "directory", self.geo_title(site.tongue), gate)
                page.link(
                    "entries",
                    *rng.sample(rich, min(len(rich), 25)),
                    *rng.sample(mine, min(len(mine), 8)),
                )
                if rng.random() < 0.5:
                    self.list_others(page, rng.randint(3, 40))
                rng.choice(site.sheets[: max(2, len(site.sheets) // 3)]).link(
                    "related", page
                )

    def _mention(self) -> None:
        """News and pages link to other offices, to decoys, and now and then to a page with services."""
        rng = self.rng
        everyone = list(self.sheets.values())
        speakers = [
            s
            for s in everyone
            if s.kind in ("news", "minutes", "page") and s.site.role != "decoy"
        ]
        homes = [site.sheets[0] for site in self.sites]
        for home in (h for h in homes if h.site.role == "decoy"):
            rng.choice(speakers).link("body", home)
            for sheet in rng.sample(home.site.sheets, min(4, len(home.site.sheets))):
                sheet.heat = rng.uniform(0, 0.2)
        known = between(rng, 0.001, 0.02)
        for sheet in rng.sample(speakers, int(len(speakers) * rng.uniform(0.05, 0.3))):
            wide = rng.choice(everyone if rng.random() < 0.5 else homes)
            sheet.link("body", rng.choice(self.hot) if rng.random() < known else wide)

    def _searched(self) -> list[str]:
        rng = self.rng
        good = rng.sample(self.hot, min(len(self.hot), rng.randint(1, 3)))
        listed = [
            s
            for s in self.sheets.values()
            if s.kind in ("directory", "register", "theme")
        ]
        talk = [
            s
            for s in self.sheets.values()
            if s.heat and not s.offers and s.kind in ("news", "minutes", "page")
        ]
        decoys = [s.sheets[0] for s in self.sites if s.role == "decoy"]
        found = [rng.choice(self.portals), *good]
        for bunch, most in ((listed, 3), (talk or listed, 4), (decoys, 4)):
            found += rng.sample(bunch, min(len(bunch), rng.randint(2, most)))
        plenty = list(dict.fromkeys(sheet.url for sheet in found))
        spare = (url for url in self.sheets if url not in plenty)
        while len(plenty) < 8:
            plenty.append(next(spare))
        rng.shuffle(plenty)
        return plenty

    # HTML

    def write(self, sheet: Sheet, rng: random.Random) -> str:
        look, home = sheet.site.look, sheet.site.sheets[0]
        menu = anchors([(t.url, escape(t.title)) for t in home.links.get("menu", ())])
        crumbs = "".join(
            f'<a href="{escape(up.url)}">{escape(up.title)}</a> &gt; '
            for up in _above(sheet)
        )
        body = self._body(sheet, rng)
        side = "".join(
            f'<h4>{self.label(sheet, "related")}</h4><ul class="{look["side"]}">{self._items(sheet, block, rng)}</ul>'
            for block in ("teasers", "related")
            if block in sheet.links
        )
        beside = [
            (t.url, escape(t.title))
            for t in (sheet.up.links.get("children", ()) if sheet.up else ())[:12]
        ]
        side += f'<ul class="submenu">{anchors(beside)}</ul>' if beside else ""
        foot = anchors(
            [(t.url, escape(t.title)) for t in home.links.get("footer", ())], "span"
        )
        cell = ("tr", "td") if look["shell"] == "table" else ("div", "div")
        return (
            f'<!DOCTYPE html><html lang="{sheet.tongue}"><head><meta charset="utf-8">'
            f"{generator(sheet.site)}<title>{escape(sheet.title)} | "
            f"{escape(home.title)}</title></head><body><header><a class=logo href='/'>{escape(home.title)}</a>"
            f'<nav class="{look["menu"]}"><ul>{menu}</ul></nav></header><p class="breadcrumb">{crumbs}</p>'
            f'<{look["shell"]} class="{look["page"]}"><{cell[0]}><{cell[1]} class="{look["body"]}">{body}</{cell[1]}>'
            f"<{cell[1]}>{side}</{cell[1]}></{cell[0]}></{look['shell']}><footer>{foot} <small>"
            f"{self.label(sheet, 'contact')} · {self.label(sheet, 'legal')}</small></footer></body></html>"
        )

    def _body(self, sheet: Sheet, rng: random.Random) -> str:
        parts = [
            f"<h1>{escape(sheet.title)}</h1><p>{self.prose(rng, sheet, rng.randint(2, 9))}</p>"
        ]
        if "body" in sheet.links:
            said = "".join(
                f' <a href="{escape(t.url)}">{self.anchor(rng, sheet, t)}</a>,'
                for t in sheet.links["body"]
            )
            parts.append(
                f"<p>{self.prose(rng, sheet, 1)}{said} {self.prose(rng, sheet, 1)}</p>"
            )
        lists = [block for block in ("children", "entries") if block in sheet.links]
        parts += [
            f'<ul class="{block}">{self._items(sheet, block, rng)}</ul>'
            for block in lists
        ]
        if sheet.offers:
            parts.append(self._offers(sheet, rng))
        if "pager" in sheet.links:
            shown = [
                (t.url, t.url.rpartition("page=")[2] if "page=" in t.url else "1")
                for t in sheet.links["pager"]
            ]
            parts.append(f'<div class="pagination">{anchors(shown, "span")}</div>')
        return "".join(parts)

    def _items(self, sheet: Sheet, block: str, rng: random.Random) -> str:
        rows = []
        for target in sheet.links[block]:
            teaser = (
                f" <span>{self.prose(rng, target, 1)}</span>"
                if block == "entries" and rng.random() < 0.5
                else ""
            )
            rows.append(
                f'<li><a href="{escape(target.url)}">{self.anchor(rng, sheet, target)}</a>{teaser}</li>'
            )
        return "".join(rows)

    def _offers(self, sheet: Sheet, rng: random.Random) -> str:
        """Most offices link to the address in a table; some print it."""
        rows = []
        printed = sheet.site.size % 3 == 0
        for offer in sheet.offers:
            said = escape(
                offer.title
                if rng.random() < sheet.site.honest
                else rng.choice(("URL", "Link", "XML"))
            )
            address = escape(offer.address)
            cell = (
                f"<code>{address}</code>"
                if printed
                else f'<a href="{address}">{said}</a>'
            )
            rows.append(f"<tr><td>{escape(offer.title)}</td><td>{cell}</td></tr>")
        return f'<table class="resources">{"".join(rows)}</table>'


def _above(sheet: Sheet) -> list[Sheet]:
    chain = []
    while sheet.up is not None:
        sheet = sheet.up
        chain.append(sheet)
    return chain[::-1]
