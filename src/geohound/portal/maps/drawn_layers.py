"""Layers that a map shows or may show: each as a record for the page's script, and as a word of the page's address."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from geohound.model.bbox import BBox
from geohound.model.service import Layer, Service
from geohound.portal.formatting import box_text, line, name
from geohound.portal.portal import Portal
from geohound.views.opening import Opening

from .drawing import Drawing, drawing_of

MAX_LAYERS = 12
_SEPARATOR = "~"  # between id, layer and opacity
_MAX_CHARS = 600


@dataclass(frozen=True, slots=True)
class DrawnLayer:
    """One layer of one service, and how a browser draws it."""

    service: Service
    layer: Layer | None
    drawing: Drawing
    box: BBox | None
    opacity: int = 100  # per cent

    @property
    def word(self) -> str:
        """How the address of a page names it."""
        shown = self.layer.name if self.layer else ""
        return f"{self.service.id}{_SEPARATOR}{shown}{_SEPARATOR}{self.opacity}"

    def record(self) -> dict[str, Any]:
        """For the page's script."""
        title = line(self.layer.title or self.layer.name) if self.layer else ""
        return {
            **asdict(self.drawing),
            "service": self.service.id,
            "kind": self.service.kind,
            "layer": self.layer.name if self.layer else "",
            "title": (title or name(self.service))[:200],
            "provider": name(self.service)[:200],
            "bbox": box_text(self.box),
            "opacity": self.opacity,
        }


def drawn_layer(
    service: Service, layer: Layer | None, opening: Opening, opacity: int = 100
) -> DrawnLayer | None:
    """None where no browser can draw it."""
    drawing = drawing_of(opening.links)
    return (
        DrawnLayer(service, layer, drawing, opening.box, opacity) if drawing else None
    )


def layers_named(portal: Portal, words: Sequence[str]) -> list[DrawnLayer]:
    """The layers that the address of a page names, from below to above; what cannot be drawn is left out."""
    found = [_named(portal, word[:_MAX_CHARS]) for word in words[:MAX_LAYERS]]
    return [each for each in found if each is not None]


def _named(portal: Portal, word: str) -> DrawnLayer | None:
    service_id, _, rest = word.partition(_SEPARATOR)
    layer_name, _, opacity = rest.rpartition(_SEPARATOR)
    service = portal.catalogue.get(service_id)
    if service is None:
        return None
    layer = (
        next((la for la in service.layers if la.name == layer_name), None)
        if layer_name
        else None
    )
    shown = (
        min(int(opacity), 100)
        if opacity.isascii() and opacity.isdigit() and len(opacity) <= 3
        else 100
    )
    opening = portal.open(service, layer, None, with_snippets=False)
    return drawn_layer(service, layer, opening, shown)
