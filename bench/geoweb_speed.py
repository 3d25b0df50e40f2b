"""How many pages a second the geoweb serves, in turns with nginx serving the same pages as files."""

from __future__ import annotations

import argparse
import json
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlsplit

from geoweb import Request, Trouble, World, respond
from geoweb.addresses import url_of
from geoweb.chance import Dice

RESULTS = Path(__file__).parent / "results" / "geoweb.json"
# Hosts that answer late or refuse on purpose would measure their own sleep.
LATE = {Trouble.SLOW, Trouble.RATE_LIMIT, Trouble.FLAKY}
LUA = """local hosts, paths = {%s}, {%s}
local at = 0
request = function()
  at = at %% #paths + 1
  return wrk.format("GET", paths[at], {["Host"] = hosts[at]})
end
"""
NGINX = """daemon off; worker_processes 2; pid %(dir)s/nginx.pid; error_log %(dir)s/error.log;
events { worker_connections 1024; }
http { access_log off; sendfile on; keepalive_requests 1000000; default_type text/html;
  client_body_temp_path %(dir)s/body; proxy_temp_path %(dir)s/proxy; fastcgi_temp_path %(dir)s/fcgi;
  uwsgi_temp_path %(dir)s/uwsgi; scgi_temp_path %(dir)s/scgi;
  server { listen 127.0.0.1:%(port)d; root %(dir)s/pages; } }
"""
SERVE = "from geoweb import World, serve; serve(World({seed}, {hosts}, {pages}), {port}, {processes})"


def sample_urls(world: World, count: int) -> list[str]:
    """Pages of the whole web, drawn evenly over pages."""
    hosts = [
        h
        for h in map(world.host, range(world.hosts))
        if not h.is_walled and not h.troubles & LATE
    ]
    everything = sum(h.layout.total for h in hosts)
    dice = Dice(world.seed, count)
    urls: list[str] = []
    for host in hosts:
        share = max(1, round(count * host.layout.total / everything))
        urls += [url_of(host, dice.below(host.layout.total)) for _ in range(share)]
    return sorted(urls, key=lambda _: dice.unit())


def write_lua(target: Path, pairs: list[tuple[str, str]]) -> Path:
    quoted = [", ".join(json.dumps(pair[n]) for pair in pairs) for n in (0, 1)]
    target.write_text(LUA % tuple(quoted))
    return target


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def wait_for(port: int) -> None:
    end = time.monotonic() + 30
    while time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    sys.exit(f"nothing listens on port {port}")


def run_wrk(port: int, script: Path, args: argparse.Namespace) -> dict[str, float]:
    command = [
        "wrk",
        "-t1",
        f"-c{args.connections}",
        f"-d{args.seconds}s",
        "-s",
        str(script),
        f"http://127.0.0.1:{port}",
    ]
    load = round(os.getloadavg()[0], 2)  # what else the machine was doing
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rate = re.search(r"Requests/sec:\s+([\d.]+)", out)
    if not rate:
        sys.exit(f"wrk said: {out}")
    bad = re.search(r"Non-2xx or 3xx responses: (\d+)", out)
    lost = re.search(r"Socket errors: (.*)", out)
    if lost:
        print(f"socket errors: {lost[1]}", file=sys.stderr)
    return {
        "pages_per_s": float(rate[1]),
        "not_2xx": int(bad[1]) if bad else 0,
        "load_before": load,
    }


def summarise(runs: list[dict[str, float]]) -> dict[str, object]:
    rates = [run["pages_per_s"] for run in runs]
    return {
        "pages_per_s": {
            "median": statistics.median(rates),
            "min": min(rates),
            "max": max(rates),
            "runs": rates,
        },
        "load_before": [run["load_before"] for run in runs],
        "not_2xx": sum(run["not_2xx"] for run in runs),
    }


def write_files(world: World, urls: list[str], folder: Path) -> int:
    """The same pages as files for nginx; their bytes altogether."""
    folder.mkdir()
    total = 0
    for number, url in enumerate(urls):
        parts = urlsplit(url)
        reply = respond(world, Request("GET", parts.netloc, parts.path, parts.query))
        (folder / f"{number}.html").write_bytes(reply.body)
        total += len(reply.body)
    return total


def measure(args: argparse.Namespace, folder: Path) -> dict[str, object]:
    world = World(args.seed, args.hosts, args.pages)
    urls = sample_urls(world, args.urls)
    total = write_files(world, urls, folder / "pages")
    split = [urlsplit(url) for url in urls]
    own = write_lua(
        folder / "own.lua",
        [(u.netloc, u.path + (f"?{u.query}" if u.query else "")) for u in split],
    )
    files = write_lua(
        folder / "files.lua", [("files.test", f"/{n}.html") for n in range(len(urls))]
    )
    ports = free_port(), free_port()
    (folder / "nginx.conf").write_text(NGINX % {"dir": folder, "port": ports[1]})
    code = SERVE.format(**vars(args), port=ports[0])
    servers = [
        subprocess.Popen([sys.executable, "-c", code]),
        subprocess.Popen(
            ["nginx", "-c", str(folder / "nginx.conf"), "-p", str(folder)],
            stderr=subprocess.DEVNULL,
        ),
    ]
    runs: tuple[list[dict[str, float]], list[dict[str, float]]] = ([], [])
    try:
        for port, script in zip(ports, (own, files), strict=True):
            wait_for(port)
            # not counted: the first pages fill the stocks of words
            run_wrk(port, script, args)
        for _ in range(args.rounds):
            runs[0].append(run_wrk(ports[0], own, args))
            runs[1].append(run_wrk(ports[1], files, args))
    finally:
        for server in servers:
            server.terminate()
            server.wait(10)
    return {
        "mean_page_bytes": round(total / len(urls)),
        "distinct_pages": len(urls),
        "geoweb": summarise(runs[0]),
        "nginx": summarise(runs[1]),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("seed", 7), ("hosts", 300), ("pages", 100_000), ("urls", 5000), ("processes", 2),
                          ("connections", 64), ("seconds", 5), ("rounds", 5)):  # fmt: skip
        parser.add_argument(f"--{name}", type=int, default=default)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        # nginx started as root gives its workers to another user, who must be able to read the files.
        Path(folder).chmod(0o755)
        found = measure(args, Path(folder))
    result = {
        "command": " ".join(["python", "bench/geoweb_speed.py", *sys.argv[1:]]),
        **vars(args),
        **found,
    }
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(result, indent=2) + "\n")
    print(json.dumps(result))


if __name__ == "__main__":
    main()
