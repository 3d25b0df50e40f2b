"""`geohound orders`: the crawl orders, and what each does."""

from __future__ import annotations

import sys
from inspect import getdoc

import typer

from geohound import app
from geohound.contracts import Order

from . import options, printing


def register(program: typer.Typer) -> None:
    program.command(
        epilog="Example: geohound orders; then: geohound crawl https://example.org --order fifo"
    )(orders)


def orders(
    catalogue: options.CATALOGUE = None,
    config: options.CONFIG = None,
    json: options.JSON = False,
    quiet: options.QUIET = False,
    verbose: options.VERBOSE = False,
) -> None:
    """List the crawl orders: which URL is visited next. Use an id with `geohound crawl --order`."""
    del quiet, verbose  # what is asked for is printed either way
    usual = options.gather(config, catalogue=catalogue).order
    for order in app.orders().values():
        about = _about(order)
        if json:
            printing.line(
                {
                    "id": order.id,
                    "title": order.title,
                    "about": about,
                    "default": order.id == usual,
                }
            )
        else:
            printing.say(
                f"{order.id:<12} {about}{'  (default)' if order.id == usual else ''}"
            )


def _about(order: Order) -> str:
    """What an order does, in a line: the first one of its file."""
    text = getdoc(sys.modules[type(order).__module__]) or order.title
    return text.partition("\n")[0].rstrip(".")
