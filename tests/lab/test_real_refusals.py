"""What real servers answer that is no service is refused, with the reason that a person would give."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from lab_truth import MARKS, pick

from geohound import app
from geohound.model.service import RefusalReason, Verdict

pytestmark = MARKS
Identify = Callable[[str], Verdict]

R = RefusalReason
REFUSED = [
    ("mapserver/", R.HTML_PAGE),
    ("mapserver/nowhere", R.NOT_FOUND),
    # MapServer says on a page, with status 200, that it was not told which map to use.
    ("mapserver/cgi-bin/mapserv/BALTIC", R.HTML_PAGE),
    ("mapserver/cgi-bin/mapserv", R.HTML_PAGE),
    (
        "mapserver/cgi-bin/mapserv?map=ATLANTIC&SERVICE=WMS&REQUEST=GetCapabilities",
        R.HTML_PAGE,
    ),
    ("qgis/", R.OTHER_KIND),  # the list of its projects
    ("mapproxy/", R.HTML_PAGE),
    ("mapproxy/demo/", R.HTML_PAGE),
    ("mapproxy/nowhere", R.NOT_FOUND),
    ("pygeoapi/openapi", R.OTHER_KIND),
    ("pygeoapi/jobs", R.OTHER_KIND),
    ("pygeoapi/nowhere", R.NOT_FOUND),
    ("sensorthings/", R.NOT_FOUND),
    ("koop/", R.NOT_FOUND),
    (
        "koop/file-geojson/rest/services/harbours/MapServer",
        R.EXCEPTION_REPORT,
    ),  # status 200 and an error inside
    ("koop/file-geojson/rest/services", R.NOT_FOUND),
    ("pydap/", R.HTML_PAGE),
    ("pydap/forecast.nc", R.OTHER_KIND),  # the file itself
    ("pydap/nothing.nc.dds", R.NOT_FOUND),
    ("stac/search", R.OTHER_KIND),
    ("stac/api.html", R.HTML_PAGE),
    ("stac/nowhere", R.NOT_FOUND),
    ("tipg/?f=html", R.HTML_PAGE),  # a landing page that names no JSON twin
    ("tipg/nowhere", R.NOT_FOUND),
    ("eoxserver/nowhere", R.NOT_FOUND),
]


@pytest.mark.parametrize(
    ("place", "reason"), REFUSED, ids=[place for place, _ in REFUSED]
)
def test_an_answer_that_is_no_service_is_refused(
    identify: Identify, place: str, reason: RefusalReason
) -> None:
    verdict = identify(place)
    assert verdict.services == ()
    assert verdict.refusal is not None
    assert verdict.refusal.reason is reason


READINGS = [
    ("mapserver/cgi-bin/mapserv?map=BALTIC&SERVICE=WMS&VERSION=1.3.0&REQUEST=GetMap", R.EXCEPTION_REPORT, "wms"),
    ("mapserver/cgi-bin/mapserv?map=BALTIC&SERVICE=WFS&VERSION=2.0.0&REQUEST=GetFeature&TYPENAMES=fish",
     R.EXCEPTION_REPORT, "wfs"),
    ("mapserver/cgi-bin/mapserv?map=BALTIC&SERVICE=WCS&VERSION=2.0.1&REQUEST=GetCoverage", R.EXCEPTION_REPORT, "wcs"),
    ("mapserver/cgi-bin/mapserv?map=BALTIC&SERVICE=SOS&VERSION=1.0.0&REQUEST=GetObservation",
     R.EXCEPTION_REPORT, "sos"),
    ("mapserver/cgi-bin/mapserv?map=BALTIC&SERVICE=WMS&VERSION=1.3.0&REQUEST=GetMap&LAYERS=depth&STYLES="
     "&CRS=EPSG:4326&BBOX=54,12,64,27&WIDTH=450&HEIGHT=300&FORMAT=image/png", R.OTHER_KIND, ""),
    ("mapserver/cgi-bin/mapserv?map=BALTIC&SERVICE=WFS&VERSION=1.1.0&REQUEST=GetFeature&TYPENAME=harbours",
     R.OTHER_KIND, "wfs"),  # features that name the WFS they come from
    ("qgis/?SERVICE=WMS&VERSION=1.3.0&REQUEST=GetMap", R.EXCEPTION_REPORT, "wms"),
    ("mapproxy/service?SERVICE=WMS&VERSION=1.1.1&REQUEST=GetMap", R.EXCEPTION_REPORT, "wms"),
    ("pycsw/csw?service=CSW&version=2.0.2&request=GetRecords", R.EXCEPTION_REPORT, "csw"),
    ("pywps/wps", R.EXCEPTION_REPORT, ""),
    ("eoxserver/ows", R.EXCEPTION_REPORT, ""),
    ("pygeoapi/collections/harbours/items?f=json", R.OTHER_KIND, ""),
]  # fmt: skip


@pytest.mark.parametrize(
    ("place", "reason", "kind"), READINGS, ids=[place for place, _, _ in READINGS]
)
def test_one_answer_alone_is_not_taken_for_a_service(
    read: Callable[[str], Verdict], place: str, reason: RefusalReason, kind: str
) -> None:
    verdict = read(place)
    assert verdict.services == ()
    assert verdict.refusal is not None
    assert (verdict.refusal.reason, verdict.refusal.kind) == (reason, kind)


def test_an_unknown_collection_still_reveals_the_api_around_it(
    identify: Identify,
) -> None:
    assert (
        pick(identify("pygeoapi/collections/nothing"), "ogcapi-features").title
        == "Baltic pygeoapi"
    )


def test_every_kind_reads_every_answer_of_the_lab_without_a_second_claim(
    read: Callable[[str], Verdict],
) -> None:
    """No capabilities document is taken for two kinds of web service at once."""
    ows = {
        "wms",
        "wfs",
        "wcs",
        "wmts",
        "wps",
        "csw",
        "sos",
        "sps",
        "wcps",
    } & app.kinds().keys()
    base = "mapserver/cgi-bin/mapserv?map=BALTIC&REQUEST=GetCapabilities&SERVICE="
    for service in ("WMS", "WFS", "WCS", "SOS"):
        assert [s.kind for s in read(base + service).services if s.kind in ows] == [
            service.lower()
        ]
