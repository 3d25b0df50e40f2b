"""`geohound serve`: the portal and the API over a catalogue."""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext, suppress
from functools import partial
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from geohound import app
from geohound.model.account import Role
from geohound.portal import listener
from geohound.settings import Settings, SettingsError
from geohound.tasks import observed
from geohound.tasks.supervisor import Supervisor

from . import options, printing

if TYPE_CHECKING:
    import uvicorn
    from starlette.applications import Starlette

    from geohound.portal.access.openid import OpenIdLogIn
    from geohound.portal.app import TaskEvents


def register(program: typer.Typer) -> None:
    program.command(
        epilog="Example: geohound serve --port 8080; geohound serve --single-user. Queued tasks run in a second "
        "process, unless --no-runner is given."
    )(serve)


def serve(
    host: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            show_default=options.USUAL.web_host,
            help="Address to listen on.",
        ),
    ] = None,
    port: options.PORT = None,
    single_user: Annotated[
        bool,
        typer.Option(
            "--single-user",
            help="Allow starting and stopping crawls in the portal; loopback addresses only.",
        ),
    ] = False,
    no_runner: Annotated[
        bool, typer.Option("--no-runner", help="Do not run queued tasks.")
    ] = False,
    monitor: Annotated[
        bool,
        typer.Option("--monitor", help="Check services again when they are due."),
    ] = False,
    catalogue: options.CATALOGUE = None,
    config: options.CONFIG = None,
    json: options.JSON = False,
    quiet: options.QUIET = False,
    verbose: options.VERBOSE = False,
    connect_to: options.CONNECT_TO = None,
    allow_net: options.ALLOW_NET = None,
) -> None:
    """Serve the portal and the API, and run queued tasks."""
    settings = options.gather(
        config,
        catalogue=catalogue,
        web_host=host,
        web_port=port,
        connect_to=connect_to,
        allow_nets=allow_net,
    )
    if single_user:
        check_is_private(settings.web_host)
    if no_runner and monitor:
        raise typer.BadParameter(
            "somebody must run it; leave out --no-runner.", param_hint="--monitor"
        )
    if (monitor or settings.serve_monitor) and not no_runner:
        app.queue_monitor(settings, make=single_user)
    beside = nullcontext() if no_runner else running_tasks(settings)
    run_portal(
        listen(settings),
        settings,
        beside,
        single_user=single_user,
        json=json,
        quiet=quiet,
        verbose=verbose,
    )


def check_is_private(host: str) -> None:
    """Without a log-in, only the machine itself may be let in."""
    from geohound.portal.middleware.host_check import is_loopback  # noqa: PLC0415 - as below

    if not is_loopback(host):
        raise typer.BadParameter(
            f"it has no log-in, so it needs a loopback address such as 127.0.0.1, not {host}. "
            f"Leave out --single-user or --host.",
            param_hint="--single-user",
        )


def running_tasks(settings: Settings) -> AbstractContextManager[object]:
    """A process beside this one that runs what is queued, so that no crawl makes a page wait."""
    return Supervisor(
        [sys.executable, "-m", "geohound.runner"], msgspec.json.encode(settings)
    )


def listen(settings: Settings) -> socket.socket:
    """The portal's socket, or an error message."""
    if not settings.web_host.strip():  # to the system, that is every address
        raise SettingsError(
            "The portal needs an address to listen on: give --host 127.0.0.1, or 0.0.0.0 for all of this machine."
        )
    try:
        return listener.listen(settings.web_host, settings.web_port)
    except OSError as error:
        printing.complain(
            f"The portal cannot listen on {settings.web_host}:{settings.web_port}: {error.strerror}. "
            "Choose another --host or --port; port 0 is any free port."
        )
        raise typer.Exit(1) from None


def run_portal(
    listener: socket.socket,
    settings: Settings,
    beside: AbstractContextManager[object] | None = None,
    *,
    single_user: bool = False,
    reach: Callable[[str], str] | None = None,
    json: bool,
    quiet: bool,
    verbose: bool,
) -> None:
    """Answer until interrupted, with what works beside the portal; the address is printed once it answers."""
    app.share_memory_between_threads()
    import uvicorn  # noqa: PLC0415 - a third of the start-up time, needed by this command only

    from geohound.portal.app import TaskEvents  # noqa: PLC0415

    host, port = listener.getsockname()[:2]
    address = f"http://{f'[{host}]' if ':' in host else host}:{port}/"
    with ExitStack() as open_now:
        opened = open_now.enter_context(app.open_catalogue(settings, make=single_user))
        # what may only be read has no tasks to run
        if beside is not None and not opened.is_read_only:
            open_now.enter_context(beside)
        events = TaskEvents(opened.tasks)
        events.is_hinted = opened.listen(events.heard)
        portal = _portal(opened, settings, events, single_user=single_user, reach=reach)
        server = uvicorn.Server(server_config(portal, settings, verbose=verbose))
        events.is_closing = lambda: server.should_exit
        if json:
            printing.line({"event": "serving", "address": address})
        elif not quiet:
            printing.say(f"Portal: {address}  (Ctrl+C to stop)")
        with suppress(KeyboardInterrupt):  # the way to end it, not a failure
            server.run(sockets=[listener])


def _portal(
    opened: app.OpenCatalogue,
    settings: Settings,
    events: TaskEvents,
    *,
    single_user: bool,
    reach: Callable[[str], str] | None,
) -> Starlette:
    """The portal over this catalogue, as the settings say."""
    from geohound.portal.app import About, PortalTasks, create_app  # noqa: PLC0415 - as above
    from geohound.portal.portal import UsualBounds  # noqa: PLC0415
    from geohound.tasks.monitoring import maintenance_of  # noqa: PLC0415

    from .hunt import ready_searchers  # noqa: PLC0415

    about = About(
        user_agent=settings.user_agent,
        host_delay_s=settings.host_delay_s,
        contact=settings.contact,
        url=settings.web_url,
        maintenance=maintenance_of(settings),
        is_demo=reach is not None,
        attribution=app.locator(settings).attribution,
    )
    tasks = PortalTasks(
        opened.tasks,
        events,
        tuple(app.orders()),
        may_write=not opened.is_read_only,
        searchers=ready_searchers(settings),
        usual=UsualBounds(
            settings.max_depth, settings.page_limit, settings.max_queries
        ),
        max_running=settings.tasks_per_user,
        visits=partial(app.ended_visits, settings),
    )
    kinds = app.kinds()
    return create_app(
        opened.catalogue,
        opened.index,
        kinds,
        about=about,
        classifier=app.classifier(settings.topic_files, settings.topic_match),
        tasks=tasks,
        requests=opened.requests,
        snippets=app.snippets(),
        requests_per_minute=settings.api_requests_per_minute,
        names=(settings.web_host, *settings.web_names),
        reach=reach,
        origins=settings.web_origins,
        files=opened.files,
        exporters=app.exporters(),
        examine=partial(observed.examine, partial(app.fetcher, settings, None), kinds),
        check=partial(
            observed.check,
            partial(app.fetcher, settings, None),
            kinds,
            settings,
            opened.catalogue,
        ),
        relay=app.Relay(settings),
        is_relay_for_guests=settings.proxy_for_guests,
        accounts=None if single_user else opened.accounts,
        openid=None if single_user else _openid(settings),
        past=opened.past,
        cluster=opened.cluster_status,
        notes=opened.notes,
    )


def _openid(settings: Settings) -> OpenIdLogIn | None:
    """The provider that the settings name."""
    if not settings.openid_issuer:
        return None
    from geohound.portal.access.openid import OpenIdLogIn  # noqa: PLC0415

    if settings.openid_role not in ("guest", "user"):
        raise SettingsError("The setting openid_role must be guest or user.")
    role = Role(settings.openid_role)
    return OpenIdLogIn(
        settings.openid_issuer,
        settings.openid_client_id,
        settings.openid_client_secret,
        role,
    )


def server_config(
    portal: Starlette, settings: Settings, *, verbose: bool = False
) -> uvicorn.Config:
    """How the portal is served: only configured proxies may say who asks, and headers must end in time."""
    import uvicorn  # noqa: PLC0415 - as above

    from geohound.portal.middleware.slow_headers import HeadersInTime  # noqa: PLC0415

    return uvicorn.Config(
        portal,
        http=HeadersInTime,
        ws="none",
        log_level="info" if verbose else "warning",
        access_log=verbose,
        server_header=False,
        proxy_headers=bool(settings.web_proxies),
        forwarded_allow_ips=list(settings.web_proxies),
    )
