"""Deep looks at a service of the lab: found while all is well, looked at while something is broken."""

from __future__ import annotations

import asyncio
import json
import os
import ssl
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

from breaking_proxy import BreakingProxy
from certificates import expired_certificate
from loopback import running

from geohound import app
from geohound.model.health import Check
from geohound.model.service import Service
from geohound.monitor.looking import Look, LookTarget, look_at
from geohound.probe import identify
from geohound.settings import Settings
from geohound.tasks.checking import look_deeper

KINDS = app.kinds()
QUICK = {
    "GEOHOUND_HOST_DELAY_S": "0", "GEOHOUND_SLOW_HOST_FACTOR": "0", "GEOHOUND_FIRST_BYTE_TIMEOUT_S": "1.5",
    "GEOHOUND_RETRIES": "0", "GEOHOUND_PROCESSES": "1", "GEOHOUND_ADDRESS_SHARE": "0",
}  # fmt: skip
_SETTINGS = Settings(
    allow_nets=("127.0.0.0/8",), host_delay_s=0.0, slow_host_factor=0.0, first_byte_timeout_s=1.5, retries=0,
    address_share=0.0,
)  # fmt: skip


def looks_at(url: str, kind: str, layers: int) -> Callable[[], Check]:
    """The service of this kind at this address, and a way to look at it and at so many of its layers."""
    service = asyncio.run(_found(url, kind))
    return lambda: asyncio.run(_look(service, layers))


async def _found(url: str, kind: str) -> Service:
    fetcher = app.fetcher(_SETTINGS)
    verdict = await identify(url, fetcher, KINDS, 10**7)
    await fetcher.close()
    (service,) = [each for each in verdict.services if each.kind == kind]
    return service


async def _look(service: Service, layers: int) -> Check:
    fetcher = app.fetcher(_SETTINGS)
    look = await look_at(LookTarget(service), fetcher, KINDS, 10**7, datetime.now(UTC))
    assert isinstance(look, Look), look
    look = await look_deeper(look, look.read or service, fetcher, KINDS, layers)
    await fetcher.close()
    return look.check


def check_with_expired_certificate(
    real: str, path: str, folder: Path
) -> list[dict[str, Any]]:
    """`geohound check` of a server behind a certificate that ended yesterday."""
    key, certificate = expired_certificate(folder)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    BreakingProxy.real, BreakingProxy.mode = real, ""
    server = ThreadingHTTPServer(("127.0.0.1", 0), BreakingProxy)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    with running(server) as origin:
        BreakingProxy.own = origin.replace("http:", "https:")
        words = ("--catalogue", str(folder / "none.db"), "--allow-net", "127.0.0.0/8")
        url = BreakingProxy.own + path
        # A process of its own: which authorities are trusted is read once.
        done = subprocess.run(
            [sys.executable, "-m", "geohound", "check", url, "--json", *words],
            env={**os.environ, **QUICK, "SSL_CERT_FILE": str(folder / "ca.pem")},
            check=False,
            capture_output=True,
            text=True,
            timeout=60,
        )
    return [json.loads(line) for line in done.stdout.splitlines()]
