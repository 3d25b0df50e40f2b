"""The shapes of sites whose pages hang in trees or rows: institutions, archives, manuals, people, portals, farms."""

from __future__ import annotations

from . import prose
from .sketch import Part, Sketch

_TREE_PATHS = ("{up}{slug}/", "/default.aspx?NodeId={n}", "/c/{x}")


def institution(sk: Sketch) -> None:
    """A council, clinic or faculty: sections, pages below pages, breadcrumbs and neighbours at the side."""
    rng = sk.rng
    sk.add("/", prose.title(rng, sk.language, sk.theme))
    sections = [_below(sk, 0) for _ in range(min(7, 3 + sk.wanted // 40))]
    sk.nav = [0, *sections]
    open_, depth = list(sections), dict.fromkeys(sections, 1)
    while sk.left > 0 and open_:
        parent = open_.pop(rng.randrange(min(len(open_), 4)))
        children = [_below(sk, parent) for _ in range(min(sk.left, rng.randint(3, 11)))]
        for child in children:
            depth[child] = depth[parent] + 1
            sk.link(child, Part.CRUMB, parent)
            for other in rng.sample(children, min(4, len(children))):
                sk.link(child, Part.SIDE, other)
        open_ += (
            rng.sample(children, len(children) // 2 + 1) if depth[parent] < 5 else []
        )
        if not open_ and sk.left > 0:
            open_.append(rng.choice(sections))
    if sk.geo:
        _map_room(sk, sections)
    else:
        sk.spots = [i for i in range(len(sk.pages)) if depth.get(i, 0) >= 2]


def _below(sk: Sketch, parent: int, theme: str = "") -> int:
    up = sk.pages[parent].path if not sk.opaque else ""
    child = sk.leaf(_TREE_PATHS[sk.opaque].replace("{up}", up), theme or sk.theme)
    sk.link(parent, Part.ITEM, child)
    return child


def _map_room(sk: Sketch, sections: list[int]) -> None:
    """The corner of an institution that deals with maps: a page, and a few pages below it."""
    parent = sk.rng.choice(sections)
    if sk.rng.random() < 0.6:
        parent = next(
            (t for p, t in sk.pages[parent].targets() if p is Part.ITEM), parent
        )
    room = _below(sk, parent, prose.GEO)
    sk.link(room, Part.CRUMB, parent)
    for _ in range(max(3, int(sk.geo * sk.wanted))):
        page = _below(sk, room, prose.GEO)
        sk.link(page, Part.CRUMB, room)
        sk.spots.append(page)
    if sk.rng.random() < 0.3:
        sk.spots = [room]


def archive(sk: Sketch) -> None:
    """Years, months, days, items: nothing but ways down, up and to the neighbour."""
    rng = sk.rng
    sk.add("/", prose.title(rng, sk.language, sk.theme))
    years = max(2, min(14, sk.wanted // 60))
    per_day = rng.randint(4, 12)
    sk.nav = [0]
    while sk.left > 0:
        year = sk.add(
            f"/{2024 - len(sk.nav)}/", f"{sk.ui('archive')} {2024 - len(sk.nav)}"
        )
        sk.link(0, Part.ITEM, year)
        sk.nav.append(year)
        _fill_year(sk, year, sk.wanted // years + 1, per_day)
        if len(sk.nav) > 60:
            break
    del sk.nav[4:]


def _fill_year(sk: Sketch, year: int, room: int, per_day: int) -> None:
    end, month_number = min(sk.wanted, len(sk.pages) + room), 0
    path = sk.pages[year].path
    while len(sk.pages) < end and month_number < 12:
        month_number += 1
        month = sk.add(
            f"{path}{month_number:02d}/", f"{sk.pages[year].title} / {month_number}"
        )
        sk.link(year, Part.ITEM, month)
        sk.link(month, Part.CRUMB, year)
        for day_number in range(1, 2 + room // 12 // (per_day + 1)):
            if len(sk.pages) >= end:
                break
            _fill_day(sk, month, day_number * 2, per_day)


def _fill_day(sk: Sketch, month: int, number: int, per_day: int) -> None:
    path = f"{sk.pages[month].path}{number:02d}/"
    day = sk.add(path, f"{sk.pages[month].title} / {number}")
    sk.link(month, Part.ITEM, day)
    sk.link(day, Part.CRUMB, month)
    shape = path + ("{slug}.html", "{n}.htm", "{x}")[sk.opaque]
    items = [sk.leaf(shape) for _ in range(per_day)]
    for at, item in enumerate(items):
        sk.link(day, Part.ITEM, item)
        sk.link(item, Part.CRUMB, day)
        sk.link(item, Part.SIDE, items[at - 1])
    sk.spots += items


def manual(sk: Sketch) -> None:
    """Handbooks of software in several versions: chapters, next and previous, the same text again and again."""
    sk.add("/", prose.title(sk.rng, sk.language, prose.GEO if sk.geo else sk.theme))
    versions = max(1, min(5, sk.wanted // 50))
    sk.nav = [0]
    per = max(6, sk.wanted // versions - 1)
    for version in range(1, versions + 1):
        toc = sk.leaf(f"/docs/v{version}.0/" + "{slug}/")
        sk.nav.append(toc)
        pages = [
            sk.leaf(
                f"/docs/v{version}.0/"
                + ("{slug}.html", "ch{n}.html", "{x}.html")[sk.opaque]
            )
            for _ in range(per)
        ]
        for at, page in enumerate(pages):
            sk.link(toc, Part.ITEM, page)
            sk.link(page, Part.CRUMB, toc)
            sk.link(page, Part.PAGER, pages[at - 1])
            sk.link(page, Part.PAGER, pages[(at + 1) % per])
            for near in pages[max(0, at - 6) : at + 7]:
                sk.link(page, Part.SIDE, near)
    sk.spots = list(range(1 + versions, len(sk.pages)))


def people(sk: Sketch) -> None:
    """Personal pages of a university: a list of names, and behind each name what its owner cares to show."""
    rng = sk.rng
    sk.add("/", prose.title(rng, sk.language, sk.theme))
    sk.nav = [0]
    owners: list[int] = []
    while sk.left > 0:
        name = "".join(
            rng.choice(("ka", "ro", "li", "ne", "vo", "ta", "mi", "sz", "ey"))
            for _ in range(3)
        )
        home = sk.add(f"/~{name}{len(owners)}/", name.title())
        owners.append(home)
        own = [sk.leaf(f"/~{name}{len(owners) - 1}/" + ("{slug}.html", "{n}.html", "{x}.html")[sk.opaque])
               for _ in range(rng.randint(1, 7))]  # fmt: skip
        for page in own:
            sk.link(home, Part.ITEM, page)
            sk.link(page, Part.CRUMB, home)
        sk.spots += own
    sk.page_through(0, owners, 40, "/people?from={k}")


def portal(sk: Sketch) -> None:
    """A catalogue of data: a listing behind filters, organisations, records, and files below the records."""
    rng = sk.rng
    sk.add("/", prose.title(rng, sk.language, prose.GEO if sk.geo else sk.theme))
    listing = sk.leaf("/dataset", prose.GEO if sk.geo else sk.theme)
    sk.nav = [0, listing]
    records: list[int] = []
    owners = [
        sk.leaf("/organization/{slug}") for _ in range(max(2, min(20, sk.wanted // 40)))
    ]
    for owner in owners:
        sk.link(0, Part.SIDE, owner)
    while sk.left > sk.wanted // 22 + 1:
        record = sk.leaf(("/dataset/{slug}", "/dataset/{n}", "/dataset/{x}")[sk.opaque])
        records.append(record)
        owner = rng.choice(owners)
        sk.link(record, Part.CRUMB, owner)
        if rng.random() < 0.25:
            sk.link(owner, Part.ITEM, record)
        for _ in range(rng.choice((0, 0, 1, 1, 2))):
            file = sk.leaf(
                sk.pages[record].path + "/resource/{x}", sk.pages[record].theme
            )
            sk.link(record, Part.ITEM, file)
            sk.link(file, Part.CRUMB, record)
            sk.spots.append(file)
        sk.spots.append(record)
        if len(records) > 3:
            for other in rng.sample(records, 3):
                sk.link(record, Part.SIDE, other)
    for record in rng.sample(records, min(8, len(records))):
        sk.link(0, Part.ITEM, record)
    sk.page_through(listing, records, 20, "/dataset?page={k}")


def farm(sk: Sketch) -> None:
    """A page for every pair of words that somebody might search, each with links to thirty others."""
    sk.add("/", prose.title(sk.rng, sk.language, prose.GEO))
    while sk.left > 0:
        sk.leaf("/{slug}.php")
    for i in range(len(sk.pages)):
        for target in sk.rng.sample(range(len(sk.pages)), min(len(sk.pages), 25)):
            sk.link(i, Part.SIDE, target)
        sk.link(i, Part.PAGER, (i + 1) % len(sk.pages))
    sk.nav = [0]
