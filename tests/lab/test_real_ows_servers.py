"""The OGC web services of real servers are identified in every version that they speak."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest
from lab_truth import DEPTH, FEATURES, FEATURES_BOX, MAPS, MARKS, Truth, check, pick
from lab_world import DEPTH_BOX

from geohound.model.service import Verdict

pytestmark = MARKS
Identify = Callable[[str], Verdict]

MAPSERV = "mapserver/cgi-bin/mapserv?map=BALTIC"
SEA = {"sea": DEPTH_BOX, "sea_uncached": DEPTH_BOX}


def asked(
    endpoint: str, service: str, versions: Iterable[str]
) -> Iterable[tuple[str, str]]:
    """The full request for each version."""
    join = "&" if "?" in endpoint else "?"
    for version in versions:
        yield (
            f"{endpoint}{join}SERVICE={service}&VERSION={version}&REQUEST=GetCapabilities",
            version,
        )


def mapserver_cases() -> Iterable[tuple[str, Truth]]:
    title = "Baltic MapServer"
    for place, version in asked(MAPSERV, "WMS", ["1.0.0", "1.1.0", "1.1.1", "1.3.0"]):
        yield (
            place,
            Truth("wms", version, title, {"baltic": DEPTH_BOX, **MAPS}, DEPTH_BOX),
        )
    for place, version in asked(MAPSERV, "WFS", ["1.0.0", "1.1.0", "2.0.0"]):
        # Only its WFS 2.0 writes feature types with their namespace.
        layers = {
            f"ms:{name}" if version == "2.0.0" else name: box
            for name, box in FEATURES.items()
        }
        yield place, Truth("wfs", version, title, layers, FEATURES_BOX)
    for place, version in asked(MAPSERV, "WCS", ["1.0.0", "1.1.0", "1.1.1", "1.1.2"]):
        yield place, Truth("wcs", version, title, DEPTH, DEPTH_BOX)
    for place, version in asked(MAPSERV, "WCS", ["2.0.0", "2.0.1"]):
        # WCS 2.0 may list coverages without their boxes
        yield (place, Truth("wcs", version, title, {"depth": None}))


def qgis_cases() -> Iterable[tuple[str, Truth]]:
    title = "Baltic QGIS"
    for place, version in asked("qgis/", "WMS", ["1.1.1", "1.3.0"]):
        yield place, Truth("wms", version, title, MAPS, DEPTH_BOX)
    for place, version in asked("qgis/", "WFS", ["1.0.0", "1.1.0"]):
        yield place, Truth("wfs", version, title, FEATURES, FEATURES_BOX)
    for place, version in asked("qgis/", "WCS", ["1.0.0"]):
        yield place, Truth("wcs", version, title, DEPTH, DEPTH_BOX)
    for place, version in asked("qgis/", "WMTS", ["1.0.0"]):
        yield place, Truth("wmts", version, title, MAPS, DEPTH_BOX)


def mapproxy_cases() -> Iterable[tuple[str, Truth]]:
    tiles = Truth("wmts", "1.0.0", "Baltic tiles", {"sea": DEPTH_BOX}, DEPTH_BOX)
    for place, version in asked("mapproxy/service", "WMS", ["1.1.1", "1.3.0"]):
        yield place, Truth("wms", version, "Baltic MapProxy", SEA, DEPTH_BOX)
    for place, _ in asked("mapproxy/service", "WMTS", ["1.0.0"]):
        yield place, tiles
    yield "mapproxy/wmts/1.0.0/WMTSCapabilities.xml", tiles


def other_cases() -> Iterable[tuple[str, Truth]]:
    for place, version in asked("pycsw/csw", "CSW", ["2.0.2", "3.0.0"]):
        yield place, Truth("csw", version, "Baltic pycsw")
    for place, version in asked("pywps/wps", "WPS", ["1.0.0"]):
        yield (
            place,
            Truth("wps", version, "Baltic PyWPS", {"tally": None, "fathoms": None}),
        )
    for place, version in asked("eoxserver/ows", "WCS", ["1.0.0", "1.1.2"]):
        yield place, Truth("wcs", version, "Baltic EOxServer", DEPTH, DEPTH_BOX)
    for place, version in asked("eoxserver/ows", "WCS", ["2.0.1"]):
        yield place, Truth("wcs", version, "Baltic EOxServer", {"depth": None})
    for place, version in asked("eoxserver/ows", "WMS", ["1.1.1", "1.3.0"]):
        yield place, Truth("wms", version, "Baltic EOxServer", DEPTH, DEPTH_BOX)


CASES = [*mapserver_cases(), *qgis_cases(), *mapproxy_cases(), *other_cases()]


@pytest.mark.parametrize(("place", "truth"), CASES, ids=[place for place, _ in CASES])
def test_a_capabilities_request_tells_what_is_configured(
    identify: Identify, address: Callable[[str], str], place: str, truth: Truth
) -> None:
    verdict = identify(place)
    service = check(verdict, truth)
    assert len(verdict.tried) == 1
    is_file = "SERVICE=" not in place
    bare = place if is_file else place.partition("SERVICE=")[0].rstrip("?&")
    assert service.endpoint == address(bare)


BARE = [
    (
        "mapserver/cgi-bin/mapserv?map=BALTIC&service=WMS",
        "wms",
        "1.3.0",
        "Baltic MapServer",
    ),
    (
        "mapserver/cgi-bin/mapserv?map=BALTIC&service=WFS",
        "wfs",
        "2.0.0",
        "Baltic MapServer",
    ),
    (
        "mapserver/cgi-bin/mapserv?map=BALTIC&service=WCS",
        "wcs",
        "2.0.1",
        "Baltic MapServer",
    ),
    (
        "mapserver/cgi-bin/mapserv?map=BALTIC&service=SOS",
        "sos",
        "1.0.0",
        "Baltic buoys",
    ),
    ("qgis/?SERVICE=WMS", "wms", "1.3.0", "Baltic QGIS"),
    ("qgis/?SERVICE=WMTS", "wmts", "1.0.0", "Baltic QGIS"),
    ("mapproxy/service", "wms", "1.3.0", "Baltic MapProxy"),
    ("mapproxy/wmts", "wmts", "1.0.0", "Baltic tiles"),
    ("pycsw/csw", "csw", "3.0.0", "Baltic pycsw"),
    ("pycsw/", "csw", "3.0.0", "Baltic pycsw"),
    ("pywps/wps", "wps", "1.0.0", "Baltic PyWPS"),
    ("eoxserver/ows?service=WCS", "wcs", "2.0.1", "Baltic EOxServer"),
]


@pytest.mark.parametrize(
    ("place", "kind", "version", "title"), BARE, ids=[case[0] for case in BARE]
)
def test_a_bare_endpoint_is_asked_the_right_question(
    identify: Identify, place: str, kind: str, version: str, title: str
) -> None:
    service = pick(identify(place), kind)
    assert (service.version, service.title) == (version, title)


def test_an_endpoint_shared_by_many_services_proves_them_all(
    identify: Identify, address: Callable[[str], str]
) -> None:
    services = identify(MAPSERV).services
    assert {service.endpoint for service in services} == {address(MAPSERV)}
    titles = {service.kind: service.title for service in services}
    expected = {
        "wms": "Baltic MapServer",
        "wfs": "Baltic MapServer",
        "wcs": "Baltic MapServer",
        "sos": "Baltic buoys",
    }
    assert titles == expected


DATA_REQUESTS = [
    (f"{MAPSERV}&SERVICE=WMS&VERSION=1.3.0&REQUEST=GetMap&LAYERS=harbours&STYLES=&CRS=EPSG:4326"
     "&BBOX=54,12,64,27&WIDTH=300&HEIGHT=200&FORMAT=image/png", "wms"),
    (f"{MAPSERV}&SERVICE=WFS&VERSION=1.1.0&REQUEST=GetFeature&TYPENAME=harbours", "wfs"),
    (f"{MAPSERV}&SERVICE=WCS&VERSION=2.0.1&REQUEST=DescribeCoverage&COVERAGEID=depth", "wcs"),
    (f"{MAPSERV}&SERVICE=SOS&VERSION=1.0.0&REQUEST=GetObservation", "sos"),
    ("qgis/?SERVICE=WMS&REQUEST=GetMap", "wms"),
    ("pycsw/csw?service=CSW&version=2.0.2&request=GetRecords", "csw"),
    ("pywps/wps?service=WPS&version=1.0.0&request=DescribeProcess&identifier=tally", "wps"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("place", "kind"), DATA_REQUESTS, ids=[case[0] for case in DATA_REQUESTS]
)
def test_the_service_behind_a_request_for_data_is_found(
    identify: Identify, place: str, kind: str
) -> None:
    assert pick(identify(place), kind).title.startswith("Baltic")


def test_a_sensor_observation_service_tells_its_offering(identify: Identify) -> None:
    service = pick(
        identify(f"{MAPSERV}&SERVICE=SOS&VERSION=1.0.0&REQUEST=GetCapabilities"), "sos"
    )
    assert (service.version, service.title) == ("1.0.0", "Baltic buoys")
    assert [(x.name, x.title, x.abstract, x.times) for x in service.layers] == [
        (
            "WaterTemperature",
            "Water temperature",
            "Hourly water temperature of two buoys.",
            ("2025-06-01T00:00:00/2025-06-01T02:00:00",),
        )
    ]


def test_a_processing_service_asked_for_its_second_version_speaks_it(
    identify: Identify,
) -> None:
    # PyWPS 4 writes the names of its template's variables in place of its processes: they are not looked at.
    service = pick(
        identify("pywps/wps?service=WPS&request=GetCapabilities&acceptversions=2.0.0"),
        "wps",
    )
    assert (service.version, service.title) == ("2.0.0", "Baltic PyWPS")


def test_metadata_of_a_map_service_are_read_as_configured(identify: Identify) -> None:
    service = pick(
        identify(f"{MAPSERV}&SERVICE=WMS&VERSION=1.3.0&REQUEST=GetCapabilities"), "wms"
    )
    assert service.abstract == "Harbours, basins and depths of a small Baltic Sea."
    assert service.keywords == ("harbours", "basins", "bathymetry")
    assert service.provider.name == "Baltic Lab"
    assert service.provider.contact == "Harbour Master"
    assert service.provider.email == "master@baltic.example"
    assert service.software.startswith("MapServer 8.")
    harbours = next(layer for layer in service.layers if layer.name == "harbours")
    assert (harbours.title, harbours.abstract) == (
        "Harbours",
        "Five harbours and their cargo.",
    )
    assert harbours.keywords == ("ports",)
    assert {"EPSG:4326", "EPSG:3857", "EPSG:3006"} <= set(harbours.crs)
    assert harbours.queryable


def test_each_software_is_told_apart(identify: Identify) -> None:
    places = {
        "QGIS Server": "qgis/?SERVICE=WMS&REQUEST=GetCapabilities",
        "MapProxy": "mapproxy/service?SERVICE=WMS&REQUEST=GetCapabilities",
        "pycsw 2.6.2": "pycsw/csw",
        "PyWPS 4.8.1": "pywps/wps",
    }
    assert {identify(place).services[0].software for place in places.values()} == set(
        places
    )
