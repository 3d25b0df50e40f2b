"""Opens what was found: for each layer and box the requests that work, and snippets for the programs people use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from geohound.model.bbox import BBox
from geohound.model.service import Layer, Service
from geohound.urls import canonical

from . import coverages, features, maps, others, tiles
from .parts import Ask, Link, Opening, Preview, Rel, Snippet
from .places import WORLD, view

__all__ = ["Link", "Opening", "Preview", "Rel", "Snippet", "open_layer"]

_OPENERS: Mapping[str, Callable[[Ask], Opening]] = MappingProxyType(
    {
        "wms": maps.open_wms,
        "wfs": features.open_wfs,
        "wcs": coverages.open_wcs,
        "wmts": tiles.open_wmts,
        "tms": tiles.open_tms,
        "xyz": tiles.open_xyz,
        "tilejson": tiles.open_xyz,
        "csw": others.open_csw,
        "wps": others.open_wps,
        "sos": others.open_sos,
        "sps": others.open_sos,
        "wcps": others.open_sos,
        "ogcapi-features": features.open_items,
        "ogcapi-records": features.open_items,
        "ogcapi-tiles": tiles.open_api_tiles,
        "ogcapi-maps": coverages.open_api_map,
        "ogcapi-coverages": coverages.open_api_coverage,
        "ogcapi-edr": coverages.open_edr,
        "ogcapi-processes": others.open_processes,
        "ogcapi-styles": others.open_styles,
        "stac-api": features.open_items,
        "arcgis-mapserver": maps.open_arcgis_map,
        "arcgis-imageserver": maps.open_arcgis_map,
        "arcgis-featureserver": features.open_arcgis_features,
        "arcgis-vectortileserver": tiles.open_arcgis_tiles,
        "sensorthings": others.open_sensorthings,
        "erddap": others.open_erddap,
        "opendap": others.open_opendap,
    }
)


def open_layer(service: Service, layer: Layer | None = None, box: BBox | None = None) -> Opening:
    """The ways into a layer, or into the service's first one; at a box, or at all of it.

    An endpoint that no browser would call a web address opens nothing.
    """
    if canonical(service.endpoint) is None:
        return Opening(WORLD)
    chosen = layer or (service.layers[0] if service.layers else Layer(""))
    ask = Ask(service, chosen, view(service, chosen, box), box is not None)
    return _OPENERS.get(service.kind, others.open_document)(ask)
