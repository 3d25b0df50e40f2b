"""Pages of the offices webs as their software writes them."""

from __future__ import annotations

import random
import tomllib
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

WORDS: dict[str, dict[str, list[str]]] = {
    tongue: {n: v.split() if isinstance(v, str) else v for n, v in lists.items()}
    for tongue, lists in tomllib.loads(
        Path(__file__).with_name("offices.toml").read_text("utf-8")
    ).items()
}


@dataclass(slots=True, eq=False)
class Sheet:
    """One page: what it says, where its links stand, and which services it names."""

    url: str
    site: Site
    title: str
    up: Sheet | None
    subject: str = "daily"
    heat: float = 0.0  # share of its sentences that speak of services
    blocks: dict[str, list[tuple[Sheet, str]]] = field(default_factory=dict)
    services: list[str] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Site:
    """One host, and how its editors word links."""

    host: str
    kind: str
    tongue: str
    size: int
    is_rich: bool
    plain: float  # share of links worded by the title of what they lead to
    speaks: float  # how often pages on the way to services say so
    style: int
    sheets: list[Sheet] = field(default_factory=list)
    menu: list[Sheet] = field(default_factory=list)


def _anchor(target: Sheet, told: str, css: str = "") -> str:
    mark = f' class="{css}"' if css else ""
    return f'<a{mark} href="{escape(target.url)}">{escape(told)}</a>'


def _prose(sheet: Sheet, rng: random.Random) -> str:
    words = WORDS[sheet.site.tongue]
    said = []
    for _ in range(rng.randint(3, 25)):
        subject = "tells" if rng.random() < sheet.heat else sheet.subject
        filler = rng.choices(words["filler"], k=rng.randint(4, 11))
        said.append(
            f"{rng.choice(words[subject])} {' '.join(filler)} {rng.randrange(10**5)}."
        )
    return "".join(
        f"<p>{escape(' '.join(said[at : at + 4]))}</p>" for at in range(0, len(said), 4)
    )


def written(sheet: Sheet) -> str:
    """The page as its software writes it."""
    site, rng = sheet.site, random.Random(sheet.url)
    home, words = site.sheets[0], WORDS[site.tongue]
    menu = "".join(f"<li>{_anchor(t, t.title)}</li>" for t in site.menu)
    crumbs = " / ".join(_anchor(t, t.title) for t in (home, sheet.up) if t)
    body = [_prose(sheet, rng)]
    for block, links in sheet.blocks.items():
        if block == "list":
            for target, told in links:
                short = escape(rng.choice(words["filler"]))
                head = f"<h2>{_anchor(target, target.title)}</h2><p>{short}</p>"
                more = _anchor(target, told, "more")
                body.append(f"<article>{head}{more}</article>")
        elif block == "text":
            body += [
                f"<p>{escape(rng.choice(words['daily']))} {_anchor(t, told)}.</p>"
                for t, told in links
            ]
        elif block in ("side", "foot", "pager"):
            body.append(
                f'<aside class="{block}">'
                + " ".join(_anchor(t, told) for t, told in links)
                + "</aside>"
            )
        else:
            body.append(
                "<ul>"
                + "".join(f"<li>{_anchor(t, told)}</li>" for t, told in links)
                + "</ul>"
            )
    shown = "".join(
        f'<tr><td>{escape(rng.choice(words["themes"]))}</td><td><a href="{escape(s)}">{escape(s)}</a></td></tr>'
        if site.style % 2
        else f"<tr><td><code>{escape(s)}</code></td></tr>"
        for s in sheet.services
    )
    table = f"<table>{shown}</table>" if shown else ""
    return (
        f'<!DOCTYPE html><html lang="{site.tongue}"><head><meta charset="utf-8"><title>{escape(sheet.title)} - '
        f"{escape(home.title)}</title></head><body><header>{_anchor(home, words['menu'][0])}<ul>{menu}</ul></header>"
        f"<div class=path>{crumbs}</div><main><h1>{escape(sheet.title)}</h1>{''.join(body)}{table}</main></body></html>"
    )
