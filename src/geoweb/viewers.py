"""Scripts and configuration files of map viewers, in the idioms that real ones use to name their services."""

from __future__ import annotations

import json
import tomllib
from html import escape
from importlib import resources
from typing import NamedTuple

from geoweb.chance import mix


class Shown(NamedTuple):
    """A service as a page shows it."""

    kind: str
    endpoint: str
    request: str
    layer: str


_IDIOMS: dict[str, list[str]] = tomllib.loads(
    resources.files("geoweb").joinpath("viewers.toml").read_text("utf-8")
)
_START = "/* map viewer */\nvar map = createMap('map', {center: [%d, %d], zoom: 8});\n"


def write_script(shown: list[Shown], seed: int, oldest: int = 0) -> str:
    """JavaScript that adds the services to a map; with `oldest`, in the first so many of the idioms alone."""
    calls = [_START % (seed % 90, seed % 45)]
    for n, s in enumerate(shown):
        idioms = _IDIOMS[_manner(s.kind)][: oldest or None]
        calls.append(idioms[mix(seed, n) % len(idioms)] % _pieces(s, n))
    return "".join(calls)


def _manner(kind: str) -> str:
    """Which idioms a viewer has for a kind."""
    if kind.startswith("arcgis-") and kind != "arcgis-directory":
        return "arcgis"
    return kind if kind in {"wms", "wfs"} else "other"


def _pieces(shown: Shown, number: int) -> dict[str, object]:
    cut = shown.endpoint.index("/", len("http://"))
    mark = "&" if "?" in shown.endpoint else "?"
    return {
        "e": shown.endpoint,
        "root": shown.endpoint[:cut],
        "rest": shown.endpoint[cut:],
        "mark": mark,
        "r": shown.request,
        "l": shown.layer,
        "n": number,
    }


def config_name(seed: int, page: int) -> str:
    """Path of the configuration file of a page."""
    return f"/config/map-{page}.{'xml' if seed % 5 == 0 else 'json'}"


def write_config(shown: list[Shown], seed: int) -> tuple[str, str]:
    """Content type and text of a viewer's configuration file."""
    if seed % 5 == 0:
        rows = "".join(
            f'<layer type="{s.kind}" name="{escape(s.layer)}" url="{escape(_address(s))}"/>'
            for s in shown
        )
        return (
            "text/xml",
            f'<?xml version="1.0"?><mapconfig zoom="8"><layers>{rows}</layers></mapconfig>',
        )
    layers = [
        {"id": n, "type": s.kind, "name": s.layer, "url": _address(s)}
        for n, s in enumerate(shown)
    ]
    return "application/json", json.dumps(
        {"title": "Map", "zoom": 8, "layers": layers}, ensure_ascii=False
    )


def _address(shown: Shown) -> str:
    """Viewers know how to ask the usual kinds; of the others they need the whole request."""
    return shown.endpoint if _manner(shown.kind) != "other" else shown.request
