"""Science and open data: faceted repositories, journals that cite, departments, projects; services in text and code."""

from __future__ import annotations

import json
import random
from html import escape
from urllib.parse import quote

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

_NAMES = {
    "university": ("uni-{}", "{}-university", "cs.{}", "earth.{}"),
    "repository": ("data.{}", "{}-archive", "repo-{}", "opendata-{}"),
    "journal": ("journal-of-{}", "{}-letters", "press.{}"),
    "project": ("{}-project", "h-{}", "{}net"),
    "decoy": ("mindmaps-{}", "genome-{}", "{}-learning", "congress-travel-{}"),
}
_STYLES = ("numbered", "hash", "query", "node", "path", "dated")
_ROWS = 20  # records on a page of results


class ScholarlyWeb(SheetWeb):
    """Records found through facets and through what cites them, on hosts that cite one another."""

    pool = "science"

    def build(self, hosts: int, pages: int) -> list[str]:
        rng = self.rng
        # pages as often as they are cited, so that the cited are cited again
        self.citable: list[Sheet] = []
        self.manner = rng.choices(
            ("text", "script", "code", "link"), [rng.random() for _ in range(4)], k=3
        )
        self._found_hosts(hosts, pages)
        self.enrich(
            {"university": 1, "repository": 6, "journal": 0.3, "project": 3}, pages
        )
        makers = {
            "university": self._university,
            "repository": self._repository,
            "journal": self._journal,
            "project": self._project,
            "decoy": self._university,
        }
        for site in self.sites:
            name = site.host.removesuffix(".test").replace("-", " ").title()
            makers[site.role](self.add(site, "home", name, None, "/"), site.size - 1)
        self.top_up(("record", "person", "paper"), pages)
        self._cite()
        self._connect()
        return self._searched()

    def _found_hosts(self, hosts: int, pages: int) -> None:
        rng = self.rng
        main = rng.choice(TONGUES)
        english = rng.uniform(0.2, 0.7)
        decoys = rng.uniform(0.05, 0.2)
        weights = (0.35, 0.15, 0.15, 0.35 - decoys, decoys)
        for at, size in enumerate(sizes(rng, hosts, pages)):
            role = "repository" if at == 0 else rng.choices(tuple(_NAMES), weights)[0]
            tongue = (
                "en"
                if rng.random() < english
                else rng.choice((main, rng.choice(TONGUES)))
            )
            name = slug(place(rng, tongue))
            host = f"{rng.choice(_NAMES[role]).format(name + str(at) if rng.random() < 0.2 else name)}.test"
            if any(site.host == host for site in self.sites):
                host = f"{slug(place(rng, 'en'))}{at}.{host}"
            look = rng.choice(
                LOOKS["repository" if role == "repository" else "scholarly"]
            )
            honest = self.care * rng.betavariate(5, 1)
            useless = (1 - honest) * rng.uniform(0.3, 1)
            site = Site(
                host, role, tongue, look, rng.choice(_STYLES), honest, useless, size
            )
            site.second = rng.choice(("en", main))
            self.sites.append(site)

    # sites

    def _repository(self, home: Sheet, size: int) -> None:
        """Records, and pages of results by subject, by year and by keeper; most records are in several lists."""
        rng, site = self.rng, home.site
        words = LEXICON[site.tongue]
        records = []
        serving = site.budget
        count = max(1, int(size * rng.uniform(0.75, 0.9)))
        chosen = self._clustered(count, serving)
        for at in range(count):
            title = (
                self.geo_title(site.tongue)
                if at in chosen
                else self._title(site.tongue)
            )
            record = self.add(site, "record", title, home)
            records.append(record)
            if at in chosen:
                self.reveal(record, rng.randint(1, 3), server(rng, site))
        self.citable += rng.sample(records, min(len(records), 10 + len(records) // 10))
        self._results(home, "/search?page={page}", records)
        spare = size - count - len(records) // _ROWS
        subjects = rng.sample([*words["themes"], *words["science"]], 20)
        facets = [home]
        while spare > 0:
            name = rng.choice(("subject", "year", "org", "format"))
            value = (
                rng.choice(subjects)
                if name == "subject"
                else f"{name[0]}{rng.randint(1, 400)}"
            )
            few = rng.sample(records, min(len(records), rng.randint(3, 60)))
            path = f"/search?{name}={quote(slug(value) or str(len(self.sheets)))}"
            above = rng.choice(
                [f for f in facets[-30:] if len(f.links.get("facets", ())) < 40]
                or facets[-1:]
            )
            made = self._results(above, path + "&page={page}", few, value)
            facets.append(made[0])
            spare -= len(made)
        for record in records:
            record.link("facets", *rng.sample(facets[1:], min(3, len(facets) - 1)))

    def _clustered(self, count: int, serving: int) -> set[int]:
        """Which records have services: those of one collection, or any."""
        rng = self.rng
        if rng.random() < 0.4:
            first = rng.randrange(max(1, count - serving))
            return set(range(first, min(count, first + serving)))
        return set(rng.sample(range(count), min(serving, count)))

    def _results(
        self, up: Sheet, path: str, records: list[Sheet], title: str = ""
    ) -> list[Sheet]:
        site = up.site
        title = title or LEXICON[site.tongue]["labels"][4]
        lists = []
        for start in range(0, max(1, len(records)), _ROWS):
            sheet = self.add(
                site, "results", title, up, path.format(page=start // _ROWS + 1)
            )
            sheet.link("entries", *records[start : start + _ROWS])
            lists.append(sheet)
        pager(lists)
        up.link("facets", lists[0])
        return lists

    def _journal(self, home: Sheet, size: int) -> None:
        """Volumes of issues of articles."""
        rng, site = self.rng, home.site
        size = self._guide(home, site.budget, size)
        volume = issue = home
        room = 0
        for at in range(size):
            if at % rng.randint(60, 90) == 0:
                volume = self.add(
                    site, "volume", f"Vol. {2026 - at // 70}", home, f"/volumes/{at}"
                )
                home.link("entries", volume)
                room = 0
            elif room == 0:
                issue = self.add(site, "issue", f"No. {at}", volume, f"/toc/{at}")
                volume.link("entries", issue)
                room = rng.randint(6, 14)
            else:
                paper = self.add(site, "paper", self._title(site.tongue), issue)
                issue.link("entries", paper)
                self.citable.append(paper)
                room -= 1

    def _university(self, home: Sheet, size: int) -> None:
        """Departments of people with their papers and teaching; groups have pages on their data."""
        rng, site = self.rng, home.site
        words = LEXICON[site.tongue]
        size = self._guide(home, site.budget if rng.random() < 0.4 else 0, size)
        departments = []
        for at in range(min(1 + size // 30, 12 + size // 200)):
            department = self.add(
                site,
                "department",
                join(site.tongue, words["science"][4], self._title(site.tongue)),
                home,
            )
            if at < 12:
                home.link("nav", department)
            else:
                departments[at // 12 - 1].link("entries", department)
            departments.append(department)
        people: list[Sheet] = []
        for _ in range(size - len(departments)):
            if not people or rng.random() < 0.25:
                person = self.add(
                    site,
                    "person",
                    f"Dr. {place(rng, site.tongue)}",
                    rng.choice(departments),
                )
                person.up.link("entries", person)
                people.append(person)
                continue
            person = rng.choice(people[-6:])
            paper = self.add(site, "paper", self._title(site.tongue), person)
            person.link("entries", paper)
        left = site.budget - sum(sheet.site is site for sheet in self.hot)
        plain = [
            sheet
            for sheet in site.sheets[1:]
            if sheet.kind in ("paper", "person") and not sheet.offers
        ]
        for sheet in rng.sample(plain, max(0, min(left, len(plain)))):
            self.reveal(sheet, rng.randint(1, 2), server(rng, site))

    def _project(self, home: Sheet, size: int) -> None:
        """A small site in a row of pages; its data is on one page, or has a page for each area."""
        rng, site = self.rng, home.site
        size = self._guide(home, site.budget, size)
        latest = home
        for at in range(size):
            crowded = len(home.links.get("entries", ())) >= 40
            up = latest if crowded or rng.random() < 0.3 else home
            sheet = self.add(site, "paper", self._title(site.tongue), up)
            sheet.up.link("nav" if sheet.up is home and at < 8 else "entries", sheet)
            latest.link("more", sheet)
            latest = sheet

    def _guide(self, home: Sheet, budget: int, size: int) -> int:
        """Pages on how to get data: one with many services, or one for each; pages left."""
        rng, site = self.rng, home.site
        budget = min(budget, size - 1)
        if budget < 1:
            return size
        gate = self.add(site, "guide", self.geo_title(site.tongue), home)
        home.link(rng.choice(("nav", "entries")), gate)
        if budget == 1 or rng.random() < 0.3:
            self.reveal(gate, rng.randint(4, 40), server(rng, site))
            return size - 1
        self.warm(gate)
        rows = [gate]
        for at in range(budget):
            if len(rows[-1].links.get("entries", ())) >= _ROWS:
                rows.append(self.add(site, "results", gate.title, gate))
            sheet = self.add(site, "record", self.geo_title(site.tongue), gate)
            rows[-1].link("entries", sheet)
            self.reveal(sheet, 1 + at % 2, server(rng, site))
        pager(rows)
        return max(1, size - budget - len(rows))

    def _title(self, tongue: str) -> str:
        rng, words = self.rng, LEXICON[tongue]
        subject = (
            rng.choice(words["themes"])
            if rng.random() < 0.3
            else rng.choice(words["words"])
        )
        return join(
            tongue, rng.choice(words["science"]), subject, rng.choice(words["words"])
        )

    # between sites

    def _cite(self) -> None:
        """Papers and people cite what is cited already; a record or a project is cited now and then."""
        rng = self.rng
        rate = rng.uniform(1, 5)
        known = between(rng, 0.002, 0.03)
        readers = [
            s for s in self.sheets.values() if s.kind in ("paper", "person", "record")
        ]
        everyone = list(self.sheets.values())
        if not self.citable:
            self.citable.append(self.sites[0].sheets[0])
        for sheet in readers:
            for _ in range(rng.randint(0, int(2 * rate))):
                luck = rng.random()
                source = (
                    self.hot
                    if luck < known
                    else self.citable
                    if luck < 0.85
                    else everyone
                )
                cited = rng.choice(source)
                sheet.link("references", cited)
                if len(self.citable) < 60_000:
                    self.citable.append(cited)

    def _connect(self) -> None:
        """An aggregator lists every host by subject; hosts link to partners; catalogues list others' services."""
        rng = self.rng
        hub = rng.choice([site for site in self.sites if site.role != "decoy"])
        homes = [site.sheets[0] for site in self.sites if site is not hub]
        rng.shuffle(homes)
        gate = self.add(
            hub,
            "directory",
            LEXICON[hub.tongue]["labels"][9],
            hub.sheets[0],
            "/members",
        )
        hub.sheets[0].link("nav", gate)
        lists = [gate]
        for start in range(0, len(homes), _ROWS):
            lists += (
                [self.add(hub, "directory", gate.title, gate, f"/members?from={start}")]
                if start
                else []
            )
            lists[-1].link("entries", *homes[start : start + _ROWS])
        pager(lists)
        for home in homes:
            home.link(
                "partners",
                hub.sheets[0],
                *rng.sample(homes, min(len(homes), rng.randint(0, 5))),
            )
        for _ in range(rng.randint(0, 3)):
            host = rng.choice(
                [site for site in self.sites if site.role in ("project", "repository")]
            )
            page = self.add(host, "guide", self.geo_title(host.tongue), host.sheets[0])
            rng.choice(host.sheets[:-1]).link("entries", page)
            self.list_others(page, rng.randint(5, 60))

    def _searched(self) -> list[str]:
        rng = self.rng
        every = list(self.sheets.values())
        good = rng.sample(self.hot, min(2, len(self.hot)))
        guides = [s for s in every if s.kind in ("guide", "directory")]
        talk = [s for s in every if s.kind == "paper" and s.heat and not s.offers]
        decoys = [s for s in every if s.site.role == "decoy"]
        found = {sheet.url: None for sheet in (*good, *rng.sample(guides, 1))}
        wanted = rng.randint(9, 15)
        while len(found) < wanted:
            bunch = rng.choice((talk, decoys, guides, every)) or every
            found[rng.choice(bunch).url] = None
        return list(found)

    # HTML

    def write(self, sheet: Sheet, rng: random.Random) -> str:
        look, home = sheet.site.look, sheet.site.sheets[0]
        nav = anchors([(t.url, escape(t.title)) for t in home.links.get("nav", ())])
        up = (
            f'<a rel="up" href="{escape(sheet.up.url)}">{escape(sheet.up.title)}</a>'
            if sheet.up
            else ""
        )
        facets = anchors(
            [(t.url, escape(t.title)) for t in sheet.links.get("facets", ())][:80]
        )
        manner = self.manner[sheet.site.size % 3]
        return (
            f'<!doctype html>\n<html lang="{sheet.tongue}"><head><meta charset="utf-8">'
            f"{generator(sheet.site)}<title>{escape(sheet.title)}</title>"
            f'<meta name="citation_title" content="{escape(sheet.title)}"></head>\n<body class="{sheet.kind}">'
            f'<div class="{look["nav"]}"><a href="/">{escape(home.title)}</a><ul>{nav}</ul></div>'
            f'<ol class="breadcrumb"><li>{up}</li></ol><main class="{look["main"]}"><h1>{escape(sheet.title)}</h1>'
            f'<p class="abstract">{self.prose(rng, sheet, rng.randint(3, 12))}</p>'
            f"{self._entries(sheet, rng)}{self._offers(sheet, manner, rng)}{self._references(sheet, rng)}</main>"
            f'<aside class="{look["facet"]}"><ul>{facets}</ul></aside>{self._foot(sheet)}</body></html>'
        )

    def _entries(self, sheet: Sheet, rng: random.Random) -> str:
        css = sheet.site.look["item"]
        rows = []
        for target in (*sheet.links.get("entries", ()), *sheet.links.get("more", ())):
            teaser = (
                f"<p>{self.prose(rng, target, 1)}</p>" if rng.random() < 0.6 else ""
            )
            said = self.anchor(rng, sheet, target)
            rows.append(
                f'<div class="{css}"><h3><a href="{escape(target.url)}">{said}</a></h3>{teaser}</div>'
            )
        pages = [
            (t.url, str(at + 1)) for at, t in enumerate(sheet.links.get("pager", ()))
        ]
        return "".join(rows) + (
            f'<ul class="pagination">{anchors(pages)}</ul>' if pages else ""
        )

    def _references(self, sheet: Sheet, rng: random.Random) -> str:
        rows = []
        for target in sheet.links.get("references", ()):
            author = place(rng, target.tongue)
            said = (
                self.anchor(rng, sheet, target)
                if rng.random() < 0.7
                else escape(target.url.partition("://")[2])
            )
            rows.append(
                f'<li>{author} et al. ({rng.randint(1995, 2026)}). <a href="{escape(target.url)}">{said}</a></li>'
            )
        return (
            f'<section class="refs"><ol>{"".join(rows)}</ol></section>' if rows else ""
        )

    def _foot(self, sheet: Sheet) -> str:
        partners = anchors(
            [(t.url, escape(t.title)) for t in sheet.links.get("partners", ())],
            "span",
            "logo",
        )
        return f"<footer>{partners} © {self.label(sheet, 'about')}</footer>"

    def _offers(self, sheet: Sheet, manner: str, rng: random.Random) -> str:
        if not sheet.offers:
            return ""
        if manner == "script":
            layers = [
                {"title": offer.title, "url": offer.address} for offer in sheet.offers
            ]
            return f'<div id="map"></div><script>var layers = {json.dumps(layers, ensure_ascii=False)};</script>'
        if manner == "link":
            return f"<ul>{anchors([(o.address, escape(rng.choice((o.title, 'URL', 'API')))) for o in sheet.offers])}</ul>"
        wrap = "pre" if manner == "code" else "p"
        return "".join(
            f"<{wrap}>{escape(o.title)}: {escape(o.address)}</{wrap}>"
            for o in sheet.offers
        )
