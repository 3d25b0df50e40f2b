"""Every trouble that is switched on really happens, and none that is switched off."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import urljoin

import pytest
from protego import Protego

from geoweb import Moods, Shares, Trouble, World, services
from geoweb.addresses import path_of, url_of
from geoweb.placing import Dialect, Fate
from geoweb.render import declared
from geoweb.reveals import mentioned_url
from geoweb.trouble import NO_TROUBLE
from geoweb.truth import is_disallowed


def location(reply):
    return dict(reply.headers)["Location"]


def hrefs(reply, host):
    return [
        unescape(h)
        for h in re.findall(r'(?i)href="([^"]*)"', reply.body.decode(host.encoding))
    ]


@pytest.mark.parametrize("trouble", list(Trouble))
def test_every_trouble_hits_a_host_even_in_a_small_web(trouble):
    small = World(3, 60, 2000)
    assert any(trouble in small.host(i).troubles for i in range(60))


def test_trouble_can_be_switched_off(ask):
    calm = World(7, 100, 5000, trouble=False)
    assert calm.shares == NO_TROUBLE
    assert not any(calm.host(i).troubles for i in range(100))
    assert all(p.fate is Fate.ALIVE and not p.mislabelled for p in calm.services)
    assert all(m.dialect is Dialect.PLAIN for p in calm.services for m in p.mentions)


def test_the_share_of_a_trouble_can_be_set():
    rough = World(7, 100, 5000, trouble=Shares(calendar=0.5))
    assert (
        45 <= sum(Trouble.CALENDAR in rough.host(i).troubles for i in range(100)) <= 50
    )


def test_walls_let_nobody_in(ask, troubled):
    assert ask(url_of(troubled(Trouble.HANGING), 0)).hang
    assert ask(url_of(troubled(Trouble.DOWN), 0)).status == 503
    assert ask(url_of(troubled(Trouble.BOT_WALL), 0)).status == 403
    url = url_of(troubled(Trouble.LOGIN_WALL), 0)
    assert b'type="password"' in ask(urljoin(url, location(ask(url)))).body


def test_slow_hosts_answer_late(ask, troubled):
    assert ask(url_of(troubled(Trouble.SLOW), 0)).delay_s >= 0.5


def test_a_rate_limit_refuses_the_sixth_request_of_a_second(ask, troubled):
    now = [100.0]
    moods = Moods(lambda: now[0])
    url = url_of(troubled(Trouble.RATE_LIMIT), 0)
    assert [ask(url, moods).status for _ in range(6)] == [200] * 5 + [429]
    assert ("Retry-After", "1") in ask(url, moods).headers
    now[0] += 1
    assert ask(url, moods).status == 200


def test_a_flaky_host_recovers(ask, troubled):
    moods = Moods()
    url = url_of(troubled(Trouble.FLAKY), 0)
    assert [ask(url, moods).status for _ in range(3)] == [503, 503, 200]


def test_redirects_go_in_circles_or_on_for_ever(ask, troubled):
    home = url_of(troubled(Trouble.LOOPS), 0)
    assert any("/go/" in h for h in hrefs(ask(home), troubled(Trouble.LOOPS)))
    seen, url = [], urljoin(home, "/go/loop/0")
    for _ in range(4):
        seen.append(url)
        url = urljoin(url, location(ask(url)))
    assert seen[0] == seen[3]
    straight = urljoin(home, "/go/on/5")
    for _ in range(50):
        straight = urljoin(straight, location(ask(straight)))
    assert straight.endswith("/go/on/55")


def test_calendars_have_no_end(ask, troubled):
    host = troubled(Trouble.CALENDAR)
    url = urljoin(
        url_of(host, 0),
        next(h for h in hrefs(ask(url_of(host, 0)), host) if "calendar" in h),
    )
    seen = set()
    for _ in range(200):
        seen.add(url)
        reply = ask(url)
        assert reply.status == 200
        months = re.findall(
            r'href="(/calendar\?month=[^"&]+)">&raquo;', reply.body.decode()
        )
        url = urljoin(url, months[0])
    assert len(seen) == 200


def test_session_ids_give_one_page_many_addresses(ask, troubled):
    host = troubled(Trouble.SESSION_IDS)
    first, second = (hrefs(ask(url_of(host, page)), host) for page in (0, 1))
    own = [h for h in first if re.search("(?i)jsessionid|sid=", h)]
    assert own
    assert not set(own) & set(second)
    assert all(ask(urljoin(url_of(host, 0), h)).status == 200 for h in own)


def test_a_soft_404_answers_200_with_the_words_of_a_missing_page(ask, troubled, world):
    host = troubled(Trouble.SOFT_404)
    soft = ask(f"http://{host.name}/no/such/page.html")
    other = next(h for h in map(world.host, range(world.hosts)) if not h.troubles)
    assert soft.status == 200
    assert ask(f"http://{other.name}/no/such/page.html").status == 404
    assert ask(f"http://{host.name}/no/other.html").body == soft.body


def test_broken_html_is_broken_and_still_has_its_links(ask, troubled):
    host = troubled(Trouble.BROKEN_HTML)
    reply = ask(url_of(host, 0))
    text = reply.body.decode(host.encoding).lower()
    assert "</html>" not in text
    assert len(hrefs(reply, host)) > 5


def test_wrong_types_and_charsets_are_wrong(ask, world, troubled):
    assert not ask(url_of(troubled(Trouble.WRONG_TYPE), 0)).content_type.startswith(
        "text/html"
    )
    host = troubled(Trouble.WRONG_CHARSET)
    assert declared(host) != host.encoding
    reply = ask(url_of(host, 0))
    assert declared(host) in reply.content_type or declared(
        host
    ).encode() in reply.body.replace(b"\0", b"")


def test_log_in_areas_send_to_the_log_in_page(ask, troubled):
    url = f"http://{troubled(Trouble.LOGIN_AREA).name}/members/3"
    assert b'type="password"' in ask(urljoin(url, location(ask(url)))).body


def test_crawl_delays_are_asked_for(ask, troubled):
    rules = Protego.parse(
        ask(f"http://{troubled(Trouble.CRAWL_DELAY).name}/robots.txt").body.decode()
    )
    assert rules.crawl_delay("geohound") in {1.0, 2.0}


def test_robots_rules_forbid_exactly_what_the_truth_says(world, ask):
    closed = [i for i in range(world.hosts) if world.disallowed_section(i) is not None]
    assert len(closed) >= 5
    for index in closed:
        host = world.host(index)
        rules = Protego.parse(ask(f"http://{host.name}/robots.txt").body.decode())
        pages = {*range(0, host.layout.total, 7), *range(host.layout.sections + 1)}
        for page in pages:
            allowed = rules.can_fetch(url_of(host, page), "geohound")
            assert allowed != is_disallowed(world, index, page), path_of(host, page)
        assert not rules.can_fetch(f"http://{host.name}/private/7", "geohound")


def test_what_robots_forbids_is_there_and_endless(ask, troubled):
    host = troubled(Trouble.ROBOTS)
    reply = ask(f"http://{host.name}/private/1")
    assert reply.status == 200
    assert b"/private/" in reply.body


DEAD_ANSWERS = {
    Fate.GONE: (404, b"404"),
    Fate.BROKEN: (500, b"Error"),
    Fate.EXCEPTION: (200, b"<ServiceException>"),
    Fate.LOGIN: (200, b'type="password"'),
    Fate.BOT_WALL: (403, b"challenge"),
    Fate.REPLACED: (200, b"<h1>"),
}


@pytest.mark.parametrize("fate", DEAD_ANSWERS)
def test_dead_services_are_dead_in_their_own_way(world, ask, fate):
    dead = [p for p in world.services if p.fate is fate]
    assert dead
    for placed in dead:
        reply = ask(services.facts(placed.spec).proof_url)
        assert reply.status == DEAD_ANSWERS[fate][0]
        text = (
            reply.body.decode(world.host(placed.host).encoding)
            if fate is Fate.REPLACED
            else reply.body
        )
        assert DEAD_ANSWERS[fate][1] in (
            text.encode() if isinstance(text, str) else text
        )


def test_moved_services_are_found_where_they_moved_to(world, ask):
    moved = [p for p in world.services if p.fate is Fate.MOVED and p.mentions]
    assert moved
    for placed in moved:
        reply = ask(mentioned_url(placed, placed.mentions[0]))
        assert reply.status == 301
        assert location(reply).startswith(placed.spec.endpoint.partition("?")[0])
        assert ask(location(reply)).status == 200


@pytest.mark.parametrize("dialect", list(Dialect))
def test_every_spelling_of_an_address_is_in_use_and_works(world, ask, dialect):
    used = [
        (p, m)
        for p in world.services
        for m in p.mentions
        if m.dialect is dialect and p.fate is Fate.ALIVE
    ]
    assert used
    for placed, mention in used:
        assert ask(mentioned_url(placed, mention)).status == 200


def test_some_living_services_are_mislabelled(world, ask):
    found = [p for p in world.services if p.mislabelled]
    assert found
    wrong = {"text/html", "text/plain", "application/octet-stream"}
    assert all(
        ask(services.facts(p.spec).proof_url).content_type in wrong for p in found
    )


def test_a_host_that_does_not_exist_is_not_found(ask):
    assert ask("http://nobody-lives-here.test/").status == 404
