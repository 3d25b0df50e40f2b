"""Certificates: good ones pass, bad ones are failures that say why, unverified answers are marked."""

from __future__ import annotations

import asyncio
import shutil
import ssl
import subprocess
from types import SimpleNamespace

import pytest

from geohound.model.visit import FailureReason, Response
from geohound.net.fetcher import Manners
from geohound.net.trouble import explain


def openssl(folder, *words):
    if shutil.which("openssl") is None:
        pytest.fail("openssl, which makes the certificates, is missing: run make system")
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
        ("expired", "a.test", ("-not_before", "20200101000000Z", "-not_after", "20200201000000Z")),
    ):
        (folder / "ext").write_text(f"subjectAltName=DNS:{host}\n")
        openssl(folder, "req", *key, "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={host}")
        sign = ("-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "ext")
        try:
            openssl(folder, "x509", "-req", "-in", f"{name}.csr", *sign, *dates, "-out", f"{name}.pem")
        except subprocess.CalledProcessError:  # openssl before 3.4 cannot set dates here: yesterday will do
            openssl(folder, "x509", "-req", "-in", f"{name}.csr", *sign, "-days", "-1", "-out", f"{name}.pem")
    openssl(
        folder, "req", "-x509", *key, "-keyout", "self.key", "-out", "self.pem", "-subj", "/CN=a.test",
        "-addext", "subjectAltName=DNS:a.test", "-days", "9",
    )  # fmt: skip
    return folder


def ask_over_tls(web, folder, name, manners):
    async def run():
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder / f"{name}.pem", folder / f"{name}.key")
        answers = {"/": web.http(b"x", "X-Geohound-TLS: fine")}
        async with (
            web.serving(answers, tls=context) as server,
            web.fetching(server, manners=manners) as fetcher,
        ):
            return await fetcher.fetch("https://a.test/")

    return asyncio.run(run())


def test_a_good_certificate_passes(web, certificates):
    manners = Manners(obey_robots=False, ca_file=str(certificates / "ca.pem"))
    visit = ask_over_tls(web, certificates, "good", manners)
    assert isinstance(visit, Response)
    assert visit.body == b"x"


@pytest.mark.parametrize(("name", "fault"), [("expired", "expired"), ("other", "name"), ("self", "self-signed")])
def test_a_bad_certificate_is_a_failure_that_says_why(web, certificates, name, fault):
    manners = Manners(obey_robots=False, ca_file=str(certificates / "ca.pem"))
    visit = ask_over_tls(web, certificates, name, manners)
    assert visit.reason is FailureReason.TLS
    assert visit.detail.startswith(f"{fault}: ")


def test_a_certificate_of_an_unknown_authority_has_a_broken_chain(web, certificates):
    visit = ask_over_tls(web, certificates, "good", Manners(obey_robots=False))
    assert visit.reason is FailureReason.TLS
    assert visit.detail.startswith("chain: ")


@pytest.mark.parametrize("name", ["expired", "other", "self"])
def test_who_does_not_verify_gets_answers_marked_as_unverified(web, certificates, name):
    visit = ask_over_tls(web, certificates, name, Manners(obey_robots=False, verify_tls=False))
    assert isinstance(visit, Response)
    assert visit.headers["x-geohound-tls"] == "unverified"


def test_plain_http_on_a_tls_port_is_a_tls_failure(web):
    async def run():
        async def blurt(reader, writer):
            writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            writer.close()

        listener = await asyncio.start_server(blurt, "127.0.0.1", 0)
        async with (
            listener,
            web.fetching(SimpleNamespace(port=listener.sockets[0].getsockname()[1])) as fetcher,
        ):
            return await fetcher.fetch("https://a.test/")

    visit = asyncio.run(run())
    assert visit.reason is FailureReason.TLS
    assert visit.detail.startswith("handshake: ")


def test_an_error_of_libcurl_that_nobody_foresaw_still_has_a_reason():
    assert explain(12345, "strange") == (FailureReason.BAD_ANSWER, "strange")
