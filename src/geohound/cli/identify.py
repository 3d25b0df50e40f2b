"""`geohound identify`: say what each input is, alive or not, and why not."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from geohound import assembly, probe
from geohound.contracts import Fetcher, Kind
from geohound.model.service import Refusal, RefusalReason, Verdict
from geohound.settings import Settings

from . import options, printing
from .inputs import Input, read_input


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: geohound identify https://example.org/geoserver/ows saved-capabilities.xml")(identify)


def identify(
    inputs: Annotated[list[str], typer.Argument(metavar="URL|FILE…", help="Addresses, or files with saved answers.")],
    catalogue: options.CATALOGUE = None,
    config: options.CONFIG = None,
    json: options.JSON = False,
    quiet: options.QUIET = False,
    verbose: options.VERBOSE = False,
    connect_to: options.CONNECT_TO = None,
    allow_net: options.ALLOW_NET = None,
) -> None:
    """Say what each URL or file is: the kind of service, its version and layers, or why it is none."""
    del quiet
    settings = options.gather(
        config, catalogue=catalogue, connect_to=connect_to, allow_nets=allow_net, host_delay_s=0.0
    )
    meant = [(text, read_input(text)) for text in inputs]
    all_known = asyncio.run(_identify_all(meant, settings, json, verbose))
    options.close(meant, all_done=all_known)


async def _identify_all(inputs: list[tuple[str, Input]], settings: Settings, as_json: bool, verbose: bool) -> bool:
    kinds = assembly.kinds()
    fetcher = assembly.fetcher(settings)
    known = True
    try:
        for source, meant in inputs:
            began = time.perf_counter()
            verdict = await _identify(meant, fetcher, kinds, settings)
            report = printing.identified(source, verdict, (time.perf_counter() - began) * 1000)
            known = known and bool(verdict.services)
            if as_json:
                printing.line(report)
            elif meant.wrong:
                printing.say(f"✗ {source}\n  {meant.wrong}")
            else:
                _show(report, verdict, verbose)
    finally:
        await fetcher.close()
    return known


async def _identify(meant: Input, fetcher: Fetcher, kinds: Mapping[str, Kind], settings: Settings) -> Verdict:
    if meant.wrong:
        return Verdict(refusal=Refusal(RefusalReason.INCONCLUSIVE, meant.wrong))
    if meant.path is not None:
        return probe.recognise(assembly.document_from_file(meant.path, settings.max_service_bytes), kinds)
    return await probe.identify(meant.url, fetcher, kinds, settings.max_service_bytes)


def _show(report: dict[str, Any], verdict: Verdict, verbose: bool) -> None:
    if verdict.refusal and not verdict.services:
        detail = f" ({verdict.refusal.detail})" if verdict.refusal.detail else ""
        hint = printing.way_out(verdict.refusal.detail)
        printing.say(f"✗ {report['input']}\n  no service: {verdict.refusal.reason}{detail}{hint}")
    for service in verdict.services:
        title = service.title or "(no title)"
        printing.say(f"✓ {report['input']}\n  {service.kind} {service.version}  {title}")
        printing.say(f"  endpoint {printing.web_endpoint(service) or '(not told by the file)'}")
        names = ", ".join(layer.title or layer.name for layer in service.layers[:5])
        more = f" and {len(service.layers) - 5} more" if len(service.layers) > 5 else ""
        printing.say(f"  {printing.count(len(service.layers), 'layer')}{': ' + names + more if names else ''}")
        if service.repairs:
            printing.say(f"  repaired: {'; '.join(service.repairs)}")
    if verbose:
        printing.say("  asked: " + ", ".join(verdict.tried))
