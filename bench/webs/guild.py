"""Organisations with several hosts each, and directories of members that lead from one to the next.

Services sit in one section of a host, which may be huge and dull everywhere else.
"""

from __future__ import annotations

import math
from itertools import pairwise

from .own_words import WORDS, Home, Leaf, LeafWeb

_SIDES = ("www", "my", "news", "lib", "files", "x1", "portal", "intra", "shop")
_SECTIONS = ("a", "info", "c2", "main", "dept", "pub", "org", "res", "lab", "unit")


class GuildWeb(LeafWeb):
    """Pages of an organisation share a menu; each of its sections is a small web that grows by popularity."""

    def build(self, hosts: int, pages: int) -> list[str]:
        rng = self.rng
        self._rich_share = math.exp(rng.uniform(math.log(0.01), math.log(0.3)))
        self._guilds = rng.randint(1, 4)  # whose members are mostly rich
        self._scent = rng.uniform(0.1, 1)
        self._orgs: list[list[Home]] = []
        self._people(hosts, pages)
        for home in self.homes:
            self._grow(home)
        self._network()
        return self._start()

    def _people(self, hosts: int, pages: int) -> None:
        rng = self.rng
        steep = rng.uniform(0.7, 1.5)
        weights = [rng.paretovariate(steep) for _ in range(hosts)]
        weights = [min(w, sum(weights) / 8) for w in weights]
        rich = set(rng.sample(range(hosts), max(1, round(self._rich_share * hosts))))
        tongues = rng.sample(list(WORDS), rng.randint(1, 4))
        at = 0
        while at < hosts:
            name, org = f"{rng.randrange(36**4):x}{at}", []
            tongue, care = rng.choice(tongues), rng.random()
            is_decoy = rng.random() < 0.2
            for side in rng.sample(_SIDES, min(rng.choice((1, 1, 2, 4)), hosts - at)):
                honest = care * rng.betavariate(3, 1)
                org.append(
                    Home(
                        f"{side}.{name}.example"
                        if side != "www"
                        else f"{name}.example",
                        tongue if rng.random() < 0.8 else rng.choice(tongues),
                        at in rich,
                        honest,
                        (1 - honest) * rng.uniform(0.4, 1),
                        rng.choice(("number", "query", "opaque", "words", "deep")),
                        max(4, int(pages * weights[at] / sum(weights))),
                        is_decoy=is_decoy and at not in rich,
                    )
                )
                at += 1
            self._orgs.append(org)
            self.homes += org

    def _grow(self, home: Home) -> None:
        """Sections in which each page links to a few that many link to already."""
        rng = self.rng
        entry = self.leaf(home, f"{self.say(home, 'dull')} {home.name.split('.')[0]}")
        names = rng.sample(_SECTIONS, rng.randint(1, min(8, max(1, home.size // 5))))
        serving = rng.choice(names) if home.is_rich else ""
        shares = [rng.paretovariate(1.2) for _ in names]
        for name, share in zip(names, shares, strict=True):
            tells = name == serving and rng.random() < self._scent
            title = self.say(home, "geo" if tells else "dull", "dull")
            head = self.leaf(home, title, name)
            if rng.random() < 0.6:
                home.menu.append(head)
            self.link(entry, [head])
            size = max(1, int((home.size - len(names)) * share / sum(shares)))
            made = self._section(head, name, size)
            if name == serving:
                self._offer(home, head, made)

    def _section(self, head: Leaf, name: str, size: int) -> list[Leaf]:
        rng = self.rng
        pool: list[Leaf] = [head]
        made: list[Leaf] = []
        for _ in range(size):
            page = self.leaf(head.host, self.say(head.host, "dull", "dull"), name)
            for _ in range(rng.choice((1, 1, 2))):
                above = rng.choice(pool)
                if len(above.links) < 60:
                    self.link(above, [page])
                    pool.append(above)
            if not any(page is t for t, _ in pool[-1].links):
                self.link(made[-1] if made else head, [page])
            self.link(page, [rng.choice(pool)])
            pool.append(page)
            made.append(page)
        return made

    def _offer(self, home: Home, head: Leaf, made: list[Leaf]) -> None:
        """A share of the section's pages names services, from a handful to a hundred each."""
        rng = self.rng
        share = math.exp(rng.uniform(math.log(0.01), 0))
        chosen = rng.sample(made, max(1, min(int(share * len(made)), 120)))
        for leaf in chosen:
            heat = rng.uniform(0.1, 0.7) if rng.random() < self._scent else 0.0
            if heat:
                leaf.title = self.say(home, rng.choice(("theme", "geo")), "dull")
            count = min(100, round(rng.paretovariate(1.3)))
            self.serve(leaf, count, home.name, heat)
        head.heat = max(head.heat, self._scent * rng.random() * 0.5)
        for leaf in home.leaves:
            leaf.links = [(t, self._wording(home, t)) for t, _ in leaf.links]

    def _network(self) -> None:
        rng = self.rng
        rich = [org for org in self._orgs if any(h.is_rich for h in org)]
        for org in self._orgs:
            for home in org:
                self.link(home.leaves[0], [o.leaves[0] for o in org])
        for _ in range(self._guilds):
            home = rng.choice(rng.choice(rich))
            list_ = self.leaf(home, self.say(home, "dull", "dull"), "members")
            self.link(home.leaves[0], [list_])
            members = rng.sample(rich, max(1, len(rich) * 2 // 3))
            members += rng.sample(self._orgs, min(len(self._orgs), len(members)))
            rng.shuffle(members)
            self.link(list_, [org[0].leaves[0] for org in members])
        self._directories()
        self._mentions()

    def _directories(self) -> None:
        """One organisation in twenty lists eighty, whatever they have."""
        rng = self.rng
        for org in rng.sample(self._orgs, max(1, len(self._orgs) // 20)):
            others = rng.sample(self._orgs, min(80, len(self._orgs)))
            directory = self.leaf(org[0], self.say(org[0], "dull"), "links")
            self.link(org[0].leaves[0], [directory])
            self.link(directory, [rng.choice(other).leaves[0] for other in others])

    def _mentions(self) -> None:
        rng = self.rng
        for home in self.homes:
            for _ in range(rng.choice((0, 1, 3))):
                other = rng.choice(self.homes)
                self.link(rng.choice(home.leaves), [rng.choice(other.leaves)])
        for before, after in pairwise(self._orgs):
            self.link(rng.choice(before[0].leaves), [after[0].leaves[0]])

    def _start(self) -> list[str]:
        rng = self.rng
        found = [rng.choice(rng.choice(self._orgs)).leaves[0] for _ in range(6)]
        found += [rng.choice(rng.choice(self.homes).leaves) for _ in range(5)]
        serving = [leaf for leaf in self.leaves.values() if leaf.services]
        found += [rng.choice(serving)] if rng.random() < 0.7 else []
        return list(dict.fromkeys(leaf.url for leaf in found))
