"""What catalogues call a protocol comes to one identifier, and what is no protocol to none."""

from __future__ import annotations

import pytest

from geohound import plugins
from geohound.harvesters._protocols import identifiers, protocol_of

# As they stand in catalogues of Europe, North America and Australia.
SPELLINGS = {
    "OGC:WMS": [
        "OGC:WMS", "OGC:WMS-1.1.1-http-get-map", "OGC:WMS-1.3.0-http-get-capabilities", "WMS", "wms", "OGC WMS",
        "OGC-WMS", "OGC:WMS:getCapabilities", "urn:ogc:serviceType:WebMapService:1.1.1", "Web Map Service",
        "http://www.opengis.net/def/serviceType/ogc/wms", "OGC Web Map Service", "WMS 1.3.0", "WMSServer",
        "https://www.ogc.org/standards/wms", "urn:ogc:def:serviceType:ogc:wms",
        "OGC:WMS-1.1.1-http-get-capabilities", "OGC:WMS:1.3.0", "OGC:WMS-http-get-capabilities",
        "Web Map Service (WMS)", "OGC Web Map Service (WMS)", "WMS Service", "wms_srvc", "wms_ows",
        "application/vnd.ogc.wms_xml", "http://www.opengis.net/spec/wms/1.3", "WMS-GetCapabilities", "WMS (OGC)",
        "http://www.opengeospatial.org/standards/wms", "Web Mapping Service", "WMS-Dienst", "Servicio WMS",
        "Flux WMS", "WMS service URL", "View service", "OGC WMS 1.1.1", "WMS_1.3.0", "INSPIRE View Service",
        "http://www.opengis.net/def/serviceType/ogc/wms/1.3.0", "Darstellungsdienst", "wms:getmap",
        "OGC WMS service", "WMS endpoint", "WMS server", "Esri WMS",
    ],
    "OGC:WFS": [
        "OGC:WFS", "OGC:WFS-1.0.0-http-get-capabilities", "OGC:WFS-1.1.0-http-get-feature", "WFS",
        "Web Feature Service", "http://www.opengis.net/def/serviceType/ogc/wfs",
        "urn:ogc:serviceType:WebFeatureService:2.0.0", "OGC:WFS-2.0.0-http-get-capabilities", "wfs_srvc",
        "WFS Service", "OGC Web Feature Service (WFS)", "application/vnd.ogc.wfs_xml", "WFS 2.0", "WFS-Dienst",
        "Servicio WFS", "OGC WFS 2.0.0 GetFeature", "wfs_download", "OGC:WFS-http-get-feature",
        "INSPIRE Download Service WFS",
    ],
    "OGC:WCS": ["OGC:WCS", "OGC:WCS-1.1.0-http-get-capabilities", "WCS", "Web Coverage Service",
                "OGC Web Coverage Service", "WCS 2.0.1", "OGC:WCS-1.0.0-http-get-coverage",
                "Web Coverage Service (WCS)"],
    "OGC:WMTS": ["OGC:WMTS", "OGC:WMTS-1.0.0", "WMTS", "OGC Web Map Tile Service",
                 "OGC:WMTS-1.0.0-http-get-capabilities", "wmts_srvc", "WMTS Service", "Web Map Tile Service (WMTS)",
                 "OGC WMTS REST"],
    "OGC:CSW": ["OGC:CSW", "CSW", "Catalogue Service for the Web", "Catalog Service for the Web (CSW)",
                "OGC CSW 2.0.2", "OGC:CSW-2.0.2-http-get-capabilities"],
    "OGC:SOS": ["OGC:SOS", "OGC:SOS-1.0.0", "Sensor Observation Service",
                "OGC:SOS-2.0.0-http-post-observation", "Sensor Observation Service (SOS)"],
    "OGC:KML": ["OGC:KML", "Google Earth KML", "KML", "application/vnd.google-earth.kml+xml"],
    "ESRI:ArcGIS:ImageServer": ["ArcGIS Image Service", "ESRI:ArcGIS:ImageServer"],
    "OGCFeat": ["OGC API Features", "OGC:API Features", "OGC:OGC-API-Features", "OGC API - Features",
                "ogcapi-features", "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/core",
                "OGC API - Features 1.0", "OAPIF"],
    "ESRI:ArcGIS": [
        "ESRI:ArcGIS", "ESRI REST", "Esri Rest API", "ArcGIS GeoServices REST API", "urn:x-esri:serviceType:ArcGIS",
        "Esri Rest Service", "esri_rest", "arcgis_rest", "ArcGIS REST Services", "Esri REST endpoint",
        "ArcGIS Server REST",
    ],
    "ESRI:ArcGIS:MapServer": ["ESRI:ArcGIS:MapServer", "Map Service", "MapServer", "ArcGIS Map Service",
                              "Esri Map Service", "ArcGIS MapServer"],
    "ESRI:ArcGIS:FeatureServer": ["ESRI:ArcGIS:FeatureServer", "Feature Service",
                                  "ArcGIS Feature Service", "Esri Feature Service", "Feature Layer"],
    "OPeNDAP:OPeNDAP": ["OPeNDAP", "OPeNDAP:OPeNDAP", "UNIDATA:OPENDAP", "OPENDAP:OPENDAP",
                        "OPeNDAP DAP2", "DAP", "DODS", "OPeNDAP URL", "THREDDS OPeNDAP"],
}  # fmt: skip
NONE = [
    "",
    "WWW:LINK-1.0-http--link",
    "WWW:DOWNLOAD-1.0-http--download",
    "HTML",
    "CSV",
    "GeoRSS",
    "OGC:GML",
    "shapefile",
    "image/png",
    "wms.pdf",
    "service",
    "download service",
    "text/csv",
    "wmsx",
    "http",
    "ogc",
]


@pytest.mark.parametrize(
    ("label", "wanted"),
    [(said, name) for name, labels in SPELLINGS.items() for said in labels],
)
def test_every_spelling_of_a_protocol_is_one_identifier(
    label: str, wanted: str
) -> None:
    assert protocol_of(label) == wanted


@pytest.mark.parametrize("label", NONE)
def test_what_is_no_protocol_has_no_identifier(label: str) -> None:
    assert protocol_of(label) == ""


def test_the_first_label_that_is_understood_counts() -> None:
    assert protocol_of(None, 17, "information", "WMS", "WFS") == "OGC:WMS"


def test_identifiers_are_those_of_the_kinds_where_there_is_one() -> None:
    of_kinds = {kind.protocol for kind in plugins.discover("kinds").values()}
    assert set(identifiers()) - of_kinds == {
        "OGC:WFS-G",
        "UNIDATA:NCSS",
        "ERDDAP:griddap",
    }


def test_long_labels_cost_little() -> None:
    assert protocol_of("ogc " * 100_000) == ""
