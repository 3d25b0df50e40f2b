"""The search agent asks in rounds, reads what comes, learns, and knows when to leave it to the crawl."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from books import BOOK
from plain_order import PlainOrder

from geohound.agent.evolution import Phase, StayLimits
from geohound.agent.knowledge import Knowledge, read_knowledge
from geohound.agent.rules import PUBLISHED, AgentRules, ScoreRules
from geohound.agent.subject import Subject
from geohound.model.crawl.job import PageRead, Report
from geohound.model.crawl.task import TaskKind
from geohound.model.crawl.web_search import SearchPage, SearchTerms, WebResult
from geohound.model.failure import FailureReason
from geohound.model.service import Service
from geohound.model.visit import Candidate, Failure, Link, Page, Purpose, Via
from geohound.settings import Settings
from geohound.stores.memory.searches import MemorySearchCache
from geohound.tasks.hunts.hunt import Hunt
from geohound.tasks.hunts.hunt_plan import AgentState, HuntPlan
from geohound.tasks.hunts.learning import HuntObserver
from geohound.tasks.hunts.making import agent_rules
from geohound.tasks.hunts.providers import AskedSearcher, Providers, SearchBudget
from geohound.tasks.hunts.results import HuntStep, ResultBook
from geohound.tasks.progress import Progress
from geohound.tasks.source_yields import SourceYields, best_first

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
DAY_S = 86_400


class Clock:
    passed_s = 0.0

    def now(self):
        return NOON + timedelta(seconds=self.passed_s)

    def monotonic(self):
        return self.passed_s

    async def sleep(self, seconds):
        self.passed_s += seconds


class Scripted:
    """A provider whose pages a function writes."""

    id, title, address, keys = "one", "One", "http://one.test", ()

    def __init__(self, script, **terms):
        self.script = script
        self.terms = SearchTerms(page_size=2, **terms)
        self.asked = []

    async def page(self, request, fetcher):
        self.asked.append((request.text, request.page))
        return self.script(request.text, request.page)


class Reader:
    """A crawl that reads every result at once: each page whose host is named in `services` holds a service there."""

    is_idle, is_over, released = True, False, 0

    def __init__(self, observer, services):
        self.observer = observer
        self.services = services
        self.admitted = []

    def admit(self, found):
        self.admitted += found
        for seed in found:
            if seed.depth == 0:
                self.read(seed)
        return {seed.url for seed in found}

    def read(self, seed):
        host = seed.url.split("/")[2].partition(".")[0]
        links = tuple(Link(url, text) for url, text in self.services.get(host, ()))
        page = Page(seed.url, title=f"maps of {host}", text=f"{host} rivers")
        self.observer.on_report(
            seed, Report(PageRead(page=page, links=links), status=200, asked=1)
        )
        for link in links:
            test = Candidate(
                link.url, Via.LINK, seed.url, link.text, depth=1, purpose=Purpose.PROBE
            )
            service = Service("wms", link.url.partition("?")[0], title=link.text)
            self.observer.on_report(
                test, Report(PageRead(services=(service,)), status=200, asked=1)
            )
            self.observer.on_service(service, test)

    async def flush(self):
        pass

    def release(self):
        self.released += 1


def page(*hosts, more=True, estimate=None):
    return SearchPage(
        tuple(WebResult(f"http://{host}.test/") for host in hosts), estimate, more
    )


def refusal(reason, retry_after_s=None):
    return Failure(
        "http://one.test",
        reason,
        "One wants a pause",
        NOON,
        retry_after_s=retry_after_s,
    )


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def cache(clock):
    return MemorySearchCache(clock)


class Rig:
    """A hunt with everything around it."""

    def __init__(
        self, searcher, cache, clock, services=None, known=None, max_queries=50, **plan
    ):
        self.events, self.kept = [], []
        named = searcher if isinstance(searcher, dict) else {"one": searcher}
        yields, results = SourceYields(list(named)), ResultBook()
        budget = SearchBudget(max_queries)
        sources = [AskedSearcher(name, each, "") for name, each in named.items()]
        providers = Providers(
            sources, cache, None, clock, yields, self.events.append, budget
        )
        self.known = Knowledge() if known is None else known
        observer = HuntObserver(Progress(), yields, results, self.known, BOOK)
        plan = HuntPlan(
            **{"queries": ("a", "b"), "rules": AgentRules(), "max_results": 80, **plan}
        )
        observer.subject, observer.off_subject = plan.subject, plan.rules.off_subject
        self.hunt = Hunt(
            plan, providers, self.known, results, observer, clock, self._keep
        )
        self.crawl = Reader(observer, services or {})
        self.yields = yields

    async def _keep(self, body):
        self.kept.append(body)

    def run(self):
        asyncio.run(self.hunt.run(self.crawl, PlainOrder(), BOOK))
        return self


ALL_PAGES = AgentRules(deepens=False)


def test_the_first_pages_of_all_queries_come_before_the_second_ones(
    cache, clock
) -> None:
    one = Scripted(lambda text, n: page(f"{text}{n}", f"{text}{n}x", more=n < 2))
    Rig(one, cache, clock, rules=ALL_PAGES).run()
    assert one.asked == [("a", 1), ("b", 1), ("a", 2), ("b", 2)]


def test_each_page_of_results_counts_as_a_request(cache, clock) -> None:
    one = Scripted(lambda text, n: page(f"{text}{n}"), cost_usd=0.005)
    rig = Rig(one, cache, clock, max_queries=3, rules=ALL_PAGES).run()
    assert len(one.asked) == 3
    assert rig.yields.of["one"].requests == 3
    assert rig.yields.of["one"].cost_usd == pytest.approx(0.015)
    assert [(event.text, event.page, event.results, event.new_seeds) for event in rig.events] == [
        ("a", 1, 1, 1), ("b", 1, 1, 1), ("a", 2, 1, 1),
    ]  # fmt: skip


def test_parameters_are_looked_for_in_addresses_where_the_provider_has_an_operator(
    cache, clock
) -> None:
    """Sidsten 2012, section 3.1.3 and table 3.1: allinurl: for request=getcapabilities."""
    one = Scripted(lambda text, n: page("x", more=False), url_operator="inurl:")
    rig = Rig(one, cache, clock, queries=("rivers", "request=getcapabilities")).run()
    assert one.asked == [("rivers", 1), ("inurl:request=getcapabilities", 1)]
    assert [event.text for event in rig.events] == ["rivers", "request=getcapabilities"]


def test_a_hunt_ends_where_its_money_does(cache, clock) -> None:
    """OSS-6: a query of the search engine costs; the budget is a setting (Sidsten 2012, appendix A.4.1)."""
    one = Scripted(lambda text, n: page(f"{text}{n}"), cost_usd=0.01)
    rig = Rig(one, cache, clock, rules=ALL_PAGES)
    rig.hunt.providers.budget = SearchBudget(50, max_cost_usd=0.02)
    rig.run()
    assert len(one.asked) == 2


def test_a_provider_that_pages_for_ever_with_the_same_results_is_not_followed(
    cache, clock
) -> None:
    one = Scripted(lambda _text, _n: page("same", "other"))
    Rig(one, cache, clock, queries=("a",), rules=ALL_PAGES).run()
    assert one.asked == [("a", 1), ("a", 2)]


def test_every_provider_is_asked_from_its_first_page(cache, clock) -> None:
    one = Scripted(lambda text, n: page(f"{text}{n}", more=n < 2))
    two = Scripted(lambda text, n: page(f"{text}{n}y", more=n < 3))
    Rig({"one": one, "two": two}, cache, clock, queries=("a",), rules=ALL_PAGES).run()
    assert one.asked == [("a", 1), ("a", 2)]
    assert two.asked == [("a", 1), ("a", 2), ("a", 3)]


def test_a_provider_that_knows_nothing_does_not_end_the_query_for_the_others(
    cache, clock
) -> None:
    hosts = [f"x{n}" for n in range(20)]
    empty = Scripted(lambda _text, _n: page(more=False))
    full = Scripted(
        lambda text, n: (
            page(*hosts[2 * n : 2 * n + 2])
            if text == "a"
            else page(f"{text}{n}q", "same")
        )
    )
    Rig(
        {"empty": empty, "full": full}, cache, clock, services(*hosts), max_rounds=4
    ).run()
    assert max(n for text, n in full.asked if text == "a") > 1, (
        "its pages bring two services each"
    )
    assert {n for _, n in empty.asked} == {1}


def test_providers_that_name_the_same_pages_are_both_read_on(cache, clock) -> None:
    """The second one only repeats the first: that is no reason to believe that it repeats itself."""
    one = Scripted(lambda text, n: page(f"{text}{n}", more=n < 2))
    two = Scripted(lambda text, n: page(f"{text}{n}", more=n < 3))
    rig = Rig(
        {"one": one, "two": two}, cache, clock, queries=("a",), rules=ALL_PAGES
    ).run()
    assert two.asked == [("a", 1), ("a", 2), ("a", 3)]
    seeds = {(step.source, step.query): step.seeds for step in rig.hunt.results.steps}
    assert seeds == {("one", "a"): 2, ("two", "a"): 1}


def test_a_provider_without_an_estimate_does_not_make_a_word_rare(cache, clock) -> None:
    one = Scripted(lambda _text, _n: page("x", more=False, estimate=10**6))
    two = Scripted(lambda _text, _n: page("y", more=False))
    rig = Rig(
        {"one": one, "two": two}, cache, clock, queries=("a",), max_rounds=1
    ).run()
    assert rig.known.counts["a"].estimate == 10**6


def test_the_next_page_of_each_provider_outlives_a_stop(cache, clock) -> None:
    one = Scripted(lambda text, n: page(f"{text}{n}", more=n < 2))
    two = Scripted(lambda text, n: page(f"{text}{n}y"))
    rig = Rig(
        {"one": one, "two": two},
        cache,
        clock,
        queries=("a",),
        rules=ALL_PAGES,
        max_queries=4,
    ).run()
    again = Rig(
        {"one": one, "two": two},
        cache,
        clock,
        queries=("a",),
        rules=ALL_PAGES,
        max_queries=2,
    )
    again.hunt.results = ResultBook.going_on(rig.hunt.record(), [])
    again.run()
    assert two.asked == [("a", n) for n in (1, 2, 3, 4)]
    assert one.asked == [("a", 1), ("a", 2)]


def test_the_time_of_a_step_counts_from_the_beginning_of_the_hunt(cache, clock) -> None:
    """Over phases and over runs."""

    class Slow(Scripted):
        async def page(self, request, fetcher):
            clock.passed_s += 10
            return await super().page(request, fetcher)

    one = Slow(lambda text, _n: page(text, more=False))
    stays = {
        Phase.SEARCH: StayLimits(max_rounds=1),
        Phase.BOTH: StayLimits(max_rounds=1),
    }
    queries = tuple(f"q{n}" for n in range(20))
    rig = Rig(one, cache, clock, queries=queries, stays=stays).run()
    took = [step.elapsed_s for step in rig.hunt.results.steps]
    assert len(took) == 10
    assert took == pytest.approx([10.0 * n for n in range(1, 11)], abs=0.2)
    record = rig.hunt.record()
    clock.passed_s += 1000  # nobody runs it
    again = Rig(one, cache, clock, queries=queries, max_rounds=3)
    again.hunt.state = AgentState.read(record)
    again.hunt.state.phase = Phase.BOTH
    again.hunt.results = ResultBook.going_on(record, [])
    again.run()
    assert again.hunt.results.steps[10].elapsed_s == pytest.approx(110, abs=0.5)


def test_no_more_results_of_a_query_are_taken_than_the_width_allows(
    cache, clock
) -> None:
    one = Scripted(lambda text, n: page(f"{text}{n}", f"{text}{n}x"))
    rig = Rig(one, cache, clock, max_results=4, rules=ALL_PAGES).run()
    assert one.asked == [("a", 1), ("b", 1), ("a", 2), ("b", 2)]
    assert len(rig.crawl.admitted) == 8


def test_kept_results_are_used_again_until_they_are_150_hours_old(cache, clock) -> None:
    """Sidsten 2012, appendix A.4.1."""
    assert Settings().agent_refresh_pages_h == 150
    one = Scripted(lambda text, _n: page(text, more=False))
    Rig(one, cache, clock).run()
    clock.passed_s = 150 * 3600 - 1
    rig = Rig(one, cache, clock).run()
    assert len(one.asked) == 2
    assert [event.cached for event in rig.events] == [True, True]
    assert rig.yields.requests == 0
    clock.passed_s += 2
    Rig(one, cache, clock).run()
    assert len(one.asked) == 4


def test_a_refusal_is_reported_once_and_the_provider_left_alone(cache, clock) -> None:
    one = Scripted(lambda _text, _n: refusal(FailureReason.HTTP_ERROR))
    rig = Rig(one, cache, clock).run()
    assert len(one.asked) == 1
    assert [event.reason for event in rig.events] == ["One wants a pause"]


def test_a_provider_that_fails_once_is_asked_again(cache, clock) -> None:
    answers = [
        refusal(FailureReason.UNAVAILABLE),
        page("x", more=False),
        page("y", more=False),
    ]
    one = Scripted(lambda _text, _n: answers.pop(0))
    rig = Rig(one, cache, clock).run()
    assert one.asked == [("a", 1), ("a", 1), ("b", 1)]
    assert clock.passed_s >= 5, "after a pause"
    assert rig.hunt.is_done
    assert rig.yields.requests == 3


@pytest.mark.parametrize(
    "reason", [FailureReason.UNAVAILABLE, FailureReason.TOTAL_TIMEOUT]
)
def test_queries_that_nobody_answered_are_asked_by_the_next_run(
    cache, clock, reason: FailureReason
) -> None:
    one = Scripted(lambda text, _n: page(text, more=False))
    queries = tuple(f"q{n}" for n in range(7))
    rig = Rig(one, cache, clock, queries=queries, max_rounds=9)
    plain = one.script
    one.script = lambda text, n: (
        plain(text, n) if text in ("q0", "q1") else refusal(reason)
    )
    rig.run()
    assert not rig.hunt.is_done
    assert rig.hunt.has_failed
    assert rig.hunt.providers.failures == {"one": "One wants a pause"}
    assert one.asked == [("q0", 1), ("q1", 1), ("q2", 1), ("q2", 1)]
    one.script = plain
    record = rig.hunt.record()
    again = Rig(
        one,
        cache,
        clock,
        queries=queries,
        max_rounds=9,
        known=read_knowledge(rig.kept[-1]),
    )
    again.hunt.state = AgentState.read(record)
    again.hunt.results = ResultBook.going_on(record, [])
    again.run()
    assert again.hunt.is_done
    assert [text for text, _ in one.asked[4:]] == [f"q{n}" for n in range(2, 7)]


def test_a_page_that_was_on_its_way_when_the_hunt_was_killed_is_not_asked_for_again(
    cache, clock
) -> None:
    one = Scripted(lambda text, _n: page(text, more=False))
    asyncio.run(_begun(cache, "one", "a"))
    rig = Rig(one, cache, clock).run()
    assert one.asked == [("b", 1)]
    assert [(event.text, event.results) for event in rig.events] == [("a", 0), ("b", 1)]
    assert "killed" in rig.events[0].reason
    assert rig.hunt.is_done


async def _begun(cache, source, text):
    await cache.begin(source, text, 1, 0)


def test_a_hunt_with_another_provider_goes_on_without_the_one_that_failed(
    cache, clock
) -> None:
    one = Scripted(lambda _text, _n: refusal(FailureReason.HTTP_ERROR))
    two = Scripted(lambda text, _n: page(text, more=False))
    rig = Rig({"one": one, "two": two}, cache, clock).run()
    assert rig.hunt.is_done
    assert list(rig.hunt.providers.failures) == ["one"]
    assert [text for text, _ in two.asked] == ["a", "b"]


def test_a_key_that_is_missing_is_no_request(cache, clock) -> None:
    one = Scripted(lambda _text, _n: refusal(FailureReason.NO_KEY), cost_usd=0.01)
    rig = Rig(one, cache, clock).run()
    assert (rig.yields.requests, rig.yields.cost_usd) == (0, 0.0)
    assert [event.cost for event in rig.events] == [0.0]
    assert rig.hunt.has_failed


def test_a_provider_is_left_where_its_free_requests_end(cache, clock) -> None:
    asyncio.run(kept_by(cache, 7))
    one = Scripted(
        lambda text, _n: page(text, more=False),
        free_requests=4,
        period="month",
        cost_usd=0.01,
    )
    rig = Rig(one, cache, clock, queries=tuple("bcdef")).run()
    assert [text for text, _ in one.asked] == ["b", "c"], "two of four were used before"
    assert rig.hunt.providers.failures == {
        "one": "One: the 4 free requests of this month are used up; set max_search_cost_usd to pay for more"
    }
    clock.passed_s += 31 * DAY_S
    Rig(one, cache, clock, queries=tuple("de")).run()
    assert [text for text, _ in one.asked] == list("bcde"), "another month"


def test_who_pays_goes_on_after_the_free_requests(cache, clock) -> None:
    one = Scripted(
        lambda text, _n: page(text, more=False),
        free_requests=1,
        period="day",
        cost_usd=0.01,
    )
    rig = Rig(one, cache, clock, queries=tuple("abc"))
    rig.hunt.providers.budget = SearchBudget(50, max_cost_usd=1.0)
    rig.run()
    assert len(one.asked) == 3
    assert rig.yields.cost_usd == pytest.approx(0.02), "the first was free"
    assert [event.cost for event in rig.events] == [0.0, 0.01, 0.01]


def test_nobody_pays_for_more_than_a_provider_answers(cache, clock) -> None:
    one = Scripted(
        lambda text, _n: page(text, more=False),
        most_requests=2,
        period="day",
        cost_usd=0.01,
    )
    rig = Rig(one, cache, clock, queries=tuple("abc"))
    rig.hunt.providers.budget = SearchBudget(50, max_cost_usd=1.0)
    rig.run()
    assert len(one.asked) == 2
    assert rig.hunt.providers.failures == {
        "one": "One: it answers 2 requests a day, and these are used up"
    }


def test_a_short_pause_is_waited_for_and_a_long_one_is_not(cache, clock) -> None:
    answers = [
        refusal(FailureReason.RATE_LIMITED, 7.0),
        page("a", more=False),
        refusal(FailureReason.RATE_LIMITED, 90),
    ]
    one = Scripted(lambda _text, _n: answers.pop(0))
    rig = Rig(one, cache, clock).run()
    assert one.asked == [("a", 1), ("a", 1), ("b", 1)]
    assert [event.reason for event in rig.events] == ["", "One wants a pause"]
    assert rig.yields.requests == 3


def test_the_best_result_of_each_host_comes_first(cache, clock) -> None:
    """S_A1 of Sidsten 2012, appendix B.3.4."""
    results = [
        "http://x.test/maps/deep",
        "http://y.test/",
        "http://x.test/",
        "http://y.test/wms?service=WMS",
    ]
    found = SearchPage(tuple(WebResult(url) for url in results))
    rig = Rig(
        Scripted(lambda _text, _n: found), cache, clock, queries=("rivers",)
    ).run()
    seeds = [seed for seed in rig.crawl.admitted if seed.depth == 0]
    assert [seed.url for seed in seeds][:2] == ["http://x.test/", "http://y.test/"]
    assert {seed.via for seed in seeds} == {Via.SEARCH}
    assert {seed.clue for seed in seeds} == {"one: rivers"}
    assert seeds[-1].purpose is Purpose.PROBE
    assert rig.yields.rows() == [
        {"source": "one", "requests": 1, "seeds": 4, "services": 0, "cost_usd": 0.0}
    ]


def test_the_root_page_of_a_seed_is_a_link_of_it(cache, clock) -> None:
    """Sidsten 2012, appendix B.3.4: the crawler was configured to add the root page to every seed."""
    found = SearchPage((WebResult("http://x.test/maps/deep"),))
    rig = Rig(
        Scripted(lambda _text, _n: found), cache, clock, queries=("rivers",)
    ).run()
    (root,) = [each for each in rig.crawl.admitted if each.depth == 1]
    assert (root.url, root.found_on) == ("http://x.test/", "http://x.test/maps/deep")


WMS = "http://{}.test/geoserver/ows?service=WMS&request=GetCapabilities"


def services(*hosts):
    return {host: [(WMS.format(host), "GetCapabilities")] for host in hosts}


def test_words_of_services_that_answer_become_queries(cache, clock) -> None:
    """OSS-2 (Sidsten 2012, section 3.2.1): it asks, reads, learns and asks.

    Two services: p = 0.25 · 2²/2 = 0.5 for each word of their addresses and texts; the others score less."""
    one = Scripted(
        lambda text, _n: (
            page("x", "y", "z", more=False) if text == "a" else page("w", more=False)
        )
    )
    rig = Rig(one, cache, clock, services("x", "y"), queries=("a",)).run()
    asked = [text for text, _ in one.asked]
    assert asked[0] == "a"
    assert {"geoserver", "ows", "service=wms", "request=getcapabilities"} <= set(asked)
    assert "maps" in asked, "a title: 0.5 · 2²/3"
    assert [step.services for step in rig.hunt.results.steps if step.query == "a"] == [
        2
    ]
    kept = read_knowledge(rig.kept[-1])
    assert kept.urls.of("geoserver") == (2, 2)
    assert kept.brought["a"].services == 2


def test_links_that_nobody_answers_teach_nothing_unless_the_published_rules_say_so(
    cache, clock
) -> None:
    """The improvement that Sidsten 2012, section 4.3.1, names: scores after live links only."""

    class Silent(Reader):
        def read(self, seed):
            links = tuple(Link(url, text) for url, text in self.services["x"])
            read = PageRead(page=Page(seed.url, title="maps"), links=links)
            self.observer.on_report(seed, Report(read, status=200, asked=1))

    def asked(rules):
        one = Scripted(lambda _text, _n: page("x", more=False))
        rig = Rig(one, MemorySearchCache(clock), clock, queries=("a",), rules=rules)
        rig.crawl = Silent(
            rig.hunt.observer, {"x": [(WMS.format(n), "map") for n in range(4)]}
        )
        rig.hunt.observer.learns_from_live = rules.learns_from_live
        rig.run()
        return {text for text, _ in one.asked}

    assert asked(AgentRules()) == {"a"}
    assert "geoserver" in asked(PUBLISHED)


def test_a_word_with_too_many_results_is_asked_in_pairs(cache, clock) -> None:
    one = Scripted(
        lambda text, _n: page(
            "x", "y", more=False, estimate=10 if " " in text else 10**6
        )
    )
    rules = AgentRules(
        ScoreRules(uses_correlation=False), deepens=False, explores_every=0
    )
    rig = Rig(
        one, cache, clock, services("x", "y"), queries=("a",), rules=rules, max_rounds=3
    ).run()
    pairs = [text for text, _ in one.asked if " " in text]
    assert pairs
    assert all(len(text.split()) == 2 for text in pairs)
    assert rig.known.counts["geoserver"].estimate == 10**6


def test_further_pages_are_asked_of_queries_that_bring_much(cache, clock) -> None:
    hosts = [f"x{n}" for n in range(20)]
    one = Scripted(
        lambda text, n: (
            page(*hosts[2 * n : 2 * n + 2])
            if text == "a"
            else page(f"{text}{n}q", "same")
        )
    )
    Rig(one, cache, clock, services(*hosts), max_queries=12).run()
    deepest = {
        text: max(n for each, n in one.asked if each == text) for text, _ in one.asked
    }
    assert deepest.pop("a") > 2
    assert max(deepest.values()) <= 2


def test_what_the_latest_pages_brought_counts_most() -> None:
    """8 services on 10 new results, then 2 on 10: (8 / 2 + 2) / (10 / 2 + 10)."""
    step = HuntStep(1, 1, "search", "rivers", services=8, on_subject=8, seeds=10)
    step.fade()
    step.services, step.on_subject, step.seeds = 10, 10, 20
    assert (step.worth(1.0), step.new) == (6, 15)
    step.fade()
    assert (step.worth(1.0), step.new) == (3, 7.5)
    assert (step.services, step.seeds) == (10, 20), "the record of the run stays whole"


def test_services_off_the_subject_fade_alike() -> None:
    """One of four on the subject, off it a tenth counts: 1 + 0.3; half of that after a round."""
    step = HuntStep(1, 1, "search", "rivers", services=4, on_subject=1, seeds=4)
    assert step.worth(0.1) == pytest.approx(1.3)
    step.fade()
    assert step.worth(0.1) == pytest.approx(0.65)


def test_where_two_queries_of_many_results_end_after_the_same_page_a_third_does(
    cache, clock
) -> None:
    """A provider that shows 100 results of a query, and has no word for it but an empty page."""

    def script(text, n):
        hosts = [f"{text}{n}{x}" for x in "abcdefghij"]
        return page(*hosts) if n <= 9 else page()

    one = Scripted(script)
    plan = {"queries": tuple("abcdefg"), "rules": ALL_PAGES, "max_results": 0}
    Rig(one, cache, clock, max_rounds=2, max_queries=99, **plan).run()
    last = {text: max(n for each, n in one.asked if each == text) for text in "abcdefg"}
    assert last == {**dict.fromkeys("abcde", 10), "f": 9, "g": 9}, (
        "five queries in the first round, side by side; two in the second"
    )


def test_further_pages_are_asked_of_queries_that_stay_on_the_subject(
    cache, clock
) -> None:
    """`roads` brings two services a page, `rivers` one: but these are what the user looks for."""
    found = {
        **{f"rivers{n}": [(WMS.format(f"r{n}"), "Rivers")] for n in range(20)},
        **{
            f"roads{n}{x}": [(WMS.format(f"s{n}{x}"), "Roads")]
            for n in range(20)
            for x in "ab"
        },
    }

    def script(text, n):
        hosts = {
            "rivers": (f"rivers{n}", f"dull{n}"),
            "roads": (f"roads{n}a", f"roads{n}b"),
        }
        return page(*hosts.get(text, (f"{text[:3]}{n}q".replace(" ", ""), "same")))

    def deepest(**plan):
        one = Scripted(script)
        plan = {"queries": ("rivers", "roads", "x", "y"), "max_rounds": 3, **plan}
        Rig(one, MemorySearchCache(clock), clock, found, **plan).run()
        return {
            text: max(n for each, n in one.asked if each == text)
            for text in ("rivers", "roads")
        }

    assert deepest(subject=Subject("rivers")) == {"rivers": 5, "roads": 1}
    assert deepest()["roads"] > 1, (
        "without words of the user every service counts alike"
    )


def test_services_on_the_subject_count_more(cache, clock) -> None:
    one = Scripted(lambda _text, _n: page("x", "y", more=False))
    found = {"x": [(WMS.format("x"), "Rivers")], "y": [(WMS.format("y"), "Roads")]}
    rules = AgentRules(off_subject=0.25)
    plan = {
        "queries": ("a",),
        "subject": Subject("rivers"),
        "rules": rules,
        "max_rounds": 1,
    }
    rig = Rig(one, cache, clock, found, **plan).run()
    assert rig.known.brought["a"].services == 1.25
    assert rig.hunt.state.gains == [(1.25, 5)], "a query, two pages and two tests"
    (step,) = rig.hunt.results.steps
    assert (step.services, step.on_subject) == (2, 1)


def test_the_agent_evolves_from_search_to_search_and_crawl_to_crawl(
    cache, clock
) -> None:
    """Sidsten 2012, section 3.2.4: by steps here."""
    one = Scripted(lambda text, _n: page(f"{text}1", f"{text}2", more=False))
    queries = tuple(f"q{n}" for n in range(60))
    stays = {
        Phase.SEARCH: StayLimits(max_rounds=1),
        Phase.BOTH: StayLimits(max_rounds=2),
    }
    rig = Rig(one, cache, clock, queries=queries, stays=stays).run()
    assert (rig.hunt.state.phase, rig.hunt.state.rounds) == (Phase.CRAWL, 3)
    assert [step.phase for step in rig.hunt.results.steps][::5] == [
        "search",
        "search and crawl",
        "search and crawl",
    ]
    assert len(one.asked) == 15, (
        "five of the planned queries a round, as nothing was learned"
    )


def test_a_search_that_brings_nothing_any_more_goes_over_to_the_crawl(
    cache, clock
) -> None:
    """By progress: no services in a round is less than 0.05 a request."""
    one = Scripted(lambda text, _n: page(f"{text}1", more=False))
    stays = {
        Phase.SEARCH: StayLimits(least_gain=0.05),
        Phase.BOTH: StayLimits(least_gain=0.05),
    }
    rig = Rig(
        one, cache, clock, queries=tuple(f"q{n}" for n in range(60)), stays=stays
    ).run()
    assert (rig.hunt.state.phase, rig.hunt.state.rounds) == (Phase.CRAWL, 2)


def test_the_search_ends_after_three_rounds_in_vain_beside_a_crawl_without_work(
    cache, clock
) -> None:
    one = Scripted(lambda text, _n: page(f"{text}1", more=False))
    queries = tuple(f"q{n}" for n in range(60))
    stays = {Phase.SEARCH: StayLimits(0, 1)}
    rig = Rig(one, cache, clock, queries=queries, stays=stays)
    gains = rig.hunt.observer.gains
    gains.services["crawl"], gains.requests["crawl"] = 10, 100
    rig.run()
    assert (rig.hunt.state.phase, rig.hunt.state.rounds) == (Phase.CRAWL, 3)


def test_a_search_goes_on_where_nothing_was_found_at_all(cache, clock) -> None:
    """There is no gain to compare with: all that was planned is asked."""
    one = Scripted(lambda _text, _n: page())
    queries = tuple(f"q{n}" for n in range(40))
    stays = {Phase.SEARCH: StayLimits(0, 1)}
    Rig(one, cache, clock, queries=queries, stays=stays).run()
    assert [text for text, _ in one.asked] == list(queries)


class Busy(Reader):
    """A crawl that has something to do for a while after each round, and brings much meanwhile."""

    looks = 0

    @property
    def is_idle(self):
        self.looks += 1
        return self.looks % 40 == 0


def test_the_search_goes_on_where_the_crawl_has_nothing_left(cache, clock) -> None:
    """It had left the rest of its budget to a crawl that could not reach what further queries name."""
    one = Scripted(lambda text, _n: page(f"{text}1", more=False))
    queries = tuple(f"q{n}" for n in range(12))
    rig = Rig(
        one,
        cache,
        clock,
        services("q01", "q51", "q111"),
        queries=queries,
        stays={Phase.SEARCH: StayLimits(0, 1)},
        rules=AgentRules(score=ScoreRules(least_score=1e9)),
    )
    rig.crawl = Busy(rig.hunt.observer, services("q01", "q51", "q111"))
    gains = rig.hunt.observer.gains
    gains.services["crawl"], gains.requests["crawl"] = 100, 100
    rig.run()
    assert [text for text, _ in one.asked] == list(queries)
    assert rig.crawl.looks > 80, "it waited until the crawl was idle, after each round"
    assert rig.hunt.is_done


class Late(Reader):
    """A crawl that is busy beside the first round of five queries."""

    @property
    def is_idle(self):
        return len([seed for seed in self.admitted if seed.depth == 0]) >= 10


def test_rounds_in_vain_beside_a_busy_crawl_do_not_end_the_search(cache, clock) -> None:
    """The crawl may have had their services first: three such rounds ended a hunt with half of its budget."""
    one = Scripted(lambda text, _n: page(f"{text}1", more=False))
    rig = Rig(
        one,
        cache,
        clock,
        queries=tuple(f"q{n}" for n in range(20)),
        stays={Phase.SEARCH: StayLimits(0, 1)},
        rules=AgentRules(score=ScoreRules(least_score=1e9)),
    )
    rig.crawl = Late(rig.hunt.observer, services("q151"))
    rig.run()
    assert ("q19", 1) in one.asked, "the fourth round was asked"


def test_what_the_crawl_brought_long_ago_counts_half(cache, clock) -> None:
    gains = Rig(Scripted(None), cache, clock).hunt.observer.gains
    gains.services["crawl"] = 100.0
    gains.note_requests("crawl", 1000)
    assert gains.per_request("crawl") == pytest.approx(0.1)
    gains.note_requests("crawl", 500)
    assert gains.per_request("crawl") == pytest.approx(0.05)
    assert (gains.services["crawl"], gains.requests["crawl"]) == (25.0, 500)


def test_pages_that_a_result_links_to_are_the_work_of_the_crawl(cache, clock) -> None:
    one = Scripted(lambda _text, _n: page("x", more=False))
    rig = Rig(one, cache, clock, services("x"), queries=("a",), max_rounds=1).run()
    link = Candidate("http://x.test/about", Via.LINK, "http://x.test/", depth=1)
    rig.hunt.observer.on_report(link, Report(PageRead(), status=200, asked=1))
    assert rig.hunt.observer.gains.requests == {"search": 2, "crawl": 1}


def test_a_hunt_goes_on_where_it_was_left(cache, clock) -> None:
    one = Scripted(lambda text, _n: page(f"{text}1", more=False))
    queries = tuple(f"q{n}" for n in range(30))
    rig = Rig(one, cache, clock, queries=queries, max_rounds=1).run()
    record = rig.hunt.record()
    assert len(one.asked) == 5
    again = Rig(
        one,
        cache,
        clock,
        queries=queries,
        known=read_knowledge(rig.kept[-1]),
        max_rounds=2,
    )
    again.hunt.state = AgentState.read(record)
    again.hunt.results = ResultBook.going_on(record, [])
    again.run()
    assert len(one.asked) == 10
    assert [step["query"] for step in again.hunt.record()["steps"]] == list(
        queries[:10]
    )


def test_results_that_were_asked_for_before_a_kill_are_read_after_it(
    cache, clock
) -> None:
    """The kill came between the answer, which is kept, and the frontier."""
    asyncio.run(kept_by(cache, 7))
    one = Scripted(lambda _text, _n: page(more=False))
    rig = Rig(one, cache, clock, queries=("a", "b"))
    rig.hunt.providers.task = 7
    rig.hunt.state.pool_at = 1
    rig.run()
    assert {seed.url for seed in rig.crawl.admitted} == {"http://lost.test/"}
    assert one.asked == [("b", 1)]


async def kept_by(cache, task):
    await cache.keep("one", "a", 1, page("lost", more=False), task)
    await cache.keep("one", "z", 1, page("other", more=False), task + 1)


def test_what_earlier_runs_gained_does_not_spoil_what_this_one_expects(
    cache, clock
) -> None:
    one = Scripted(lambda text, _n: page(f"{text}1", more=False))
    rig = Rig(one, cache, clock, services("q01"), queries=("q0",), max_rounds=8)
    rig.hunt.state = AgentState(rounds=7, gains=[(40, 10)] * 7)
    rig.yields.count_at_least("one", 30)
    rig.run()
    assert rig.hunt.state.gains[-1] == (1, 3), (
        "one service for a query, a page and a test"
    )


def test_a_round_that_is_interrupted_is_no_round(cache, clock) -> None:
    """Its results were not read: that they brought nothing says nothing."""
    rig = Rig(Scripted(lambda text, _n: page(text, more=False)), cache, clock)

    class Interrupted(Reader):
        def admit(self, found):
            self.admitted += found
            if found:
                rig.hunt.stop()
            return set()

    rig.crawl = Interrupted(rig.hunt.observer, {})
    rig.run()
    assert len(rig.crawl.admitted) == 2
    assert (rig.hunt.state.rounds, rig.hunt.state.gains) == (0, [])


def test_a_new_day_brings_queries_from_the_terms_of_fetched_pages(cache, clock) -> None:
    """LC-8: Hou, Chen & Wu 2016 update their seeds every day by the most frequent terms of fetched pages."""
    one = Scripted(lambda text, _n: page("x", more=False))
    first = Rig(one, cache, clock, services("x"), queries=("a",)).run()
    assert not [text for text, _ in one.asked if text.startswith("rivers")]
    clock.passed_s += DAY_S + 1
    Rig(one, cache, clock, services("x"), known=first.known, queries=("a",)).run()
    assert ("rivers WMS", 1) in one.asked
    assert ("rivers getmap", 1) in one.asked


def test_of_earlier_queries_the_few_that_covered_most_hosts_are_asked_again(
    cache, clock
) -> None:
    """S_Aq: `b` alone covers three of four hosts, which is 75 %."""
    shown = {
        "a": page("h1", more=False),
        "b": page("h1", "h2", "h3", more=False),
        "c": page("h4", more=False),
    }
    one = Scripted(lambda text, _n: shown[text])
    first = Rig(one, cache, clock, queries=("a", "b", "c")).run()
    clock.passed_s += 200 * 3600
    one.asked.clear()
    Rig(one, cache, clock, known=first.known, queries=(), max_rounds=1).run()
    assert one.asked == [("b", 1)]


def test_without_searching_the_results_that_are_kept_are_crawled(cache, clock) -> None:
    one = Scripted(lambda text, _n: page(text, more=False))
    Rig(one, cache, clock).run()
    rig = Rig(one, cache, clock, searches=False).run()
    assert len(one.asked) == 2
    assert {seed.url for seed in rig.crawl.admitted} == {
        "http://a.test/",
        "http://b.test/",
    }
    assert rig.crawl.released
    assert rig.hunt.is_done


def test_a_hunt_that_is_stopped_is_not_done(cache, clock) -> None:
    rig = Rig(Scripted(lambda text, _n: page(text)), cache, clock)
    rig.hunt.stop()
    rig.run()
    assert not rig.hunt.is_done


def test_the_settings_have_the_rules_of_the_agent_as_they_are_by_default() -> None:
    assert agent_rules(Settings()) == AgentRules()


def test_a_service_belongs_to_the_source_whose_seed_led_to_it() -> None:
    yields = SourceYields(["one", "one=http://b.test"])
    seed = Candidate("http://x.test/", Via.SEARCH, clue="one=http://b.test: rivers")
    below = Candidate("http://y.test/list", Via.LINK, found_on=seed.url, depth=1)
    yields.note(seed)
    yields.note(below)
    catalogue = Candidate(
        "http://y.test/csw?service=CSW", Via.TEXT, found_on=below.url, depth=2
    )
    yields.note_services(["http://y.test/csw"], catalogue)
    yields.count_service(catalogue)
    yields.count_service(
        Candidate(
            "http://z.test/wms", Via.SERVICE, found_on="http://y.test/csw", depth=3
        )
    )
    yields.count_service(
        Candidate("http://z.test/wms", Via.TEXT, found_on="http://unknown.test/")
    )
    assert [(row["source"], row["services"]) for row in yields.rows()] == [
        ("one", 0),
        ("one=http://b.test", 2),
    ]


def test_providers_that_brought_more_for_their_requests_come_first() -> None:
    """Of the first 5 for 100 requests, of the second 30 for 50, of the third nobody knows: it counts as the mean."""
    rows = [
        {"source": "poor", "requests": 100, "services": 5},
        {"source": "rich", "requests": 50, "services": 30},
    ]
    hunted = SimpleNamespace(
        spec=SimpleNamespace(kind=TaskKind.HUNT), counters={"sources": rows}
    )
    assert best_first(["poor", "new", "rich"], [hunted]) == ["rich", "new", "poor"]
    assert best_first(["poor", "new"], []) == ["poor", "new"], (
        "as they were given, where nothing is known"
    )
