"""`geohound orders`: the crawl orders, and what each does."""

from __future__ import annotations

import typer

from geohound import assembly

from . import options, printing


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: geohound orders; then: geohound crawl https://example.org --order fifo")(orders)


def orders(
    catalogue: options.CATALOGUE = None,
    config: options.CONFIG = None,
    json: options.JSON = False,
    quiet: options.QUIET = False,
    verbose: options.VERBOSE = False,
) -> None:
    """List the crawl orders, which say what link comes next: the ids that --order takes."""
    del quiet, verbose  # what is asked for is printed either way
    usual = options.gather(config, catalogue=catalogue).order
    for order in assembly.orders().values():
        told = assembly.about_order(order)
        if json:
            printing.line({"id": order.id, "title": order.title, "about": told, "default": order.id == usual})
        else:
            printing.say(f"{order.id:<12} {told}{'  (the default)' if order.id == usual else ''}")
