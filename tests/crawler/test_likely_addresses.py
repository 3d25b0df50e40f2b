"""OSS-16: addresses that nobody names, from what sites have together; Sidsten, sections 3.5.1, 3.5.2 and 4.1.4."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from command_line import geohound
from csw_server import running_catalogue
from harvest_rig import response

from geohound import app, probe
from geohound.crawler.likely_addresses import MAX_IN_VAIN, MAX_PER_HOST, LikelyAddresses
from geohound.model.service import Service
from geohound.model.visit import Candidate, Via, Visit


def sites(count: int, *paths: str) -> list[str]:
    return [f"http://h{n}.test{path}" for n in range(count) for path in paths]


def proposed(likely: LikelyAddresses, endpoint: str) -> dict[str, float]:
    return {each.url: each.chance for each in likely.propose(endpoint)}


def poor_crawl(likely: LikelyAddresses) -> LikelyAddresses:
    """A crawl whose pages bring next to nothing: whatever is likely beats them."""
    likely.count(10_000, 0)
    return likely


def test_what_the_sites_of_the_catalogue_have_together_is_likely_elsewhere() -> None:
    """Section 3.5.1: "the likelihood of finding a particular OGC-service at a certain site"."""
    known = [
        *sites(6, "/maps/tiles", "/catalogue/csw"),
        *[f"http://g{n}.test/maps/tiles" for n in range(2)],
    ]
    likely = poor_crawl(LikelyAddresses.of(known))
    found = proposed(likely, "http://new.test/maps/tiles")
    # 6 of 8 hosts with this address have the other; 4 more hosts stand for not knowing: 6 / (8 + 4).
    assert found == {"http://new.test/catalogue/csw": 0.5}


def test_an_address_that_fewer_than_three_sites_have_is_no_statistic() -> None:
    likely = poor_crawl(LikelyAddresses.of(sites(2, "/maps/tiles", "/catalogue/csw")))
    assert proposed(likely, "http://new.test/maps/tiles") == {}


def test_names_that_stand_in_one_folder_are_sisters() -> None:
    """Section 3.5.2: names of directories, found as part of an URL, can be used for fabricated requests."""
    known = [
        url
        for n in range(8)
        for url in (f"http://h{n}.test/city{n}/wms", f"http://h{n}.test/city{n}/sos")
    ]
    likely = poor_crawl(LikelyAddresses.of(known))
    found = proposed(likely, "http://new.test/town/wms")
    # All 8 hosts with a wms have a sos beside it: 8 / (8 + 4).
    assert found["http://new.test/town/sos"] == 8 / 12


def test_directory_names_say_which_program_serves() -> None:
    likely = poor_crawl(LikelyAddresses.of(()))
    assert "http://new.test/geoserver/ows" in proposed(
        likely, "http://new.test/geoserver/topp/wms?x=1"
    )
    assert "http://a.test/arcgis/rest/services" in proposed(
        likely, "http://a.test/arcgis/services/X/MapServer/WMSServer"
    )


@pytest.mark.parametrize(
    ("met", "proposed_there"),
    [
        ("/server/arcgis/rest/services/Roads/MapServer", "/server/arcgis/rest/services"),
        ("/city/services/Roads/MapServer/WMSServer", "/city/rest/services"),
        ("/maps/geoserver/topp/wms", "/maps/geoserver/ows"),
    ],
)  # fmt: skip
def test_a_program_below_other_folders_is_known_all_the_same(
    met: str, proposed_there: str
) -> None:
    """Of 166 hosts of a public registry a fifth of those with ArcGIS have it so."""
    likely = poor_crawl(LikelyAddresses.of(()))
    assert f"http://a.test{proposed_there}" in proposed(likely, f"http://a.test{met}")


def test_what_goes_together_is_counted_below_the_folders_of_each_site() -> None:
    known = [
        f"http://h{n}.test/city{n}{path}"
        for n in range(8)
        for path in ("/geoserver/ows", "/geoserver/gwc/service/tms")
    ]
    likely = poor_crawl(LikelyAddresses.of(known))
    found = proposed(likely, "http://new.test/town/geoserver/ows")
    assert found["http://new.test/town/geoserver/gwc/service/tms"] == 8 / 12


def test_one_host_with_many_sites_is_no_statistic() -> None:
    known = [
        f"http://h.test/city{n}{path}"
        for n in range(8)
        for path in ("/geoserver/ows", "/geoserver/gwc/service/tms")
    ]
    likely = poor_crawl(LikelyAddresses.of(known))
    found = proposed(likely, "http://new.test/geoserver/ows")
    assert "http://new.test/geoserver/gwc/service/tms" not in found


class Empty:
    """A server without anything."""

    def __init__(self, status: int) -> None:
        self.asked: list[str] = []
        self.status = status

    async def fetch(self, url: str, **_: object) -> Visit:
        self.asked.append(url)
        page = "<html><title>Nothing here</title></html>"
        return response(url, page, "text/html", self.status)

    async def close(self) -> None: ...


@pytest.mark.parametrize(
    "address", ["geoserver/ows", "rest/services", "x/wfs", "geonetwork/srv/eng/csw"]
)
def test_a_proposal_in_vain_costs_one_request(address: str) -> None:
    url, server = f"http://a.test/{address}", Empty(404)
    guess = probe.ProbeCache(is_guess=True)
    asyncio.run(probe.identify(url, server, app.kinds(), cache=guess))
    assert len(server.asked) == 1
    asyncio.run(probe.identify(url, server, app.kinds()))
    assert len(server.asked) > 2, "one that a page names is asked in other ways, too"


def test_a_catalogue_that_knows_better_unlearns_what_is_known_of_programs() -> None:
    likely = LikelyAddresses.of(sites(400, "/geoserver/topp/wms"))
    likely.count(1_000, 49)
    # 0.5 × 4 / (400 + 4) is less than two requests at 50 services for 1,020 requests bring.
    assert "http://new.test/geoserver/ows" not in proposed(
        likely, "http://new.test/geoserver/topp/wms"
    )


def test_nothing_is_proposed_where_pages_promise_more() -> None:
    likely = LikelyAddresses.of(())
    likely.count(100, 90)
    assert proposed(likely, "http://new.test/geoserver/topp/wms") == {}


def test_proposals_that_bring_nothing_end_by_themselves_on_all_hosts() -> None:
    likely = poor_crawl(LikelyAddresses.of(()))
    likely.count(0, 200)  # some 20 services for 1,000 requests
    asked = 0
    for n in range(200):
        for url in proposed(likely, f"http://h{n}.test/geoserver/x{n}/maps"):
            asked += 1
            likely.learn(url, requests=3, is_found=False)
    # Two addresses are known of this program, each with a chance of 2 / (4 + asked) against a gain of 201 / 10,020
    # by 2 to 3 requests: between 29 and 46 proposals of each.
    assert 2 * 29 <= asked <= 2 * 46


def test_few_are_asked_of_a_host_and_fewer_where_nothing_came_of_it() -> None:
    known = sites(
        9, "/a/wms", "/b/one", "/b/two", "/b/three", "/b/four", "/b/five", "/b/six"
    )
    likely = poor_crawl(LikelyAddresses.of(known))
    first = proposed(likely, "http://new.test/a/wms")
    assert len(first) == MAX_IN_VAIN
    assert proposed(likely, "http://new.test/a/wms") == {}, "nothing was found yet"
    likely.learn(next(iter(first)), requests=1, is_found=True)
    assert len(proposed(likely, "http://new.test/a/wms")) == MAX_PER_HOST - MAX_IN_VAIN
    assert proposed(likely, "http://new.test/a/wms") == {}


def test_only_visits_that_prove_a_service_lead_to_proposals() -> None:
    likely = poor_crawl(LikelyAddresses.of(()))
    page = Candidate("http://a.test/geoserver/web", depth=2)
    assert likely.taken(page, 1, ()) == []
    service = Service("wms", "http://a.test/geoserver/topp/wms")
    (found, *_) = likely.taken(page, 1, [service])
    assert (found.via, found.found_on, found.depth) == (Via.LIKELY, service.endpoint, 3)
    assert " → " in found.clue


@pytest.mark.slow
@pytest.mark.parametrize("is_on", [True, False])
def test_a_crawl_finds_the_service_beside_a_service_unless_it_is_off(
    tmp_path: Path, *, is_on: bool
) -> None:
    (tmp_path / "g.toml").write_text(
        f"host_delay_s = 0.01\nlikely_addresses = {str(is_on).lower()}\n", "utf-8"
    )
    with running_catalogue(total=0, alive=1) as server:
        server.has_sisters = True
        done = geohound(
            "crawl", "http://h1.test/wms", "--json", "--config", str(tmp_path / "g.toml"),
            "--catalogue", str(tmp_path / "c.db"), "--connect-to", f"*.test=127.0.0.1:{server.server_port}",
            "--allow-net", "127.0.0.0/8",
        )  # fmt: skip
    events = [json.loads(line) for line in done.stdout.splitlines()]
    found = {event["endpoint"] for event in events if event.get("event") == "service"}
    assert found == {"http://h1.test/wms", *(["http://h1.test/wfs"] if is_on else [])}
    via = events[-1]["summary"]["via"]
    assert via == ({"seed": 1, "likely": 1} if is_on else {"seed": 1})
