"""A map page in a crawl is read with its scripts and configuration; each file costs one request, once."""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from test_engine import SmallWeb, html, run, service

from geohound.crawler.response_cache import ResponseCache
from geohound.mining.map_page import BOUNDS
from geohound.model.visit import Response
from geoweb.protocol import ServiceSpec


def wms(url: str, seed: int = 7) -> ServiceSpec:
    return ServiceSpec("wms", "1.3.0", seed, url, topic="rivers")


def file(text: str, kind: str = "text/javascript"):
    def answer(url: str) -> Response:
        return Response(
            url,
            url,
            200,
            {"content-type": kind},
            text.encode(),
            html("x")("http://a.test/").at,
        )

    return answer


def asked(web: SmallWeb, ending: str) -> int:
    return sum(url.partition("?")[0].endswith(ending) for url in web.asked)


MAP = '<div id="map"></div>'


def test_a_base_in_a_sibling_script_is_put_before_the_path_of_another(
    tmp_path: Path,
) -> None:
    page = f'<html>{MAP}<script src="base.js"></script><script src="map.js"></script>'
    web = SmallWeb({
        "http://a.test/": html(page),
        "http://a.test/base.js": file("var BASE = 'http://gis.test';"),
        "http://a.test/map.js": file("L.tileLayer.wms(BASE + '/deep/place', {layers: 'x'}).addTo(map);"),
        "http://gis.test/deep/place": service(wms("http://gis.test/deep/place")),
    })  # fmt: skip
    done, store = run(tmp_path, web)
    (found,) = store.catalogue.at("http://gis.test/deep/place")
    (seen,) = store.catalogue.sightings(found.id)
    assert seen.via == "script"
    assert "map.js:1" in seen.evidence
    assert (asked(web, "base.js"), asked(web, "map.js")) == (1, 1)
    assert done.observer.tested == 1
    store.close()


def test_a_known_viewer_gives_its_services_by_its_configuration_and_its_bundle_waits(
    tmp_path: Path,
) -> None:
    web = SmallWeb({
        "http://a.test/": html('<html class="terria"><script src="build/TerriaMap.js"></script>'),
        "http://a.test/config.json": file('{"initializationUrls": ["a"]}', "application/json"),
        "http://a.test/init/a.json": file(
            json.dumps({"catalog": [{"type": "wms", "url": "http://gis.test/one"}]}), "application/json"
        ),
        "http://a.test/build/TerriaMap.js": file("var x = 1;"),
        "http://gis.test/one": service(wms("http://gis.test/one")),
    })  # fmt: skip
    done, store = run(tmp_path, web)
    (found,) = store.catalogue.at("http://gis.test/one")
    (seen,) = store.catalogue.sightings(found.id)
    assert (seen.via, seen.found_on) == ("recipe", "http://a.test/")
    assert "terria" in seen.evidence
    assert done.observer.ways()["recipe"] == {
        "services": 1, "tested": 1, "confirmed": 1, "tested_per_confirmed": 1.0,
    }  # fmt: skip
    order = [url for url in web.asked if url.startswith("http://a.test/")]
    assert order.index("http://a.test/init/a.json") < order.index(
        "http://a.test/build/TerriaMap.js"
    )
    assert all(order.count(url) == 1 for url in order)
    store.close()


def test_pages_that_share_their_scripts_cost_each_script_once(tmp_path: Path) -> None:
    scripts = '<script src="/base.js"></script><script src="/map.js"></script>'
    pages = {
        f"http://a.test/p{n}": html(
            f"<html>{MAP}{scripts}<script>show(BASE + '/gis/{n}')</script>"
        )
        for n in range(5)
    }
    web = SmallWeb({
        "http://a.test/": html("".join(f"<a href=/p{n}>{n}</a>" for n in range(5))),
        "http://a.test/base.js": file("var BASE = 'http://gis.test';"),
        "http://a.test/map.js": file("function show(u) { new OpenLayers.Layer.WMS('n', u, {layers: 'x'}); }"),
        **pages,
        **{f"http://gis.test/gis/{n}": service(wms(f"http://gis.test/gis/{n}", n + 1)) for n in range(5)},
    })  # fmt: skip
    done, store = run(tmp_path, web)
    assert done.observer.services == 5
    assert (asked(web, "base.js"), asked(web, "map.js")) == (1, 1)
    store.close()


def test_of_two_hundred_scripts_those_that_tell_of_a_map_are_read_with_the_page(
    tmp_path: Path,
) -> None:
    names = [f"part{n}.js" for n in range(198)]
    names.insert(150, "wms-layers.js")
    names.insert(90, "mapconfig.js")
    names += ["jquery.min.js", "leaflet.js"]
    files = {f"http://a.test/{name}": file("var a = 1;") for name in names}
    files["http://a.test/mapconfig.js"] = file("var ROOT = 'http://gis.test';")
    files["http://a.test/wms-layers.js"] = file(
        "L.tileLayer.wms(ROOT + '/x', {layers: 'x'}).addTo(map);"
    )
    page = f"<html>{MAP}{''.join(f'<script src={name}></script>' for name in names)}"
    web = SmallWeb({
        "http://a.test/": html(page), **files, "http://gis.test/x": service(wms("http://gis.test/x")),
    })  # fmt: skip
    done, store = run(tmp_path, web, max_pages=1)
    assert done.observer.services <= 1
    assert len([url for url in web.asked if url.endswith(".js")]) <= BOUNDS.files
    assert (asked(web, "mapconfig.js"), asked(web, "wms-layers.js")) == (1, 1)
    assert asked(web, "jquery.min.js") == asked(web, "leaflet.js") == 0
    store.close()


def test_a_configuration_file_that_is_a_list_of_services_is_catalogued_as_such_with_one_request(
    tmp_path: Path,
) -> None:
    capabilities = service(wms("http://a.test/data/caps"))(
        "http://a.test/data/caps?service=WMS&request=GetCapabilities"
    )
    assert isinstance(capabilities, Response)
    web = SmallWeb({
        "http://a.test/": html(f"<html>{MAP}<script>fetch('/data/stored.xml').then(show)</script>"),
        "http://a.test/data/stored.xml": file(capabilities.body.decode(), "text/xml"),
    })  # fmt: skip
    done, store = run(tmp_path, web)
    assert done.observer.kinds == {"wms": 1}
    assert asked(web, "stored.xml") == 1
    store.close()


def test_the_scripts_of_a_page_that_asks_not_to_be_followed_are_left_alone(
    tmp_path: Path,
) -> None:
    page = f'<html><meta name="robots" content="nofollow">{MAP}<script src="map.js"></script>'
    web = SmallWeb(
        {"http://a.test/": html(page), "http://a.test/map.js": file("var a = 1;")}
    )
    _, store = run(tmp_path, web)
    assert asked(web, "map.js") == 0
    store.close()


def test_a_hundred_maps_of_one_service_are_one_test(tmp_path: Path) -> None:
    maps = "".join(
        f"<img src='http://gis.test/x?SERVICE=WMS&REQUEST=GetMap&LAYERS=l{n}&BBOX={n},0,1,1'>"
        for n in range(100)
    )
    other = "<a href='http://gis.test/x?version=1.1.1&request=GetCapabilities&service=WMS'>old</a>"
    web = SmallWeb({
        "http://a.test/": html(f"{maps}<a href=/b>b</a>"), "http://a.test/b": html(other),
        "http://gis.test/x": service(wms("http://gis.test/x")),
    })  # fmt: skip
    done, store = run(tmp_path, web)
    assert (done.observer.services, done.observer.tested, done.observer.skipped) == (
        1,
        1,
        1,
    )
    (found,) = store.catalogue.at("http://gis.test/x")
    assert {seen.found_on for seen in store.catalogue.sightings(found.id)} == {
        "http://a.test/",
        "http://a.test/b",
    }
    assert done.observer.summary()["tested_per_confirmed"] == 1.0
    store.close()


def test_a_shelf_gives_up_what_was_used_least_but_never_forgets_that_it_was_had() -> (
    None
):
    cache = ResponseCache(max_bytes=25)
    for name in ("a", "b", "c"):
        cache.put(name, file("x" * 10)(name))
        cache.get("a")
    assert cache.get("b") is None
    assert cache.get("a") is not None
    assert all(cache.was_had(name) for name in ("a", "b", "c"))


def test_services_that_wait_on_a_shelf_have_a_limit_in_bytes() -> None:
    cache = ResponseCache()
    for name in ("a", "b", "c"):
        cache.put_service(name, file("x" * 3_000_000)(name))
    assert cache.take_service("c") is None
    assert cache.take_service("a") is not None
    cache.put_service("c", file("x" * 3_000_000)("c"))
    assert cache.take_service("c") is not None
