"""The bare prototype: fetch with pycurl, read links with selectolax, remember what was seen. No robots, no store.

With `only` as third argument it fetches the addresses of the file and reads nothing: the limit of the client alone.
"""

from __future__ import annotations

import sys
from collections import deque
from io import BytesIO
from pathlib import Path
from urllib.parse import urlsplit

import ada_url
import pycurl
from selectolax.lexbor import LexborHTMLParser

START = Path(sys.argv[1]).read_text().split()
CONCURRENCY = int(sys.argv[2])
FETCH_ONLY = len(sys.argv) > 3 and sys.argv[3] == "only"


def links_of(url: str, body: bytes, hosts: set[str]) -> list[str]:
    """The addresses a page links to, without fragments, inside the site."""
    found = set()
    for node in LexborHTMLParser(body).css("a[href], area[href]"):
        try:
            link = ada_url.join_url(url, node.attributes["href"] or "")
        except ValueError:
            continue
        link = link.partition("#")[0]
        if link.startswith("http://") and link.split("/", 3)[2] in hosts:
            found.add(link)
    return list(found)


def main() -> None:
    hosts = {urlsplit(url).netloc for url in START}
    seen, queue = set(START), deque(START)
    multi = pycurl.CurlMulti()
    multi.setopt(pycurl.M_MAXCONNECTS, 512)
    idle, busy = [pycurl.Curl() for _ in range(CONCURRENCY)], 0
    while queue or busy:
        while queue and idle:
            curl = idle.pop()
            curl.url, curl.body = queue.popleft(), BytesIO()
            curl.setopt(pycurl.URL, curl.url)
            curl.setopt(pycurl.WRITEDATA, curl.body)
            multi.add_handle(curl)
            busy += 1
        multi.perform()
        _, done, failed = multi.info_read()
        for curl in [*done, *(f[0] for f in failed)]:
            multi.remove_handle(curl)
            idle.append(curl)
            busy -= 1
            if (
                FETCH_ONLY
                or curl not in done
                or curl.getinfo(pycurl.RESPONSE_CODE) != 200
            ):
                continue
            for link in links_of(curl.url, curl.body.getvalue(), hosts):
                if link not in seen:
                    seen.add(link)
                    queue.append(link)
        if not done:
            multi.select(0.01)


main()
