"""`geohound serve`: the portal and the API over a catalogue."""

from __future__ import annotations

import socket
from contextlib import suppress
from typing import Annotated

import typer

from geohound import assembly
from geohound.settings import Settings

from . import options, printing


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: geohound serve --port 8080")(serve)


def serve(
    host: Annotated[str | None, typer.Option(show_default=options.USUAL.web_host, help="Address to listen on.")] = None,
    port: options.PORT = None,
    catalogue: options.CATALOGUE = None,
    config: options.CONFIG = None,
    json: options.JSON = False,
    quiet: options.QUIET = False,
    verbose: options.VERBOSE = False,
) -> None:
    """Serve the portal and the API."""
    settings = options.gather(config, catalogue=catalogue, web_host=host, web_port=port)
    run_portal(listen(settings), settings, json=json, quiet=quiet, verbose=verbose)


def listen(settings: Settings) -> socket.socket:
    """The portal's socket, or a sentence about why it cannot be had."""
    try:
        return assembly.listen(settings.web_host, settings.web_port)
    except OSError as error:
        printing.err.print(
            f"The portal cannot listen on {settings.web_host}:{settings.web_port}: {error.strerror}. "
            "Choose another --host or --port; port 0 takes any free one.",
            markup=False,
        )
        raise typer.Exit(1) from None


def run_portal(listener: socket.socket, settings: Settings, *, json: bool, quiet: bool, verbose: bool) -> None:
    """Answer until interrupted; the address is printed once it does."""
    import uvicorn  # noqa: PLC0415 - a third of the start-up time, needed by this command only

    from geohound.web.app import About, create_app  # noqa: PLC0415

    host, port = listener.getsockname()[:2]
    address = f"http://{f'[{host}]' if ':' in host else host}:{port}/"
    with assembly.open_shelf(settings) as shelf:
        about = About(user_agent=settings.user_agent, host_delay_s=settings.host_delay_s, contact=settings.contact)
        app = create_app(
            shelf.catalogue,
            shelf.index,
            assembly.kinds(),
            about=about,
            sorter=shelf.sorter,
            tasks=shelf.tasks.records,
            requests=shelf.requests,
            requests_per_minute=settings.api_requests_per_minute,
        )
        level = "info" if verbose else "warning"
        server = uvicorn.Server(uvicorn.Config(app, log_level=level, access_log=verbose, server_header=False))
        if json:
            printing.line({"event": "serving", "address": address})
        elif not quiet:
            printing.say(f"Portal: {address}  (Ctrl+C ends it)")
        with suppress(KeyboardInterrupt):  # the way to end it, not a failure
            server.run(sockets=[listener])
