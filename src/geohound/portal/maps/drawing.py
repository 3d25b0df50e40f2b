"""How the map on a page draws a layer: the first request that a browser can make by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from geohound.model.layer_request import (
    ArcgisPicture,
    FeatureRequest,
    LayerRequest,
    Picture,
    TileTemplate,
    VectorFile,
    WfsFeatures,
    WmsPicture,
    WmtsTile,
)
from geohound.urls import with_params

_MOST_FEATURES = "500"


@dataclass(frozen=True, slots=True)
class Drawing:
    """How the page's script draws it, with the address and its parameters.

    The type is wms, xyz, mvt, arcgis, image, geojson, gml or kml; `legend` is a picture, where there is one.
    """

    type: str
    url: str
    params: Mapping[str, str] = field(default_factory=dict)
    legend: str = ""


def drawing_of(requests: Sequence[LayerRequest]) -> Drawing | None:
    return next(filter(None, map(_drawing, requests)), None)


def _drawing(request: LayerRequest) -> Drawing | None:
    match request:
        case WmsPicture():
            return Drawing("wms", request.base, _wms_params(request), _legend(request))
        case ArcgisPicture():
            shown = "" if request.number is None else f"show:{request.number}"
            return Drawing(
                "arcgis",
                request.root,
                {"LAYERS": shown, "IMAGE": "1" if request.is_image else ""},
            )
        case Picture():
            return Drawing("image", request.url)
        case TileTemplate(is_vector=True):
            return Drawing("mvt", request.template)
        case WmtsTile() | TileTemplate() if request.template:
            return Drawing("xyz", request.template)
        case VectorFile(driver="KML" | "LIBKML", is_zipped=False):
            return Drawing("kml", request.url)
        case FeatureRequest() if "json" in request.media_type or isinstance(
            request, WfsFeatures
        ):
            more = {request.limit_name: _MOST_FEATURES} if request.limit_name else {}
            return Drawing(
                "geojson" if "json" in request.media_type else "gml",
                with_params(request.url, more),
            )
        case _:
            return None


def _wms_params(request: WmsPicture) -> dict[str, str]:
    return {
        "LAYERS": request.name,
        "VERSION": request.version,
        "FORMAT": request.media_type,
        "CRS": request.crs,
    }


def _legend(request: WmsPicture) -> str:
    asked = {
        "SERVICE": "WMS",
        "REQUEST": "GetLegendGraphic",
        "VERSION": request.version,
        "LAYER": request.name,
    }
    return with_params(
        request.base, {**asked, "FORMAT": "image/png", "SLD_VERSION": "1.1.0"}
    )
