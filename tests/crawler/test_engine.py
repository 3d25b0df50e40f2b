"""The loop, on a web of a few pages held in a dictionary, with a real store."""

from __future__ import annotations

import asyncio
import time
from hashlib import sha256
from pathlib import Path

import pytest
from small_web import NOW, SEED, WMS, Answer, SmallWeb, crawl, html, run, service

from geohound.crawler import autoscaled_pool, engine
from geohound.document import Document
from geohound.frontier import FrontierLimits
from geohound.model.addresses import Addresses
from geohound.model.bbox import BBox
from geohound.model.crawl.task import UNFINISHED, CrawlGoal, TaskSpec
from geohound.model.failure import FailureReason
from geohound.model.layer_request import LayerRequest
from geohound.model.service import Layer, Refusal, Service
from geohound.model.visit import Purpose, Response, Visit
from geohound.net.clock import SystemClock
from geohound.orders.backlink import Backlink
from geohound.orders.opic import Opic
from geohound.orders.oss import OssGroups
from geohound.stores.sqlite import open_store
from geoweb import Request, ServiceSpec, services


def test_only_services_of_the_topic_that_was_asked_for_are_kept(tmp_path: Path) -> None:
    pages = html(
        "<a href='http://gis.test/ows?service=WMS'>Roads</a> <a href='http://sea.test/ows?service=WMS'>Sea</a>"
    )
    web = SmallWeb(
        {
            SEED: pages,
            "http://gis.test/ows": service(WMS),
            "http://sea.test/ows": service(WMS),
        }
    )

    def topics_of(found: Service) -> list[tuple[str, str]]:
        return [("water", "sea")] if "sea.test" in found.endpoint else [("roads", "")]

    _, store = run(tmp_path, web, topic="water", topics_of=topics_of)
    assert [entry.service.endpoint for entry in store.catalogue.entries()] == [
        "http://sea.test/ows"
    ]


def test_a_linked_service_is_confirmed_and_catalogued_with_its_sighting(
    tmp_path: Path,
) -> None:
    web = SmallWeb(
        {
            "http://a.test/": html("<a href=/maps>Maps</a>"),
            "http://a.test/maps": html(
                "<a href='http://gis.test/ows?service=WMS&request=GetCapabilities'>Rivers</a>"
            ),
            "http://gis.test/ows": service(WMS),
        }
    )
    done, store = run(tmp_path, web)
    facts = services.facts(WMS)
    (found,) = [s for s in store.catalogue.at("http://gis.test/ows") if s.kind == "wms"]
    assert found.title == facts.title
    assert [layer.name for layer in found.layers] == list(facts.layers)
    (seen,) = store.catalogue.sightings(found.id)
    assert (seen.found_on, seen.evidence, seen.depth) == (
        "http://a.test/maps",
        "Rivers",
        2,
    )
    assert done.observer.services == 1
    store.close()


def _capabilities(version: str) -> str:
    return f"http://gis.test/ows?service=WMS&version={version}&request=GetCapabilities"


@pytest.mark.parametrize(
    ("listed", "asked"),
    [
        (["1.1.1", "1.3.0"], ["1.1.1", "1.3.0"]),
        (["1.3.0", "1.1.1"], ["1.3.0"]),
        (["1.1.1", "1.3.0", "1.1.1&x=", "1.3.0&layers=a"], ["1.1.1", "1.3.0"]),
    ],
)
def test_of_requests_that_differ_in_the_version_the_highest_counts(
    tmp_path: Path, listed, asked
) -> None:
    """OSS-9, rule 2 of R1 (Sidsten 2012, section 3.4.2): the URL with the lowest version is a duplicate of the other."""

    def server(url: str) -> Visit:
        version = "1.1.1" if "version=1.1.1" in url else "1.3.0"
        spec = ServiceSpec("wms", version, 5, "http://gis.test/ows", topic="rivers")
        return service(spec)(url)

    links = "".join(f"<a href='{_capabilities(version)}'>WMS</a>" for version in listed)
    web = SmallWeb({SEED: html(links), "http://gis.test/ows": server})
    done, store = run(tmp_path, web)
    (found,) = [entry.service for entry in store.catalogue.entries()]
    assert found.version == "1.3.0"
    requests = [url for url in web.asked if "gis.test/ows" in url]
    assert requests == [_capabilities(version) for version in asked]
    visits = [
        visit
        for visit in store.log.visits(done.plan.task)
        if "gis.test/ows" in visit.url
    ]
    assert len(visits) == len(listed)
    assert {visit.url for visit in visits if visit.status} == set(requests), (
        "what was not asked has no status"
    )
    store.close()


def test_a_bare_endpoint_that_complains_is_asked_properly(tmp_path: Path) -> None:
    web = SmallWeb({"http://a.test/": html("<a href=http://gis.test/x>x</a>"), "http://gis.test/x": service(
        ServiceSpec("wms", "1.3.0", 5, "http://gis.test/x", topic="rivers")
    )})  # fmt: skip
    done, store = run(tmp_path, web)
    assert done.observer.kinds["wms"] == 1
    store.close()


def test_a_busy_server_is_asked_again_later(tmp_path: Path) -> None:
    answers = iter(
        [html("", 429, retry_after="0"), html("", 503), html("<a href=/b>b</a>")]
    )

    def busy_at_first(url: str) -> Visit:
        return next(answers)(url)

    web = SmallWeb({"http://a.test/": busy_at_first, "http://a.test/b": html("b")})
    _, store = run(tmp_path, web)
    assert web.asked == ["http://a.test/"] * 3 + ["http://a.test/b"]
    store.close()


def test_a_server_that_stays_busy_is_dropped_with_its_reason(tmp_path: Path) -> None:
    done, store = run(tmp_path, SmallWeb({"http://a.test/": html("", 429)}))
    assert done.final_drops == {FailureReason.RATE_LIMITED: 1}  # type: ignore[attr-defined]
    store.close()


class Broken:
    """A kind with a bug."""

    id, title, protocol = "broken", "Broken", "X"
    addresses = Addresses()

    def suspects(self, url: str) -> bool:
        return False

    def probe_urls(self, url: str) -> list[str]:
        return []

    def read(self, document: Document) -> Service | Refusal | None:
        if document.url.endswith("/bad"):
            raise ZeroDivisionError
        return None

    def requests(
        self, service: Service, layer: Layer, box: BBox | None
    ) -> list[LayerRequest]:
        return []


def test_a_bug_costs_one_url_and_not_the_crawl(tmp_path: Path, caplog) -> None:
    web = SmallWeb(
        {
            "http://a.test/": html("<a href=/bad>1</a><a href=/good>2</a>"),
            "http://a.test/bad": html("bad"),
            "http://a.test/good": html("good"),
        }
    )
    done, store = run(tmp_path, web, kinds={"broken": Broken()})
    assert done.observer.pages == 3
    assert done.final_drops == {FailureReason.BUG: 1}  # type: ignore[attr-defined]
    assert "ZeroDivisionError" in caplog.text
    store.close()


def test_the_page_budget_is_kept_to_the_page_and_the_rest_waits(tmp_path: Path) -> None:
    pages = {
        f"http://h{i}.test/": html(
            "".join(f"<a href=http://h{j}.test/>x</a>" for j in range(50))
        )
        for i in range(50)
    }
    web = SmallWeb({"http://a.test/": html("<a href=http://h0.test/>x</a>"), **pages})
    done, store = run(tmp_path, web, max_pages=20)
    assert done.observer.pages == 20
    task = next(iter(store.tasks.list(UNFINISHED)))
    assert task is not None
    more = asyncio.run(crawl(store, web, task.id))
    assert more.observer.pages == 31
    assert sorted(web.asked) == sorted(["http://a.test/", *pages])
    store.close()


def test_walls_and_equal_pages_are_dropped_with_their_reasons(tmp_path: Path) -> None:
    def same(url: str) -> Visit:
        return Response(
            url, url, 200, {"content-type": "text/html"}, b"<html>the same</html>", NOW
        )

    web = SmallWeb(
        {
            "http://a.test/": html(
                "<a href=/1>1</a><a href=/2>2</a><a href=/login>3</a><a href=/gone>4</a>"
            ),
            "http://a.test/1": same,
            "http://a.test/2": same,
            "http://a.test/login": html(
                "<form action=/in><input name=u><input type=password name=p></form>"
            ),
            "http://a.test/gone": html("", 404),
        }
    )
    done, store = run(tmp_path, web)
    assert done.final_drops == {  # type: ignore[attr-defined]
        FailureReason.DUPLICATE_CONTENT: 1,
        FailureReason.LOGIN_WALL: 1,
        FailureReason.HTTP_ERROR: 1,
    }
    store.close()


def test_a_log_in_beside_a_link_is_no_wall(tmp_path: Path) -> None:
    web = SmallWeb(
        {
            "http://a.test/": html(
                "<form><input type=password name=p></form><a href=/maps>maps</a>"
            ),
            "http://a.test/maps": html(
                "<a href='http://gis.test/ows?service=WMS&request=GetCapabilities'>m</a>"
            ),
            "http://gis.test/ows": service(WMS),
        }
    )
    done, store = run(tmp_path, web)
    assert done.final_drops == {}  # type: ignore[attr-defined]
    assert store.catalogue.count()[0] == 1
    store.close()


def test_what_a_catalogue_lists_is_tested_too(tmp_path: Path) -> None:
    csw = ServiceSpec("csw", "2.0.2", 9, "http://gis.test/csw", topic="rivers")

    def catalogue(url: str) -> Visit:
        reply = services.answer(
            csw, Request("GET", "gis.test", "/csw", url.partition("?")[2]), (WMS,)
        )
        assert reply is not None
        return Response(
            url,
            url,
            reply.status,
            {"content-type": reply.content_type},
            reply.body,
            NOW,
        )

    web = SmallWeb(
        {
            "http://a.test/": html(
                "<a href='http://gis.test/csw?service=CSW&request=GetCapabilities'>c</a>"
            ),
            "http://gis.test/csw": catalogue,
            "http://gis.test/ows": service(WMS),
        }
    )
    done, store = run(tmp_path, web)
    assert done.observer.kinds == {"csw": 1, "wms": 1}
    assert done.observer.vias["harvest"] == 1
    store.close()


@pytest.mark.parametrize(
    "value", ["nan", "inf", "-5", "1e5", "９", "soon", "99999999999999"]
)
def test_a_nonsense_retry_after_is_no_retry_after(tmp_path: Path, value: str) -> None:
    done, store = run(
        tmp_path, SmallWeb({"http://a.test/": html("", 503, retry_after=value)})
    )
    assert done.final_drops == {FailureReason.UNAVAILABLE: 1}  # type: ignore[attr-defined]
    store.close()


def test_a_catalogue_without_end_does_not_outlast_the_crawls_time(
    tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setattr(engine, "GRACE_S", 1.0)
    csw = ServiceSpec("csw", "2.0.2", 9, "http://gis.test/csw", topic="rivers")

    def endless(url: str) -> Visit:
        if "GetRecords" not in url:
            return service(csw)(url)
        position = int(url.partition("startPosition=")[2].partition("&")[0])
        record = (
            f"<Record><references>http://h{position}.test/wms</references></Record>"
        )
        results = f'<SearchResults nextRecord="{position + 1}" numberOfRecordsMatched="999999">{record}</SearchResults>'
        body = f"<GetRecordsResponse>{results}</GetRecordsResponse>".encode()
        time.sleep(0.02)
        return Response(url, url, 200, {"content-type": "text/xml"}, body, NOW)

    seed = html(
        "<a href='http://gis.test/csw?service=CSW&request=GetCapabilities'>c</a>"
    )
    web = SmallWeb({"http://a.test/": seed, "http://gis.test/csw": endless})
    began = time.monotonic()
    _, store = run(tmp_path, web, max_time_s=0.5)
    assert time.monotonic() - began < 4
    store.close()


def test_an_order_that_counts_links_visits_the_page_that_most_pages_link_to_first(
    tmp_path: Path,
) -> None:
    """On one host, in one lane: after three pages that all name it, /popular goes before what was found earlier."""
    hub = html(
        "<a href=/1>1</a><a href=/2>2</a><a href=/3>3</a><a href=/old>o</a><a href=/popular>p</a>"
    )
    names_it = html("<a href=/popular>again</a>")
    pages = {f"http://a.test/{n}": names_it for n in (1, 2, 3)}
    web = SmallWeb(
        {
            "http://a.test/": hub,
            **pages,
            "http://a.test/old": html("o"),
            "http://a.test/popular": html("p"),
        }
    )
    store = open_store(tmp_path / "c.db", SystemClock())
    task = store.tasks.create(TaskSpec(CrawlGoal(("http://a.test/",)))).id
    asyncio.run(crawl(store, web, task, order=Backlink(), counts_links=True))
    asked = [url.rpartition("/")[2] for url in web.asked]
    assert asked == ["", "1", "popular", "2", "3", "old"]
    store.close()


def test_cash_is_shared_among_the_links_of_a_page(tmp_path: Path) -> None:
    hub = html("".join(f"<a href=/{n}>{n}</a>" for n in range(10)))
    web = SmallWeb(
        {
            "http://a.test/": hub,
            **{f"http://a.test/{n}": html(f"{n}") for n in range(10)},
        }
    )
    store = open_store(tmp_path / "c.db", SystemClock())
    task = store.tasks.create(TaskSpec(CrawlGoal(("http://a.test/",)))).id
    order = Opic()
    order.seed("http://a.test/", 0)
    asyncio.run(crawl(store, web, task, order=order, counts_links=True))
    scores = [visit.score for visit in store.tasks.visits(task) if visit.depth == 1]
    assert scores == pytest.approx([1 / 11] * 10), (
        "ten links, and the page names its own address"
    )
    store.close()


def test_a_group_without_lists_ends_at_the_least_depth(tmp_path: Path) -> None:
    chain = {
        f"http://a.test/{n}": html(f"{n} words of their own <a href=/{n + 1}>on</a>")
        for n in range(1, 6)
    }
    web = SmallWeb({"http://a.test/": html("<a href=/1>on</a>"), **chain})
    store = open_store(tmp_path / "c.db", SystemClock())
    task = store.tasks.create(TaskSpec(CrawlGoal(("http://a.test/",)))).id
    done = asyncio.run(crawl(store, web, task, order=OssGroups()))
    assert [url.rpartition("/")[2] for url in web.asked] == ["", "1", "2"]
    assert done.final_drops[FailureReason.ORDER] == 1  # type: ignore[attr-defined]
    left_out = [
        visit
        for visit in store.tasks.visits(task)
        if visit.reason is FailureReason.ORDER
    ]
    assert [visit.url for visit in left_out] == ["http://a.test/3"]
    store.close()


def test_a_level_is_judged_when_its_tests_have_ended(tmp_path: Path) -> None:
    """Sidsten 2012, section 4.3.4: the result of a level is parsed, and only then is it decided on the next one.

    The page at depth 2 names a WMS by a bare address, which proves to be one by its third answer only.
    """
    chain = {
        f"http://a.test/{n}": html(f"{n} words of their own <a href=/{n + 1}>on</a>")
        for n in range(1, 6)
    }
    chain["http://a.test/2"] = html(
        "two <a href=/3>on</a> <a href=http://gis.test/ows>maps</a>"
    )
    answers = iter([html("busy", 503), html("busy", 503)])

    def slowly(url: str) -> Visit:
        return next(answers, service(WMS))(url)

    web = SmallWeb(
        {SEED: html("<a href=/1>on</a>"), **chain, "http://gis.test/ows": slowly}
    )
    store = open_store(tmp_path / "c.db", SystemClock())
    task = store.tasks.create(TaskSpec(CrawlGoal((SEED,)))).id
    asyncio.run(crawl(store, web, task, order=OssGroups()))
    pages = [url.rpartition("/")[2] for url in web.asked if "a.test" in url]
    assert pages == ["", "1", "2", "3"], (
        "one list page at level 2 opens level 3, none at level 3 ends the group"
    )
    store.close()


def test_uncertain_links_are_tested_after_all_others(tmp_path: Path) -> None:
    """Sidsten 2012, section 3.4.2: uncertain links "can be tested later, after all ordinary OGC-links"."""
    page = "<a href=http://gis.test/x?request=GetMap>?</a><a href=http://gis.test/x?request=GetCapabilities>?</a>"
    page += "".join(
        f"<a href='http://gis.test/{n}?service=WMS&amp;request=GetCapabilities'>{n}</a>"
        for n in range(3)
    )
    web = SmallWeb(
        {SEED: html(page), **{f"http://gis.test/{n}": html(f"{n}") for n in range(3)}}
    )
    _, store = run(tmp_path, web)
    tested = [url.split("/")[3][:1] for url in web.asked if "gis.test" in url]
    assert list(dict.fromkeys(tested)) == ["0", "1", "2", "x"]
    store.close()


EXCEPTION = b"""<ServiceExceptionReport version="1.1.1"><ServiceException>no such map</ServiceException>
</ServiceExceptionReport>"""


def sent(body: bytes, kind: str) -> Answer:
    return lambda url: Response(url, url, 200, {"content-type": kind}, body, NOW)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (html("<h1>Maps</h1> of our town, by the town"), FailureReason.HTML_PAGE),
        (sent(EXCEPTION, "text/xml"), FailureReason.EXCEPTION_REPORT),
        (sent(b"", "text/xml"), FailureReason.EMPTY_ANSWER),
        (
            sent(b"<rss><channel><title>News</title></channel></rss>", "text/xml"),
            FailureReason.OTHER_DOCUMENT,
        ),
    ],
)
def test_every_test_in_vain_keeps_its_reason(
    tmp_path: Path, answer: Answer, reason: FailureReason
) -> None:
    """Sidsten 2012, appendix B.3.1, module 6: what is no service is removed, "and grouping by error type"."""
    link = (
        "<a href='http://gis.test/ows?service=WMS&amp;request=GetCapabilities'>map</a>"
    )
    _, store = run(
        tmp_path, SmallWeb({SEED: html(link), "http://gis.test/ows": answer})
    )
    test, *_ = [
        visit for visit in store.tasks.visits(1) if visit.purpose is Purpose.PROBE
    ]
    assert (test.reason, test.services) == (reason, 0)
    store.close()


def test_redirects_are_followed_within_a_site_but_not_to_a_page_that_was_read(
    tmp_path: Path,
) -> None:
    web = SmallWeb(
        {
            "http://a.test/": html("<a href=/maps>Maps</a>"),
            "http://a.test/maps": html("maps"),
        }
    )
    run(tmp_path, web)
    assert web.asked == ["http://a.test/", "http://a.test/maps"]
    follows = web.follows[0]
    assert follows is not None
    assert follows("http://a.test/old", "http://www.a.test/new")
    assert not follows("http://a.test/old", "http://a.test/maps")
    assert not follows("http://a.test/old", "http://b.test/new")


def moved(body: str, to: str) -> Answer:
    """What a redirect within the site comes to."""

    def answer(url: str) -> Visit:
        return Response(
            url,
            to,
            200,
            {"content-type": "text/html"},
            f"<html>{body}</html>".encode(),
            NOW,
            chain=(url,),
        )

    return answer


def test_a_redirect_to_a_page_that_is_queued_does_not_swallow_its_links(
    tmp_path: Path,
) -> None:
    body = "<a href=/deep>deep</a>"
    web = SmallWeb(
        {
            "http://a.test/": html("<a href=/old>old</a><a href=/new>new</a>"),
            "http://a.test/old": moved(body, "http://a.test/new"),
            "http://a.test/new": html(body),
            "http://a.test/deep": html("deep"),
        }
    )
    run(tmp_path, web)
    assert "http://a.test/deep" in web.asked


def test_links_of_a_page_that_says_nothing_new_may_be_told_by_others(
    tmp_path: Path,
) -> None:
    same = [f"http://a.test/same{n}" for n in range(6)]

    def plain(body: str) -> Answer:
        return lambda url: Response(
            url,
            url,
            200,
            {"content-type": "text/html"},
            f"<html>{body}</html>".encode(),
            NOW,
        )

    pages = {
        url: plain(f"the same words <a href=/target{n // 5}>target</a>")
        for n, url in enumerate(same)
    }
    web = SmallWeb(
        {
            "http://a.test/": html(
                "".join(f"<a href={url}>x</a>" for url in same)
                + "<a href=/honest>y</a>"
            ),
            **pages,
            "http://a.test/honest": html("other words <a href=/target1>target</a>"),
            "http://a.test/target1": html("found"),
        }
    )
    done, _ = run(tmp_path, web)
    assert done.final_drops[FailureReason.DUPLICATE_CONTENT] > 1
    assert "http://a.test/target1" in web.asked


def test_links_of_a_page_that_only_the_engine_knows_as_a_repetition_are_followed(
    tmp_path: Path,
) -> None:
    """A new worker reports them once and then takes them for known: nobody would report them again."""

    def plain(body: str) -> Answer:
        return lambda url: Response(
            url,
            url,
            200,
            {"content-type": "text/html"},
            f"<html>{body}</html>".encode(),
            NOW,
        )

    web = SmallWeb(
        {
            "http://a.test/": html("<a href=/x/copy>c</a>"),
            "http://a.test/x/copy": plain("<a href=to>to</a>"),
        }
    )
    _, store = run(tmp_path, web)
    task = next(iter(store.tasks.list(UNFINISHED)))
    assert task is not None
    web.pages |= {
        "http://a.test/": html("<a href=/y/copy>c</a><a href=/z>z</a>"),
        "http://a.test/y/copy": plain("<a href=to>to</a>"),
        "http://a.test/z": html("words <a href=/y/to>to</a>"),
        "http://a.test/y/to": html("found"),
    }
    done = asyncio.run(crawl(store, web, task.id, seed="http://a.test/?again"))
    assert done.final_drops[FailureReason.DUPLICATE_CONTENT] == 1
    assert "http://a.test/y/to" in web.asked
    store.close()


def endless_search(url: str) -> Visit:
    """It never finds anything, says another word each time, and leads on."""
    word = url.partition("=")[2]
    other = (
        sha256(word.encode())
        .hexdigest()
        .translate(str.maketrans("0123456789", "ghijklmnop"))[:9]
    )
    body = f"<h1>Nothing found for {word}</h1> Did you mean <a href='/search?q={other}'>{other}</a>?"
    return Response(url, url, 200, {"content-type": "text/html"}, body.encode(), NOW)


@pytest.mark.slow
def test_an_endless_search_is_left_as_soon_by_a_crawl_that_is_stopped_again_and_again(
    tmp_path: Path,
) -> None:
    seed = html("<a href=/search?q=maps>Search</a>")
    store = open_store(tmp_path / "c.db", SystemClock())
    asked = []
    for runs in (1, 12):
        web = SmallWeb({"http://a.test/": seed, "http://a.test/search": endless_search})
        task = store.tasks.create(TaskSpec()).id
        for nth in range(runs):
            max_pages = 500 if nth == runs - 1 else 5  # of this run
            done = asyncio.run(
                crawl(
                    store,
                    web,
                    task,
                    max_pages=max_pages,
                    bounds=FrontierLimits(max_attempts=3, max_depth=400),
                )
            )
        assert done.final_drops[FailureReason.TRAP] == 1
        asked.append(len(web.asked))
    assert asked[0] == asked[1]
    store.close()


@pytest.mark.slow
def test_an_endless_search_that_finds_nothing_is_left_though_it_says_another_word_each_time(
    tmp_path: Path,
) -> None:
    web = SmallWeb(
        {
            "http://a.test/": html("<a href=/search?q=maps>Search</a>"),
            "http://a.test/search": endless_search,
        }
    )
    store = open_store(tmp_path / "c.db", SystemClock())
    task = store.tasks.create(TaskSpec(CrawlGoal(("http://a.test/",)))).id
    done = asyncio.run(
        crawl(
            store,
            web,
            task,
            max_pages=500,
            bounds=FrontierLimits(max_attempts=3, max_depth=400),
        )
    )
    assert done.observer.pages < 60
    assert done.final_drops[FailureReason.TRAP] == 1
    store.close()


@pytest.mark.slow
def test_the_pool_does_not_grow_at_the_end_of_a_page_budget_where_nothing_more_may_be_leased(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(autoscaled_pool, "WINDOW_S", 0.02)
    seed = html("".join(f"<a href=http://h{n}.test/>{n}</a>" for n in range(200)))
    web = SlowWeb(
        {
            "http://a.test/": seed,
            **{f"http://h{n}.test/": html(f"page {n}") for n in range(200)},
        },
        "h0.test",
    )
    done, store = run(tmp_path, web, max_pages=10)
    assert len(web.asked) == 10
    assert done.pools[False].size == 24
    store.close()


class SlowWeb(SmallWeb):
    """One host takes a second, or longer."""

    def __init__(
        self, pages: dict[str, Answer], slow: str, takes_s: float = 1.0
    ) -> None:
        super().__init__(pages)
        self.slow = slow
        self.takes_s = takes_s

    async def fetch(self, url: str, **options) -> Visit:
        answer = await super().fetch(url, **options)
        if self.slow in url:
            await asyncio.sleep(self.takes_s)
        return answer


@pytest.mark.slow
def test_the_pool_grows_where_everybody_is_busy_and_work_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(autoscaled_pool, "WINDOW_S", 0.02)
    seed = html("".join(f"<a href=http://h{n}.test/>{n}</a>" for n in range(100)))
    web = SlowWeb(
        {
            "http://a.test/": seed,
            **{f"http://h{n}.test/": html(f"page {n}") for n in range(100)},
        },
        "h",
    )
    done, store = run(tmp_path, web, max_pages=60)
    assert done.pools[False].size > 24
    store.close()


def test_a_visit_keeps_the_numeric_address_that_was_asked(tmp_path):
    web = SmallWeb(
        {
            "http://a.test/": html(
                '<a href="/gone">x</a> <a href="http://nowhere.test/">y</a>'
            )
        }
    )
    done, store = run(tmp_path, web)
    visits = {visit.url: visit.address for visit in store.log.visits(done.plan.task)}
    assert visits == {
        "http://a.test/": "192.0.2.7",
        "http://a.test/gone": "192.0.2.7",
        "http://nowhere.test/": "",
    }
    store.close()


def test_services_that_the_last_pages_of_a_budget_name_are_still_tested(
    tmp_path: Path,
) -> None:
    named = "".join(
        f"<a href='http://maps.test/wms{n}?service=WMS&request=GetCapabilities'>map {n}</a>"
        for n in range(6)
    )
    more = "".join(f"<a href=http://a.test/{n}>more</a>" for n in range(10))
    maps = {
        f"http://maps.test/wms{n}?service=WMS&request=GetCapabilities": html("no map")
        for n in range(6)
    }
    web = SmallWeb({"http://a.test/": html(named + more), **maps})
    done, store = run(tmp_path, web, max_pages=1)
    tested = [
        visit.url for visit in store.tasks.visits(1) if visit.purpose is Purpose.PROBE
    ]
    assert sorted(tested) == sorted(maps), "one host, asked for one after the other"
    assert done.observer.pages == 1
    assert done.ending == "page budget"
    store.close()


def hosts_with_one_that_hangs(count: int) -> SlowWeb:
    seed = html("".join(f"<a href=http://h{n}.test/>{n}</a>" for n in range(count)))
    pages = {f"http://h{n}.test/": html(f"page {n}") for n in range(count)}
    return SlowWeb({"http://a.test/": seed, **pages}, "h0.test", takes_s=30.0)


def test_the_end_of_a_page_budget_does_not_wait_for_a_host_that_hangs_and_a_resume_asks_it_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "HANGING_S", 0.3)
    web = hosts_with_one_that_hangs(59)
    began = time.monotonic()
    done, store = run(tmp_path, web, max_pages=60)
    assert time.monotonic() - began < 20.0
    assert (done.ending, done.visits) == ("page budget", 59)
    web.slow = "nobody"
    task = next(iter(store.tasks.list(UNFINISHED)))
    more = asyncio.run(crawl(store, web, task.id, max_pages=60))
    assert [visit.url for visit in store.log.visits(task.id)].count(
        "http://h0.test/"
    ) == 1
    assert more.visits == 1, "what was left"
    store.close()


def test_a_slow_host_is_waited_for_where_it_is_much_of_the_budget(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "HANGING_S", 0.1)
    web = hosts_with_one_that_hangs(9)
    web.takes_s = 0.6
    done, store = run(tmp_path, web, max_pages=10)
    assert done.visits == 10
    store.close()
