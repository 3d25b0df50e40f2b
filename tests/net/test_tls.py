"""Certificates and versions of TLS: good ones pass, bad ones are failures that say why, or read and marked."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import shutil
import socket
import ssl
import subprocess
import threading
import warnings
from dataclasses import replace
from types import SimpleNamespace

import pytest
from polite import behaving

from geohound.model.failure import FailureReason
from geohound.model.visit import Failure, Response
from geohound.net.curl_errors import explain
from geohound.net.tls import STRICT, KnownFaults


def openssl(folder, *words):
    if shutil.which("openssl") is None:
        pytest.fail(
            "openssl, which makes the certificates, is missing: run make system"
        )
    subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    """An authority, its certificates (good, for another name, expired), and one that signed itself."""
    folder = tmp_path_factory.mktemp("tls")
    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    openssl(
        folder,
        "req",
        "-x509",
        *key,
        "-keyout",
        "ca.key",
        "-out",
        "ca.pem",
        "-subj",
        "/CN=Test CA",
        "-days",
        "9",
    )
    for name, host, dates in (
        ("good", "a.test", ("-days", "9")),
        ("other", "b.test", ("-days", "9")),
        (
            "expired",
            "a.test",
            ("-not_before", "20200101000000Z", "-not_after", "20200201000000Z"),
        ),
    ):
        (folder / "ext").write_text(f"subjectAltName=DNS:{host}\n")
        openssl(
            folder,
            "req",
            *key,
            "-keyout",
            f"{name}.key",
            "-out",
            f"{name}.csr",
            "-subj",
            f"/CN={host}",
        )
        sign = (
            "-CA",
            "ca.pem",
            "-CAkey",
            "ca.key",
            "-CAcreateserial",
            "-extfile",
            "ext",
        )
        try:
            openssl(
                folder,
                "x509",
                "-req",
                "-in",
                f"{name}.csr",
                *sign,
                *dates,
                "-out",
                f"{name}.pem",
            )
        except (
            subprocess.CalledProcessError
        ):  # openssl before 3.4 cannot set dates here: yesterday will do
            openssl(
                folder,
                "x509",
                "-req",
                "-in",
                f"{name}.csr",
                *sign,
                "-days",
                "-1",
                "-out",
                f"{name}.pem",
            )
    openssl(
        folder, "req", "-x509", *key, "-keyout", "self.key", "-out", "self.pem", "-subj", "/CN=a.test",
        "-addext", "subjectAltName=DNS:a.test", "-days", "9",
    )  # fmt: skip
    openssl(
        folder, "req", "-x509", "-newkey", "rsa:1024", "-nodes", "-keyout", "weak.key", "-out", "weak.pem",
        "-subj", "/CN=a.test", "-addext", "subjectAltName=DNS:a.test", "-days", "9",
    )  # fmt: skip
    return folder


class TlsServer:
    """A server in threads: that of asyncio hangs up on a wrong version without the alert that real servers send."""

    def __init__(self, context):
        self.requests = []
        self.connections = 0
        self._context = context
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(
                    target=self._serve, args=self._listener.accept()[:1], daemon=True
                ).start()

    def _serve(self, caller):
        with (
            caller,
            contextlib.suppress(OSError),
            self._context.wrap_socket(caller, server_side=True) as stream,
        ):
            self.connections += 1
            while head := stream.recv(4096):
                self.requests.append(head.split()[1].decode())
                stream.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")


def ask_over_tls(web, folder, name, policy, *urls, version=None):
    """What a server with this certificate answers, which speaks this version of TLS only; and the server."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    if version is not None or name == "weak":
        context.set_ciphers("ALL:@SECLEVEL=0")
    context.load_cert_chain(folder / f"{name}.pem", folder / f"{name}.key")
    if version is not None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            context.minimum_version = context.maximum_version = version

    async def run():
        async with web.fetching(server, policy=policy) as fetcher:
            return [await fetcher.fetch(url) for url in urls or ["https://a.test/"]]

    with contextlib.closing(TlsServer(context)) as server:
        return asyncio.run(run()), server


def strict(folder):
    return behaving(obey_robots=False, ca_file=str(folder / "ca.pem"))


def lenient(folder):
    return replace(strict(folder), verify_tls=False)


@pytest.mark.parametrize("policy", [strict, lenient])
def test_a_good_certificate_passes_and_has_no_fault(web, certificates, policy):
    (visit,), _ = ask_over_tls(web, certificates, "good", policy(certificates))
    assert isinstance(visit, Response)
    assert (visit.body, visit.tls_fault) == (b"x", "")


FAULTS = [
    ("expired", None, [FailureReason.TLS_EXPIRED]),
    ("other", None, [FailureReason.TLS_NAME]),
    ("self", None, [FailureReason.TLS_CHAIN]),
    ("good", ssl.TLSVersion.TLSv1, [FailureReason.TLS_LEGACY]),
    ("good", ssl.TLSVersion.TLSv1_1, [FailureReason.TLS_LEGACY]),
    (
        "expired",
        ssl.TLSVersion.TLSv1,
        [FailureReason.TLS_LEGACY, FailureReason.TLS_EXPIRED],
    ),
    ("weak", None, [FailureReason.TLS_LEGACY, FailureReason.TLS_CHAIN]),
]


@pytest.mark.parametrize(("name", "version", "faults"), FAULTS)
def test_broken_tls_is_a_failure_that_says_why(
    web, certificates, name, version, faults
):
    (visit,), server = ask_over_tls(
        web, certificates, name, strict(certificates), version=version
    )
    assert isinstance(visit, Failure)
    assert visit.reason is faults[0]
    assert visit.detail
    assert server.requests == []


@pytest.mark.parametrize(("name", "version", "faults"), FAULTS)
def test_broken_tls_is_read_where_the_user_allows_it_and_the_fault_is_told(
    web, certificates, name, version, faults
):
    (visit,), server = ask_over_tls(
        web, certificates, name, lenient(certificates), version=version
    )
    assert isinstance(visit, Response)
    assert (visit.body, visit.tls_fault) == (b"x", ", ".join(faults))
    assert server.requests == ["/"]


def test_a_certificate_of_an_authority_that_nobody_knows_has_a_broken_chain(
    web, certificates
):
    (visit,), _ = ask_over_tls(web, certificates, "good", behaving(obey_robots=False))
    assert visit.reason is FailureReason.TLS_CHAIN


def test_a_known_fault_costs_no_second_failed_connection_and_concerns_its_origin_only(
    web, certificates
):
    urls = ["https://a.test/", "https://a.test/", "https://b.test/"]
    visits, server = ask_over_tls(
        web, certificates, "other", lenient(certificates), *urls
    )
    assert [v.tls_fault for v in visits] == ["certificate of another name"] * 2 + [""]
    assert server.requests == ["/"] * 3
    assert server.connections == 3  # the one that was given up, and one for each origin


def test_a_fault_is_forgotten_after_an_hour(clock):
    known = KnownFaults(clock)
    leniency = STRICT.overlooking(FailureReason.TLS_NAME)
    known.remember("https://a.test", leniency)
    assert known.leniency("https://a.test") == leniency
    clock.seconds += 3601
    assert known.leniency("https://a.test") == STRICT


@pytest.mark.parametrize(
    "reason", [FailureReason.TLS, FailureReason.RESET, FailureReason.DNS]
)
def test_other_troubles_are_not_overlooked(reason):
    assert STRICT.overlooking(reason) is None


def test_plain_http_on_a_tls_port_is_a_tls_failure(web):
    async def run():
        async def blurt(reader, writer):
            writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            writer.close()

        listener = await asyncio.start_server(blurt, "127.0.0.1", 0)
        async with (
            listener,
            web.fetching(
                SimpleNamespace(port=listener.sockets[0].getsockname()[1])
            ) as fetcher,
        ):
            return await fetcher.fetch("https://a.test/")

    visit = asyncio.run(run())
    assert visit.reason is FailureReason.TLS
    assert visit.detail


def test_an_error_of_libcurl_that_nobody_foresaw_still_has_a_reason():
    assert explain(12345, "strange") == (FailureReason.BAD_ANSWER, "strange")


@pytest.mark.parametrize(
    ("code", "message", "os_errno", "reason"),
    [
        (6, "Could not resolve host: x.invalid", 0, FailureReason.DNS),
        (
            28,
            "Resolving timed out after 10000 milliseconds",
            0,
            FailureReason.DNS_TIMEOUT,
        ),
        (
            28,
            "Connection timed out after 10000 milliseconds",
            0,
            FailureReason.CONNECT_TIMEOUT,
        ),
        (28, "SSL connection timeout", 0, FailureReason.CONNECT_TIMEOUT),
        (7, "Could not connect to server", errno.ECONNREFUSED, FailureReason.REFUSED),
        (
            7,
            "Could not connect to server",
            errno.ENETUNREACH,
            FailureReason.UNREACHABLE,
        ),
        (
            7,
            "Could not connect to server",
            errno.EHOSTUNREACH,
            FailureReason.UNREACHABLE,
        ),
        (
            7,
            "Could not connect to server",
            errno.ETIMEDOUT,
            FailureReason.CONNECT_TIMEOUT,
        ),
        (
            56,
            "Recv failure: Connection reset by peer",
            errno.ECONNRESET,
            FailureReason.RESET,
        ),
        (
            35,
            "Recv failure: Connection reset by peer",
            errno.ECONNRESET,
            FailureReason.RESET,
        ),
        (35, "TLS connect error: unexpected eof while reading", 0, FailureReason.RESET),
        (35, "TLS connect error: sslv3 alert handshake failure", 0, FailureReason.TLS),
        (35, "TLS connect error: dh key too small", 0, FailureReason.TLS_LEGACY),
        (
            35,
            "TLS connect error: unsafe legacy renegotiation disabled",
            0,
            FailureReason.TLS_LEGACY,
        ),
        (
            60,
            "verify result: certificate is not yet valid (9)",
            0,
            FailureReason.TLS_EXPIRED,
        ),
        (
            60,
            "verify result: unable to get local issuer certificate (20)",
            0,
            FailureReason.TLS_CHAIN,
        ),
    ],
)
def test_every_trouble_has_its_own_reason(code, message, os_errno, reason):
    assert explain(code, message, os_errno) == (reason, message)
