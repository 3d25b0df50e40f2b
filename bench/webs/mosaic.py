"""A web in which every host draws its own rules: shape, addresses, wording, where its services are, whom it links to."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

from .own_words import WORDS, Home, Leaf, LeafWeb

_SYLLABLES = (
    "ka",
    "lo",
    "mi",
    "ren",
    "tu",
    "sa",
    "vor",
    "bel",
    "dun",
    "eth",
    "nor",
    "gal",
    "quin",
)
_SPOTS = ("one page", "a section", "scattered", "the ends", "everywhere")


class MosaicWeb(LeafWeb):
    """No roles: what a host is like says nothing of another one, beyond the drawn chances of the web."""

    def build(self, hosts: int, pages: int) -> list[str]:
        rng = self.rng
        rich_share = math.exp(rng.uniform(math.log(0.01), math.log(0.3)))
        self._likeness = rng.random()  # how much rich hosts link to rich ones
        self._telling = rng.uniform(0, 0.7)  # share of rich hosts with a telling name
        self._scent = rng.uniform(0.2, 1)  # of the way to services that speaks of them
        self._found(hosts, pages, max(1, round(rich_share * hosts)))
        for home in self.homes:
            self._shape(home)
        for home in self.homes:
            if home.is_rich:
                self._place(home)
        self._join()
        return self._start()

    def _found(self, hosts: int, pages: int, rich: int) -> None:
        rng = self.rng
        weights = [rng.lognormvariate(0, rng.choice((0.5, 1.3))) for _ in range(hosts)]
        tongues = rng.sample(list(WORDS), rng.randint(2, len(WORDS)))
        chosen = set(rng.sample(range(hosts), rich))
        for at, weight in enumerate(weights):
            name = "".join(rng.choices(_SYLLABLES, k=3))
            told = ("geo-{}", "{}-maps", "data.{}", "gis.{}", "sdi-{}")
            is_rich = at in chosen
            chance = self._telling if is_rich else 0.05
            form = rng.choice(told) if rng.random() < chance else "{}"
            honest = rng.betavariate(1.2, 1)
            home = Home(
                f"{form.format(name)}{at}.example",
                rng.choice(tongues),
                is_rich,
                honest,
                (1 - honest) * rng.betavariate(3, 1),
                rng.choice(("opaque", "number", "query", "words", "words", "deep")),
                max(4, int(pages * weight / sum(weights))),
                is_hub=rng.random() < 0.06,
                is_decoy=not is_rich and rng.random() < 0.25,
            )
            self.homes.append(home)

    # one host

    def _shape(self, home: Home) -> None:
        rng = self.rng
        entry = self.leaf(home, f"{home.name.split('.')[0]} {self.say(home, 'dull')}")
        shapes: tuple[Callable[[Leaf, str, int], None], ...] = (
            self._tree, self._lists, self._mesh, self._calendar, self._book, self._flat,
        )  # fmt: skip
        parts = rng.randint(1, 4)
        for at in range(parts):
            section = "".join(rng.choices("bcdfghaeiou", k=4))
            head = self.leaf(home, self.say(home, "dull"), section)
            self.link(entry, [head])
            if at < rng.randint(0, 6):
                home.menu.append(head)
            rng.choice(shapes)(head, section, max(1, (home.size - 1) // parts - 1))

    def _title(self, home: Home) -> str:
        pools = ("dull", "theme") if self.rng.random() < 0.15 else ("dull", "dull")
        return self.say(home, *pools)

    def _tree(self, head: Leaf, section: str, size: int) -> None:
        made, pull = [head], self.rng.uniform(0.3, 2)
        for _ in range(size):
            above = made[int(len(made) * self.rng.random() ** pull)]
            made.append(self.leaf(head.host, self._title(head.host), section))
            self.link(above, made[-1:])
            self.link(made[-1], [above])

    def _lists(self, head: Leaf, section: str, size: int) -> None:
        step, pages = self.rng.randint(8, 40), [head]
        for at in range(size):
            if at % step == step - 1:
                pages.append(self.leaf(head.host, head.title, section))
                self.link(pages[-2], pages[-1:])
            item = self.leaf(head.host, self._title(head.host), section)
            self.link(pages[-1], [item])

    def _mesh(self, head: Leaf, section: str, size: int) -> None:
        made = [head]
        for _ in range(size):
            made.append(self.leaf(head.host, self._title(head.host), section))
            for other in self.rng.sample(made[:-1], min(3, len(made) - 1)):
                self.link(other, made[-1:])
                self.link(made[-1], [other])

    def _calendar(self, head: Leaf, section: str, size: int) -> None:
        year = head
        for at in range(size):
            if at % 60 == 0:
                year = self.leaf(head.host, str(2026 - at // 60), section)
                self.link(head, [year])
            self.link(year, [self.leaf(head.host, self._title(head.host), section)])

    def _book(self, head: Leaf, section: str, size: int) -> None:
        last = head
        for at in range(size):
            page = self.leaf(head.host, self._title(head.host), section)
            self.link(last, [page])
            self.link(page, [last])
            if at % 25 == 0:
                self.link(head, [page])
            last = page

    def _flat(self, head: Leaf, section: str, size: int) -> None:
        made = [
            self.leaf(head.host, self._title(head.host), section) for _ in range(size)
        ]
        self.link(head, made[:400])
        for at, leaf in enumerate(made[400:]):
            self.link(made[at % 400], [leaf])

    # services

    def _place(self, home: Home) -> None:
        rng = self.rng
        total = max(1, min(home.size // 3, round(rng.paretovariate(0.9) * 3)))
        spot = rng.choice(_SPOTS)
        below = home.leaves[1:]
        chosen = {
            "one page": lambda: [rng.choice(below)],
            "a section": lambda: self._run(below, total),
            "scattered": lambda: rng.sample(below, min(total, len(below))),
            "the ends": lambda: [x for x in below if len(x.links) <= 1][-total:],
            "everywhere": lambda: rng.sample(below, min(len(below), len(below) // 2 + 1)),
        }[spot]() or below[:1]  # fmt: skip
        domain = home.name.split(".", 1)[-1]
        server = rng.choice((home.name, f"srv.{domain}", "cloud.example"))
        for leaf in chosen:
            count = min(total, 200) if spot == "one page" else rng.choice((1, 1, 2, 4))
            tells = rng.random() < self._scent
            self.serve(leaf, count, server, rng.uniform(0.2, 0.8) if tells else 0.0)
            if tells:
                leaf.title = self.say(home, rng.choice(("geo", "theme")), "theme")
        self._reword(home)

    def _run(self, leaves: list[Leaf], count: int) -> list[Leaf]:
        start = self.rng.randrange(max(1, len(leaves) - count))
        return leaves[start : start + count]

    def _reword(self, home: Home) -> None:
        """Titles have changed, so links say something else; some ways to services speak of them."""
        serving = {leaf for leaf in home.leaves if leaf.services}
        for leaf in home.leaves:
            leads = any(target in serving for target, _ in leaf.links)
            if leads and self.rng.random() < self._scent:
                leaf.heat = max(leaf.heat, self.rng.uniform(0.05, 0.5))
            leaf.links = [(t, self._wording(home, t)) for t, _ in leaf.links]

    # between hosts

    def _join(self) -> None:
        rng = self.rng
        rich = [home for home in self.homes if home.is_rich]
        for home in self.homes:
            many = rng.randint(20, 120) if home.is_hub else rng.choice((0, 1, 2, 5))
            for _ in range(many):
                is_alike = rng.random() < self._likeness * (
                    0.7 if home.is_rich else 0.05
                )
                other = rng.choice(rich if is_alike else self.homes)
                page = home.leaves[0] if rng.random() < 0.2 else rng.choice(home.leaves)
                self.link(page, [self._gate(other)])
        for before, after in pairwise(self.homes):
            self.link(rng.choice(before.leaves), [after.leaves[0]])

    def _gate(self, home: Home) -> Leaf:
        """Where links from elsewhere lead: mostly to the entry, sometimes to a page with services."""
        rng = self.rng
        if rng.random() < 0.7:
            return home.leaves[0]
        serving = [leaf for leaf in home.leaves if leaf.services]
        is_deep = bool(serving) and rng.random() < 0.3
        return rng.choice(serving if is_deep else home.leaves)

    def _start(self) -> list[str]:
        rng = self.rng
        known = [h for h in self.homes if h.is_hub or h.is_decoy] or self.homes
        serving = [x for x in self.leaves.values() if x.services]
        found = [rng.choice(known).leaves[0] for _ in range(4)]
        found += [rng.choice(rng.choice(self.homes).leaves) for _ in range(4)]
        found += [rng.choice(serving) for _ in range(rng.randint(0, 2))]
        return list(dict.fromkeys(leaf.url for leaf in found))
