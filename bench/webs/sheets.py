"""Pages as data: sheets that link to each other and name services, and the web made of them; families add the rules."""

from __future__ import annotations

import math
import random
import re
import tomllib
import unicodedata
from collections import deque
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

Words = dict[str, list[str]]
_LABELS = (
    "home",
    "about",
    "contact",
    "legal",
    "search",
    "next",
    "previous",
    "related",
    "archive",
    "topics",
)
_NO_SLUG = re.compile(r"[^a-z0-9]+")
_FORMS = (
    "https://{server}/geoserver/{slug}/wms?service=WMS&request=GetCapabilities",
    "https://{server}/geoserver/{slug}/ows?service=WFS&version=2.0.0&request=GetCapabilities",
    "https://{server}/cgi-bin/mapserv?map=/srv/{slug}.map&service=WMS&request=GetCapabilities",
    "https://{server}/arcgis/rest/services/{slug}/MapServer",
    "https://{server}/arcgis/rest/services/{slug}/FeatureServer",
    "https://{server}/{slug}/wmts/1.0.0/WMTSCapabilities.xml",
    "https://{server}/ows/{slug}?service=WCS&request=GetCapabilities",
    "https://{server}/{slug}/csw?service=CSW&version=2.0.2&request=GetCapabilities",
)


def _data(name: str) -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name(name).read_text("utf-8"))


def _load() -> dict[str, Words]:
    return {
        tongue: {
            name: value.split() if isinstance(value, str) else value
            for name, value in lists.items()
        }
        for tongue, lists in _data("lexicon.toml").items()
    }


LEXICON = _load()
TONGUES = tuple(LEXICON)
LOOKS: dict[str, list[dict[str, str]]] = _data("looks.toml")


@dataclass(slots=True, frozen=True)
class Offer:
    """A service address as a page shows it."""

    address: str
    title: str
    alive: bool = True


@dataclass(slots=True, eq=False)
class Site:
    """One host: who runs it, in which language, on which software, and how well its links are worded."""

    host: str
    role: str
    tongue: str
    look: dict[str, str]
    address_style: str
    honest: float  # share of links that say what they lead to
    useless: float  # share of links that say nothing; the rest mislead
    size: int = 1
    budget: int = 0  # pages with services that it is to have
    second: str = "en"  # the language of some of its pages
    sheets: list[Sheet] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Sheet:
    """One page before it is written."""

    url: str
    site: Site
    kind: str
    title: str
    tongue: str
    number: int
    up: Sheet | None = None
    heat: float = 0.0  # share of sentences that speak of map services
    # by the block of the page that holds them
    links: dict[str, list[Sheet]] = field(default_factory=dict)
    offers: list[Offer] = field(default_factory=list)

    def link(self, block: str, *targets: Sheet) -> None:
        held = self.links.setdefault(block, [])
        held.extend(t for t in targets if t is not self and t not in held)


class SheetWeb:
    """A web of sheets; a family builds them in `build` and writes them in `write`."""

    pool = "civic"  # what pages of the family speak of when they do not speak of maps

    def __init__(self, seed: int, hosts: int = 254, pages: int = 40_000) -> None:
        self.name = f"{type(self).__name__}/{seed}"
        self.rng = random.Random(self.name)
        self.sheets: dict[str, Sheet] = {}
        self.sites: list[Site] = []
        self.hot: list[Sheet] = []  # pages with services, in the order they were made
        self.rich_share = between(self.rng, 0.01, 0.3)
        self.reveal_share = between(self.rng, 0.0035, 0.017)
        # how often the way to services speaks of them
        self.scent = self.rng.uniform(0.15, 0.95)
        self.fog = between(self.rng, 0.01, 0.2)  # how often other pages do
        self.dead_share = self.rng.uniform(0.0, 0.5)
        # how well links are worded, over all hosts
        self.care = self.rng.uniform(0.3, 1.0)
        # share of pages whose text is in the site's second language
        self.mixed = self.rng.uniform(0.0, 0.15)
        self._seeds = self.build(hosts, pages)
        self.pages = len(self.sheets)

    def build(self, hosts: int, pages: int) -> list[str]:
        raise NotImplementedError

    def write(self, sheet: Sheet, rng: random.Random) -> str:
        raise NotImplementedError

    def seeds(self) -> list[str]:
        return list(self._seeds)

    def page(self, url: str) -> bytes | None:
        sheet = self.sheets.get(url)
        if sheet is None:
            return None
        return self.write(sheet, random.Random(f"{self.name}/{sheet.number}")).encode()

    def services(self, url: str) -> set[str]:
        sheet = self.sheets.get(url)
        return (
            {offer.address for offer in sheet.offers if offer.alive} if sheet else set()
        )

    def all_services(self) -> set[str]:
        return {
            offer.address
            for sheet in self.depths()
            for offer in sheet.offers
            if offer.alive
        }

    def depths(self) -> dict[Sheet, int]:
        """Every page within reach of the seeds, and how many links away; each page links to its home and upwards."""
        depths = {self.sheets[url]: 0 for url in self._seeds}
        queue = deque(depths)
        while queue:
            sheet = queue.popleft()
            above = (sheet.site.sheets[0], sheet.up)
            for target in (
                *above,
                *(t for block in sheet.links.values() for t in block),
            ):
                if target is not None and target not in depths:
                    depths[target] = depths[sheet] + 1
                    queue.append(target)
        return depths

    def add(
        self, site: Site, kind: str, title: str, up: Sheet | None, path: str = ""
    ) -> Sheet:
        """A new page below another one; a path that is taken gets a number."""
        number = len(self.sheets)
        path = path or self._path(site, kind, title, up, number)
        url = f"https://{site.host}{path}"
        if url in self.sheets:
            url += f"&n={number}" if "?" in url else f"-{number}"
        heat = self.rng.uniform(0.1, 0.5) if self.rng.random() < self.fog else 0.0
        tongue = site.second if self.rng.random() < self.mixed else site.tongue
        sheet = self.sheets[url] = Sheet(
            url, site, kind, title, tongue, number, up, heat
        )
        site.sheets.append(sheet)
        return sheet

    def retitle(self, sheet: Sheet, title: str) -> None:
        """Name a page anew; where addresses are made of titles it moves."""
        sheet.title = title
        url = f"https://{sheet.site.host}{self._path(sheet.site, sheet.kind, title, sheet.up, sheet.number)}"
        if url not in self.sheets:
            del self.sheets[sheet.url]
            sheet.url = url
            self.sheets[url] = sheet

    def _path(
        self, site: Site, kind: str, title: str, up: Sheet | None, number: int
    ) -> str:
        scrambled = number * 2654435761 % 2**32
        if site.address_style == "node":
            return f"/node/{scrambled % 10**6}"
        if site.address_style == "query":
            return f"/index.php?id={scrambled % 10**7}"
        if site.address_style == "hash":
            return f"/{kind[:1]}/{scrambled:08x}"
        if site.address_style == "dated":
            return f"/{2008 + scrambled % 18}/{1 + scrambled % 12:02}/{slug(title) or number}"
        if site.address_style == "numbered":
            return f"/{kind}/{number}-{slug(title)}".rstrip("-")
        above = (
            up.url.split(site.host, 1)[1].split("?")[0].rstrip("/")
            if up and up.site is site
            else ""
        )
        return f"{above if above.count('/') < 6 else ''}/{slug(title) or f'{kind}-{number}'}"

    def enrich(self, weights: dict[str, float], pages: int) -> None:
        """Choose the hosts that have services, by their roles, and how many pages of each are to name some."""
        rng = self.rng
        total = round(pages * self.reveal_share)
        chances = {
            s: rng.random() ** (1 / weights[s.role])
            for s in self.sites
            if weights.get(s.role)
        }
        rich = sorted(chances, key=lambda s: -chances[s])[
            : max(1, round(self.rich_share * len(self.sites)))
        ]
        for poor in rng.sample(self.sites, len(self.sites)):
            smallest = min(rich, key=lambda s: s.size)
            if (
                sum(s.size // 4 for s in rich) < total
                and poor not in rich
                and poor.size > smallest.size
            ):
                poor.size, smallest.size = smallest.size, poor.size
        shares = [rng.paretovariate(1.1) for _ in rich]
        for site, share in zip(rich, shares, strict=True):
            site.budget = max(1, min(int(total * share / sum(shares)), site.size // 4))
        for site in rich:
            short = total - sum(s.budget for s in rich)
            site.budget += max(0, min(short, site.size // 4 - site.budget))

    def top_up(self, kinds: tuple[str, ...], pages: int) -> None:
        """Name services one by one on pages of rich hosts until enough pages do."""
        rng = self.rng
        rich = sorted({sheet.site.host for sheet in self.hot})
        plain = [
            s
            for site in self.sites
            if site.host in rich
            for s in site.sheets
            if s.kind in kinds and not s.offers
        ]
        lacking = round(pages * 0.0025) - len(self.hot)
        for sheet in rng.sample(plain, max(0, min(lacking, len(plain)))):
            self.reveal(sheet, 1, server(rng, sheet.site))

    def list_others(self, sheet: Sheet, most: int) -> None:
        """Let a page list services that other pages name."""
        named = [offer for hot in self.hot for offer in hot.offers]
        sheet.offers += self.rng.sample(named, min(most, len(named)))
        self.warm(sheet)
        self.hot.append(sheet)

    def offer(self, server: str, theme: str) -> Offer:
        """A new service; some of them are gone."""
        number = len(self.sheets) * 1000 + self.rng.randrange(1000)
        named = self.rng.random() < 0.6
        name = f"{slug(theme) or 'layer'}-{number}" if named else f"ws{number:x}"
        address = self.rng.choice(_FORMS).format(
            server=server, slug=name.replace("-", "_")
        )
        return Offer(address, theme, self.rng.random() >= self.dead_share)

    def reveal(self, sheet: Sheet, count: int, server: str) -> None:
        """Put services on a page, at least one of them alive, and let the page speak of them, mostly."""
        themes = LEXICON[sheet.tongue]["themes"]
        while sum(o.alive for o in sheet.offers) < 1 or len(sheet.offers) < count:
            sheet.offers.append(self.offer(server, self.rng.choice(themes)))
        self.warm(sheet)
        self.hot.append(sheet)

    def warm(self, sheet: Sheet) -> None:
        """Let a page on the way to services speak of them, as often as the web's scent has it."""
        if self.rng.random() < self.scent:
            sheet.heat = max(sheet.heat, self.rng.uniform(0.2, 0.9))

    def geo_title(self, tongue: str) -> str:
        """A title for a page with services: in the words of map services or by theme alone."""
        words = LEXICON[tongue]
        theme = self.rng.choice(words["themes"])
        if self.rng.random() < self.scent:
            return join(tongue, self.rng.choice(words["geo"]), theme)
        return join(tongue, theme, str(self.rng.randint(1990, 2026)))

    def anchor(self, rng: random.Random, page: Sheet, target: Sheet) -> str:
        """How a page words a link: by the title, by nothing, or by something else than it leads to."""
        words = LEXICON[page.tongue]
        luck = rng.random()
        if luck < page.site.honest:
            return escape(target.title)
        if luck < page.site.honest + page.site.useless:
            return escape(rng.choice(words["useless"]))
        return escape(rng.choice(words[self.pool] if target.heat else words["geo"]))

    def prose(self, rng: random.Random, sheet: Sheet, sentences: int) -> str:
        """Sentences of filler with the words of the page's subject among them."""
        words = LEXICON[sheet.tongue]
        plain = words["decoy"] if sheet.site.role == "decoy" else words[self.pool]
        said = []
        for _ in range(sentences):
            subject = rng.choice(words["geo"] if rng.random() < sheet.heat else plain)
            filler = rng.choices(words["words"], k=rng.randint(5, 12))
            said.append(join(sheet.tongue, subject[:1].upper() + subject[1:], *filler))
        return escape(("。" if sheet.tongue == "ja" else ". ").join(said)) + "."

    def label(self, sheet: Sheet, name: str) -> str:
        return escape(LEXICON[sheet.tongue]["labels"][_LABELS.index(name)])


def between(rng: random.Random, low: float, high: float) -> float:
    """A number of a range of several magnitudes, each as likely as the others."""
    return math.exp(rng.uniform(math.log(low), math.log(high)))


def join(tongue: str, *words: str) -> str:
    return ("" if tongue == "ja" else " ").join(words)


def slug(title: str) -> str:
    """A title for an address; empty where the title's script has no place there."""
    plain = (
        unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    )
    return (
        _NO_SLUG.sub("-", plain).strip("-")[:60]
        if len(plain) > 0.7 * len(title)
        else ""
    )


def place(rng: random.Random, tongue: str) -> str:
    parts = LEXICON[tongue]["places"]
    return rng.choice(parts[:8]) + rng.choice(parts[8:])


def server(rng: random.Random, site: Site) -> str:
    """Where a site's services run: at home, beside it, or at a provider that many share."""
    domain = ".".join(site.host.split(".")[-2:])
    return rng.choice(
        (site.host, f"geo.{domain}", f"gis.{domain}", "maps.regional-computing.test")
    )


def generator(site: Site) -> str:
    """What the software of a site says of itself; one site in four keeps silent."""
    made = site.look.get("made")
    return f'<meta name="generator" content="{made}">' if made and site.size % 4 else ""


def sizes(rng: random.Random, hosts: int, pages: int) -> list[int]:
    """How many pages each host has: a few are huge, many are small."""
    steepness = rng.uniform(0.8, 1.6)
    weights = [min(rng.paretovariate(steepness), hosts) for _ in range(hosts)]
    spare = pages - 6 * hosts
    return [6 + int(spare * weight / sum(weights)) for weight in weights]


def pager(pages: list[Sheet]) -> None:
    """Link the pages of a list as pagers do: neighbours, first and last."""
    for at, page in enumerate(pages):
        page.link("pager", *pages[max(0, at - 2) : at + 3], pages[0], pages[-1])


def anchors(page_links: list[tuple[str, str]], wrap: str = "li", css: str = "") -> str:
    """Links (address, wording as HTML) as a list."""
    mark = f' class="{css}"' if css else ""
    return "".join(
        f'<{wrap}{mark}><a href="{escape(url)}">{said}</a></{wrap}>'
        for url, said in page_links
    )
