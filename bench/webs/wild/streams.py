"""The shapes of sites that people keep writing on: wikis, forums, blogs, shops."""

from __future__ import annotations

from . import prose
from .sketch import Part, Sketch


def wiki(sk: Sketch) -> None:
    """Dense cross links inside the text: who is linked to often is linked to more."""
    rng = sk.rng
    sk.add("/", prose.title(rng, sk.language, sk.theme))
    shape = ("/wiki/{slug}", "/index.php?title={slug}", "/w/{x}")[sk.opaque]
    groups = [
        sk.leaf(shape.replace("{slug}", "Category-{slug}"))
        for _ in range(max(2, sk.wanted // 60))
    ]
    sk.nav = [0, *groups[:3]]
    for group in groups:
        sk.link(0, Part.ITEM, group)
    urn = list(groups)  # a page is in it once for every link to it
    inside: dict[int, list[int]] = {group: [] for group in groups}
    while sk.left > sk.wanted // 60:
        article = sk.leaf(shape)
        for _ in range(int(rng.paretovariate(1.3) * 4) % 45 + 3):
            target = rng.choice(urn)
            sk.link(article, Part.BODY, target)
            urn.append(target)
        urn.append(article)
        group = rng.choice(groups)
        inside[group].append(article)
        sk.link(article, Part.CRUMB, group)
        sk.spots.append(article)
    for group, articles in inside.items():
        join = "&" if "?" in sk.pages[group].path else "?"
        sk.page_through(group, articles, 60, f"{sk.pages[group].path}{join}from={{k}}")


def forum(sk: Sketch) -> None:
    """Boards, threads over several pages, and a profile for everyone who ever wrote."""
    rng = sk.rng
    sk.add("/", prose.title(rng, sk.language, sk.theme))
    boards = [
        sk.leaf("/forumdisplay.php?fid={n}")
        for _ in range(max(2, min(9, sk.wanted // 90)))
    ]
    sk.nav = [0]
    members = [
        sk.add(f"/member.php?u={100 + i * 3}", f"user{i * 7 + 11}")
        for i in range(max(3, sk.wanted // 5))
    ]
    threads: dict[int, list[int]] = {board: [] for board in boards}
    for board in boards:
        sk.link(0, Part.ITEM, board)
    while sk.left > sk.wanted // 25:
        board = rng.choice(boards)
        thread = sk.leaf("/showthread.php?tid={n}")
        threads[board].append(thread)
        sk.link(thread, Part.CRUMB, board)
        for member in rng.sample(members, min(len(members), rng.randint(1, 6))):
            sk.link(thread, Part.SIDE, member)
            sk.link(member, Part.ITEM, thread)
        sk.spots.append(thread)
        for k in range(2, min(6, int(rng.paretovariate(1.2)) + 1)):
            more = sk.add(
                f"{sk.pages[thread].path}&page={k}",
                sk.pages[thread].title,
                sk.pages[thread].theme,
            )
            sk.link(thread, Part.PAGER, more)
            sk.link(more, Part.PAGER, thread)
            sk.spots.append(more)
    for board, own in threads.items():
        sk.page_through(board, own, 25, f"{sk.pages[board].path}&page={{k}}")
    # those who never wrote stand in the list of members only
    for at, member in enumerate(members):
        sk.link(boards[at % len(boards)], Part.SIDE, member)


def blog(sk: Sketch) -> None:
    """Posts by date, found again by page, by month and by tag."""
    rng = sk.rng
    sk.add("/", prose.title(rng, sk.language, sk.theme))
    tags = [sk.leaf("/tag/{slug}/") for _ in range(max(2, min(14, sk.wanted // 12)))]
    sk.nav = [0, *tags[:4]]
    posts: list[int] = []
    by_tag: dict[int, list[int]] = {tag: [] for tag in tags}
    while sk.left > sk.wanted // 6:
        date = f"/{2024 - len(posts) // 90}/{12 - len(posts) // 8 % 12:02d}/"
        post = sk.leaf((date + "{slug}/", "/?p={n}", "/post/{x}")[sk.opaque])
        if posts:
            sk.link(post, Part.PAGER, posts[-1])
            sk.link(posts[-1], Part.PAGER, post)
            for other in rng.sample(posts, min(3, len(posts))):
                sk.link(post, Part.SIDE, other)
        for tag in rng.sample(tags, 2):
            sk.link(post, Part.CRUMB, tag)
            by_tag[tag].append(post)
        posts.append(post)
    sk.spots = posts[:]
    sk.page_through(0, posts, 10, "/page/{k}/")
    for tag, own in by_tag.items():
        sk.link(0, Part.SIDE, tag)
        sk.page_through(tag, own, 20, f"{sk.pages[tag].path}page/{{k}}/")


def shop(sk: Sketch) -> None:
    """Departments, products, and products that others bought."""
    rng = sk.rng
    sk.add("/", prose.title(rng, sk.language, sk.theme))
    shelves = [sk.leaf("/c/{slug}") for _ in range(max(2, min(16, sk.wanted // 25)))]
    sk.nav = [0, *shelves[:8]]
    stock: dict[int, list[int]] = {shelf: [] for shelf in shelves}
    goods: list[int] = []
    while sk.left > sk.wanted // 18:
        shelf = rng.choice(shelves)
        item = sk.leaf(("/p/{slug}", "/product?sku={n}", "/i/{x}")[sk.opaque])
        sk.link(item, Part.CRUMB, shelf)
        stock[shelf].append(item)
        goods.append(item)
        for other in rng.sample(goods, min(6, len(goods))):
            sk.link(item, Part.SIDE, other)
    for shelf, own in stock.items():
        sk.link(0, Part.ITEM, shelf)
        sk.page_through(shelf, own, 24, f"{sk.pages[shelf].path}?page={{k}}")
    for item in rng.sample(goods, min(12, len(goods))):
        sk.link(0, Part.ITEM, item)
    sk.spots = goods
