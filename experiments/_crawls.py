"""Crawls over mined geowebs, shared by the experiments that compare orders."""

from __future__ import annotations

from dataclasses import replace
from statistics import median

import _frame  # noqa: F401  puts the simulator within reach
from simulated import MinedWeb, Run, Walk, mined, omniscient
from webs.geoweb_web import GeowebWeb

from geohound import plugins

GRID = [0.25 * k for k in range(401)]  # percent of the pages


def geoweb(seed: int, entries: int = 0) -> MinedWeb:
    """A mined geoweb; with `entries`, a crawl starts from so many of its seeds only."""
    web = mined(f"geoweb-{seed}", lambda: GeowebWeb(seed))
    return replace(web, seeds=web.seeds[:entries]) if entries else web


def crawl(web: MinedWeb, order: str, share: float = 1.0) -> Run:
    """A crawl over this share of the web's pages."""
    if order == "omniscient":
        return omniscient(web)
    return Walk(web, plugins.discover("orders")[order].fresh(), int(web.pages * share)).run()


def curve(web: MinedWeb, run: Run) -> list[float]:
    """Percent of all services found, at each point of the grid."""
    found, at, shares = sorted(run.found_at), 0, []
    for percent in GRID:
        while at < len(found) and found[at] <= web.pages * percent / 100:
            at += 1
        shares.append(100 * at / len(web.services))
    return shares


def middle(curves: list[list[float]]) -> list[float]:
    return [round(median(values), 2) for values in zip(*curves, strict=True)]


def pages_for(web: MinedWeb, run: Run, share: float) -> float | None:
    """Percent of the pages read when this share of the services is found; None if it never was."""
    need = share * len(web.services)
    found = sorted(run.found_at)
    return next((100 * at / web.pages for n, at in enumerate(found, 1) if n >= need), None)
