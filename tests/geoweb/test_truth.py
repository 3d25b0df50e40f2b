"""What the truth says is what the pages show."""

from __future__ import annotations

import json
from html import unescape

import pytest

from geoweb import (
    Depths,
    World,
    ground_truth,
    iterate_services,
    revealing_pages,
    services,
)
from geoweb.addresses import url_of
from geoweb.placing import Fate, How
from geoweb.reveals import mentioned_url, spelt
from geoweb.truth import aliases_of, depth_of
from geoweb.viewers import config_name


@pytest.fixture(scope="module")
def middling():
    return World(9, 150, 15_000)


@pytest.fixture(scope="module")
def depths(middling):
    return Depths(middling)


def services_hidden(world, how):
    found = [p for p in world.services if p.how is how]
    assert found
    return found


def texts_of(world, ask, placed):
    """The readable text of every page that mentions a service, with the mention."""
    for mention in placed.mentions:
        host = world.host(mention.host)
        yield (
            mention,
            unescape(ask(url_of(host, mention.page)).body.decode(host.encoding)),
        )


@pytest.mark.parametrize("how", [How.LINK, How.TEXT, How.SITEMAP])
def test_linked_and_written_services_stand_on_their_pages_with_the_whole_request(
    world, ask, how
):
    for placed in services_hidden(world, how):
        for mention, text in texts_of(world, ask, placed):
            url = mentioned_url(placed, mention)
            assert (
                (f'href="{url}"' in text)
                if how is not How.TEXT
                else (f": {url}" in text)
            )


def test_bare_services_are_linked_without_a_request(world, ask):
    for placed in services_hidden(world, How.BARE):
        for mention, text in texts_of(world, ask, placed):
            assert f'href="{spelt(placed, mention.dialect).endpoint}"' in text


def test_forms_and_code_hold_the_address(world, ask):
    for placed in services_hidden(world, How.FORM):
        for mention, text in texts_of(world, ask, placed):
            assert (
                f'action="{mentioned_url(placed, mention).partition("?")[0]}"' in text
            )
    for placed in services_hidden(world, How.CODE):
        for mention, text in texts_of(world, ask, placed):
            code = text[text.index("<pre>") : text.rindex("</pre>")]
            assert (
                spelt(placed, mention.dialect).endpoint in code
                or mentioned_url(placed, mention) in code
            )


def halves(endpoint):
    cut = endpoint.index("/", len("http://"))
    return endpoint[:cut], endpoint[cut:]


def test_scripts_hold_the_address_whole_or_in_halves(world, ask):
    for placed in services_hidden(world, How.SCRIPT):
        for mention, text in texts_of(world, ask, placed):
            script = text[text.index("<script>") : text.rindex("</script>")]
            whole = mentioned_url(placed, mention) in script
            assert whole or all(
                half in script
                for half in halves(spelt(placed, mention.dialect).endpoint)
            )


def test_script_files_and_configurations_hold_what_the_page_does_not(world, ask):
    for placed in (
        *services_hidden(world, How.SCRIPT_FILE),
        *services_hidden(world, How.CONFIG),
    ):
        for mention, text in texts_of(world, ask, placed):
            host = world.host(mention.host)
            is_script = placed.how is How.SCRIPT_FILE
            name = (
                f"/js/viewer-{mention.page}.js"
                if is_script
                else config_name(host.seed, mention.page)
            )
            assert name in text
            assert placed.spec.endpoint not in text
            reply = ask(f"http://{host.name}{name}")
            file = unescape(reply.body.decode())
            assert reply.status == 200
            whole = mentioned_url(placed, mention) in file
            assert whole or all(
                half in file for half in halves(spelt(placed, mention.dialect).endpoint)
            )


def test_what_a_catalogue_hides_its_records_tell(world, ask):
    for placed in services_hidden(world, How.CATALOGUE):
        assert not placed.mentions
        catalogue = world.services[placed.catalogue]
        assert catalogue.alive
        assert catalogue.spec.kind == "csw"
        mark = "&" if "?" in catalogue.spec.endpoint else "?"
        query = (
            f"service=CSW&version={catalogue.spec.version}&request=GetRecords&resultType=results"
            "&typeNames=csw:Record&elementSetName=full&maxRecords=100"
        )
        reply = ask(f"{catalogue.spec.endpoint}{mark}{query}")
        assert placed.spec.endpoint in unescape(reply.body.decode("latin-1"))


def test_a_sitemap_alone_knows_some_pages(middling, ask, depths):
    for placed in services_hidden(middling, How.SITEMAP):
        (mention,) = placed.mentions
        host = middling.host(mention.host)
        url = url_of(host, mention.page)
        assert depths.of(mention.host, mention.page) is None
        robots = ask(f"http://{host.name}/robots.txt", web=middling).body.decode()
        assert f"Sitemap: http://{host.name}/sitemap.xml" in robots
        sitemap = ask(f"http://{host.name}/sitemap.xml", web=middling).body.decode()
        assert f"<loc>{url}</loc>" in unescape(sitemap)


def test_the_whole_web_can_be_reached_from_the_seeds(middling, depths):
    hosts = range(middling.hosts)
    assert all(depths.of(index, 0) is not None for index in hosts)
    unreached = sum(
        depths.of(index, page) is None
        for index in hosts
        for page in middling.page_numbers(index)
    )
    assert (
        unreached < middling.pages * 0.01
    )  # sitemaps, and what only a forbidden page links to


def test_every_service_has_a_depth_unless_a_sitemap_hides_it(middling, depths):
    for placed in middling.services:
        behind = (
            placed if placed.catalogue is None else middling.services[placed.catalogue]
        )
        assert (depth_of(middling, placed, depths) is None) == (
            behind.how is How.SITEMAP
        )


@pytest.mark.slow
def test_discovery_rates_fall_with_depth_as_on_the_real_web():
    """About 5 %, 1 % and 0.15 %; a single web may differ by half, three together by a third."""
    rates = {1: [], 2: [], 3: []}
    for seed in (1, 7, 12):
        web = World(seed, 300, 100_000)
        found = Depths(web).discovery_rates(web)
        for depth, wanted in ((1, 0.05), (2, 0.01), (3, 0.0015)):
            pages, hits = found[depth]
            rates[depth].append(hits / pages)
            assert wanted * 0.5 < hits / pages < wanted * 2
    assert 0.035 < sum(rates[1]) / 3 < 0.065
    assert 0.0065 < sum(rates[2]) / 3 < 0.0135
    assert 0.0009 < sum(rates[3]) / 3 < 0.0024


def test_the_truth_is_json_with_the_promised_fields():
    small = World(4, 40, 2000)
    told = json.loads(json.dumps(ground_truth(small)))
    assert told["seeds"] == small.seeds
    assert told["pages"] == small.pages
    wanted = {
        "endpoint",
        "kind",
        "version",
        "title",
        "layers",
        "bbox",
        "depth",
        "how",
        "alive",
    }
    assert all(wanted <= set(entry) for entry in told["services"])
    assert len({entry["endpoint"] for entry in told["services"]}) == len(small.services)


def test_depths_can_be_left_out():
    small = World(4, 40, 2000)
    assert all(
        entry["depth"] is None for entry in iterate_services(small, with_depth=False)
    )


def test_pages_that_reveal_a_service_answer(world, ask):
    for placed in world.services[::5]:
        assert all(ask(url).status == 200 for url in revealing_pages(world, placed))


def test_living_services_prove_themselves_and_dead_ones_do_not(world, ask):
    for placed in world.services:
        proof = ask(services.facts(placed.spec).proof_url)
        direct = services.answer(
            placed.spec, _request(placed), world.listed_by(placed.number)
        )
        assert direct is not None
        assert (proof.status == 200 and proof.body == direct.body) == placed.alive


def _request(placed):
    from urllib.parse import urlsplit

    from geoweb import Request

    parts = urlsplit(services.facts(placed.spec).proof_url)
    return Request("GET", parts.netloc, parts.path, parts.query)


def test_aliases_lead_to_the_same_service(world, ask):
    with_alias = [
        p
        for p in world.services
        if aliases_of(p) and p.fate is Fate.ALIVE and not p.mislabelled
    ]
    assert with_alias
    for placed in with_alias:
        for mention in placed.mentions:
            assert ask(mentioned_url(placed, mention)).status == 200
