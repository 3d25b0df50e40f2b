"""Malformed THREDDS catalogues, folders and Terria catalogues, written from what their documentation allows."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import NamedTuple

import pytest
from harvest_rig import Answer, Answering, read_page, response

from geohound import plugins, urls
from geohound.model.crawl.harvest import HarvestPage
from geohound.model.visit import Failure, Visit

Bodies = Mapping[str, str | bytes]
MOST = 60  # answers of one harvest


class Whole(NamedTuple):
    """All that a harvest brought."""

    listed: dict[str, str]  # protocol by address
    failures: list[str]
    asked: list[str]


def read_whole(harvester: str, source: str, bodies: Bodies, kind: str) -> Whole:
    """All pages of a source and of those that it leads to; a page is read once."""
    return read_by(harvester, source, lambda url: _answer(bodies, url, kind))


def read_by(harvester: str, source: str, answer: Answer) -> Whole:
    """The engine makes the addresses of further sources canonical, and so does this."""
    web = Answering(answer)
    part = plugins.discover("harvesters")[harvester]
    waiting, known, pages = [(source, b"")], {(source, b"")}, 0
    listed: dict[str, str] = {}
    failures: list[str] = []
    while waiting and pages < MOST:
        at, cursor = waiting.pop(0)
        page = asyncio.run(part.page(at, cursor, web))
        pages += 1
        if isinstance(page, Failure):
            assert page.detail
            failures.append(page.url)
            continue
        listed |= {each.url.partition("?")[0]: each.protocol for each in page.listed}
        further = (urls.canonical(each, at) for each in page.sources)
        onward = [(each, b"") for each in further if each]
        onward += [(at, page.next)] if page.next else []
        new = [each for each in onward if each not in known]
        known.update(new)
        waiting += new
    assert pages < MOST, "it has an end"
    return Whole(listed, failures, web.asked)


def _answer(bodies: Bodies, url: str, kind: str) -> Visit | None:
    body = bodies.get(url)
    return None if body is None else response(url, body, kind)


# --- THREDDS: InvCatalog 1.0 ---

TOP = "http://data.test/thredds/catalog.xml"
NAMES = (
    'xmlns="http://www.unidata.ucar.edu/namespaces/thredds/InvCatalog/v1.0" '
    'xmlns:xlink="http://www.w3.org/1999/xlink"'
)
WMS = '<service name="wms" serviceType="WMS" base="/thredds/wms/"/>'
SEA = '<dataset name="Sea" urlPath="sea.nc"><serviceName>wms</serviceName></dataset>'
SEA_WMS = "http://data.test/thredds/wms/sea.nc"


def thredds(inner: str, names: str = NAMES) -> str:
    return f'<?xml version="1.0" encoding="UTF-8"?><catalog name="c" version="1.0.1" {names}>{inner}</catalog>'


def read_thredds(inner: str | bytes, **further: str) -> Whole:
    bodies: dict[str, str | bytes] = {TOP: inner}
    bodies |= {f"http://data.test/thredds/{at}": body for at, body in further.items()}
    return read_whole("thredds", TOP, bodies, "application/xml")


def test_a_service_without_a_base_costs_only_its_own_datasets() -> None:
    lost = '<service name="x" serviceType="WCS"/>'
    other = '<dataset name="O" urlPath="o.nc"><serviceName>x</serviceName></dataset>'
    assert SEA_WMS in read_thredds(thredds(lost + WMS + other + SEA)).listed


def test_a_dataset_whose_service_nobody_defines_is_passed_over() -> None:
    other = '<dataset name="O" urlPath="o.nc"><serviceName>no</serviceName></dataset>'
    assert set(read_thredds(thredds(WMS + other + SEA)).listed) == {SEA_WMS}


def test_a_compound_service_that_holds_its_own_name_ends() -> None:
    inner = f'<service name="wms" serviceType="Compound" base="">{WMS}</service>'
    outer = f'<service name="wms" serviceType="Compound" base="">{inner}</service>'
    assert SEA_WMS in read_thredds(thredds(outer + SEA)).listed


def test_references_to_itself_and_upwards_are_read_once() -> None:
    loops = "".join(
        f'<catalogRef xlink:href="{href}" xlink:title="x"/>'
        for href in ("catalog.xml", "./catalog.xml", "", "#a", "sub/../catalog.xml")
    )
    whole = read_thredds(thredds(WMS + loops + SEA))
    assert set(whole.listed) == {SEA_WMS}
    assert whole.asked == [TOP]


def test_references_to_files_and_scripts_are_no_catalogues() -> None:
    bad = "".join(
        f'<catalogRef xlink:href="{href}"/>'
        for href in ("file:///etc/passwd", "javascript:x()", "ftp://x.test/c.xml", "http://")
    )  # fmt: skip
    whole = read_thredds(thredds(WMS + bad + SEA))
    assert set(whole.listed) == {SEA_WMS}
    assert whole.asked == [TOP]


def test_a_prefix_for_all_names_changes_nothing() -> None:
    body = (
        '<t:catalog xmlns:t="http://www.unidata.ucar.edu/namespaces/thredds/InvCatalog/v1.0">'
        '<t:service name="wms" serviceType="WMS" base="/thredds/wms/"/><t:dataset name="Sea" urlPath="sea.nc">'
        "<t:serviceName>wms</t:serviceName></t:dataset></t:catalog>"
    )
    assert set(read_thredds(body).listed) == {SEA_WMS}


def test_a_reference_without_its_namespace_is_followed_all_the_same() -> None:
    body = thredds(WMS + SEA + '<catalogRef xlink:href="sub.xml"/>', names="")
    whole = read_thredds(
        body, **{"sub.xml": thredds(WMS.replace("wms/", "wms/sub/") + SEA)}
    )
    assert set(whole.listed) == {SEA_WMS, "http://data.test/thredds/wms/sub/sea.nc"}


@pytest.mark.parametrize("written", ["OPENDAP", "OpenDAP", "opendap", "DODS"])
def test_types_of_services_are_known_however_they_are_written(written: str) -> None:
    """DODS is the name of version 0.6."""
    service = f'<service name="dap" serviceType="{written}" base="/thredds/dodsC/"/>'
    sea = SEA.replace(">wms<", ">dap<")
    found = read_thredds(thredds(service + sea)).listed
    assert [
        at for at in found if at.startswith("http://data.test/thredds/dodsC/sea.nc")
    ]


def test_names_of_files_with_blanks_and_signs_stay_one_address() -> None:
    odd = '<dataset name="O" urlPath="a b/ä&amp;x#1.nc"><serviceName>wms</serviceName></dataset>'
    found = set(read_thredds(thredds(WMS + odd)).listed)
    assert len(found) == 1
    (at,) = found
    assert " " not in at
    assert "#" not in at, "a fragment would name the folder alone"


def test_a_catalogue_that_breaks_off_gives_what_it_has_or_a_reason() -> None:
    whole = read_thredds(thredds(WMS + SEA + SEA.replace("sea", "lake") * 50)[:-700])
    assert SEA_WMS in whole.listed or whole.failures


def test_what_is_declared_inside_metadata_is_inherited() -> None:
    inherited = '<metadata inherited="true"><serviceName>wms</serviceName></metadata>'
    below = '<dataset name="Sea" urlPath="sea.nc"/>'
    body = thredds(f'{WMS}<dataset name="All">{inherited}{below}</dataset>')
    assert set(read_thredds(body).listed) == {SEA_WMS}


def test_entities_that_grow_are_not_unfolded() -> None:
    bomb = '<!DOCTYPE c [<!ENTITY a "xxxxxxxxxx">' + "".join(
        f'<!ENTITY {new} "{f"&{old};" * 10}">'
        for old, new in zip("abcdefg", "bcdefgh", strict=True)
    )
    body = f'<?xml version="1.0"?>{bomb}]><catalog {NAMES}>{WMS}<dataset name="&h;" urlPath="sea.nc"/></catalog>'
    whole = read_thredds(body)
    assert whole.failures or len(str(whole.listed)) < 10_000


# --- folders, as Apache, nginx, IIS, lighttpd and Python list them ---

WAF = "http://data.test/waf/"


def metadata(name: str) -> str:
    link = f"<CI_OnlineResource><URL>http://gis.test/{name}/wms</URL><protocol>OGC:WMS</protocol></CI_OnlineResource>"
    return f"<MD_Metadata>{link}</MD_Metadata>"


def wms_of(*names: str) -> set[str]:
    return {f"http://gis.test/{name}/wms" for name in names}


def read_folder(listing: str | bytes, files: Bodies | None = None) -> Whole:
    files = {f"{WAF}a.xml": metadata("a")} if files is None else files
    kinds = {True: "text/html", False: "application/xml"}
    web = {WAF: listing, **files}

    def answer(url: str) -> Visit | None:
        body = web.get(url)
        return None if body is None else response(url, body, kinds[url.endswith("/")])

    return read_by("waf", WAF, answer)


HEAD = "<html><head><title>Index of /waf</title></head><body><h1>Index of /waf</h1>"
APACHE = (
    f'{HEAD}<table><tr><th><a href="?C=N;O=D">Name</a></th><th><a href="?C=M;O=A">Last modified</a></th></tr>'
    '<tr><td><a href="/">Parent Directory</a></td></tr><tr><td><a href="a.xml">a.xml</a></td>'
    "<td>2026-01-01 10:00</td></tr></table></body></html>"
)


def test_columns_that_sort_and_the_folder_above_are_not_asked_for() -> None:
    whole = read_folder(APACHE)
    assert set(whole.listed) == wms_of("a")
    assert set(whole.asked) == {WAF, f"{WAF}a.xml"}


def test_files_of_other_hosts_are_not_of_the_folder() -> None:
    page = f'{HEAD}<a href="a.xml">a</a><a href="http://else.test/b.xml">b</a><a href="//else.test/c.xml">c</a>'
    whole = read_folder(page)
    assert not [url for url in whole.asked if "else.test" in url]
    assert set(whole.listed) == wms_of("a")


def test_iis_writes_whole_paths_in_capital_letters() -> None:
    page = (
        "<html><head><title>data.test - /waf/</title></head><body><H1>data.test - /waf/</H1><hr><pre>"
        '<A HREF="/">[To Parent Directory]</A><br><br> 1/1/2026  9:00 AM   1234 <A HREF="/waf/A.XML">A.XML</A><br></pre>'
    )
    whole = read_folder(page, {f"{WAF}A.XML": metadata("a")})
    assert set(whole.listed) == wms_of("a")


def test_addresses_without_quotes_or_with_single_ones_are_read() -> None:
    page = f"{HEAD}<a href=a.xml>a</a> <a href='b.xml'>b</a>"
    files = {f"{WAF}{name}.xml": metadata(name) for name in "ab"}
    assert set(read_folder(page, files).listed) == wms_of("a", "b")


def test_names_with_blanks_umlauts_and_number_signs_are_asked_for_encoded() -> None:
    page = f'{HEAD}<a href="a%20b.xml">a</a><a href="%C3%A4.xml">b</a><a href="n%231.xml">c</a>'
    files = {
        f"{WAF}a%20b.xml": metadata("a"),
        f"{WAF}%C3%A4.xml": metadata("b"),
        f"{WAF}n%231.xml": metadata("c"),
    }
    assert set(read_folder(page, files).listed) == wms_of("a", "b", "c")


def test_a_folder_within_itself_leads_only_downwards() -> None:
    """A symbolic link to the folder above it; that paths repeat themselves is a trap for the engine."""
    page = f'{HEAD}<a href="../">..</a><a href="./">.</a><a href="loop/">loop/</a><a href="a.xml">a</a>'
    for folder in (WAF, f"{WAF}loop/"):
        found = read_page("waf", folder, lambda url: response(url, page, "text/html"))
        assert isinstance(found, HarvestPage)
        assert set(found.sources) == {f"{folder}loop/", f"{folder}a.xml"}


def test_a_file_that_is_missing_or_broken_costs_no_other() -> None:
    page = f'{HEAD}<a href="gone.xml">1</a><a href="cut.xml">2</a><a href="page.xml">3</a><a href="a.xml">4</a>'
    files = {
        f"{WAF}cut.xml": metadata("b")[:60],
        f"{WAF}page.xml": "<html><title>Sign in</title></html>",
        f"{WAF}a.xml": metadata("a"),
    }
    assert set(read_folder(page, files).listed) >= wms_of("a")


def test_a_base_of_another_host_leads_nobody_away() -> None:
    page = HEAD.replace("<head>", '<head><base href="http://else.test/">')
    whole = read_folder(f'{page}<a href="a.xml">a</a>')
    assert not [url for url in whole.asked if "else.test" in url]


def test_a_file_named_twice_is_asked_for_once() -> None:
    page = f'{HEAD}<a href="a.xml"><img src="/icons/xml.gif"></a><a href="a.xml">a</a><a href="./a.xml#x">a</a>'
    whole = read_folder(page)
    assert whole.asked.count(f"{WAF}a.xml") == 1


def test_a_page_that_is_no_list_of_files_is_a_reason() -> None:
    whole = read_folder(
        "<html><title>Our city</title><p>Welcome <a href='/contact'>x</a></html>"
    )
    assert whole.failures == [WAF]


def test_files_of_records_in_utf_16_are_read() -> None:
    body = ('<?xml version="1.0" encoding="UTF-16"?>' + metadata("a")).encode("utf-16")
    assert set(read_folder(APACHE, {f"{WAF}a.xml": body}).listed) == wms_of("a")


# --- Terria: init files of version 7 and 8 ---

INIT = "http://maps.test/init/main.json"
TERRIA_WMS = "http://gis.test/wms"


def read_terria(text: str | bytes, further: Bodies | None = None) -> Whole:
    return read_whole(
        "terria", INIT, {INIT: text, **(further or {})}, "application/json"
    )


MEMBER = (
    '{"type": "wms", "name": "Roads", "url": "http://gis.test/wms", "layers": "roads"}'
)


@pytest.mark.parametrize("key", ["members", "items"])
def test_groups_have_members_since_version_8_and_items_before(key: str) -> None:
    body = f'{{"catalog": [{{"type": "group", "name": "g", "{key}": [{MEMBER}]}}]}}'
    assert read_terria(body).listed == {TERRIA_WMS: "OGC:WMS"}


def test_comments_and_last_commas_are_allowed_in_terria() -> None:
    """TerriaJS reads its files as JSON5."""
    body = f'{{\n// our maps\n"catalog": [\n{MEMBER}, /* more */\n],\n}}'
    assert set(read_terria(body).listed) == {TERRIA_WMS}


def test_members_that_are_none_cost_no_other() -> None:
    body = f'{{"catalog": [null, 7, "x", [], {{}}, {{"type": "wms"}}, {{"type": 3, "url": []}}, {MEMBER}]}}'
    assert set(read_terria(body).listed) == {TERRIA_WMS}


def test_a_catalogue_that_is_an_object_is_a_reason_or_is_read() -> None:
    whole = read_terria(f'{{"catalog": {{"a": {MEMBER}}}}}')
    assert whole.failures or set(whole.listed) == {TERRIA_WMS}


def test_groups_within_groups_have_an_end() -> None:
    deep = '{"type": "group", "members": [' * 3_000 + MEMBER + "]}" * 3_000
    whole = read_terria(f'{{"catalog": [{MEMBER}, {deep}]}}')
    assert whole.failures or TERRIA_WMS in whole.listed


@pytest.mark.parametrize(
    ("kind", "protocol"),
    [
        ("wms-group", "OGC:WMS"), ("WMS", "OGC:WMS"), ("esri-mapServer-group", "ESRI:ArcGIS:MapServer"),
        ("esri-featureServer", "ESRI:ArcGIS:FeatureServer"), ("wfs-group", "OGC:WFS"), ("csw-group", "OGC:CSW"),
    ],
)  # fmt: skip
def test_every_type_of_a_service_is_known(kind: str, protocol: str) -> None:
    body = f'{{"catalog": [{MEMBER.replace("wms", kind, 1)}]}}'
    assert read_terria(body).listed == {TERRIA_WMS: protocol}


def test_an_address_without_a_host_is_below_the_file_and_others_are_none() -> None:
    urls = (
        "../wms?map=1",
        "data:text/plain,x",
        "file:///etc/passwd",
        "javascript:x",
        "",
    )
    members = ", ".join(f'{{"type": "wms", "url": "{url}"}}' for url in urls)
    found = set(read_terria(f'{{"catalog": [{members}, {MEMBER}]}}').listed)
    assert found == {TERRIA_WMS, "http://maps.test/wms"}


def test_sources_of_a_shared_map_are_read() -> None:
    """What the share button of version 8 writes."""
    body = f'{{"version": "8.0.0", "initSources": ["x", {{"catalog": [{MEMBER}]}}]}}'
    assert set(read_terria(body).listed) == {TERRIA_WMS}


def test_models_of_a_shared_map_are_read() -> None:
    """In version 8 shared maps hold models by their ids, beside the catalogue."""
    model = MEMBER.replace("{", '{"knownContainerUniqueIds": ["/"], ', 1)
    body = (
        f'{{"version": "8.0.0", "initSources": [{{"models": {{"//roads": {model}}}}}]}}'
    )
    assert set(read_terria(body).listed) == {TERRIA_WMS}


def test_a_reference_to_another_file_is_followed() -> None:
    body = (
        f'{{"catalog": [{MEMBER}, {{"type": "terria-reference", "url": "more.json"}}]}}'
    )
    more = f'{{"catalog": [{MEMBER.replace("/wms", "/more/wms")}]}}'
    whole = read_terria(body, {"http://maps.test/init/more.json": more})
    assert set(whole.listed) == {TERRIA_WMS, "http://gis.test/more/wms"}


def test_a_file_of_terria_with_a_byte_order_mark_is_read() -> None:
    text = f'{{"catalog": [{MEMBER}]}}'
    assert set(read_terria(b"\xef\xbb\xbf" + text.encode()).listed) == {TERRIA_WMS}
