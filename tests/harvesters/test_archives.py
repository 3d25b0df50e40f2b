"""Archives of the Web: indexes by CDX and Parquet, and WARC files; the files are made here after their schemas."""

from __future__ import annotations

import asyncio
import gzip
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from books import BOOK
from csw_server import Catalogue, running_catalogue
from harvest_examples import asked_for, parquet_bytes, plain, text, warc_record
from harvest_rig import Answering, read_page, response

from geohound import app, plugins
from geohound.contracts import Fetcher
from geohound.crawler.archived_pages import mine_archived
from geohound.document import Document
from geohound.harvesters import parquet, warc
from geohound.mining.map_page import Explorer
from geohound.model.crawl.harvest import HarvestPage, Listed
from geohound.model.visit import Failure, Page, Visit
from geohound.settings import Settings

HARVESTERS = plugins.discover("harvesters")


@pytest.fixture
def server() -> Iterator[Catalogue]:
    with running_catalogue(total=0) as running:
        yield running


def read_all(
    harvester: str, source: str, server: Catalogue | None = None
) -> list[HarvestPage]:
    """All pages of a source, by the real fetcher; a page that fails fails the test."""

    async def read() -> list[HarvestPage]:
        port = server.server_port if server else 9
        nets = ("127.0.0.0/8",)
        settings = Settings(
            connect_to=(f"*.test=127.0.0.1:{port}",), allow_nets=nets, host_delay_s=0.0
        )
        fetcher = app.fetcher(settings)
        try:
            return [page async for page in _pages(harvester, source, fetcher)]
        finally:
            await fetcher.close()

    return asyncio.run(read())


async def _pages(harvester: str, source: str, fetcher: Fetcher):
    waiting = [(source, b"")]
    while waiting:
        at, cursor = waiting.pop(0)
        page = await HARVESTERS[harvester].page(at, cursor, fetcher)
        assert isinstance(page, HarvestPage), page
        yield page
        waiting += [(at, page.next)] if page.next else []
        waiting += [(further, b"") for further in page.sources]


def urls_of(pages: list[HarvestPage]) -> list[str]:
    return [each.url for page in pages for each in page.listed]


# The columnar index


def test_of_a_parquet_file_only_the_columns_that_are_needed_cross_the_wire(
    server: Catalogue,
) -> None:
    pages = [f"http://blog.test/{n}/a-page-with-a-long-name" for n in range(20_000)]
    data = parquet_bytes([*pages, plain(7), *pages, plain(8)], rows_per_group=20_001)
    server.files["/part-0.parquet"] = ("application/octet-stream", data)
    found = read_all("parquet", "http://cat.test/part-0.parquet", server)
    assert urls_of(found) == [plain(7), plain(8)]
    assert [page.records for page in found] == [20_001, 20_001], "one row group a page"
    assert not any(page.listed[0].protocol for page in found), (
        "recognition says what they are"
    )
    sent = sum(size for _, size in server.ranges)
    assert server.ranges
    assert sent < len(data)


def test_addresses_that_were_not_there_are_left_out() -> None:
    data = parquet_bytes(
        [plain(1), plain(2), "http://a.test/about"], statuses=[200, 404, 200]
    )
    page = read_page(
        "parquet", "http://cat.test/x.parquet", lambda url: response(url, data)
    )
    assert isinstance(page, HarvestPage)
    assert urls_of([page]) == [plain(1)]


def test_a_list_of_paths_leads_to_the_files_of_its_server(server: Catalogue) -> None:
    server.files["/crawl/cc-index-table.paths.gz"] = (
        "",
        gzip.compress(b"table/part-0.parquet\ntable/_SUCCESS\n"),
    )
    server.files["/table/part-0.parquet"] = ("", parquet_bytes([plain(1)]))
    assert urls_of(
        read_all("parquet", "http://cat.test/crawl/cc-index-table.paths.gz", server)
    ) == [plain(1)]


def test_a_damaged_parquet_file_is_a_reason() -> None:
    data = parquet_bytes([plain(n) for n in range(5_000)])
    at = pq.read_metadata(io.BytesIO(data)).row_group(0).column(1).data_page_offset
    broken = data[:at] + b"\xff" * 500 + data[at + 500 :]
    page = read_page(
        "parquet", "http://cat.test/x.parquet", lambda url: response(url, broken)
    )
    assert isinstance(page, Failure)
    assert "damaged" in page.detail
    huge = data[:-8] + (10**9).to_bytes(4, "little") + b"PAR1"
    page = read_page(
        "parquet", "http://cat.test/x.parquet", lambda url: response(url, huge)
    )
    assert isinstance(page, Failure)
    assert "footer" in page.detail


LONG = "http://a.test/wms?" + "x" * 10_000


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"use_dictionary": False, "column_encoding": {"url": "DELTA_BYTE_ARRAY"}},
        {"use_dictionary": False},
    ],
    ids=["a dictionary", "prefixes", "plain"],
)
def test_a_small_parquet_file_of_long_addresses_takes_no_memory(options) -> None:
    """Some kilobytes that would unpack to hundreds of millions of characters."""
    rows = pa.array([0] * 15_000 + [1] * 15_000, pa.int32())
    column = pa.DictionaryArray.from_arrays(rows, pa.array([LONG, plain(1)]))
    if options:
        column = column.cast(pa.string())
    file = io.BytesIO()
    table = pa.table({"url": column})
    pq.write_table(table, file, compression="zstd", store_schema=False, **options)
    del table, column
    data = file.getvalue()
    assert len(data) < 400_000
    before = pa.default_memory_pool().bytes_allocated()
    with watched_pool() as pool:
        page = read_page(
            "parquet", "http://cat.test/x.parquet", lambda url: response(url, data)
        )
        assert pool.max_memory() < before + 150_000_000
    if isinstance(page, Failure):
        assert "bytes" in page.detail
    else:
        assert urls_of([page]) == [plain(1)], "a longer one is no address"


@contextmanager
def watched_pool() -> Iterator[pa.MemoryPool]:
    usual = pa.default_memory_pool()
    pool = pa.proxy_memory_pool(usual)
    pa.set_memory_pool(pool)
    try:
        yield pool
    finally:
        pa.set_memory_pool(usual)


def test_a_page_of_parquet_that_unpacks_to_more_than_the_footer_says_is_a_reason(
    monkeypatch,
) -> None:
    monkeypatch.setattr(parquet, "MAX_DICTIONARY_BYTES", 50_000)
    data = parquet_bytes([f"http://a.test/{n}" for n in range(20_000)], None, 20_000)
    page = read_page(
        "parquet", "http://cat.test/x.parquet", lambda url: response(url, data)
    )
    assert isinstance(page, Failure)
    assert "page of the column url takes" in page.detail


@pytest.mark.parametrize(
    "values",
    [[[plain(1)]], [7], pa.array([b"a" * 30], pa.binary(30))],
    ids=["lists", "numbers", "fixed"],
)
def test_a_column_of_addresses_that_holds_something_else_is_a_reason(values) -> None:
    file = io.BytesIO()
    pq.write_table(pa.table({"url": values}), file)
    page = read_page(
        "parquet",
        "http://cat.test/x.parquet",
        lambda url: response(url, file.getvalue()),
    )
    assert isinstance(page, Failure)


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_addresses_are_read_however_a_parquet_file_packs_them(version) -> None:
    """Also by prefixes, as newer writers do, and in as many pages as these make."""
    addresses = [*(f"http://a.test/{n}" for n in range(3_000)), plain(1)]
    for encoding in ("PLAIN", "DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"):
        file = io.BytesIO()
        pq.write_table(
            pa.table({"url": addresses}), file, use_dictionary=False, data_page_version=version,
            column_encoding={"url": encoding}, data_page_size=2_000, write_batch_size=50,
        )  # fmt: skip
        data = file.getvalue()
        page = read_page(
            "parquet", "http://cat.test/x.parquet", lambda url, data=data: response(url, data)
        )  # fmt: skip
        assert isinstance(page, HarvestPage), page
        assert urls_of([page]) == [plain(1)]


def test_a_server_that_ignores_ranges_of_a_large_file_is_a_reason() -> None:
    class Deaf(Answering):
        async def fetch(self, url: str, *, span=None, **_: object) -> Visit:
            return await super().fetch(url)

    def answer(url: str) -> Visit:
        cut = response(url, b"x" * 1_000)
        return type(cut)(url, url, 200, {}, b"x" * 1_000, cut.at, truncated=True)

    page = asyncio.run(
        HARVESTERS["parquet"].page("http://cat.test/x.parquet", b"", Deaf(answer))
    )
    assert isinstance(page, Failure)
    assert "range requests" in page.detail


# WARC files


def capabilities() -> str:
    from geoweb import Request, ServiceSpec, services

    reply = services.answer(
        ServiceSpec("wms", "1.3.0", 5, "http://gis.test/wms", topic="rivers"),
        Request("GET", "gis.test", "/wms", "service=WMS&request=GetCapabilities"),
    )
    assert reply is not None
    return reply.body.decode()


def mined(page: HarvestPage) -> list[Listed]:
    explorer = Explorer(BOOK)

    async def no_file(_: str) -> None:
        return None

    async def mine(document: Document) -> Page:
        return await explorer.explore(document, no_file, None)

    done = asyncio.run(mine_archived(page, mine, plugins.discover("kinds"), BOOK))
    assert not done.documents, "pages of archives never leave the worker"
    return list(done.listed)


SCRIPT = "new ol.source.TileWMS({url: 'https://maps.test/geoserver/ows', params: {LAYERS: 'a:b'}});"
ARCHIVE = [
    warc_record(
        "http://a.test/page",
        f"<html><a href='{plain(1)}'>Map</a> <a href='/about'>We</a></html>",
    ),
    warc_record("http://a.test/app.js", SCRIPT, "application/javascript"),
    warc_record(
        "http://gis.test/wms?service=WMS&request=GetCapabilities",
        capabilities(),
        "text/xml",
    ),
    warc_record("http://a.test/request", "nothing", kind="request"),
    warc_record("http://a.test/map.png", "bytes", "image/png"),
]


@pytest.mark.parametrize("is_packed", [True, False])
def test_pages_of_a_warc_file_are_mined_as_live_ones(
    tmp_path: Path, *, is_packed: bool
) -> None:
    data = b"".join(ARCHIVE)
    file = tmp_path / "x.warc"
    file.write_bytes(data if is_packed else gzip.decompress(data))
    (page,) = read_all("warc", file.as_uri())
    assert [document.url for document in page.documents] == [
        "http://a.test/page",
        "http://a.test/app.js",
        "http://gis.test/wms?service=WMS&request=GetCapabilities",
    ]
    found = [each.url for each in mined(page)]
    assert found[0] == plain(1)
    assert any(url.startswith("https://maps.test/geoserver/ows") for url in found), (
        "named in a script"
    )
    assert found[-1] == "http://gis.test/wms?service=WMS&request=GetCapabilities"


def test_a_warc_file_is_read_piece_by_piece_and_no_record_is_lost(
    server: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = [
        warc_record(f"http://a.test/{n}", f"<html>{'word ' * (n * 40)}</html>")
        for n in range(60)
    ]
    server.files["/x.warc.gz"] = ("application/octet-stream", b"".join(records))
    monkeypatch.setattr(warc, "PIECE_BYTES", 2_000)
    pages = read_all("warc", "http://cat.test/x.warc.gz", server)
    assert len(pages) > 5
    assert [document.url for page in pages for document in page.documents] == [
        f"http://a.test/{n}" for n in range(60)
    ]
    assert all(size <= 2_000 for _, size in server.ranges)


def test_a_record_larger_than_a_piece_makes_the_piece_larger(
    server: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    noise = "".join(chr(33 + (n * n * 7919) % 90) for n in range(9_000))
    records = [
        warc_record("http://a.test/large", noise),
        warc_record("http://a.test/small", "x"),
    ]
    server.files["/x.warc.gz"] = ("application/octet-stream", b"".join(records))
    monkeypatch.setattr(warc, "PIECE_BYTES", 300)
    pages = read_all("warc", "http://cat.test/x.warc.gz", server)
    found = [document.url for page in pages for document in page.documents]
    assert found == ["http://a.test/large", "http://a.test/small"]


def test_a_warc_file_that_is_cut_off_ends_with_its_last_whole_record(
    tmp_path: Path,
) -> None:
    data = b"".join(ARCHIVE[:2])
    file = tmp_path / "x.warc.gz"
    file.write_bytes(data[: len(ARCHIVE[0]) + 40])
    (page,) = read_all("warc", file.as_uri())
    assert page.documents[0].url == "http://a.test/page"


def test_a_file_that_is_not_there_is_a_reason() -> None:
    page = read_page("warc", "file:///nowhere/x.warc.gz", lambda _: None)
    assert isinstance(page, Failure)
    assert "cannot be read" in page.detail


# CDX servers


def test_common_crawls_index_is_asked_for_services_alone_page_by_page() -> None:
    asked: list[dict[str, str]] = []

    def answer(url: str) -> Visit:
        asked.append(asked_for(url))
        if "shownumpages" in asked[-1]:
            return response(url, text({"pages": 2, "pageSize": 5, "blocks": 6}))
        return response(url, text({"url": plain(int(asked[-1]["page"]))}) + "\n")

    web = Answering(answer)
    part = HARVESTERS["cdx"]
    source = "http://index.test/CC-MAIN-2026-43-index?url=*.gov.test&output=text"
    first = asyncio.run(part.page(source, b"", web))
    second = asyncio.run(part.page(source, first.next, web))
    assert urls_of([first, second]) == [plain(0), plain(1)]
    assert not second.next
    assert [each.get("page") for each in asked] == ["0", None, "1"]
    assert all(
        each["output"] == "json" and each["url"] == "*.gov.test" for each in asked
    )
    assert "getcapabilities" in asked[0]["filter"]


def test_the_wayback_machines_index_answers_in_rows() -> None:
    rows = [["original"], [plain(1)], [plain(2)], [7]]

    def answer(url: str) -> Visit:
        return response(url, "1" if "showNumPages" in url else text(rows))

    page = read_page("cdx", "http://web.test/cdx/search/cdx?url=gov.test*", answer)
    assert isinstance(page, HarvestPage)
    assert urls_of([page]) == [plain(1), plain(2)]


def test_an_index_without_captures_is_empty_and_no_failure() -> None:
    said = '{"message": "No Captures found for: x.test"}'
    page = read_page(
        "cdx",
        "http://index.test/x-index?url=x.test",
        lambda url: response(url, said, "text/json", 404),
    )
    assert page == HarvestPage()
