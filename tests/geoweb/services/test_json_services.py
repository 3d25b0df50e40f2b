"""The services that speak JSON: OGC APIs, STAC, ArcGIS, SensorThings, ERDDAP; and the catalogues."""

from __future__ import annotations

import orjson
import pytest
from lxml import etree

from geoweb import services
from geoweb.box import Box


def _json(reply):
    assert reply.status == 200
    return orjson.loads(reply.body)


OGC_APIS = [k for k in services.KINDS if k.startswith("ogcapi-")]
COLLECTIONS = [k for k in OGC_APIS if k not in ("ogcapi-processes", "ogcapi-styles")]


@pytest.mark.parametrize("kind", OGC_APIS)
def test_a_landing_page_links_to_its_conformance_which_names_the_standard(
    kind, make_spec, ask
):
    for seed in range(4):
        spec = make_spec(kind, seed=seed)
        page = _json(ask(spec, services.request_url(spec)))
        assert page["title"] == services.facts(spec).title
        links = {link["rel"]: link["href"] for link in page["links"]}
        assert {"self", "service-desc", "conformance"} <= set(links)
        classes = _json(ask(spec, links["conformance"]))["conformsTo"]
        assert (
            f"http://www.opengis.net/spec/{kind}-1/{spec.version}/conf/core" in classes
        )
        assert _json(ask(spec, links["service-desc"]))["openapi"].startswith("3.")


@pytest.mark.parametrize("kind", COLLECTIONS)
def test_collections_have_the_names_and_boxes_of_the_facts_and_their_links_answer(
    kind, make_spec, ask
):
    spec = make_spec(kind, seed=2)
    found = _json(ask(spec, spec.endpoint + "/collections"))["collections"]
    assert tuple(c["id"] for c in found) == services.facts(spec).layers
    assert Box(*found[0]["extent"]["spatial"]["bbox"][0]) == services.facts(spec).bbox
    for link in found[0]["links"]:
        extra = "?coords=POINT(6 46)" if link["href"].endswith("/position") else ""
        assert ask(spec, link["href"] + extra).status == 200


def test_a_browser_gets_html_that_leads_to_the_json(make_spec, ask):
    spec = make_spec("ogcapi-features", seed=2)
    reply = ask(
        spec, spec.endpoint, headers={"accept": "text/html,application/xhtml+xml"}
    )
    assert reply.content_type.startswith("text/html")
    assert b'rel="alternate" type="application/json"' in reply.body


@pytest.mark.parametrize("kind", ["ogcapi-features", "ogcapi-records"])
def test_items_are_paged_by_their_next_links_without_loss(kind, make_spec, ask):
    spec = make_spec(kind, seed=2)
    listed = tuple(make_spec("wms", seed=s) for s in range(9))
    url = f"{spec.endpoint}/collections/{services.facts(spec).layers[0]}/items?limit=4"
    seen = []
    while url:
        page = _json(ask(spec, url, listed))
        seen += [f["id"] for f in page["features"]]
        assert len(page["features"]) == page["numberReturned"] <= 4
        url = next(
            (link["href"] for link in page["links"] if link["rel"] == "next"), ""
        )
    assert len(seen) == len(set(seen)) == page["numberMatched"]
    if kind == "ogcapi-records":
        assert page["numberMatched"] == 9 + 6


def test_items_outside_a_bbox_are_left_out(make_spec, ask):
    spec = make_spec("ogcapi-features", seed=2)
    url = f"{spec.endpoint}/collections/{services.facts(spec).layers[0]}/items?bbox="
    everything = _json(ask(spec, url + "5,45,16,56"))["numberMatched"]
    assert 0 < _json(ask(spec, url + "5,45,10,56"))["numberMatched"] < everything
    assert ask(spec, url + "nonsense").status == 400


def test_processes_are_listed_described_and_executed(make_spec, ask):
    spec = make_spec("ogcapi-processes", seed=2)
    listed = _json(ask(spec, spec.endpoint + "/processes"))["processes"]
    assert tuple(p["id"] for p in listed) == services.facts(spec).layers
    one = f"{spec.endpoint}/processes/{listed[0]['id']}"
    assert set(_json(ask(spec, one))) >= {"inputs", "outputs", "jobControlOptions"}
    assert "result" in _json(
        ask(
            spec, one + "/execution", method="POST", body=b'{"inputs": {"distance": 5}}'
        )
    )


def test_a_stac_api_searches_items_and_tells_of_the_services_listed(make_spec, ask):
    spec, listed = make_spec("stac-api", seed=2), (make_spec("wms", seed=7),)
    page = _json(ask(spec, spec.endpoint, listed))
    assert page["type"] == "Catalog"
    assert page["stac_version"] == spec.version
    assert "https://api.stacspec.org/v1.0.0/core" in page["conformsTo"]
    search = next(link["href"] for link in page["links"] if link["rel"] == "search")
    found = _json(ask(spec, search + "?limit=3&bbox=5,45,16,56", listed))
    assert len(found["features"]) == 3
    assert all(
        {"stac_version", "assets", "links", "bbox"} <= set(f) for f in found["features"]
    )
    asset = found["features"][0]["assets"]["data"]["href"]
    assert ask(spec, asset).body.startswith(b"II*\0")
    first = _json(ask(spec, f"{spec.endpoint}/collections", listed))["collections"][0]
    assert [a["href"] for a in first["assets"].values()] == [
        services.request_url(listed[0])
    ]


def test_a_static_stac_leads_by_relative_links_down_to_its_items(make_spec, ask):
    from urllib.parse import urljoin

    spec = make_spec("stac", seed=2)
    catalogue = _json(ask(spec, spec.endpoint))
    assert "conformsTo" not in catalogue
    children = [
        urljoin(spec.endpoint, link["href"])
        for link in catalogue["links"]
        if link["rel"] == "child"
    ]
    ids = []
    for child in children:
        collection = _json(ask(spec, child))
        ids.append(collection["id"])
        item = next(
            urljoin(child, link["href"])
            for link in collection["links"]
            if link["rel"] == "item"
        )
        found = _json(ask(spec, item))
        assert found["collection"] == collection["id"]
        assert (
            urljoin(
                item,
                next(link["href"] for link in found["links"] if link["rel"] == "root"),
            )
            == spec.endpoint
        )
    assert tuple(ids) == services.facts(spec).layers


@pytest.mark.parametrize("kind", ["arcgis-mapserver", "arcgis-featureserver"])
def test_arcgis_layers_are_counted_and_queried(kind, make_spec, ask):
    spec = make_spec(kind, seed=2)
    page = _json(ask(spec, services.request_url(spec)))
    assert (
        tuple(layer["name"] for layer in page["layers"]) == services.facts(spec).layers
    )
    assert page["documentInfo"]["Title"] == services.facts(spec).title
    query = f"{spec.endpoint}/0/query?where=1=1&f="
    count = _json(ask(spec, query + "json&returnCountOnly=true"))["count"]
    assert (
        count
        == len(_json(ask(spec, query + "geojson"))["features"])
        == len(_json(ask(spec, query + "json"))["features"])
    )
    assert "error" in _json(ask(spec, f"{spec.endpoint}/99?f=json"))
    assert "geometryType" in _json(ask(spec, f"{spec.endpoint}/0?f=json"))


def test_an_arcgis_page_without_f_is_html(make_spec, ask):
    spec = make_spec("arcgis-mapserver", seed=2)
    reply = ask(spec, spec.endpoint)
    assert reply.content_type.startswith("text/html")
    assert b"ArcGIS REST Services Directory" in reply.body


def test_the_extent_of_an_arcgis_service_is_its_box_in_degrees_or_in_metres(
    make_spec, ask
):
    from pyproj import Transformer

    for seed in (2, 3):
        spec = make_spec("arcgis-mapserver", seed=seed)
        extent = _json(ask(spec, services.request_url(spec)))["fullExtent"]
        crs = f"EPSG:{extent['spatialReference']['latestWkid']}"
        transform = Transformer.from_crs(crs, "EPSG:4326", always_xy=True).transform
        low = transform(extent["xmin"], extent["ymin"])
        high = transform(extent["xmax"], extent["ymax"])
        assert (*low, *high) == pytest.approx(
            services.facts(spec).bbox.as_tuple(), abs=1e-5
        )


def test_an_arcgis_directory_lists_folders_and_the_services_below_it(make_spec, ask):
    directory = make_spec("arcgis-directory", seed=2)
    base = make_spec("arcgis-mapserver", seed=5)
    endpoints = (
        f"{directory.endpoint}/Water/Rivers/MapServer",
        f"{directory.endpoint}/Roads/MapServer",
    )
    listed = tuple(
        type(base)(**{f: getattr(base, f) for f in base.__slots__} | {"endpoint": e})
        for e in endpoints
    )
    page = _json(ask(directory, directory.endpoint + "?f=json", listed))
    assert page["folders"] == ["Water"]
    assert [(s["name"], s["type"]) for s in page["services"]] == [
        ("Roads", "MapServer")
    ]
    folder = _json(ask(directory, directory.endpoint + "/Water?f=json", listed))
    assert [(s["name"], s["url"]) for s in folder["services"]] == [
        ("Water/Rivers", endpoints[0])
    ]
    places = etree.fromstring(
        ask(directory, directory.endpoint + "?f=sitemap", listed).body
    )
    assert [n.text for n in places.iter("{*}loc")] == list(endpoints)


def test_sensorthings_entities_are_counted_paged_and_linked(make_spec, ask):
    spec = make_spec("sensorthings", "1.1", 2)
    sets = {e["name"]: e["url"] for e in _json(ask(spec, spec.endpoint))["value"]}
    assert {"Things", "Datastreams", "Observations"} <= set(sets)
    url, seen = sets["Observations"] + "?$top=50&$count=true", []
    while url:
        page = _json(ask(spec, url))
        seen += [e["@iot.id"] for e in page["value"]]
        url = page.get("@iot.nextLink", "")
    assert len(seen) == len(set(seen)) == page["@iot.count"]
    for name, address in sets.items():
        first = _json(ask(spec, address + "?$top=1"))["value"][0]
        assert (
            _json(ask(spec, first["@iot.selfLink"]))["@iot.id"] == first["@iot.id"]
        ), name
        for key, link in first.items():
            if key.endswith("navigationLink"):
                assert ask(spec, link).status == 200, key


def test_erddap_says_its_version_and_its_data_sets(make_spec, ask):
    spec = make_spec("erddap", seed=2)
    assert (
        ask(spec, spec.endpoint + "/version").body
        == f"ERDDAP_version={spec.version}\n".encode()
    )
    for url, column in (
        ("/info/index.json", "Dataset ID"),
        ("/tabledap/allDatasets.json", "datasetID"),
    ):
        table = _json(ask(spec, spec.endpoint + url))["table"]
        assert (
            {len(row) for row in table["rows"]}
            == {len(table["columnNames"])}
            == {len(table["columnTypes"])}
        )
        ids = [row[table["columnNames"].index(column)] for row in table["rows"]]
        assert (
            tuple(i for i in ids if i != "allDatasets") == services.facts(spec).layers
        )


def test_the_results_of_opensearch_tell_of_the_services_listed(make_spec, ask):
    spec, listed = make_spec("opensearch", seed=2), (make_spec("wms", seed=7),)
    description = etree.fromstring(ask(spec, spec.endpoint).body)
    template = next(
        u.get("template")
        for u in description.iter("{*}Url")
        if u.get("rel") == "results"
    )
    feed = etree.fromstring(
        ask(spec, template.partition("?")[0] + "?count=1", listed).body
    )
    assert feed.find("{*}entry/{*}link").get("href") == services.request_url(listed[0])
    assert feed.findtext("{*}totalResults") == "7"


@pytest.mark.parametrize("kind", ["atom", "kml", "thredds"])
def test_the_files_that_a_feed_a_kml_or_a_catalogue_names_are_there(
    kind, make_spec, ask
):
    spec = make_spec(kind, seed=2)
    root = etree.fromstring(ask(spec, spec.endpoint).body)
    if kind == "thredds":
        base = next(
            s.get("base")
            for s in root.iter("{*}service")
            if s.get("serviceType") == "OPENDAP"
        )
        urls = [
            f"http://gis.example.test{base}{d.get('urlPath')}.dds"
            for d in root.iter("{*}dataset")
            if d.get("urlPath")
        ]
    elif kind == "kml":
        urls = [h.text for h in root.iter("{*}href")]
    else:
        urls = [e.find("{*}link").get("href") for e in root.iter("{*}entry")]
    assert len(urls) == 6
    assert {ask(spec, url).status for url in urls} == {200}


@pytest.mark.parametrize(("kind", "seed"), [("wmc", 2), ("owc", 2), ("owc", 3)])
def test_a_context_names_the_services_listed_and_their_layers(
    kind, seed, make_spec, ask
):
    spec, wms = make_spec(kind, seed=seed), make_spec("wms", seed=7)
    body = ask(spec, spec.endpoint, (wms,)).body.decode()
    assert wms.endpoint.replace("&", "&amp;") in body
    assert services.facts(wms).layers[0] in body
