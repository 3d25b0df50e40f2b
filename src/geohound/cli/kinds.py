"""`geohound kinds`: the service kinds, including those of plug-ins."""

from __future__ import annotations

import typer

from geohound import app

from . import options, printing


def register(program: typer.Typer) -> None:
    program.command(
        epilog="Example: geohound kinds; then: geohound search land cover --kind wms,wmts"
    )(kinds)


def kinds(
    catalogue: options.CATALOGUE = None,
    config: options.CONFIG = None,
    json: options.JSON = False,
    quiet: options.QUIET = False,
    verbose: options.VERBOSE = False,
) -> None:
    """List the service kinds. Use their ids with --kind and --kinds."""
    del catalogue, config, quiet, verbose  # what is asked for is printed either way
    for kind in sorted(app.kinds().values(), key=lambda kind: kind.id):
        if json:
            printing.line(
                {"id": kind.id, "title": kind.title, "protocol": kind.protocol}
            )
        else:
            printing.say(f"{kind.id:<24} {kind.title}")
