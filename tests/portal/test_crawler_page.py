"""What the owner of a site can learn from the portal."""

from __future__ import annotations

from datetime import UTC, datetime

from starlette.testclient import TestClient

from geohound.model.failure import FailureReason
from geohound.model.visit import RequestRecord
from geohound.portal.app import create_app


def test_a_site_owner_sees_every_request_made_to_a_host(
    catalogue, index, kinds
) -> None:
    at = datetime(2026, 5, 4, 3, 2, 1, tzinfo=UTC)
    made = [
        RequestRecord(
            at,
            "www.a.test",
            "http://www.a.test/?<b>",
            200,
            None,
            1234,
            0.5,
            "192.0.2.1",
        ),
        RequestRecord(
            at, "www.a.test", "http://www.a.test/x", 0, FailureReason.RESET, 0, 0.1, ""
        ),
    ]
    asked: list[tuple[str, int]] = []

    def requests(host: str, limit: int) -> list[RequestRecord]:
        asked.append((host, limit))
        return made if host == "www.a.test" else []

    with TestClient(create_app(catalogue, index, kinds, requests=requests)) as client:
        page = client.get("/about-the-crawler", params={"host": " WWW.a.test "}).text
        assert "2026-05-04 03:02:01" in page
        assert "1,234" in page
        assert "connection lost" in page
        assert "http://www.a.test/?&lt;b&gt;" in page
        assert (
            "No requests to"
            in client.get("/about-the-crawler", params={"host": "b.test"}).text
        )
        assert "No requests to" not in client.get("/about-the-crawler").text
    assert [host for host, _ in asked] == ["www.a.test", "b.test"]
