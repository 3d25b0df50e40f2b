"""Our own order: starts from what is known, learns what pays, forgets nothing it should keep."""

from __future__ import annotations

import time
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geohound.model.visit import (
    LAST,
    Candidate,
    Link,
    Outcome,
    Page,
    Purpose,
    Via,
    order_score,
)
from geohound.orders import adaptive
from geohound.orders.adaptive import Adaptive

HOME = Page("http://portal.test/", "Portal", "Welcome to the portal of our town.")


def see(order: Adaptive, page: Page, *links: Link) -> list[Candidate]:
    """The candidates that a page proposes."""
    return [
        Candidate(
            link.url,
            Via.LINK,
            page.url,
            link.text[:200],
            order.score(link, page),
            page.depth + 1,
        )
        for link in links
    ]


def visit(order: Adaptive, candidate: Candidate, services: int = 0) -> None:
    """A visit, and the tests of the services that the page shows."""
    order.learn(Outcome(candidate, status=200))
    for i in range(services):
        url = f"{candidate.url}/wms{i}"
        order.learn(
            Outcome(
                Candidate(
                    url,
                    Via.LINK,
                    candidate.url,
                    depth=candidate.depth + 1,
                    purpose=Purpose.PROBE,
                ),
                1,
                1,
                0,
                200,
            )
        )


def idle(order: Adaptive, visits: int = 20) -> None:
    """Other pages go by, so that what did not pay is judged."""
    for i in range(visits):
        visit(
            order,
            Candidate(
                f"http://idle{i}.test/x", Via.LINK, "http://idle.test/", "idle", 0.0, 1
            ),
        )


@pytest.mark.parametrize(
    "words", ["WMS services", "Kartendienste", "servicios de mapas", "地图服务"]
)
def test_a_link_that_speaks_of_map_services_comes_first_from_the_very_start(
    words: str,
) -> None:
    plain, telling = see(
        Adaptive(),
        HOME,
        Link("http://portal.test/a", "News"),
        Link("http://portal.test/b", words),
    )
    assert telling.score > plain.score + 1


def test_what_paid_is_preferred_and_what_did_not_is_not() -> None:
    """LC-9: Hou, Chen & Wu 2016, section 6, name learned priorities of URLs as future work."""
    order = Adaptive()
    for i in range(30):
        good, bad = see(
            order,
            HOME,
            Link(f"http://portal.test/record/{i}", "blue sheet"),
            Link(f"http://portal.test/news/{i}", "gossip"),
        )
        visit(order, good, services=1)
        visit(order, bad)
    idle(order)
    good, bad = see(
        order,
        HOME,
        Link("http://portal.test/record/x", "blue sheet"),
        Link("http://portal.test/news/x", "gossip"),
    )
    assert good.score > bad.score + 2


def test_what_was_scored_before_its_words_paid_is_raised_later() -> None:
    order = Adaptive()
    early, dull = see(
        order,
        HOME,
        Link("http://portal.test/sheet/0", "blue sheet"),
        Link("http://portal.test/news/0", "gossip"),
    )
    for i in range(1, 120):
        good, bad = see(
            order,
            HOME,
            Link(f"http://portal.test/sheet/{i}", "blue sheet"),
            Link(f"http://portal.test/news/{i}", "gossip"),
        )
        visit(order, good, services=1)
        visit(order, bad)
    raised = dict(order.revised())
    assert raised[early.url] > early.score + 1
    assert raised.get(dull.url, dull.score) < raised[early.url] - 3, (
        "it shares its page and host, not the words that paid"
    )
    assert not list(order.revised()), (
        "told once, and not again before much has happened"
    )


def test_what_was_visited_is_not_raised() -> None:
    order = Adaptive()
    for i in range(210):
        (good,) = see(order, HOME, Link(f"http://portal.test/sheet/{i}", "blue sheet"))
        visit(order, good, services=1)
    assert not list(order.revised())


def test_services_known_already_earn_nothing() -> None:
    order = Adaptive()
    (candidate,) = see(order, HOME, Link("http://portal.test/a", "copy"))
    visit(order, candidate)
    before = order.rescore(candidate)
    probe = Candidate(
        "http://w.test/wms", Via.LINK, candidate.url, purpose=Purpose.PROBE
    )
    order.learn(Outcome(probe, services=1, new_services=0))
    assert order.rescore(candidate) == before


def test_a_host_that_pays_goes_before_one_that_never_did() -> None:
    order = Adaptive()
    for i in range(40):
        visit(
            order,
            Candidate(f"http://dry.test/{i}", Via.LINK, "http://s.test/", "x", 0.0, 1),
        )
        visit(
            order,
            Candidate(f"http://rich.test/{i}", Via.LINK, "http://s.test/", "x", 0.0, 1),
            services=i % 4 == 0,
        )
    assert order.host_bonus("rich.test") > order.host_bonus("dry.test") + 1
    assert order.host_bonus("dry.test") < order.host_bonus("new.test"), (
        "exploring never ends"
    )


def test_a_host_that_promises_much_and_keeps_nothing_is_left_before_one_that_promised_nothing() -> (
    None
):
    order = Adaptive()
    for i in range(12):
        loud, quiet = see(
            order,
            HOME,
            Link(f"http://loud.test/{i}", "WMS map services"),
            Link(f"http://quiet.test/{i}", "minutes"),
        )
        visit(order, loud)
        visit(order, quiet)
    loud, quiet = order._hosts.record("loud.test"), order._hosts.record("quiet.test")
    assert loud.expected > 2 * quiet.expected, "more was to be expected of its pages"
    assert quiet.expected >= 12 * 0.02, "every visit in vain counts for something"


def test_a_host_that_paid_once_is_believed_for_longer_than_one_that_never_did() -> None:
    order = Adaptive()
    for i in range(30):
        visit(
            order,
            Candidate(f"http://dry.test/{i}", Via.LINK, "http://s.test/", "x", 0.0, 1),
        )
        visit(
            order,
            Candidate(f"http://once.test/{i}", Via.LINK, "http://s.test/", "x", 0.0, 1),
            services=i == 0,
        )
    assert order.host_bonus("once.test") > order.host_bonus("dry.test") + 1


def test_a_host_that_has_no_more_to_give_is_left_in_time() -> None:
    order = Adaptive()
    for i in range(10):
        visit(
            order,
            Candidate(f"http://once.test/{i}", Via.LINK, "http://s.test/", "x", 0.0, 1),
            services=1,
        )
    rich = order.host_bonus("once.test")
    for i in range(300):
        visit(
            order,
            Candidate(
                f"http://once.test/old{i}", Via.LINK, "http://s.test/", "x", 0.0, 1
            ),
        )
    assert order.host_bonus("once.test") < min(rich, 0) - 1


def test_what_is_known_of_a_host_is_told_in_plain_words() -> None:
    order = Adaptive()
    for i in range(4):
        visit(
            order,
            Candidate(f"http://dry.test/{i}", Via.LINK, "http://s.test/", "x", 0.0, 1),
        )
        visit(
            order,
            Candidate(f"http://rich.test/{i}", Via.LINK, "http://s.test/", "x", 0.0, 1),
            services=i % 2,
        )
    dry, rich, new = (
        Candidate(f"http://{name}.test/x", Via.LINK, "http://s.test/")
        for name in ("dry", "rich", "new")
    )
    assert "its host: no service on 4 pages so far" in dict(order.explain(dry))
    assert "its host: services on 2 of 4 pages" in dict(order.explain(rich))
    see(order, HOME, Link(new.url, "maps"))
    assert "its host: judged by the links to it" in dict(order.explain(new))


def test_what_a_host_says_on_its_first_page_counts_for_it() -> None:
    order = Adaptive()
    for name, page in (
        (
            "maps",
            Page(
                "http://maps.test/",
                "Geoportal",
                "WMS map services, geodata and maps. " * 5,
            ),
        ),
        ("news", Page("http://news.test/", "Gazette", "Sports and weather. " * 5)),
    ):
        order.score(Link(f"http://{name}.test/x", "more"), page)
        visit(order, Candidate(page.url, Via.LINK, "http://s.test/", name, 0.0, 1))
    assert order.host_bonus("maps.test") > order.host_bonus("news.test") + 0.5


def test_software_for_maps_speaks_for_a_host_and_a_name_of_its_own_says_nothing() -> (
    None
):
    order = Adaptive()
    for name, software in (
        ("maps", "geonetwork"),
        ("blog", "wordpress"),
        ("own", "own maker"),
        ("none", ""),
    ):
        page = Page(f"http://{name}.test/", "Home", "Welcome", software=software)
        order.score(Link(f"http://{name}.test/x", "more"), page)
        visit(order, Candidate(page.url, Via.LINK, "http://s.test/", "home", 0.0, 1))
    assert order.host_bonus("maps.test") > order.host_bonus("blog.test") + 0.5
    assert order.host_bonus("own.test") == pytest.approx(
        order.host_bonus("none.test"), abs=0.05
    )


def test_one_page_that_pays_does_not_turn_the_model_around() -> None:
    order = Adaptive()
    (candidate,) = see(
        order,
        HOME,
        Link("http://portal.test/a/b", " ".join(f"word{i}" for i in range(12))),
    )
    before = order._model.value(order._links.get(candidate.url).slots)
    slots = order._links.get(candidate.url).slots
    order._model.learn(slots, 1.0, 4.0)
    assert 0 < order._model.value(slots) - before <= 3.01


def test_seeds_come_before_all_else_in_their_order() -> None:
    order = Adaptive()
    first, second = order.seed("http://a.test/", 0), order.seed("http://b.test/", 1)
    assert (
        first
        > second
        > order.score(Link("http://portal.test/wms", "WMS map service"), HOME)
    )


def test_the_surest_candidates_of_a_script_are_tested_first_and_doubtful_ones_last() -> (
    None
):
    order = Adaptive()
    call, string, doubtful = (
        order.score(Link("http://gis.test/wms", confidence=sure), HOME)
        for sure in (0.95, 0.7, 0.3)
    )
    plain = order.score(Link("http://portal.test/dull.html"), HOME)
    assert call > string > doubtful
    assert doubtful < plain - LAST / 2
    assert order_score(doubtful) > plain - 10


def trained() -> Adaptive:
    order = Adaptive()
    for i in range(10):
        (candidate,) = see(
            order, HOME, Link(f"http://portal.test/record/{i}", "blue sheet")
        )
        visit(order, candidate, services=1)
    return order


def test_what_was_learned_can_be_carried_to_another_crawl() -> None:
    order, heir = trained(), Adaptive()
    state = order.state()
    assert len(state) < 20_000
    heir.restore(state)
    # notes on single pages are not carried
    page = Page("http://portal.test/other", HOME.title, HOME.text)
    link = Link("http://portal.test/record/x", "blue sheet")
    assert heir.score(link, page) == pytest.approx(order.score(link, page), abs=1e-4)
    assert heir.score(link, page) > Adaptive().score(link, page) + 1
    assert heir.host_bonus("portal.test") == pytest.approx(
        order.host_bonus("portal.test"), abs=0.05
    )


@given(st.binary(max_size=300))
def test_a_file_that_is_no_learned_order_is_refused(data: bytes) -> None:
    if data:
        with pytest.raises(ValueError, match="learned order"):
            Adaptive().restore(data)


def test_what_another_version_learned_is_refused_in_a_sentence() -> None:
    older = trained().state()[4:]  # which had no mark of its version
    with pytest.raises(ValueError, match="another version of Geohound"):
        Adaptive().restore(older)


def test_a_new_order_knows_nothing_of_the_old_one() -> None:
    order = trained()
    link = Link("http://portal.test/record/x", "blue sheet")
    assert (
        order.fresh().score(link, HOME)
        == Adaptive().score(link, HOME)
        != order.score(link, HOME)
    )


def test_why_a_link_was_chosen_adds_up_to_its_score() -> None:
    order = trained()
    (candidate,) = see(
        order, HOME, Link("http://portal.test/record/x", "blue sheet WMS")
    )
    reasons = order.explain(candidate)
    assert any(name == "link text has words of services" for name, _ in reasons)
    told = sum(value for name, value in reasons if not name.startswith("its host"))
    assert told == pytest.approx(order.rescore(candidate), abs=1e-4)
    assert abs(reasons[0][1]) >= abs(reasons[-1][1])


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adaptive, "MAX_PAGES", 50)
    monkeypatch.setattr(adaptive, "MAX_LINKS", 50)
    order = Adaptive()
    for i in range(500):
        (candidate,) = see(
            order, Page(f"http://p{i}.test/"), Link(f"http://q{i}.test/x", f"word{i}")
        )
        visit(order, candidate)
    assert len(order._pages) <= 50
    assert len(order._links) <= 50


@given(st.text(max_size=80), st.text(max_size=80), st.text(max_size=80))
def test_whatever_stands_on_a_page_has_a_score(
    path: str, text: str, title: str
) -> None:
    score = Adaptive().score(
        Link(f"http://h.test/{path}", text), Page("http://p.test/", title, text)
    )
    assert -50 < score < 50


@pytest.mark.slow
def test_a_link_costs_microseconds() -> None:
    order, numbers = Adaptive(), count()
    pages = [
        Page(
            f"http://p{i}.test/",
            "Maps of the town",
            "Some text about maps and roads. " * 20,
        )
        for i in range(100)
    ]
    started = time.thread_time()
    for page in pages:
        for n in range(30):
            order.score(
                Link(
                    f"http://p.test/section/item-{next(numbers)}.html",
                    f"Rivers of the town {n}",
                ),
                page,
            )
    assert (time.thread_time() - started) / 3000 < 150e-6, (
        "the goal is 25 µs on a quiet machine"
    )


def test_after_a_resume_hosts_never_visited_do_not_stand_above_hosts_with_services() -> (
    None
):
    order, again = Adaptive(), Adaptive()
    for i in range(4):
        visit(
            order,
            Candidate(f"http://rich.test/{i}", Via.LINK, "http://s.test/", "x", 0.0, 1),
            services=1,
        )
    again.restore(order.state())
    assert again.host_bonus("new.test") < again.host_bonus("rich.test")


@pytest.mark.parametrize(
    "url", ["http://a.test/", "http://a.test/?", "http://a.test/b/"]
)
def test_no_reason_quotes_an_empty_text(url: str) -> None:
    order = Adaptive()
    visit(order, Candidate(url, Via.LINK, "http://s.test/", "", 0.0, 1))
    said = [
        what for what, _ in order.explain(Candidate(url, Via.LINK, "http://s.test/"))
    ]
    assert said
    assert not [what for what in said if "“”" in what or "“.?”" in what]
