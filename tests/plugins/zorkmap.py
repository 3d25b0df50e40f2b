"""A protocol that nobody speaks, as an outside package would bring it: this file, and an entry point that names it."""

from __future__ import annotations

from collections.abc import Sequence

from geohound import urls
from geohound.document import Document
from geohound.model.addresses import Addresses, Clarity, Kvp, ScriptIdioms
from geohound.model.bbox import BBox
from geohound.model.layer_request import LayerRequest, Rel
from geohound.model.service import Extent, Layer, Service


class Zorkmap:
    id = "zorkmap"
    title = "Zork map"
    protocol = "ZORK:MAP"
    addresses = Addresses(
        name="zork",
        clarity=Clarity.ANYWHERE,
        ends=("zork",),
        kvp=Kvp(services=("zork",), requests=("getcave",), asked_as="ZORK"),
        labels=("zorkcaves",),
        scripts=ScriptIdioms(
            calls="Frobozz.CaveLayer|0.lair", words=("frobozz", "zork")
        ),
    )

    def suspects(self, url: str) -> bool:
        asked = urls.params_lower(url).get("service", "").lower()
        return asked == "zork" or url.partition("?")[0].endswith("/zork")

    def probe_urls(self, url: str) -> Sequence[str]:
        return (
            urls.with_params(
                urls.endpoint(url), {"SERVICE": "ZORK", "REQUEST": "GetCapabilities"}
            ),
        )

    def read(self, document: Document) -> Service | None:
        told = document.json
        if not isinstance(told, dict) or not isinstance(told.get("zork"), str):
            return None
        layers = tuple(_cave(entry) for entry in told["caves"])
        return Service(
            self.id,
            urls.endpoint(document.url),
            told["zork"],
            title=told["title"],
            layers=layers,
        )

    def requests(
        self, service: Service, layer: Layer, box: BBox | None
    ) -> Sequence[LayerRequest]:
        asked = {"SERVICE": "ZORK", "REQUEST": "GetCave", "CAVE": layer.name}
        if box is not None:
            asked["BBOX"] = ",".join(f"{number:g}" for number in box.as_tuple())
        return (
            LayerRequest(
                Rel.MAP,
                "GetCave",
                urls.with_params(service.endpoint, asked),
                "image/png",
            ),
        )


def _cave(entry: dict[str, object]) -> Layer:
    box = BBox(*map(float, str(entry["bbox"]).split(",")))
    return Layer(
        str(entry["name"]), str(entry["title"]), extent=Extent(box, box.as_tuple())
    )


KINDS = (Zorkmap(),)
