"""The line of the guide for TLS: a catalogue is opened over it, and a server that is another one is refused."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from postgres_server import Server

from geohound.contracts import StoreError
from geohound.net.clock import SystemClock
from geohound.stores.postgres import open_store

GUIDE = Path(__file__).parents[3] / "docs" / "cluster.md"


def certificate(folder: Path, name: str, for_name: str) -> Path:
    """One that signs itself, with its key beside it."""
    key, signed = folder / f"{name}.key", folder / f"{name}.pem"
    subprocess.run(
        [
            "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
            "-keyout", key, "-out", signed, "-subj", f"/CN={for_name}",
            "-addext", f"subjectAltName=DNS:{for_name}",
        ],
        check=True, capture_output=True,
    )  # fmt: skip
    key.chmod(0o600)
    return signed


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    started = Server(
        ("fsync=off", "ssl=on", "ssl_cert_file=server.pem", "ssl_key_file=server.key")
    )
    signed = certificate(started.data, "server", "localhost")
    if os.getuid() == 0:
        for path in (signed, signed.with_suffix(".key")):
            shutil.chown(path, "postgres", "postgres")
    rules = started.data / "pg_hba.conf"
    rules.write_text("hostssl all all 127.0.0.0/8 trust\n")
    started.start()
    yield started
    started.close()


def options() -> str:
    """As the guide writes them."""
    return re.search(r"\?(sslmode=\S+?)=/etc/ssl\S+`", GUIDE.read_text("utf-8"))[1]


def test_the_catalogue_is_reached_over_tls_with_the_certificate_of_the_guide(
    server,
) -> None:
    address = server.address.replace("127.0.0.1", "localhost")
    own = f"{address}?{options()}={server.data / 'server.pem'}"
    with closing(open_store(own, SystemClock())) as store:
        sql = "SELECT ssl, version FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
        is_safe, version = store.database.read().execute(sql).fetchone()
    assert is_safe
    assert version >= "TLSv1.2"


def test_a_server_that_is_not_the_one_or_speaks_without_tls_is_refused(
    server, tmp_path
) -> None:
    other = certificate(tmp_path, "other", "localhost")
    for host, root in (("localhost", other), ("127.0.0.1", server.data / "server.pem")):
        address = server.address.replace("127.0.0.1", host)
        with pytest.raises(StoreError, match="cannot be reached"):
            open_store(f"{address}?{options()}={root}", SystemClock())
    with pytest.raises(StoreError, match="cannot be reached"):
        open_store(f"{server.address}?sslmode=disable", SystemClock())
