"""No way around the address guard: the listener on loopback must never be reached."""

from __future__ import annotations

import asyncio
import socket

import pycurl
import pytest
from polite import behaving, bounded

from geohound.model.failure import FailureReason
from geohound.model.visit import Failure
from geohound.net.address_guard import Guard, parse_target
from geohound.net.connect_to import Route, parse_routes, route_for
from geohound.net.fetcher import CurlFetcher
from geohound.net.transfer import Transfer

# Spellings and wrappings of "this machine" and "the net behind it"; {p} is the listener's port.
WAYS_IN = """
http://127.0.0.1:{p}/
http://127.0.0.1.:{p}/
http://127.1:{p}/
http://127.0.1:{p}/
http://127.255.255.254:{p}/
http://0:{p}/
http://0.0.0.0:{p}/
http://2130706433:{p}/
http://0x7f000001:{p}/
http://0x7f.1:{p}/
http://0x7f.0x0.0x0.0x1:{p}/
http://017700000001:{p}/
http://0177.0.0.1:{p}/
http://0177.0x0.0.1:{p}/
http://00000177.1:{p}/
http://4294967295:{p}/
http://①②⑦.⓪.⓪.①:{p}/
http://127。0。0。1:{p}/
http://１２７.0.0.1:{p}/
http://%31%32%37.0.0.1:{p}/
http://127%2e0%2e0%2e1:{p}/
http:127.0.0.1:{p}/
http:\\\\127.0.0.1:{p}\\
http:///127.0.0.1:{p}/
http://\t127.0.0.1:{p}/
 http://127.0.0.1:{p}/
http://localhost:{p}/
http://LOCALHOST:{p}/
http://localhost.:{p}/
http://ℓocalhost:{p}/
http://loc\u00adalhost:{p}/
http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:{p}/
http://[::1]:{p}/
http://[0:0:0:0:0:0:0:1]:{p}/
http://[::]:{p}/
http://[::127.0.0.1]:{p}/
http://[::ffff:127.0.0.1]:{p}/
http://[::ffff:7f00:1]:{p}/
http://[0:0:0:0:0:ffff:127.0.0.1]:{p}/
http://[::ffff:0:127.0.0.1]:{p}/
http://[64:ff9b::127.0.0.1]:{p}/
http://[64:ff9b::7f00:1]:{p}/
http://[64:ff9b:1::7f00:1]:{p}/
http://[2002:7f00:1::]:{p}/
http://[2002:7f00:0001::1]:{p}/
http://[2001:0:7f00:1::]:{p}/
http://[2001:0:4136:e378:8000:63bf:80ff:fffe]:{p}/
http://[fe80::1]:{p}/
http://[fec0::1]:{p}/
http://[fc00::1]:{p}/
http://[fd00:ec2::254]/
http://[ff02::1]:{p}/
http://[5f00::1]:{p}/
http://[100::1]:{p}/
http://[2001:db8::1]:{p}/
http://10.0.0.1/
http://172.16.0.1/
http://172.31.255.255/
http://192.168.1.1/
http://169.254.169.254/latest/meta-data/
http://2852039166/
http://0xA9FEA9FE/
http://100.100.100.200/
http://168.63.129.16/
http://192.0.0.192/
http://198.18.0.1/
http://192.0.2.1/
http://224.0.0.1/
http://239.255.255.250/
http://240.0.0.1/
http://255.255.255.255/
http://user@127.0.0.1:{p}/
http://example.com@127.0.0.1:{p}/
http://127.0.0.1:{p}@example.invalid/
http://example.invalid:80@127.0.0.1:{p}/
http://127.0.0.1:{p}#@example.invalid/
http://127.0.0.1:{p}?@example.invalid/
https://127.0.0.1:{p}/
ftp://127.0.0.1:{p}/
gopher://127.0.0.1:{p}/_GET
dict://127.0.0.1:{p}/
file:///etc/passwd
unix:///var/run/docker.sock
ldap://127.0.0.1:{p}/
""".strip("\n").split("\n")
WAYS_IN.append("http://127.0.\n0.1:{p}/")


SHORT = bounded(connect_s=1, first_byte_s=0.5, total_s=1)


@pytest.fixture
def listener():
    """A socket on loopback; a connection to it stays in its queue, where the test looks for it."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server


def was_reached(listener):
    try:
        listener.accept()[0].close()
    except BlockingIOError:
        return False
    return True


def test_no_way_leads_to_the_listener(listener):
    """The port is open to the guard, so that the address alone decides."""
    port = listener.getsockname()[1]

    async def run():
        fetcher = CurlFetcher(
            behaving(obey_robots=False), Guard.opening([], [port]), SHORT
        )
        visits = [await fetcher.fetch(way.replace("{p}", str(port))) for way in WAYS_IN]
        metrics = fetcher.metrics
        await fetcher.close()
        return visits, metrics

    visits, metrics = asyncio.run(run())
    refused = {FailureReason.FORBIDDEN_NET, FailureReason.BAD_URL}
    assert [
        v.url for v in visits if not (isinstance(v, Failure) and v.reason in refused)
    ] == []
    assert metrics.connections == 0
    assert not was_reached(listener)


def test_the_listener_would_notice(listener):
    """The counter-proof: with the net opened, the plainest way in gets there."""
    port = listener.getsockname()[1]

    async def run():
        fetcher = CurlFetcher(
            behaving(obey_robots=False), Guard.opening(["127.0.0.0/8"]), bounded()
        )
        task = asyncio.create_task(fetcher.fetch(f"http://localhost:{port}/"))
        await asyncio.sleep(0.2)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await fetcher.close()

    asyncio.run(run())
    assert was_reached(listener)


def test_no_redirect_leads_to_the_listener(web, listener):
    """The server stands on 127.0.0.2, which is open; the listener on 127.0.0.1, which is not, but its port is."""
    port = listener.getsockname()[1]
    ways = [way.replace("{p}", str(port)) for way in WAYS_IN if "\n" not in way]
    answers = {
        f"/{n}": b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: "
        + way.encode()
        + b"\r\n\r\n"
        for n, way in enumerate(ways)
    }

    async def run():
        async with web.serving(answers, host="127.0.0.2") as server:
            ours = behaving(
                obey_robots=False, routes=(Route("*.test", "127.0.0.2", server.port),)
            )
            fetcher = CurlFetcher(ours, Guard.opening(["127.0.0.2/32"], [port]), SHORT)
            visits = [
                await fetcher.fetch(f"http://a.test/{n}") for n in range(len(ways))
            ]
            await fetcher.close()
            return visits, server

    visits, server = asyncio.run(run())
    refused = {FailureReason.FORBIDDEN_NET, FailureReason.BAD_URL}
    reached = [
        ways[n]
        for n, v in enumerate(visits)
        if not (isinstance(v, Failure) and v.reason in refused)
    ]
    # What the URL standard reads as a path is one on the server itself: asked there, and not found.
    assert [
        way for way in reached if not way.startswith(("http:127", "http:/127"))
    ] == []
    assert server.connections == 1
    assert not was_reached(listener)


def test_a_redirect_of_robots_txt_leads_nowhere_else_either(web, listener):
    port = listener.getsockname()[1]
    answers = {
        "/robots.txt": web.http(
            b"", f"Location: http://127.0.0.1:{port}/", status="302 F"
        ),
        "/": web.http(b"x"),
    }

    async def run():
        async with web.serving(answers, host="127.0.0.2") as server:
            ours = behaving(routes=(Route("*.test", "127.0.0.2", server.port),))
            fetcher = CurlFetcher(ours, Guard.opening(["127.0.0.2/32"], [port]), SHORT)
            visit = await fetcher.fetch("http://a.test/")
            await fetcher.close()
            return visit

    visit = asyncio.run(run())
    assert visit.reason is FailureReason.FORBIDDEN_NET
    assert not was_reached(listener)


def answering(monkeypatch, answers):
    """libcurl's own memory of names, told anew before each request: a name server that changes its mind."""
    begin = Transfer.begin
    left = list(answers)

    def begin_with_answer(self, ask, *rest):
        begin(self, ask, *rest)
        self.curl.setopt(pycurl.RESOLVE, [left.pop(0)])

    monkeypatch.setattr(Transfer, "begin", begin_with_answer)


@pytest.mark.parametrize(
    "later",
    [
        "127.0.0.1",
        "127.0.0.1,127.0.0.1",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "169.254.169.254",
        "10.0.0.1",
        "0.0.0.0",
    ],
)
def test_a_name_that_changes_its_address_is_judged_anew_for_each_connection(
    web, listener, monkeypatch, later
):
    """Rebinding: good when it was first looked up, this machine the next time."""
    port = listener.getsockname()[1]

    async def run():
        answers = {"/": web.http(b"x", "Connection: close")}
        async with web.serving(answers, host="127.0.0.2", port=port) as server:
            answering(
                monkeypatch,
                [f"evil.example:{port}:127.0.0.2", f"evil.example:{port}:{later}"],
            )
            fetcher = CurlFetcher(
                behaving(obey_robots=False),
                Guard.opening(["127.0.0.2/32"], [port]),
                SHORT,
            )
            first = await fetcher.fetch(f"http://evil.example:{port}/")
            second = await fetcher.fetch(f"http://evil.example:{port}/")
            await fetcher.close()
            return first, second, server

    first, second, server = asyncio.run(run())
    assert first.body == b"x"
    assert first.address == "127.0.0.2"
    assert second.reason is FailureReason.FORBIDDEN_NET
    assert server.connections == 1
    assert not was_reached(listener)


def test_of_several_addresses_only_the_open_one_is_asked(web, listener, monkeypatch):
    port = listener.getsockname()[1]

    async def run():
        async with web.serving({"/": web.http(b"x")}, host="127.0.0.2", port=port):
            answering(monkeypatch, [f"evil.example:{port}:127.0.0.1,[::1],127.0.0.2"])
            fetcher = CurlFetcher(
                behaving(obey_robots=False),
                Guard.opening(["127.0.0.2/32"], [port]),
                SHORT,
            )
            visit = await fetcher.fetch(f"http://evil.example:{port}/")
            await fetcher.close()
            return visit

    visit = asyncio.run(run())
    assert (visit.body, visit.address) == (b"x", "127.0.0.2")
    assert not was_reached(listener)


@pytest.mark.parametrize("name", ["localhost", "evil.test"])
def test_a_name_is_judged_by_the_address_it_resolves_to(listener, name):
    """As with rebinding: nothing in the text is wrong, only the address behind it when the socket opens."""
    port = listener.getsockname()[1]
    routes = (Route("evil.test", "127.0.0.1", port),)

    async def run():
        guard = Guard.opening([], [port])
        fetcher = CurlFetcher(behaving(obey_robots=False, routes=routes), guard, SHORT)
        visit = await fetcher.fetch(f"http://{name}:{port}/")
        await fetcher.close()
        return visit

    visit = asyncio.run(run())
    assert visit.reason is FailureReason.FORBIDDEN_NET
    assert not was_reached(listener)


@pytest.mark.parametrize(
    "address",
    ["8.8.8.8", "1.1.1.1", "172.15.0.1", "172.32.0.1", "100.63.0.1", "100.128.0.1", "192.0.1.1", "198.17.0.1",
     "198.20.0.1", "223.255.255.255", "2a00:1450:4001:81b::200e", "2600::1", "2001:4860:4860::8888",
     "2003::1"],
)  # fmt: skip
def test_ordinary_addresses_are_let_through(address):
    assert Guard().objection_to_address(address, 443) is None


@pytest.mark.parametrize(
    "port", [22, 25, 23, 1, 110, 3306, 5432, 6379, 9200, 11211, 0, 65535]
)
def test_ports_of_other_protocols_are_refused(port):
    assert str(Guard().objection_to_address("8.8.8.8", port)).startswith(
        f"port {port},"
    )
    assert str(Guard().objection_to_host("example.com", port)).startswith(
        f"port {port},"
    )


@pytest.mark.parametrize("port", [80, 443, 8080, 8443, 6080, 6443, 8000, 8081, 8399])
def test_ports_of_map_servers_are_open(port):
    assert Guard().objection_to_address("8.8.8.8", port) is None


def test_a_port_that_the_operator_opens_is_open() -> None:
    assert "allow_ports" in str(Guard().objection_to_host("maps.example.org", 8899))
    assert Guard.opening([], [8899]).objection_to_host("maps.example.org", 8899) is None
    assert Guard.opening([], [8899]).objection_to_address("127.0.0.1", 8899) is not None


def test_an_opened_net_is_open_on_every_port_and_no_wider():
    guard = Guard.opening(["10.1.0.0/16", "fd12::/16"])
    assert guard.objection_to_address("10.1.2.3", 5000) is None
    assert guard.objection_to_address("fd12::5", 5000) is None
    assert guard.objection_to_address("10.2.2.3", 80) == "10.2.2.3 is private"
    assert str(guard.objection_to_address("8.8.8.8", 5000)).startswith("port 5000,")
    assert guard.objection_to_address("::ffff:10.1.2.3", 80) is not None


@pytest.mark.parametrize("net", ["10.0.0.0/33", "localhost", "", "10.0.0/8"])
def test_a_malformed_net_is_refused_at_the_start(net):
    with pytest.raises(ValueError):
        Guard.opening([net])


@pytest.mark.parametrize(
    "place", ["", "localhost", "127.0.0.1:80", "/run/x.sock", "fe80::1%eth0%x", "1.2.3"]
)
def test_only_numeric_addresses_can_pass_the_socket_check(place):
    assert Guard().objection_to_address(place, 80) is not None


@pytest.mark.parametrize(
    ("url", "clean", "origin", "hostname", "port", "path"),
    [
        (
            "http://A.Ex/x?y=1#z",
            "http://a.ex/x?y=1",
            "http://a.ex",
            "a.ex",
            80,
            "/x?y=1",
        ),
        (
            "https://a.ex:8443",
            "https://a.ex:8443/",
            "https://a.ex:8443",
            "a.ex",
            8443,
            "/",
        ),
        (
            "http://[2A00::1]:81/a",
            "http://[2a00::1]:81/a",
            "http://[2a00::1]:81",
            "[2a00::1]",
            81,
            "/a",
        ),
        (
            "https://[2a00::1]/",
            "https://[2a00::1]/",
            "https://[2a00::1]",
            "[2a00::1]",
            443,
            "/",
        ),
        (
            "http://a.ex?q=/@:",
            "http://a.ex/?q=/@:",
            "http://a.ex",
            "a.ex",
            80,
            "/?q=/@:",
        ),
        (
            "http://ü.ex/ü",
            "http://xn--tda.ex/%C3%BC",
            "http://xn--tda.ex",
            "xn--tda.ex",
            80,
            "/%C3%BC",
        ),
        (
            "http://a.ex/x@y:z#@b",
            "http://a.ex/x@y:z",
            "http://a.ex",
            "a.ex",
            80,
            "/x@y:z",
        ),
        (
            "https://a.ex:443/%2e%2E/a b",
            "https://a.ex/a%20b",
            "https://a.ex",
            "a.ex",
            443,
            "/a%20b",
        ),
    ],
)
def test_a_url_is_taken_apart_as_the_url_standard_says(
    url, clean, origin, hostname, port, path
):
    target = parse_target(url)
    assert (target.url, target.origin) == (clean, origin)
    assert (target.scheme, target.hostname) == (url.partition(":")[0], hostname)
    assert (target.port, target.path) == (port, path)


def test_routes_match_host_names_and_the_first_one_wins():
    routes = parse_routes(["a.test=127.0.0.1:1", "*.test=[::1]:2"])
    assert route_for("a.test", routes) == Route("a.test", "127.0.0.1", 1)
    assert route_for("b.c.test", routes) == Route("*.test", "[::1]", 2)
    assert route_for("test", routes) is None


@pytest.mark.parametrize(
    "text",
    ["", "x", "x=", "=a:1", "x=a", "x=a:", "x=:1", "x=a:0", "x=a:99999", "x=a:b"],
)
def test_a_malformed_route_is_refused_at_the_start(text):
    with pytest.raises(ValueError):
        parse_routes([text])
