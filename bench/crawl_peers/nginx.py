"""nginx on loopback, with a log that tells when each request came: what was truly fetched is counted there."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_CONFIG = """daemon off; master_process %(master)s; worker_processes 1; %(user)s
pid %(dir)s/nginx.pid; error_log %(dir)s/error.log; worker_rlimit_nofile 20000;
events { worker_connections 8192; }
http {
  types { text/html html htm; application/javascript js; text/plain txt; }
  sendfile on; tcp_nopush on; keepalive_requests 10000000; keepalive_timeout 300s;
  open_file_cache max=50000 inactive=600s; open_file_cache_valid 600s;
  client_body_temp_path %(dir)s/body; proxy_temp_path %(dir)s/proxy; fastcgi_temp_path %(dir)s/fcgi;
  uwsgi_temp_path %(dir)s/uwsgi; scgi_temp_path %(dir)s/scgi;
  log_format seen '$msec $server_addr $status $body_bytes_sent $request_uri';
  access_log %(dir)s/access.log seen buffer=64k flush=200ms;
%(servers)s
}
"""


@dataclass(frozen=True, slots=True)
class Hit:
    """One request as the server saw it."""

    at_s: float
    host: str
    status: int
    bytes: int
    path: str


class Log:
    """The server's record of requests."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def mark(self) -> int:
        """Where the record ends now."""
        time.sleep(0.4)  # nginx writes in batches
        return self._path.stat().st_size

    def lines_since(self, mark: int) -> int:
        with self._path.open("rb") as file:
            file.seek(mark)
            return file.read().count(b"\n")

    def since(self, mark: int) -> list[Hit]:
        time.sleep(0.4)
        with self._path.open("rb") as file:
            file.seek(mark)
            lines = file.read().decode("utf-8", "replace").splitlines()
        hits = []
        for line in lines:
            at, host, status, size, path = line.split(" ", 4)
            hits.append(Hit(float(at), host, int(status), int(size), path))
        return hits


@contextmanager
def serving(
    folder: Path, roots: Mapping[str, Path], port: int, *, cores: str | None = None
) -> Iterator[Log]:
    """Serve each address its folder until the block ends."""
    hosts = list(roots)
    user = "user root;" if os.geteuid() == 0 else ""
    servers = "\n".join(
        f"  server {{ listen {host}:{port} backlog=1024; root {root}; }}"
        for host, root in roots.items()
    )
    values = {"dir": folder, "servers": servers, "user": user, "master": "off"}
    (folder / "nginx.conf").write_text(_CONFIG % values)
    command = [
        "nginx",
        "-c",
        str(folder / "nginx.conf"),
        "-p",
        str(folder),
        "-e",
        str(folder / "error.log"),
    ]
    if cores:
        command = ["taskset", "-c", cores, *command]
    server = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        _wait_for(hosts[0], port, server, folder)
        yield Log(folder / "access.log")
    finally:
        server.terminate()
        server.wait(10)


def _wait_for(
    host: str, port: int, server: subprocess.Popen[bytes], folder: Path
) -> None:
    end = time.monotonic() + 30
    while time.monotonic() < end and server.poll() is None:
        try:
            socket.create_connection((host, port), 1).close()
        except OSError:
            time.sleep(0.05)
        else:
            # one that cannot listen, because another does, has ended by then
            time.sleep(0.2)
            if server.poll() is None:
                return
    sys.exit(
        f"nginx cannot listen on {host}:{port}: {(folder / 'error.log').read_text()[-500:]}"
    )
