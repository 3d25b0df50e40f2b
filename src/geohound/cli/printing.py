"""Print for people or for machines."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import orjson
import typer
from rich.console import Console

from geohound import urls
from geohound.model.bbox import BBox
from geohound.model.query import Hit
from geohound.model.service import Layer, Service, Verdict

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)


def line(value: dict[str, Any]) -> None:
    """One JSON object on a line of its own, at once."""
    try:
        written = orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError:  # a lone surrogate from a hostile document, which UTF-8 cannot carry
        written = json.dumps(value, separators=(",", ":")).encode() + b"\n"
    sys.stdout.buffer.write(written)
    sys.stdout.buffer.flush()


def say(text: str) -> None:
    """A plain line; what comes from the network is never read as markup, nor as terminal control."""
    sys.stdout.write(printable(text) + "\n")


def count(number: int, thing: str) -> str:
    """How many, with an s where it belongs: 1 service, 1,234 services."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def drop_output() -> None:
    """The reader (head, less) has gone; do not let the interpreter complain about the same pipe again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def to_a_reader() -> Iterator[None]:
    """Print all of this, or as much as is read: who looks at the first lines only has seen enough."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        drop_output()
        raise typer.Exit(0) from None


def way_out(trouble: str) -> str:
    """What to do where an address may not be visited."""
    if "forbidden net" not in trouble or "allow_ports" in trouble:
        return ""
    return "\n  allow it with --allow-net, if it is yours"


def printable(text: str) -> str:
    """Control characters, which could drive a terminal, made harmless."""
    return "".join(c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text)


def box_list(box: BBox | None) -> list[float] | None:
    return [round(edge, 6) for edge in box.as_tuple()] if box else None


def layer_object(layer: Layer) -> dict[str, Any]:
    box = layer.extent.box if layer.extent else None
    return {"name": layer.name, "title": layer.title, "bbox": box_list(box)}


def identified(source: str, verdict: Verdict, elapsed_ms: float) -> dict[str, Any]:
    """The line that `identify` prints for one input."""
    first = verdict.services[0] if verdict.services else None
    refusal = verdict.refusal
    shown = first or Service(kind="", endpoint="")
    return {
        "input": source,
        "kind": first.kind if first else None,
        "kinds": [s.kind for s in verdict.services],
        **described(shown),
        "endpoint": web_endpoint(first) if first else None,
        "refusal": {"reason": str(refusal.reason), "detail": refusal.detail} if refusal and not first else None,
        "lists": list(refusal.lists) if refusal else [],
        "elapsed_ms": round(elapsed_ms, 1),
    }


def web_endpoint(service: Service) -> str | None:
    """The endpoint; for a saved answer the one that the document itself names, if it does."""
    if not service.endpoint.startswith("file:"):
        return service.endpoint
    named = [service.online_resource, *(o.get for o in service.operations)]
    return next((urls.endpoint(u) for u in named if u.startswith(("http://", "https://"))), None)


def described(service: Service) -> dict[str, Any]:
    """What a service says of itself, as JSON values."""
    provider, access = service.provider, service.access
    return {
        "version": service.version or None,
        "versions": list(service.versions),
        "endpoint": service.endpoint,
        "title": service.title,
        "abstract": service.abstract,
        "keywords": list(service.keywords),
        "layers": [layer_object(layer) for layer in service.layers],
        "bbox": box_list(service.extent.box) if service.extent else None,
        "software": service.software or None,
        "provider": {
            "name": provider.name,
            "contact": provider.contact,
            "email": provider.email,
            "site": provider.site,
        },
        "access": {"fees": access.fees, "constraints": access.constraints, "licence": access.licence},
        "language": service.language,
        "cors": service.cors or None,
        "repairs": list(service.repairs),
    }


def hit(found: Hit) -> dict[str, Any]:
    """The line that `search` prints for one hit."""
    service = found.service
    return {
        "id": service.id,
        "kind": service.kind,
        "endpoint": service.endpoint,
        "title": service.title,
        "score": round(found.score, 4),
        "bbox": box_list(service.extent.box) if service.extent else None,
        "layers": [layer_object(layer) for layer in found.layers],
        "match_count": found.match_count,
        "layer_count": found.layer_count,
        "state": str(found.state),
        "why": found.why,
        "also": list(found.also),
    }
